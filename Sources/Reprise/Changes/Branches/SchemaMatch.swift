/// Whether what another store says of its rows means the same in this one.
///
/// Both have numbered their models and attributes from a past that they share. What was declared since has the same
/// name in both, if a change is about it.
struct SchemaMatch {
    private let ours: CompiledSchema
    /// That of the other store, with the numbers of this one.
    let theirs: CompiledSchema
    /// What the numbers of the other store are in this one; nil where they are the same.
    let numbers: Renumbering?
    /// What theirs has removed, by the number of the model; none for most models.
    private let removals: [UInt16: ModelRemovals]
    /// By the number of the model, the attributes that came later and have a default in theirs that ours does not have.
    private let defaults: [UInt16: [AttributeDescription]]

    /// - Parameters:
    ///   - ours: the schema of this store.
    ///   - theirs: that of the other store, or of an earlier or later state of this one.
    ///   - past: what both have had, by its number; nothing where that is not known.
    /// - Throws: `schemaMismatch` where the same thing is another one in the other store.
    init(ours: CompiledSchema, theirs: CompiledSchema, past: SharedSchema) throws {
        let numbers = try Renumbering(of: theirs.description, in: ours.description, past: past)
        let theirs = numbers.map { numbers in
            let description = numbers.translated(theirs.description)
            return CompiledSchema(description, position: theirs.position, number: theirs.number)
        } ?? theirs
        (self.ours, self.theirs, self.numbers) = (ours, theirs, numbers)
        for model in theirs.allModels {
            guard let own = ours.allModels.first(where: { $0.number == model.number }) else { continue }
            for attribute in model.description.attributes {
                guard let other = own.attribute(slot: attribute.slot) else { continue }
                if other.type != attribute.type { throw Self.mismatch("\(attribute.name) of \(model.name)") }
            }
        }
        for relation in theirs.description.relations {
            let isNew = !past.has(relation: relation.number)
            let own = ours.description.relations.first { own in
                if own.number == relation.number { return true }
                // One of them has another list on the other side of a to-one that both have.
                return isNew && !past.has(relation: own.number)
                    && !Set(own.claimedSlots).isDisjoint(with: relation.claimedSlots)
            }
            guard let own else { continue }
            if own.number != relation.number || !own.isSame(as: relation) {
                throw Self.mismatch("the relationship \(relation.source.name ?? relation.target.name ?? "")")
            }
        }
        removals = ModelRemovals.all(of: theirs.description, for: ours.description)
        var defaults: [UInt16: [AttributeDescription]] = [:]
        for model in theirs.allModels where !past.isWholeLog {
            guard let own = ours.allModels.first(where: { $0.number == model.number }) else { continue }
            defaults[model.number] = model.description.attributes.filter { attribute in
                guard let value = attribute.defaultValue, let other = own.attribute(slot: attribute.slot),
                    !past.has(slot: attribute.slot, ofModel: model.number)
                else { return false }
                return other.defaultValue != value
            }
        }
        self.defaults = defaults.filter { !$0.value.isEmpty }
    }

    /// Whether a slot is a to-one that has a place in a list.
    func isPlace(_ slot: Int, ofModel model: UInt16) -> Bool {
        (try? theirs.model(model))?.references.contains { $0.slot == slot } ?? false
    }

    /// A change of theirs with the numbers of ours, and with its own defaults.
    func translated(_ theirs: EntityDelta) throws -> EntityDelta {
        var delta = try numbers?.delta(theirs) ?? theirs
        let model = delta.entity.model
        switch delta.row {
        case .same: break
        case .inserted(let row): delta.row = .inserted(try withDefaults(row, ofModel: model, isNew: true))
        case .deleted(let row): delta.row = .deleted(try withDefaults(row, ofModel: model, isNew: false))
        case .updated(let changes): delta.row = .updated(withDefaults(changes, ofModel: model))
        }
        return delta
    }

    /// A row of theirs, with what rows have there that are older than an attribute, where ours would take that for
    /// something else.
    ///
    /// - Parameter isNew: whether the row comes to ours, which may have another default.
    func withDefaults(_ payload: [UInt8], ofModel model: UInt16, isNew: Bool) throws -> [UInt8] {
        guard let attributes = defaults[model] else { return payload }
        let missing = try attributes.filter { attribute in
            try payload.rowSlot(attribute.slot) == nil && (isNew || lacksDefault(attribute, ofModel: model))
        }
        return try DeltaComposer.rewritten(
            payload,
            missing.map { SlotDelta(slot: $0.slot, from: nil, to: $0.defaultBytes) }
        )
    }

    /// The same for changes of slots.
    func withDefaults(_ changes: [SlotDelta], ofModel model: UInt16) -> [SlotDelta] {
        guard let attributes = defaults[model] else { return changes }
        return changes.map { change in
            guard let attribute = attributes.first(where: { $0.slot == change.slot }),
                lacksDefault(attribute, ofModel: model)
            else { return change }
            var change = change
            change.from = change.from ?? attribute.defaultBytes
            change.to = change.to ?? attribute.defaultBytes
            return change
        }
    }

