/// Questions about the present, each a read of its own. Several that belong together go into one ``Store/read(_:)``, so
/// that they see the same state.
///
/// Each throws ``StoreError`` as ``Store/read(_:)`` does, and what the function of the same name on a transaction
/// throws.
extension Store {
    /// The entity with this identifier as it is now, or nil. O(log n).
    @inlinable
    public func fetch<M: Model>(_ type: M.Type = M.self, id: M.ID) throws -> M? {
        try read { try $0.fetch(M.self, id: id) }
    }

    /// The entities with these identifiers as they are now, as far as they exist. O(k log n) for k identifiers.
    public func fetch<M: Model>(_ type: M.Type = M.self, ids: [M.ID]) throws -> [M.ID: M] {
        try read { try $0.fetch(type, ids: ids) }
    }

    /// All entities of a model, in the order of their identifiers' bytes. O(n) for n entities.
    @inlinable
    public func fetch<M: Model>(_ type: M.Type) throws -> [M] {
        try read { try $0.fetch(type) }
    }

    /// The entities that meet a condition, in the order of their identifiers' bytes. O(rows looked at).
    ///
    /// ```swift
    /// let unread = try store.fetch(Note.self) { $0.isRead == false }
    /// ```
    @inlinable
    public func fetch<M: Model>(
        _ type: M.Type,
        where condition: (Fields<M>) -> Filter<M>
    ) throws -> [M] {
        try read { try $0.fetch(type, where: condition) }
    }

    /// The entities that the descriptor asks for, in its order. O(rows looked at).
    @inlinable
    public func fetch<M: Model>(_ descriptor: FetchDescriptor<M>) throws -> [M] {
        try read { try $0.fetch(descriptor) }
    }

    /// The members of a to-many relationship as they are now, in its order, repeats kept. O(members · log n).
    @inlinable
    public func fetch<Owner, Target>(
        _ relationship: Relationship<Owner, Target>,
        of owner: Owner.ID
    ) throws -> [Target] {
        try read { try $0.fetch(relationship, of: owner) }
    }

    /// The first entity that the descriptor asks for, or nil. O(rows looked at).
    @inlinable
    public func fetchOne<M: Model>(_ descriptor: FetchDescriptor<M>) throws -> M? {
        try read { try $0.fetchOne(descriptor) }
    }

    /// The first entity that meets a condition, in the order of their identifiers' bytes, or nil. O(rows looked at).
    @inlinable
    public func fetchOne<M: Model>(
        _ type: M.Type,
        where condition: (Fields<M>) -> Filter<M>
    ) throws -> M? {
        try read { try $0.fetchOne(type, where: condition) }
    }

    /// The identifiers of the results, in their order, without making models of them. O(rows looked at).
    public func fetchIDs<M: Model>(_ descriptor: FetchDescriptor<M>) throws -> [M.ID] {
        try read { try $0.fetchIDs(descriptor) }
    }

    /// One page of results, and where the next one begins. O(page) where an index has the order.
    @inlinable
    public func fetchPage<M: Model>(_ descriptor: FetchDescriptor<M>) throws -> ResultPage<M> {
        try read { try $0.fetchPage(descriptor) }
    }

    /// Hands the results over one by one, all of one state. Do not write to the store in `body`.
    @inlinable
    public func forEach<M: Model>(
        _ descriptor: FetchDescriptor<M>,
        _ body: (M) throws -> Bool
    ) throws {
        try read { try $0.forEach(descriptor, body) }
    }

    /// Some properties of the results and nothing else. O(rows looked at).
    ///
    /// ```swift
    /// for (title, length) in try store.values(of: notes, \.title, \.length) { … }
    /// ```
    public func values<M: Model, each V: StoredValue>(
        of descriptor: FetchDescriptor<M>,
        _ properties: repeat KeyPath<M, each V>
    ) throws -> [(repeat each V)] {
        try read { try $0.values(of: descriptor, repeat each properties) }
    }

    /// Whether there is an entity with this identifier. O(log n).
    public func exists<M: Model>(_ type: M.Type = M.self, id: M.ID) throws -> Bool {
        try read { try $0.exists(M.self, id: id) }
    }

    /// Whether an entity meets a condition. Stops at the first.
    public func exists<M: Model>(
        _ type: M.Type,
        where condition: (Fields<M>) -> Filter<M>
    ) throws -> Bool {
        try read { try $0.exists(type, where: condition) }
    }

    /// Whether the descriptor finds anything. Stops at the first.
    public func exists<M: Model>(_ descriptor: FetchDescriptor<M>) throws -> Bool {
        try read { try $0.exists(descriptor) }
    }

    /// How many entities a model has. O(1).
    public func count<M: Model>(_ type: M.Type) throws -> Int {
        try read { try $0.count(type) }
    }

    /// How many entities meet a condition. O(rows looked at).
    public func count<M: Model>(
        _ type: M.Type,
        where condition: (Fields<M>) -> Filter<M>
    ) throws -> Int {
        try read { try $0.count(type, where: condition) }
    }

    /// How many entities the descriptor asks for. O(1) without a filter, otherwise O(rows looked at).
    public func count<M: Model>(_ descriptor: FetchDescriptor<M>) throws -> Int {
        try read { try $0.count(descriptor) }
    }

    /// The entries of an ordered to-many relationship in order, repeats kept; of a derived one, its owners. O(entries).
    public func entries<Owner, Target>(
        _ relationship: Relationship<Owner, Target>,
        of owner: Owner.ID
    ) throws -> [Entry<Target>] {
        try read { try $0.entries(relationship, of: owner) }
    }

    /// How a query is answered, and what that took.
    public func explain<M: Model>(
        _ descriptor: FetchDescriptor<M>,
        run: Bool = true
    ) throws -> QueryExplanation {
        try read { try $0.explain(descriptor, run: run) }
    }

    /// The entities in whose searchable attributes the words occur, the best first, as the search of a transaction.
    public func search<M: Model>(
        _ type: M.Type = M.self,
        _ text: String,
        completing: Bool = false,
        limit: Int? = 50,
        where filter: ((Fields<M>) -> Filter<M>)? = nil
    ) throws -> [SearchHit<M>] {
        try read {
            try $0.search(type, text, completing: completing, limit: limit, where: filter)
        }
    }
}
