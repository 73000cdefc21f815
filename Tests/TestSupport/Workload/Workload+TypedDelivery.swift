import Reprise

/// The typed half of the API. The types come from a table, so each function is entered with an opened existential.
extension Workload {
    func insert<M: AuditedModel>(
        _ model: M.Type,
        _ entity: Entity,
        _ values: [String: Datum],
        _ transaction: inout WriteTransaction
    ) throws {
        try transaction.insert(M(M.ID(entity.id.string), AuditValues(values)))
    }

    func update<M: AuditedModel>(
        _ model: M.Type,
        _ entity: Entity,
        _ changes: [String: Datum?],
        _ expecting: AuditExpectation,
        _ transaction: inout WriteTransaction
    ) throws {
        let id = M.ID(entity.id.string)
        let result = try transaction.update(
            model,
            id: id,
            expecting: ExpectedRevision(expecting)
        ) { current in
            var values = current.data
            for (name, value) in changes { values[name] = value }
            current = M(id, AuditValues(values))
        }
        try expectEqual(
            result.data,
            auditor.state[entity]?.values ?? [:],
            "what updating \(entity) returned"
        )
    }

    func delete<M: AuditedModel>(
        _ model: M.Type,
        _ entity: Entity,
        _ expecting: AuditExpectation,
        _ transaction: inout WriteTransaction
    ) throws -> DeletionPlan {
        try transaction.delete(
            model,
            id: M.ID(entity.id.string),
            expecting: ExpectedRevision(expecting)
        )
    }

    /// Nil when the relationship is not one that the tests name in Swift.
    func link(
        _ owner: Entity,
        _ name: String,
        _ target: Text,
        _ placement: Placement,
        _ transaction: inout WriteTransaction
    ) throws -> EntryID? {
        guard let (owners, targets) = types(owner, name) else { return nil }
        return try link(owners, targets, owner, name, target, placement, &transaction)
    }

    private func link<O: AuditedModel, T: AuditedModel>(
        _: O.Type,
        _: T.Type,
        _ owner: Entity,
        _ name: String,
        _ target: Text,
        _ placement: Placement,
        _ transaction: inout WriteTransaction
    ) throws -> EntryID {
        let entry = try transaction.link(
            Relationship<O, T>(name),
            from: O.ID(owner.id.string),
            to: T.ID(target.string),
            at: placement
        )
        try expectEqual(Text(entry.target.rawValue), target, "the target of the entry")
        return entry.id
    }

    /// False when the relationship is not one that the tests name in Swift.
    func unlink(
        _ owner: Entity,
        _ name: String,
        _ entry: EntryID,
        _ transaction: inout WriteTransaction
    ) throws -> Bool {
        guard let (owners, targets) = types(owner, name) else { return false }
        try unlink(owners, targets, owner, name, entry, &transaction)
        return true
    }

    private func unlink<O: AuditedModel, T: AuditedModel>(
        _: O.Type,
        _: T.Type,
        _ owner: Entity,
        _ name: String,
        _ entry: EntryID,
        _ transaction: inout WriteTransaction
    ) throws {
        try transaction.unlink(Relationship<O, T>(name), entry: entry, of: O.ID(owner.id.string))
    }

    /// False when the relationship is not one that the tests name in Swift.
    func move(
        _ owner: Entity,
        _ name: String,
        _ entry: EntryID,
        _ placement: Placement,
        _ transaction: inout WriteTransaction
    ) throws -> Bool {
        guard let (owners, targets) = types(owner, name) else { return false }
        try move(owners, targets, owner, name, entry, placement, &transaction)
        return true
    }

    private func move<O: AuditedModel, T: AuditedModel>(
        _: O.Type,
        _: T.Type,
        _ owner: Entity,
        _ name: String,
        _ entry: EntryID,
        _ placement: Placement,
        _ transaction: inout WriteTransaction
    ) throws {
        try transaction.move(
            Relationship<O, T>(name),
            entry: entry,
            of: O.ID(owner.id.string),
            to: placement
        )
    }

    /// The Swift types at both ends of a relationship.
    func types(
        _ owner: Entity,
        _ name: String
    ) -> (any AuditedModel.Type, any AuditedModel.Type)? {
        guard let relationship = auditor.schema.relationship(owner.model, name),
            let owners = release.models[owner.model], let targets = release.models[relationship.target]
        else { return nil }
        return (owners, targets)
    }
}
