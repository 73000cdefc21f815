internal import RepriseLMDB
internal import RepriseLog

/// Reading events that are older than conversions (HIS-117).
extension Store {
    /// Reads older events of this store in the terms of its schema; nil where nothing was converted.
    ///
    /// - Parameters:
    ///   - travel: the store as one transaction sees it.
    ///   - present: its schema.
    ///   - isTakingBack: whether events are taken back: an older one for which the program lacks the function is
    ///     refused.
    func upcaster(
        of travel: TimeTravel,
        _ present: SchemaDescription,
        isTakingBack: Bool = false
    ) throws -> EventUpcaster? {
        let converted = converted(in: present)
        if converted.isEmpty { return nil }
        let history = try SchemaHistory(of: travel.state, travel.reader, travel.tables)
        let places = present.convertedSlots
        return try upcaster(of: travel, history, converted, in: present, places, isTakingBack: isTakingBack)
    }

    /// Reads older events of a branch in the terms of the schema of this store; nil where nothing was converted.
    ///
    /// - Parameters:
    ///   - branch: the branch as one transaction sees it.
    ///   - present: the schema of this store.
    ///   - numbers: what those of the branch are in this store.
    func upcaster(
        ofBranch branch: TimeTravel,
        for present: SchemaDescription,
        _ numbers: Renumbering?
    ) throws -> EventUpcaster? {
        let all = converted(in: present)
        if all.isEmpty { return nil }
        var history = try SchemaHistory(of: branch.state, branch.reader, branch.tables)
        if let numbers { history = history.map(numbers.translated) }
        let converted = all.filter { $0.isSame(in: present, history.present) }
        // Under a number that means something else there, nothing is known.
        let places = present.convertedSlots.filter { $0.isSame(in: present, history.present) }
        return try upcaster(of: branch, history, converted, in: present, places, numbers, isTakingBack: false)
    }

    /// Says changes that were found under an earlier schema in the terms of the present one.
    ///
    /// - Parameter schema: the one under which they were found.
    func upcast(
        from schema: SchemaDescription,
        to workspace: Workspace
    ) -> (EntityDelta) throws -> EntityDelta {
        let present = workspace.schema.description
        var missing = UnconvertedAttributes()
        for place in present.convertedSlots where !place.isThere(in: schema) {
            missing.insert(place, declaredAt: 0, isOlder: true)
        }
        let all = converted(in: present).filter { $0.isSame(in: present, schema) }
        let newer = all.filter { missing.contains($0.place) }.map { $0.reading(before: missing) }
        let others = all.filter { !missing.contains($0.place) }
        if all.isEmpty { return { $0 } }
        let (known, unknown) = (newer.filter { $0.planned != nil }, newer.filter { $0.planned == nil })
        let byModel = Dictionary(grouping: known, by: \.model)
        return { delta in
            for attribute in unknown where try attribute.isMade(of: delta) {
                throw Self.refusal(delta.entity, attribute, present)
            }
            // It was found by a program without the function, and tells of what the conversion had read.
            for attribute in others where attribute.isToldOfByOrigins(delta, in: schema) {
                throw Self.refusal(delta.entity, attribute, present)
            }
            let known = byModel[delta.entity.model] ?? []
            var newer = try known.upcast(delta) { try workspace.row(delta.entity).map { unsafe [UInt8]($0.payload) } }
            try known.removeOrigins(from: &newer, of: schema.model(delta.entity.model))
            return newer
        }
    }

    /// What functions of the program and the rule of the format have made.
    private func converted(in present: SchemaDescription) -> [ConvertedAttribute] {
        ConvertedAttribute.all(in: present, conversions.withLock { $0 } + present.widenings)
    }

    private func upcaster(
        of travel: TimeTravel,
        _ history: SchemaHistory,
        _ converted: [ConvertedAttribute],
        in present: SchemaDescription,
        _ places: [ConvertedSlot],
        _ numbers: Renumbering? = nil,
        isTakingBack: Bool
    ) throws -> EventUpcaster {
        let tables = travel.tables[travel.state.viewSet]
        let (log, head) = (travel.tables.log, travel.state.log.head)
        return try EventUpcaster(
            LogReader(travel.reader, table: log, head: head),
            events: LogReader(travel.reader, table: log, head: head, isAnyOrder: true),
            ConversionHistory(history, Timeline(travel.reader, tables), LabelScan(travel.reader, tables.labels)),
            converted,
            places: places,
            refuse: isTakingBack ? { Self.refusal($0, $1, present) } : nil,
            numbers: numbers
        )
    }
}

extension Store {
    private static func refusal(
        _ entity: EntityKey,
        _ attribute: ConvertedAttribute,
        _ present: SchemaDescription
    ) -> StoreError {
        let reference = EntityReference(model: present.model(entity.model)?.name ?? "", id: entity.text)
        return StoreError(
            .schemaMismatch,
            "The change of \(reference) is older than its attribute \(attribute.name), and no function is declared "
                + "that makes this of what rows had then.",
            advice: "Do it with the program that has the function. If it no longer has it, write the line "
                + "`.converting(\"\(attribute.name)\", from: …)` again.",
            cause: .schemaMismatch([attribute.name])
        )
    }
}

extension ConvertedAttribute {
    /// Whether what becomes of an entity changes what the conversion makes.
    fileprivate func isMade(of delta: EntityDelta) throws -> Bool {
        guard delta.entity.model == model else { return false }
        switch delta.row {
        case .same: return false
        case .updated(let changes): return isMade(of: changes)
        case .inserted(let payload), .deleted(let payload):
            return try origins.contains { try payload.rowSlot($0) != nil }
        }
    }

    /// Whether a change of a row that is there tells of attributes that the attribute was made of, and that the schema
    /// under which the change was found had removed already.
    fileprivate func isToldOfByOrigins(_ delta: EntityDelta, in schema: SchemaDescription) -> Bool {
        guard delta.entity.model == model, case .updated(let changes) = delta.row else { return false }
        let there = schema.model(model)?.attributes ?? []
        return changes.contains { change in
            removed.contains(change.slot) && change.from != change.to && !there.contains { $0.slot == change.slot }
        }
    }

    /// Whether two stores have the same under the numbers of the attribute and of those that it is made of. The second
    /// one may not have converted yet.
    fileprivate func isSame(in ours: SchemaDescription, _ theirs: SchemaDescription) -> Bool {
        (origins + [slot]).allSatisfy { ConvertedSlot(model: model, slot: $0).isSame(in: ours, theirs) }
    }
}

extension ConvertedSlot {
    /// Whether a schema has the attribute, or had it.
    fileprivate func isThere(in schema: SchemaDescription) -> Bool { attribute(in: schema) != nil }

    /// Whether two stores have an attribute of one type under the number, or the second one has none yet.
    fileprivate func isSame(in ours: SchemaDescription, _ theirs: SchemaDescription) -> Bool {
        guard theirs.model(model) != nil else { return false }
        return attribute(in: theirs).map { $0.type == attribute(in: ours)?.type } ?? true
    }

    private func attribute(in schema: SchemaDescription) -> AttributeDescription? {
        guard let model = schema.model(model) else { return nil }
        return (model.attributes + model.retiredAttributes).first { $0.slot == slot }
    }
}
