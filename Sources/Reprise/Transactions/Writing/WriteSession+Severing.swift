internal import RepriseLMDB
internal import RepriseLog

/// Severing in parts.
extension WriteSession {
    /// Takes away some of what a deletion would take away with an entity, which stays (REL-28).
    ///
    /// - Returns: how much it was; less than `countMax` when there is no more.
    func sever(_ entity: EntityKey, upTo countMax: Int) throws -> Int {
        try workspace.settle()
        guard try workspace.contains(entity) else {
            throw StoreError.entityMissing(try reference(entity))
        }
        // What is walked through must not change meanwhile.
        var found: [DirectConsequences.Consequence] = []
        try DirectConsequences(workspace: workspace).forEachSeverable(of: entity) {
            if found.count < countMax { found.append($0) }
            return found.count < countMax
        }
        for consequence in found {
            switch consequence {
            case .nullifies(let partner, let slot):
                try setSlot(partner, slot: slot, to: nil, cause: 0)
            case .unlinks(let list, let entry), .dropsEntry(let list, let entry):
                try unlink(entry, list, cause: 0)
            case .deletes, .isDenied: break
            }
        }
        return found.count
    }
}

extension WriteTransaction {
    /// Takes away a part of what deleting an entity would take away with it, and leaves the entity (REL-28): to-ones of
    /// others that lead to it become nil, it leaves the lists of others, and lists of its own are emptied.
    ///
    /// Only relationships with the rule `nullify` are severed; one-to-one relationships, which are one thing each, are
    /// left for the deletion. So an entity with millions of entries can be deleted in commits of bounded size:
    ///
    /// ```swift
    /// var count = 10_000
    /// while count == 10_000 { count = try store.write { try $0.sever(folder, upTo: 10_000) } }
    /// try store.write { try $0.delete(folder) }
    /// ```
    ///
    /// Each is an event of its own without a cause, since nothing is deleted.
    ///
    /// - Parameters:
    ///   - reference: the entity.
    ///   - countMax: how many references and entries are taken away at most.
    /// - Returns: how many there were; fewer than `countMax` when there are no more.
    /// - Throws: `entityMissing` and `unknownModel`.
    /// - Complexity: O(countMax · log n), in memory and in time.
    @discardableResult
    package mutating func sever(_ reference: EntityReference, upTo countMax: Int) throws -> Int {
        try access.run {
            let model = try access.model(named: reference.model)
            return try session.change {
                try session.sever(access.key(model, reference.id), upTo: countMax)
            }
        }
    }
}
