/// What the numbers of another store are in this one (HIS-98).
///
/// Both have numbered in the same way what they had when they parted. What came later each has numbered by itself, in
/// the order in which it was declared there. It is the same where it has the same name in both.
struct Renumbering: Sendable {
    /// By the number in theirs; what is not here has the same number in ours.
    private var models: [UInt16: UInt16] = [:]
    private var relations: [UInt16: UInt16] = [:]
    /// By the number of the model in ours.
    private var slots: [UInt16: [Int: Int]] = [:]

    /// - Parameters:
    ///   - theirs: the schema of the other store.
    ///   - ours: that of this store.
    ///   - past: what both have had, by its number.
    /// - Returns: nil where both have the same numbers.
    /// - Throws: `schemaMismatch` where there are not enough numbers.
    init?(of theirs: SchemaDescription, in ours: SchemaDescription, past: SharedSchema) throws {
        if past.isWholeLog { return nil }
        models = try Self.numbers(
            NumberMatching(of: theirs.numberedModels, in: ours.numberedModels) { past.has(model: UInt16($0)) }
        )
        for model in theirs.models + theirs.retiredModels {
            let number = self.model(model.number)
            guard let own = (ours.models + ours.retiredModels).first(where: { $0.number == number }) else { continue }
            let matching = NumberMatching(of: model.numberedAttributes, in: own.numberedAttributes) {
                past.has(slot: $0, ofModel: model.number)
            }
            guard matching.numbers.values.allSatisfy({ $0 < RowPayload.slotCountMax }) else { throw Self.tooMany }
            if !matching.numbers.isEmpty { slots[number] = matching.numbers }
        }
        relations = try Self.numbers(
            NumberMatching(of: translated(theirs).numberedRelations, in: ours.numberedRelations) {
                past.has(relation: UInt16($0))
            }
        )
        if models.isEmpty, relations.isEmpty, slots.isEmpty { return nil }
    }

    private static func numbers(_ matching: NumberMatching) throws -> [UInt16: UInt16] {
        guard matching.numbers.values.allSatisfy({ $0 <= UInt16.max }) else { throw tooMany }
        return Dictionary(uniqueKeysWithValues: matching.numbers.map { (UInt16($0), UInt16($1)) })
    }

    private static let tooMany = StoreError(
        .schemaMismatch,
        "The two stores have given so many numbers that there is none left for what only one of them has.",
        advice: "Open both with the same version of the program first."
    )
}

// MARK: - Numbers

extension Renumbering {
    func model(_ theirs: UInt16) -> UInt16 { models[theirs] ?? theirs }

    func relation(_ theirs: UInt16) -> UInt16 { relations[theirs] ?? theirs }

    /// - Parameter model: its number in ours.
    func slot(_ theirs: Int, ofModel model: UInt16) -> Int { slots[model]?[theirs] ?? theirs }

    /// The number in theirs of a model of ours.
    func theirModel(_ ours: UInt16) -> UInt16 { models.first { $0.value == ours }?.key ?? ours }

    /// The number in theirs of a relationship of ours.
    func theirRelation(_ ours: UInt16) -> UInt16 { relations.first { $0.value == ours }?.key ?? ours }
}

// MARK: - Rows and changes

extension Renumbering {
    /// A row of theirs, with its values in the slots of ours.
    ///
    /// - Parameter model: its number in ours.
    func row(_ payload: [UInt8], ofModel model: UInt16) throws -> [UInt8] {
        guard slots[model] != nil else { return payload }
        return try unsafe payload.withUnsafeBytes { bytes in
            let row = try unsafe RowPayload(trusting: bytes)
            let values = (0..<row.slotCount).compactMap { slot in
                unsafe row.slot(slot).map { value in
                    SlotDelta(slot: self.slot(slot, ofModel: model), from: nil, to: unsafe [UInt8](value))
                }
            }
            return try DeltaComposer.row(of: values)
        }
    }

    /// Changes of slots of theirs, in ascending order of those of ours.
    ///
    /// - Parameter model: its number in ours.
    func changes(_ changes: [SlotDelta], ofModel model: UInt16) -> [SlotDelta] {
        guard slots[model] != nil else { return changes }
        return changes.map { change in
            SlotDelta(
                slot: slot(change.slot, ofModel: model),
                from: change.from,
                to: change.to,
                isInterrupted: change.isInterrupted
            )
        }.sorted { $0.slot < $1.slot }
    }

