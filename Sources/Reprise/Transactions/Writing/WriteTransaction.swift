internal import RepriseLMDB
internal import RepriseLog

/// One commit in the making. It sees its own changes; nobody else does until the closure has returned and the disk
/// has it.
///
/// An operation that throws leaves no trace of its own. A closure that throws leaves no trace at all.
public struct WriteTransaction: ~Copyable, StateReading {
    /// What the transaction reads through. Opaque.
    public let token: StateToken
    let session: WriteSession

    init(access: StateAccess, session: WriteSession) {
        token = StateToken(access)
        self.session = session
    }

    /// Inserts an entity. To-one relationships that are set put it at the end of the lists on the other side.
    ///
    /// Whether unique values are taken and targets are there is looked at when the closure of the `write` is through
    /// (REL-33), or at once after ``checkRulesAtOnce()``.
    ///
    /// - Throws: ``StoreError`` with the code `entityExists`, `invalidIdentifier` or `valueTooLarge`; `targetMissing`
    ///   for the partner of a one-to-one. Where rules are checked at once, `targetMissing` and `uniqueViolation`.
    /// - Complexity: O(log n).
    public mutating func insert<M: Model>(_ model: M) throws {
        try access.run {
            let binding = try access.binding(for: M.self)
            try encode(model, binding)
            try session.change { try session.insert(binding.model, id: model.id.rawValue) }
        }
    }

    /// Changes an entity. Only what differs afterwards is recorded; when nothing does, no event is made.
    ///
    /// - Returns: the entity as it is now.
    /// - Throws: `entityMissing`, `revisionConflict`, `targetMissing`, `uniqueViolation`, `valueTooLarge`, and
    ///   what `change` throws.
    @discardableResult
    public mutating func update<M: Model>(
        _ type: M.Type = M.self,
        id: M.ID,
        expecting: ExpectedRevision = .any,
        _ change: (inout M) throws -> Void
    ) throws -> M {
        try access.run {
            let binding = try access.binding(for: M.self)
            return try update(id, binding, expecting, change).model
        }
    }

    /// Changes an entity, within an operation.
    ///
    /// - Returns: the entity as it is now, and whether anything of it is different.
    mutating func update<M: Model>(
        _ id: M.ID,
        _ binding: ModelBinding,
        _ expecting: ExpectedRevision,
        _ change: (inout M) throws -> Void
    ) throws -> (model: M, isChanged: Bool) {
        guard let row = try access.row(binding.model, id.rawValue) else {
            throw missing(EntityReference(id), expecting)
        }
        var model = try binding.decode(M.self, id: id, row)
        try access.lettingGo { try change(&model) }
        guard model.id == id else {
            throw StoreError(
                .invalidIdentifier,
                "The identifier of \(EntityReference(id)) was changed to \"\(model.id)\".",
                advice: "An identity is for ever: delete the entity and insert another one."
            )
        }
        // The row may have moved while the user's code ran.
        let old = binding.isPartial ? try access.row(binding.model, id.rawValue) : nil
        try encode(model, binding, keeping: old)
        let isChanged = try session.change {
            try session.update(binding.model, id: id.rawValue, expecting: expecting)
        }
        return (model, isChanged)
    }

    /// The error for an entity that is not there.
    func missing(_ reference: EntityReference, _ expecting: ExpectedRevision) -> StoreError {
        if case .exactly = expecting { return session.conflict(expecting, actual: nil, reference) }
        return .entityMissing(reference)
    }

    /// Deletes an entity with all that the delete rules make of it, each consequence recorded with its cause.
    ///
    /// - Returns: what was deleted, set to nil and taken out of lists.
    /// - Throws: `entityMissing`, `revisionConflict`, `deleteDenied` with the relationships that forbid it.
    /// - Complexity: O(what is touched · log n).
    @discardableResult
    public mutating func delete<M: Model>(
        _ type: M.Type = M.self,
        id: M.ID,
        expecting: ExpectedRevision = .any
    ) throws -> DeletionPlan {
        try delete(EntityReference(id), expecting: expecting)
    }

    /// Puts an entity into a list. In a list whose other side is a to-one it is taken out of its old list.
    ///
    /// - Throws: `entityMissing` (the owner), `targetMissing`, `entryMissing` (the entry that the placement names).
    @discardableResult
    public mutating func link<Owner, Target>(
        _ relationship: Relationship<Owner, Target>,
        from owner: Owner.ID,
        to target: Target.ID,
        at placement: Placement = .last
    ) throws -> Entry<Target> {
        Entry(
            id: try link(
                relationship.name,
                of: EntityReference(owner),
                to: target.rawValue,
                at: placement
            )
        )
    }

    /// Takes one entry out of a list; the entity that it points to stays.
    public mutating func unlink<Owner, Target>(
        _ relationship: Relationship<Owner, Target>,
        entry: EntryID,
        of owner: Owner.ID
    ) throws {
        try unlink(relationship.name, entry: entry, of: EntityReference(owner))
    }

    /// Puts an entry in another place of its list.
    public mutating func move<Owner, Target>(
        _ relationship: Relationship<Owner, Target>,
        entry: EntryID,
        of owner: Owner.ID,
        to placement: Placement
    ) throws {
        try move(relationship.name, entry: entry, of: EntityReference(owner), to: placement)
    }