    /// Whether every row of ours has a value of an attribute.
    private func lacksDefault(_ attribute: AttributeDescription, ofModel model: UInt16) -> Bool {
        (try? ours.model(model).attribute(slot: attribute.slot))?.defaultValue == nil
    }

    /// What is left of a change of theirs without what theirs has removed since and ours has never had: models,
    /// attributes and lists.
    func withoutRemoved(_ delta: EntityDelta) throws -> EntityDelta {
        guard let removals = removals[delta.entity.model] else { return delta }
        var delta = delta
        if removals.isGone {
            (delta.row, delta.entries) = (.same, EntryDeltas())
            return delta
        }
        switch delta.row {
        case .same: break
        case .updated(let changes):
            let left = changes.filter { !removals.slots.contains($0.slot) }
            delta.row = left.isEmpty ? .same : .updated(left)
        case .inserted(let payload):
            delta.row = .inserted(try DeltaComposer.removing(removals.slots.contains, from: payload))
        case .deleted(let payload):
            delta.row = .deleted(try DeltaComposer.removing(removals.slots.contains, from: payload))
        }
        try delta.entries.removeAll { removals.lists.contains($0.relation) }
        return delta
    }

    /// What is left of a change without what ours has removed, and a merge leaves as it is: models, and the values and
    /// lists of rows that both have.
    func withoutHidden(_ delta: EntityDelta) throws -> EntityDelta {
        var delta = delta
        guard let own = ours.allModels.first(where: { $0.number == delta.entity.model }) else {
            (delta.row, delta.entries) = (.same, EntryDeltas())
            return delta
        }
        switch delta.row {
        case .inserted, .deleted: return delta
        case .same: break
        case .updated(let changes):
            let left = changes.filter { own.attribute(slot: $0.slot) != nil }
            delta.row = left.isEmpty ? .same : .updated(left)
        }
        try delta.entries.removeAll { entry in !own.ends.contains { $0.relation.number == entry.relation } }
        return delta
    }

    /// Makes sure that ours has all that a change of theirs is about.
    func check(_ delta: EntityDelta) throws {
        guard let model = theirs.allModels.first(where: { $0.number == delta.entity.model }) else { return }
        guard let own = ours.allModels.first(where: { $0.number == model.number }) else {
            throw Self.mismatch("the model \(model.name)")
        }
        var slots: [Int] = []
        switch delta.row {
        case .same, .deleted: break
        case .updated(let changes):
            slots = changes.map(\.slot)
            for change in changes where change.to == nil {
                // A row that is as old again as before its attribute has the default.
                if let attribute = own.attribute(slot: change.slot), !attribute.isOptional,
                    attribute.defaultValue == nil
                {
                    throw Self.mismatch("\(attribute.name) of \(model.name) as one that may be nil")
                }
            }
        case .inserted(let payload):
            slots = try model.description.attributes.map(\.slot).filter { try payload.rowSlot($0) != nil }
        }
        for slot in slots where own.attribute(slot: slot) == nil {
            if let attribute = model.attribute(slot: slot) { throw Self.mismatch("\(attribute.name) of \(model.name)") }
        }
        try delta.entries.forEach { entry in
            if own.ownedLists.contains(where: { $0.relation.number == entry.relation }) { return }
            if let list = model.ownedLists.first(where: { $0.relation.number == entry.relation }) {
                throw Self.mismatch("\(list.displayName(in: theirs.description)) of \(model.name)")
            }
        }
    }

    /// Makes sure that rows have no more than ours can have had, and of its types: what comes from a file may say that
    /// its schema is another one than it was.
    func checkForm(of delta: EntityDelta) throws {
        let model = try ours.model(delta.entity.model)
        do {
            switch delta.row {
            case .same: break
            case .inserted(let payload), .deleted(let payload):
                try unsafe payload.withUnsafeBytes { try unsafe model.check(RowPayload(trusting: $0)) }
            case .updated(let slots):
                guard slots.allSatisfy({ $0.slot < model.description.slotCount }) else {
                    throw ValueError(.wrongLength)
                }
            }
        } catch {
            throw Self.mismatch("an attribute of \(model.name)")
        }
    }

    private static func mismatch(_ difference: String) -> StoreError {
        StoreError(
            .schemaMismatch,
            "The two stores have different schemas: one of them lacks \(difference), or has another one.",
            advice: "Open both with the same version of the program first.",
            cause: .schemaMismatch([difference])
        )
    }
}

extension RelationDescription {
    /// Whether two stores have the same relationship under one number. Which side of a one-to-one is the source follows
    /// from the order of the models.
    fileprivate func isSame(as other: RelationDescription) -> Bool {
        connects(as: other) || other.otherWayRound.map(connects) == true
    }
}
