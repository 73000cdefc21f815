import Reprise

/// The store's answers beside the auditor's.
extension Workload {
    /// Everything that the open commit, or the last one, has written.
    func compareTouched<R: StateReading & ~Copyable>(
        _ reader: borrowing R,
        isOpen: Bool = false
    ) throws {
        let state = auditor.state
        var entities = state.touchedRows
        for key in state.touchedLists {
            entities.insert(key.owner)
            // The members' other sides follow from the list.
            guard let list = auditor.schema.relationship(key.owner.model, key.relationship)
            else { continue }
            for entry in state[list: key] { entities.insert(Entity(list.target, entry.target)) }
        }
        for entity in entities { try compare(entity, reader, state, isOpen: isOpen) }
    }

    /// The whole state at the head.
    func compareHead() throws {
        if let broken = auditor.state.brokenInvariant(auditor.schema) {
            throw Difference("the auditor contradicts itself: \(broken)")
        }
        try store.read { transaction in
            try expectEqual(transaction.head.rawValue, head, "the head")
            try expectEqual(transaction.digest, digests[chronicle.commitCount], "the digest")
            try compareEverything(transaction, auditor.state)
        }
        tick("full comparison", operations: 0)
    }

    func compareEverything<R: StateReading & ~Copyable>(
        _ reader: borrowing R,
        _ state: AuditState
    ) throws {
        for model in auditor.schema.models {
            let ids = state.ids(model.name)
            let records = try reader.records(RecordQuery(model: model.name))
            try expectEqual(records.map { Text($0.id) }, ids, "the ids of every \(model.name)")
            try expectEqual(
                try reader.count(RecordQuery(model: model.name)),
                ids.count,
                "how many \(model.name)"
            )
            for id in ids { try compare(Entity(model.name, id), reader, state) }
        }
    }

    /// One entity, by every way to read it.
    func compare<R: StateReading & ~Copyable>(
        _ entity: Entity,
        _ reader: borrowing R,
        _ state: AuditState,
        isOpen: Bool = false
    ) throws {
        let record = try reader.record(model: entity.model, id: entity.id.string)
        let row = state[entity]
        try compare(record, row, entity, state, isOpen: isOpen)
        try compareTyped(try model(entity), entity, reader, row, isOpen: isOpen)
        guard row != nil, let model = auditor.schema.model(entity.model) else { return }
        for list in model.relationships where list.shape != .toOne {
            try compareEntries(list, entity, reader, state)
        }
    }

    /// What is in one entity, in a store that has its own positions.
    func compareContent<R: StateReading & ~Copyable>(
        _ entity: Entity,
        _ reader: borrowing R,
        _ state: AuditState
    ) throws {
        let record = try reader.record(model: entity.model, id: entity.id.string)
        try compare(record, state[entity], entity, state, isOpen: true)
        try compareTyped(try model(entity), entity, reader, state[entity], isOpen: true)
    }

    private func compare(
        _ record: Record?,
        _ row: AuditState.Row?,
        _ entity: Entity,
        _ state: AuditState,
        isOpen: Bool
    ) throws {
        try expectEqual(record != nil, row != nil, "whether \(entity) exists")
        guard let record, let row else { return }
        try expectEqual(Entity(record.model, Text(record.id)), entity, "the name of \(entity)")
        let values = [String: Datum](record.values.map { ($0.name, Datum($0.value)) }) { $1 }
        try expectEqual(values, named(row.values, entity.model), "the values of \(entity)")
        if !isOpen {
            try expectEqual(
                record.revision.position.rawValue,
                row.revision ?? 0,
                "the revision of \(entity)"
            )
        }
        for list in record.lists {
            guard let relationship = auditor.schema.relationship(entity.model, list.name) else {
                throw Difference("\(entity) has a list \(list.name)")
            }
            let targets = state.entries(relationship, of: entity).map(\.target)
            try expectEqual(
                list.targets.map { Text($0) },
                targets,
                "the list \(entity).\(list.name)"
            )
        }
    }

    /// What reading by names finds: nothing of what a function has made since.
    func named(_ values: [String: Datum], _ model: String) -> [String: Datum] {
        guard isBeforeConversion, let conversions = release.conversions[model] else { return values }
        return values.filter { value in !conversions.contains { $0.to == value.key } }
    }

    private func compareTyped<M: AuditedModel, R: StateReading & ~Copyable>(
        _ model: M.Type,
        _ entity: Entity,
        _ reader: borrowing R,
        _ row: AuditState.Row?,
        isOpen: Bool
    ) throws {
        let id = M.ID(entity.id.string)
        let found = try reader.fetch(model, id: id)
        try expectEqual(found?.data, row?.values, "the fetched \(entity)")
        if let found { try expectEqual(Text(found.id.rawValue), entity.id, "the fetched id") }
        guard !isOpen else { return }
        try expectEqual(
            try reader.revision(of: id as Identifier<M>)?.position.rawValue,
            row?.revision,
            "the revision of \(entity)"
        )
    }

    private func compareEntries<R: StateReading & ~Copyable>(
        _ list: AuditRelationship,
        _ owner: Entity,
        _ reader: borrowing R,
        _ state: AuditState
    ) throws {
        let place = "\(owner).\(list.name)"
        let expected = state.entries(list, of: owner)
        let found = try reader.entries(
            of: list.name,
            model: owner.model,
            id: owner.id.string
        )
        try expectEqual(found.map { Text($0.target) }, expected.map(\.target), "the list \(place)")
        if let (owners, targets) = types(owner, list.name) {
            let typed = try typedEntries(owners, targets, list.name, owner, reader)
            try expectEqual(typed, found, "the typed entries of \(place)")
        }
        guard list.shape != .derived else { return }
        try expectEqual(
            found,
            expected.compactMap { registry.id(of: $0) },
            "the entries of \(place)"
        )
    }

    private func typedEntries<O: AuditedModel, T: AuditedModel, R: StateReading & ~Copyable>(
        _: O.Type,
        _: T.Type,
        _ name: String,
        _ owner: Entity,
        _ reader: borrowing R
    ) throws -> [EntryID] {
        try reader.entries(Relationship<O, T>(name), of: O.ID(owner.id.string)).map(\.id)
    }

    /// A plan of the store and the auditor's.
    func compare(_ plan: AuditPlan, _ predicted: AuditPlan, _ what: String) throws(Difference) {
        try expectEqual(plan.deleted, predicted.deleted, "\(what): deleted")
        try expectEqual(plan.denials, predicted.denials, "\(what): denials")
        guard predicted.denials.isEmpty else { return }
        try expectEqual(plan.nullified, predicted.nullified, "\(what): nullified")
        try expectEqual(plan.unlinked, predicted.unlinked, "\(what): unlinked")
    }
}
