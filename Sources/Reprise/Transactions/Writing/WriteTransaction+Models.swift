/// Whole models: an entity becomes what the model says, whatever it was before (STO-100).
///
/// Attributes of the store that the Swift type does not have keep their values. An operation on several models does one
/// after the other, in the order given. Where one is refused after another one has been written, the transaction can
/// only end with that error, and nothing of it remains (STO-101).
extension WriteTransaction {
    /// Inserts an entity, or updates the one that has its identifier. Only what differs is recorded; where nothing
    /// does, no event is made.
    ///
    /// ```swift
    /// try transaction.save(Note(id: "n1", title: "Monday"))
    /// ```
    ///
    /// - Parameters:
    ///   - model: what the entity is to be. To-ones that are set lead to entities that exist.
    ///   - expecting: the revision that the entity must have.
    /// - Returns: whether it was inserted, updated, or was so already.
    /// - Throws: ``StoreError`` with the code `targetMissing`, `uniqueViolation`, `invalidIdentifier`, `invalidValue`
    ///   or `valueTooLarge`; `revisionConflict` and `entityExists` where the entity is not as expected.
    /// - Complexity: O(log n).
    @discardableResult
    public mutating func save<M: Model>(
        _ model: M,
        expecting: ExpectedRevision = .any
    ) throws -> PutOutcome {
        try access.run {
            let binding = try access.binding(for: M.self)
            let id = model.id.rawValue
            let old = try access.row(binding.model, id)
            try encode(model, binding, keeping: binding.isPartial ? old : nil)
            return try session.change {
                guard old != nil else {
                    let expecting = expecting == .any ? .absent : expecting
                    try session.insert(binding.model, id: id, expecting: expecting)
                    return .inserted
                }
                let isChanged = try session.update(binding.model, id: id, expecting: expecting)
                return isChanged ? .updated : .unchanged
            }
        }
    }

    /// Saves several models, as ``save(_:expecting:)`` does one. A model may lead to those before it.
    ///
    /// - Returns: what became of each, in the order given.
    /// - Throws: as ``save(_:expecting:)``.
    /// - Complexity: O(k log n) for k models.
    @discardableResult
    public mutating func save<M: Model>(_ models: [M]) throws -> [PutOutcome] {
        try access.run { try session.change { try models.map { try save($0) } } }
    }

    /// Inserts several entities, as ``insert(_:)-(M)`` does one. A model may lead to those before it.
    ///
    /// - Throws: as ``insert(_:)-(M)``.
    /// - Complexity: O(k log n) for k models.
    public mutating func insert<M: Model>(_ models: [M]) throws {
        try access.run { try session.change { for model in models { try insert(model) } } }
    }

    /// Updates an entity so that it is as the model says. Only what differs is recorded; where nothing does, no event
    /// is made.
    ///
    /// - Parameters:
    ///   - model: what the entity is to be.
    ///   - expecting: the revision that the entity must have.
    /// - Returns: whether anything was different.
    /// - Throws: ``StoreError`` with the code `entityMissing`, `revisionConflict`, `targetMissing`, `uniqueViolation`,
    ///   `invalidValue` or `valueTooLarge`.
    /// - Complexity: O(log n).
    @discardableResult
    public mutating func update<M: Model>(
        _ model: M,
        expecting: ExpectedRevision = .any
    ) throws -> Bool {
        try access.run {
            let binding = try access.binding(for: M.self)
            let id = model.id.rawValue
            guard let old = try access.row(binding.model, id) else {
                throw missing(EntityReference(model.id), expecting)
            }
            try encode(model, binding, keeping: binding.isPartial ? old : nil)
            return try session.change {
                try session.update(binding.model, id: id, expecting: expecting)
            }
        }
    }

    /// Deletes the entity that has the model's identifier, whatever else the model says, with all that the delete rules
    /// make of it.
    ///
    /// - Parameters:
    ///   - model: the entity.
    ///   - expecting: the revision that the entity must have.
    /// - Returns: what was deleted, set to nil and taken out of lists.
    /// - Throws: as ``delete(_:id:expecting:)``.
    /// - Complexity: O(what is touched · log n).
    @discardableResult
    public mutating func delete<M: Model>(
        _ model: M,
        expecting: ExpectedRevision = .any
    ) throws -> DeletionPlan {
        try delete(EntityReference(model.id), expecting: expecting)
    }

    /// Deletes several entities, one after the other. One that has gone along with another one is passed over.
    ///
    /// - Parameters:
    ///   - type: their model.
    ///   - ids: the entities, each of which is there when the operation begins.
    /// - Throws: ``StoreError`` with the code `entityMissing`, before anything is deleted; `deleteDenied` where a
    ///   relationship forbids it at that moment.
    /// - Complexity: O(what is touched · log n).
    public mutating func delete<M: Model>(_ type: M.Type = M.self, ids: [M.ID]) throws {
        try access.run {
            let model = try access.binding(for: M.self).model
            for id in ids where try access.row(model, id.rawValue) == nil {
                throw StoreError.entityMissing(EntityReference(id))
            }
            try deleteAll(ids.map(\.rawValue), of: model)
        }
    }

    /// Deletes entities, within an operation, as far as they are still there.
    mutating func deleteAll(_ ids: [String], of model: CompiledModel) throws {
        try session.change {
            for id in ids where try access.row(model, id) != nil {
                _ = try session.delete(access.key(model, id))
            }
        }
    }
}
