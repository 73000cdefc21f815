/// Questions that need no descriptor.
extension StateReading where Self: ~Copyable {
    /// All entities of a model, in the order of their identifiers' bytes.
    ///
    /// - Throws: ``StoreError`` with the code `invalidValue` for a row that the Swift type cannot read.
    /// - Complexity: O(n) for n entities.
    @inlinable
    public func fetch<M: Model>(_ type: M.Type) throws -> [M] {
        try fetch(FetchDescriptor<M>())
    }

    /// The entities that meet a condition, in the order of their identifiers' bytes.
    ///
    /// ```swift
    /// let unread = try transaction.fetch(Note.self) { $0.isRead == false }
    /// ```
    ///
    /// - Throws: as ``fetch(_:)-(M.Type)``, and `invalidQuery`.
    /// - Complexity: O(rows looked at).
    @inlinable
    public func fetch<M: Model>(
        _ type: M.Type,
        where condition: (Fields<M>) -> Filter<M>
    ) throws -> [M] {
        try fetch(FetchDescriptor<M>().where(condition))
    }

    /// The first entity that the descriptor asks for, or nil. Stops there.
    ///
    /// - Throws: as ``fetch(_:where:)``.
    /// - Complexity: O(rows looked at); of those that must be sorted all are.
    @inlinable
    public func fetchOne<M: Model>(_ descriptor: FetchDescriptor<M>) throws -> M? {
        try fetch(descriptor.limit(Swift.min(1, descriptor.limit ?? 1))).first
    }

    /// The first entity that meets a condition, in the order of their identifiers' bytes, or nil. Stops there.
    ///
    /// - Throws: as ``fetch(_:where:)``.
    /// - Complexity: O(rows looked at).
    @inlinable
    public func fetchOne<M: Model>(
        _ type: M.Type,
        where condition: (Fields<M>) -> Filter<M>
    ) throws -> M? {
        try fetchOne(FetchDescriptor<M>().where(condition))
    }

    /// Whether there is an entity with this identifier. O(log n).
    ///
    /// - Throws: ``StoreError`` with the code `corrupted` for a row that does not match its checksum.
    public func exists<M: Model>(_ type: M.Type = M.self, id: M.ID) throws -> Bool {
        try access.run { try access.row(access.binding(for: M.self).model, id.rawValue) != nil }
    }

    /// Whether an entity meets a condition. Stops at the first.
    ///
    /// - Throws: as ``fetch(_:where:)``.
    /// - Complexity: O(rows looked at).
    public func exists<M: Model>(
        _ type: M.Type,
        where condition: (Fields<M>) -> Filter<M>
    ) throws -> Bool {
        try exists(FetchDescriptor<M>().where(condition))
    }

    /// How many entities a model has. O(1).
    ///
    /// - Throws: ``StoreError`` with the code `unknownModel` where the store has no such model.
    public func count<M: Model>(_ type: M.Type) throws -> Int {
        try count(FetchDescriptor<M>())
    }

    /// How many entities meet a condition.
    ///
    /// - Throws: as ``fetch(_:where:)``.
    /// - Complexity: O(rows looked at).
    public func count<M: Model>(
        _ type: M.Type,
        where condition: (Fields<M>) -> Filter<M>
    ) throws -> Int {
        try count(FetchDescriptor<M>().where(condition))
    }
}
