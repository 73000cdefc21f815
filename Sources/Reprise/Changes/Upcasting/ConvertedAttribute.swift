/// An attribute that a conversion has made of others, and the way to make it again.
struct ConvertedAttribute: Sendable {
    let model: UInt16
    let slot: Int
    let name: String
    /// The slots that it was made of, those that these were made of in turn, and so on.
    let origins: [Int]
    /// Those of them that were removed: what they say is told by the attribute.
    let removed: Set<Int>
    /// Nil where the program that has opened the store does not have the function.
    var planned: PlannedConversion?

    var place: ConvertedSlot { ConvertedSlot(model: model, slot: slot) }

    /// The attributes of a schema that conversions have made.
    static func all(in description: SchemaDescription, _ planned: [PlannedConversion]) -> [ConvertedAttribute] {
        description.models.flatMap { model in
            model.attributes.filter { !$0.origins.isEmpty }.map { attribute in
                let place = ConvertedSlot(model: model.number, slot: attribute.slot)
                let origins = model.ancestry(of: attribute).map(\.slot)
                return ConvertedAttribute(
                    model: model.number,
                    slot: attribute.slot,
                    name: attribute.name,
                    origins: origins,
                    removed: Set(origins).intersection(model.retiredAttributes.map(\.slot)),
                    planned: planned.first { $0.place == place }
                )
            }
        }
    }

    /// The same for what is of a state in which some converted attributes had not come yet. It has no function where
    /// there is none for what rows had then.
    func reading(before missing: UnconvertedAttributes) -> ConvertedAttribute {
        var copy = self
        copy.planned = planned.flatMap { $0.isKnown(before: missing) ? $0.reading(before: missing) : nil }
        return copy
    }

    /// Whether a change of some slots changes what the conversion makes.
    func isMade(of changes: [SlotDelta]) -> Bool {
        changes.contains { origins.contains($0.slot) && $0.from != $0.to }
    }

    /// What the conversion makes of a row that was not converted; nil where that is nil, where the function refuses the
    /// row, and where it is not known.
    func value(of payload: [UInt8]) throws -> [UInt8]? {
        if let there = try payload.rowSlot(slot) { return there }
        guard let planned else { return nil }
        return try unsafe payload.withUnsafeBytes { bytes in
            try unsafe planned.bytes(of: RowPayload(trusting: bytes))
        }
    }
}

/// Rows and changes of rows that are older than some conversions, as they would be behind them (HIS-117).
extension Array<ConvertedAttribute> {
    /// A row with the values that the conversions make of it.
    func upcast(row payload: [UInt8]) throws -> [UInt8] {
        let made = try compactMap { attribute -> SlotDelta? in
            if try payload.rowSlot(attribute.slot) != nil { return nil }
            return try attribute.value(of: payload).map { SlotDelta(slot: attribute.slot, from: nil, to: $0) }
        }
        return try DeltaComposer.rewritten(payload, made)
    }

    /// What becomes of an entity.
    ///
    /// - Parameter present: finds the row that is there.
    func upcast(_ delta: EntityDelta, present: () throws -> [UInt8]?) throws -> EntityDelta {
        var delta = delta
        switch delta.row {
        case .same: break
        case .inserted(let payload): delta.row = .inserted(try upcast(row: payload))
        case .deleted(let payload): delta.row = .deleted(try upcast(row: payload))
        case .updated(let changes):
            let upcast = try upcast(changes) { slots in
                let told = Set(changes.map(\.slot))
                var values = changes.map { $0.inverted() }
                if let row = try present() {
                    for slot in slots where !told.contains(slot) {
                        values.append(SlotDelta(slot: slot, from: nil, to: try row.rowSlot(slot)))
                    }
                }
                return try DeltaComposer.row(of: values)
            }
            delta.row = .updated(upcast)
        }
        return delta
    }

    /// Removes what the conversions have read from a change: it tells of what they have made of that.
    ///
    /// - Parameter model: that of the change, in the store or file that it comes from, if that is another one: a row
    ///   that comes from there loses what it has in attributes that are not removed there yet.
    func removeOrigins(from delta: inout EntityDelta, of model: ModelDescription?) throws {
        let removed = reduce(into: Set<Int>()) { $0.formUnion($1.removed) }
        switch delta.row {
        case .same, .deleted: break
        case .updated(let changes):
            let left = changes.filter { !removed.contains($0.slot) }
            delta.row = left.isEmpty ? .same : .updated(left)
        case .inserted(let payload):
            guard let model else { return }
            let foreign = removed.intersection(model.attributes.map(\.slot))
            delta.row = .inserted(try DeltaComposer.removing(foreign.contains, from: payload))
        }
    }

    /// A change with what it does to the values that the conversions make.
    ///
    /// - Parameter rowBefore: finds the row before the change, as far as it has some slots.
    func upcast(
        _ changes: [SlotDelta],
        rowBefore: (_ slots: [Int]) throws -> [UInt8]
    ) throws -> [SlotDelta] {
        var made: [SlotDelta] = []
        for attribute in self {
            let said = changes.first { $0.slot == attribute.slot }
            guard said != nil || attribute.isMade(of: changes) else { continue }
            let before = try rowBefore(attribute.planned?.firstOrigins ?? [])
            let after = try DeltaComposer.rewritten(before, changes)
            made.append(
                SlotDelta(
                    slot: attribute.slot,
                    from: try said?.from ?? attribute.value(of: before),
                    to: try said?.to ?? attribute.value(of: after)
                )
            )
        }
        let others = changes.filter { change in !made.contains { $0.slot == change.slot } }
        return (others + made).sorted { $0.slot < $1.slot }
    }
}
