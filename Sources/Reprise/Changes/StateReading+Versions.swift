internal import RepriseLog

/// The history of one entity, commit by commit.
extension StateReading where Self: ~Copyable {
    /// Hands over what commits have made of an entity, the newest first, across its deletions and returns (HIS-70).
    ///
    /// - Parameters:
    ///   - reference: the entity. One that never was has no history.
    ///   - includesDead: whether commits that a rollback has taken back are told of as well, marked.
    ///   - body: gets one commit; returns false to stop.
    /// - Throws: ``StoreError``: `unknownModel`, `newerFormat`, `corrupted`; and what `body` throws.
    /// - Complexity: O(log n) for each event of the entity, handed over as they are read; with dead commits O(events of
    ///   the log).
    public func forEachVersion(
        of reference: EntityReference,
        includingDead includesDead: Bool = false,
        _ body: (CommitRecord.EntityVersion) throws -> Bool
    ) throws {
        try access.run {
            let model = try access.model(named: reference.model)
            let walk = try VersionWalk(access, model, reference.id)
            if includesDead {
                try walk.forEachVersionOfLog { version in try access.lettingGo { try body(version) } }
            } else {
                try walk.forEachVersion { version in try access.lettingGo { try body(version) } }
            }
        }
    }

    /// For each field and list of an entity that has a value, the commit that has made it what it is (HIS-71).
    ///
    /// - Parameter reference: the entity.
    /// - Returns: attributes and to-ones in the order of the schema, then many-to-many lists; empty where the entity is
    ///   not there.
    /// - Throws: ``StoreError``: `unknownModel`, `newerFormat`, `corrupted`.
    /// - Complexity: O(log n) for each event of the entity back to the one that made the oldest of them.
    public func blame(_ reference: EntityReference) throws -> [CommitRecord.Blame] {
        try access.run {
            let model = try access.model(named: reference.model)
            guard let row = try access.row(model, reference.id) else { return [] }
            let record = try access.record(model, reference.id, row, lists: true)
            let owned = model.ownedLists.map { $0.displayName(in: access.workspace.schema.description) }
            var wanted = record.values + record.lists.filter { owned.contains($0.name) && !$0.targets.isEmpty }.map {
                (name: $0.name, value: Value.list($0.targets.map { .reference($0) }))
            }
            let order = wanted.map(\.name)
            var found: [String: CommitRecord.Blame] = [:]
            let walk = try VersionWalk(access, model, reference.id)
            try walk.forEachVersion { version in
                let names = Set(version.change.fields.map(\.name)).union(version.lists.map(\.name))
                for (name, value) in wanted where version.change.kind == .inserted || names.contains(name) {
                    found[name] = CommitRecord.Blame(name: name, value: value, commit: version.commit)
                }
                wanted.removeAll { found[$0.name] != nil }
                return !wanted.isEmpty
            }
            return order.compactMap { found[$0] }
        }
    }
}
