extension Store {
    /// What commits have made of an entity, the newest first: when, who, why, from what to what.
    ///
    /// ```swift
    /// for version in try store.history(of: Task.self, id: id, limit: 20) {
    ///     print(version.commit.at, version.commit.actor, version.commit.intent)
    ///     for field in version.change.fields { print("  ", field.name, field.from, field.to) }
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - type: the model.
    ///   - id: the entity. One that never was has no history.
    ///   - limit: how many at most; nil for all of them. ``StateReading/forEachVersion(of:includingDead:_:)`` hands
    ///     over one after the other.
    ///   - includesDead: whether commits that a rollback has taken back are told of as well, marked.
    /// - Throws: `unknownModel`, `newerFormat`, `corrupted`.
    public func history<M: Model>(
        of type: M.Type = M.self,
        id: M.ID,
        limit: Int? = nil,
        includingDead includesDead: Bool = false
    ) throws -> [CommitRecord.EntityVersion] {
        var versions: [CommitRecord.EntityVersion] = []
        if let limit, limit <= 0 { return [] }
        try read { state in
            try state.forEachVersion(of: EntityReference(id), includingDead: includesDead) { version in
                versions.append(version)
                return limit.map { versions.count < $0 } ?? true
            }
        }
        return versions
    }

    /// For each field and list of an entity that has a value, the commit that has made it what it is.
    ///
    /// - Parameters:
    ///   - type: the model.
    ///   - id: the entity.
    /// - Returns: attributes and to-ones in the order of the schema, then many-to-many lists; empty where the entity is
    ///   not there.
    /// - Throws: `unknownModel`, `newerFormat`, `corrupted`.
    public func blame<M: Model>(_ type: M.Type = M.self, id: M.ID) throws -> [CommitRecord.Blame] {
        try read { try $0.blame(EntityReference(id)) }
    }
}