    /// Writes a model into the scratch space, as the row that it is to be.
    ///
    /// - Parameter old: the row whose values stay where the Swift type has no attribute for them.
    func encode<M: Model>(
        _ model: M,
        _ binding: ModelBinding,
        keeping old: RowView? = nil
    ) throws {
        let kept = try old.map { try unsafe RowPayload(trusting: $0.payload) }
        do throws(ValueError) {
            try unsafe withUnsafePointer(to: model) { pointer throws(ValueError) in
                try unsafe access.workspace.scratch.writeRow(
                    UnsafeRawPointer(pointer),
                    binding.fieldReferences,
                    keeping: kept
                )
            }
        } catch {
            throw StoreError(
                error.code == .tooLarge ? .valueTooLarge : .invalidValue,
                "\(binding.model.name) \"\(model.id)\" cannot be stored: \(error)",
                advice: "Change the value."
            )
        }
    }
}

// MARK: - By stored names

extension WriteTransaction {
    /// What ``save(_:expecting:)`` or ``put(_:values:expecting:)`` did.
    public enum PutOutcome: Sendable, Hashable {
        /// There was no such entity.
        case inserted
        /// Something of it was different.
        case updated
        /// It was so already, and no event was made.
        case unchanged
    }

    /// Inserts or updates an entity by names. Attributes that are not named keep their value, or are nil in a new
    /// entity; ``Value/null`` makes one nil.
    @discardableResult
    public mutating func put(
        _ reference: EntityReference,
        values: [String: Value],
        expecting: ExpectedRevision = .any
    ) throws -> PutOutcome {
        try access.run {
            let model = try access.model(named: reference.model)
            let values = try Self.inOrder(values, model)
            return try put(model, reference.id, values, expecting)
        }
    }

    /// Inserts or updates an entity whose values stand in the order of the model's attributes (STO-46): the fast
    /// way for tools that write many rows of one model.
    ///
    /// - Parameter values: one for each attribute of the model's description. Nil keeps what is there, or is
    ///   ``Value/null`` in a new entity.
    /// - Throws: as ``insert(_:)`` and ``update(_:id:expecting:_:)``, and `invalidValue` where the values are more or
    ///   fewer than the attributes.
    /// - Complexity: O(log n + attributes).
    @discardableResult
    package mutating func put(
        _ reference: EntityReference,
        inOrder values: [Value?],
        expecting: ExpectedRevision = .any
    ) throws -> PutOutcome {
        try access.run {
            try put(access.model(named: reference.model), reference.id, values, expecting)
        }
    }

    private func put(
        _ model: CompiledModel,
        _ id: String,
        _ values: [Value?],
        _ expecting: ExpectedRevision
    ) throws -> PutOutcome {
        // What must not be there is looked for once, when it is inserted.
        let old = expecting == .absent ? nil : try access.row(model, id)
        do {
            try access.encode(values, over: old, model, id)
        } catch {
            // That it is there comes before what is wrong with the values.
            if expecting == .absent, try access.row(model, id) != nil {
                throw StoreError.entityExists(EntityReference(model: model.name, id: id))
            }
            throw error
        }
        return try session.change {
            if old == nil {
                try session.insert(
                    model,
                    id: id,
                    expecting: expecting == .any ? .absent : expecting
                )
                return .inserted
            }
            let isChanged = try session.update(model, id: id, expecting: expecting)
            return isChanged ? .updated : .unchanged
        }
    }

    /// Deletes an entity by names.
    @discardableResult
    public mutating func delete(
        _ reference: EntityReference,
        expecting: ExpectedRevision = .any
    ) throws -> DeletionPlan {
        try access.run {
            let model = try access.model(named: reference.model)
            return try session.change {
                try session.delete(access.key(model, reference.id), expecting: expecting)
            }
        }
    }

    /// Puts an entity into a list, by names.
    @discardableResult
    public mutating func link(
        _ relationship: String,
        of owner: EntityReference,
        to target: String,
        at placement: Placement = .last
    ) throws -> EntryID {
        try access.run {
            let list = try writableList(relationship, owner)
            return try session.change {
                try session.link(list, target: Array(target.utf8), at: placement)
            }
        }
    }

    /// Takes an entry out of a list, by names.
    public mutating func unlink(
        _ relationship: String,
        entry: EntryID,
        of owner: EntityReference
    ) throws {
        try access.run {
            let list = try writableList(relationship, owner)
            try session.change { try session.unlink(list, entry: entry) }
        }
    }

    /// Puts an entry in another place, by names.
    public mutating func move(
        _ relationship: String,
        entry: EntryID,
        of owner: EntityReference,
        to placement: Placement
    ) throws {
        try access.run {
            let list = try writableList(relationship, owner)
            try session.change { try session.move(list, entry: entry, to: placement) }
        }
    }

    func writableList(_ relationship: String, _ owner: EntityReference) throws -> ListPlace {
        let model = try access.model(named: owner.model)
        let list = try access.list(relationship, of: model, id: owner.id)
        if list.isDerived {
            throw StoreError(
                .unknownRelationship,
                "\"\(relationship)\" of \(owner.model) is derived from the lists on the other side.",
                advice: "Change the list of the owner instead."
            )
        }
        return list
    }

    /// The values in the order of the model's attributes; nil where none is named.
    private static func inOrder(
        _ values: [String: Value],
        _ model: CompiledModel
    ) throws(StoreError) -> [Value?] {
        for name in values.keys where model.attribute(named: name) == nil {
            throw model.unknownAttribute(name)
        }
        return model.description.attributes.map { values[$0.name] }
    }
}
