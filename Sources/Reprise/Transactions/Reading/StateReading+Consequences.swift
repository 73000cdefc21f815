extension StateReading where Self: ~Copyable {
    /// Walks through what deleting one entity does at first hand, or what forbids it, without gathering it (REL-27).
    ///
    /// First come the entities that `cascade` takes along, then what `deny` forbids the deletion for, then references
    /// that become nil and entries that are taken out of the lists of others, and last the entries of lists of the
    /// entity's own. The entity itself is none of its consequences. Nothing is changed, and what a transaction has
    /// changed so far counts.
    ///
    /// Where nothing goes along, what is handed over is what ``plan(delete:)`` says. Where something does, the plan is
    /// made of the consequences of all that goes, without those that befall what goes itself. An entity that stands
    /// several times in a list of the entity's own, or on the other side of several relationships, goes along, or
    /// forbids, as often.
    ///
    /// ```swift
    /// // Whether a folder can go by itself, however many notes it has.
    /// var isAlone = true
    /// try transaction.forEachConsequence(ofDeleting: folder) { consequence in
    ///     switch consequence {
    ///     case .deletes, .isDenied: isAlone = false
    ///     case .nullifies, .unlinks, .dropsEntry: break
    ///     }
    ///     return isAlone
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - reference: what would be deleted.
    ///   - body: gets one consequence after the other, and returns false to stop. It may read the same state.
    /// - Throws: `entityMissing`, `unknownModel`, and what `body` throws.
    /// - Complexity: O(consequences handed over · log n), in memory that does not grow with them; in a write
    ///   transaction also what it has changed so far in the lists that are walked through.
    package func forEachConsequence(
        ofDeleting reference: EntityReference,
        _ body: (DeletionConsequence) throws -> Bool
    ) throws {
        try access.run {
            let model = try access.model(named: reference.model)
            guard try access.row(model, reference.id) != nil else {
                throw StoreError.entityMissing(reference)
            }
            let direct = DirectConsequences(workspace: access.workspace)
            try direct.forEach(of: access.key(model, reference.id)) {
                let consequence = try direct.consequence($0, of: reference)
                return try access.lettingGo { try body(consequence) }
            }
        }
    }
}
