/// Entities by what they are like: those that a condition or a descriptor finds when the operation begins (STO-102).
///
/// They are found first and then changed, one after the other, so that a change does not affect which are found. Where
/// a change is refused after another one has been made, the transaction can only end with that error, and nothing of it
/// remains (STO-101).
extension WriteTransaction {
    /// Changes the entities that meet a condition.
    ///
    /// ```swift
    /// try transaction.update(Note.self) { $0.isRead = true } where: { $0.folder == folder }
    /// ```
    ///
    /// - Parameters:
    ///   - type: the model.
    ///   - change: gets each entity in turn. It does not change the identifier.
    ///   - condition: which entities.
    /// - Returns: of how many entities anything is different now.
    /// - Throws: as ``update(_:id:expecting:_:)``, and `invalidQuery`.
    /// - Complexity: O(rows looked at + k log n) for k entities that are found; memory for their identifiers.
    @discardableResult
    public mutating func update<M: Model>(
        _ type: M.Type,
        _ change: (inout M) throws -> Void,
        where condition: (Fields<M>) -> Filter<M>
    ) throws -> Int {
        try update(FetchDescriptor<M>().where(condition), change)
    }

    /// Changes the entities that a descriptor asks for, in its order, each once.
    ///
    /// - Parameters:
    ///   - descriptor: which entities; a limit and an offset count.
    ///   - change: gets each entity in turn. It does not change the identifier.
    /// - Returns: of how many entities anything is different now.
    /// - Throws: as ``update(_:id:expecting:_:)``, and `invalidQuery`.
    /// - Complexity: O(rows looked at + k log n) for k entities that are found; memory for their identifiers.
    @discardableResult
    public mutating func update<M: Model>(
        _ descriptor: FetchDescriptor<M>,
        _ change: (inout M) throws -> Void
    ) throws -> Int {
        try access.run {
            let ids = Self.once(try fetchIDs(descriptor.query)).map { M.ID($0) }
            let binding = try access.binding(for: M.self)
            return try session.change {
                var count = 0
                for id in ids where try update(id, binding, .any, change).isChanged { count += 1 }
                return count
            }
        }
    }

    /// Deletes the entities that meet a condition, one after the other, with all that the delete rules make of it. One
    /// that has gone along with another one is passed over.
    ///
    /// ```swift
    /// try transaction.delete(Note.self, where: { $0.isRead == true })
    /// ```
    ///
    /// - Parameters:
    ///   - type: the model.
    ///   - condition: which entities.
    /// - Returns: how many entities met the condition. None of them is there any more.
    /// - Throws: ``StoreError`` with the code `deleteDenied` where a relationship forbids it at that moment, and
    ///   `invalidQuery`.
    /// - Complexity: O(rows looked at + what is touched · log n); memory for the identifiers that are found.
    @discardableResult
    public mutating func delete<M: Model>(
        _ type: M.Type,
        where condition: (Fields<M>) -> Filter<M>
    ) throws -> Int {
        try delete(FetchDescriptor<M>().where(condition))
    }

    /// Deletes the entities that a descriptor asks for, in its order, as ``delete(_:where:)`` does.
    ///
    /// - Parameter descriptor: which entities; a limit and an offset count.
    /// - Returns: how many entities it asked for. None of them is there any more.
    /// - Throws: as ``delete(_:where:)``.
    /// - Complexity: O(rows looked at + what is touched · log n); memory for the identifiers that are found.
    @discardableResult
    public mutating func delete<M: Model>(_ descriptor: FetchDescriptor<M>) throws -> Int {
        try access.run {
            let ids = Self.once(try fetchIDs(descriptor.query))
            try deleteAll(ids, of: access.model(named: descriptor.query.model))
            return ids.count
        }
    }

    /// Deletes all entities of a model, as ``delete(_:where:)`` does.
    ///
    /// - Parameter type: the model.
    /// - Returns: how many there were.
    /// - Throws: as ``delete(_:where:)``.
    /// - Complexity: O(what is touched · log n); memory for the identifiers.
    @discardableResult
    public mutating func deleteAll<M: Model>(_ type: M.Type) throws -> Int {
        try delete(FetchDescriptor<M>())
    }

    /// Each identifier once: a list may have an entity several times.
    private static func once(_ ids: [String]) -> [String] {
        var seen: Set<[UInt8]> = []
        return ids.filter { seen.insert(Array($0.utf8)).inserted }
    }
}