    /// A change of theirs as a whole.
    func delta(_ theirs: EntityDelta) throws -> EntityDelta {
        let entity = EntityKey(model: model(theirs.entity.model), id: theirs.entity.id)
        let row: RowDelta =
            switch theirs.row {
            case .same: .same
            case .inserted(let payload): .inserted(try self.row(payload, ofModel: entity.model))
            case .updated(let slots): .updated(changes(slots, ofModel: entity.model))
            case .deleted(let payload): .deleted(try self.row(payload, ofModel: entity.model))
            }
        return EntityDelta(
            entity: entity,
            row: row,
            entries: try theirs.entries.map { entry in
                EntryDelta(
                    relation: relation(entry.relation),
                    serial: entry.serial,
                    target: entry.target,
                    from: entry.from,
                    to: entry.to
                )
            },
            isInterrupted: theirs.isInterrupted,
            neighbours: try theirs.neighbours.map { place in
                let list = ListKey(relation: relation(place.list.relation), id: place.list.id)
                return ListNeighbours(list: list, orderKey: place.orderKey, before: place.before, behind: place.behind)
            }
        )
    }
}

extension Workspace {
    /// The row of an entity; nil where there is none.
    ///
    /// - Parameters:
    ///   - entity: in the terms of the store that asks.
    ///   - numbers: what the numbers of this state are in that store; nil where they are the same.
    func payload(of entity: EntityKey, _ numbers: Renumbering?) throws -> [UInt8]? {
        let own = EntityKey(model: numbers?.theirModel(entity.model) ?? entity.model, id: entity.id)
        guard let payload = try row(own).map({ unsafe [UInt8]($0.payload) }) else { return nil }
        return try numbers?.row(payload, ofModel: entity.model) ?? payload
    }
}

// MARK: - Schemas

extension Renumbering {
    /// A schema of theirs with the numbers of ours. It has no indexes: nothing is looked up with it.
    func translated(_ theirs: SchemaDescription) -> SchemaDescription {
        var schema = theirs
        schema.models = theirs.models.map(translated).sorted { $0.number < $1.number }
        schema.retiredModels = theirs.retiredModels.map(translated).sorted { $0.number < $1.number }
        schema.relations = theirs.relations.map(translated).sorted { $0.number < $1.number }
        schema.retiredRelations = theirs.retiredRelations.map(translated).sorted { $0.number < $1.number }
        return schema
    }

    private func translated(_ theirs: ModelDescription) -> ModelDescription {
        let number = model(theirs.number)
        func translated(_ theirs: AttributeDescription) -> AttributeDescription {
            var attribute = theirs
            attribute.slot = slot(theirs.slot, ofModel: number)
            attribute.origins = theirs.origins.map { slot($0, ofModel: number) }
            return attribute
        }
        var model = theirs
        model.number = number
        model.attributes = theirs.attributes.map(translated)
        model.retiredAttributes = theirs.retiredAttributes.map(translated)
        model.slotCount = max(theirs.slotCount, (slots[number]?.values.max() ?? -1) + 1)
        (model.indexes, model.search) = ([], nil)
        return model
    }

    private func translated(_ theirs: RelationDescription) -> RelationDescription {
        var relation = theirs
        relation.number = self.relation(theirs.number)
        relation.source.model = model(theirs.source.model)
        relation.target.model = model(theirs.target.model)
        relation.kind =
            switch theirs.kind {
            case .reference(let slot): .reference(slot: self.slot(slot, ofModel: relation.source.model))
            case .pair(let source, let target):
                .pair(
                    sourceSlot: slot(source, ofModel: relation.source.model),
                    targetSlot: slot(target, ofModel: relation.target.model)
                )
            case .list: .list
            }
        return relation
    }
}

extension SchemaDescription {
    fileprivate var numberedModels: [NumberedThing] {
        models.map { NumberedThing($0, isRemoved: false) } + retiredModels.map { NumberedThing($0, isRemoved: true) }
    }

    fileprivate var numberedRelations: [NumberedThing] {
        relations.map { NumberedThing($0, isRemoved: false) }
            + retiredRelations.map { NumberedThing($0, isRemoved: true) }
    }
}

extension ModelDescription {
    fileprivate var numberedAttributes: [NumberedThing] {
        attributes.map { NumberedThing($0, isRemoved: false) }
            + retiredAttributes.map { NumberedThing($0, isRemoved: true) }
    }
}
