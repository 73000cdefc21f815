internal import RepriseLMDB
internal import RepriseLog

/// What every transaction can do: read one consistent state of the store.
///
/// Only the store's own transactions can conform: nothing else comes by a ``StateToken`` (STO-75).
public protocol StateReading: ~Copyable {
    /// What the transaction reads through. Opaque.
    var token: StateToken { get }
}

/// The right to read one state, which ends with the closure that was given the transaction. Opaque.
///
/// It cannot be copied or made outside of the store, and a transaction only lends it. So no program can keep it after
/// the closure and read with it while the store reads or writes on another thread (STO-75).
public struct StateToken: ~Copyable {
    @usableFromInline let access: StateAccess

    init(_ access: StateAccess) {
        self.access = access
    }
}

extension StateReading where Self: ~Copyable {
    @inlinable var access: StateAccess { token.access }
}

extension StateReading where Self: ~Copyable {
    /// The position whose state is read.
    public var position: Position { Position(access.position) }

    /// The digest of the state.
    public var digest: StateDigest { StateDigest(access.look { $0.digest }) }

    /// The schema in force.
    public var schema: SchemaDescription { access.workspace.schema.description }

    /// The entity with this identifier, or nil. O(log n).
    @inlinable
    public func fetch<M: Model>(_ type: M.Type = M.self, id: M.ID) throws -> M? {
        var found: M?
        _ = try unsafe access.decodeRow(
            of: ObjectIdentifier(type),
            { M.schema.declaration },
            id: id.rawValue
        ) { (_, payload, slots) throws(ValueError) in
            found = try M.schema.decodeRow(id, payload, slots)
        }
        return found
    }

    /// All entities that the descriptor asks for, in its order. O(rows looked at).
    ///
    /// Of more than 512 results the rest is decoded on a second thread, while rows are looked up on this one, if the
    /// system has a processor to spare: a model's initialiser must not wait for a lock that the caller holds.
    @inlinable
    public func fetch<M: Model>(_ descriptor: FetchDescriptor<M>) throws -> [M] {
        var models: [M] = []
        let decode = M.schema.decodeRow
        try unsafe access.decodeRows(
            of: ObjectIdentifier(M.self),
            { M.schema.declaration },
            descriptor.query
        ) { (id, payload, slots) throws(ValueError) in
            let id = unsafe Identifier<M>(String(decoding: id, as: UTF8.self))
            models.append(try decode(id, payload, slots))
        }
        return models
    }

    /// The members of a to-many relationship in its order, repeats kept; of a derived one, its owners.
    ///
    /// A ``FetchDescriptor`` of the relationship filters and sorts them.
    ///
    /// - Throws: ``StoreError``: `unknownRelationship`, `corrupted`.
    /// - Complexity: O(members · log n).
    @inlinable
    public func fetch<Owner, Target>(
        _ relationship: Relationship<Owner, Target>,
        of owner: Owner.ID
    ) throws -> [Target] {
        try fetch(FetchDescriptor(relationship, of: owner))
    }

    /// How many entities the descriptor asks for. O(1) without a filter, otherwise O(rows looked at).
    public func count<M: Model>(_ descriptor: FetchDescriptor<M>) throws -> Int {
        try count(descriptor.query)
    }

    /// The revision of an entity, or nil when there is none. O(log n).
    public func revision<M: Model>(of id: Identifier<M>) throws -> Revision? {
        try access.run {
            let binding = try access.binding(for: M.self)
            return try access.row(binding.model, id.rawValue).map {
                Revision(position: Position($0.revision))
            }
        }
    }

    /// The position of the event that inserted an entity, or nil when there is none. O(log n).
    public func created<M: Model>(_ id: Identifier<M>) throws -> Position? {
        try access.run {
            let binding = try access.binding(for: M.self)
            return try access.row(binding.model, id.rawValue).map { Position($0.created) }
        }
    }

    /// The entries of an ordered to-many relationship in order, repeats kept; of a derived one, its owners.
    /// O(entries).
    public func entries<Owner, Target>(
        _ relationship: Relationship<Owner, Target>,
        of owner: Owner.ID
    ) throws -> [Entry<Target>] {
        try entries(of: relationship.name, model: Owner.schema.name, id: owner.rawValue)
            .map { Entry(id: $0) }
    }

    /// What deleting an entity would do, or what forbids it. Nothing is changed. O(what is touched).
    public func plan<M: Model>(delete id: Identifier<M>) throws -> DeletionPlan {
        try plan(delete: EntityReference(id))
    }
}

// MARK: - By stored names

extension StateReading where Self: ~Copyable {
    /// One entity by names, or nil. `lists` says whether its to-many relationships are read too.
    public func record(model name: String, id: String, lists: Bool = true) throws -> Record? {
        try access.run {
            let model = try access.model(named: name)
            guard let row = try access.row(model, id) else { return nil }
            return try access.record(model, id, row, lists: lists)
        }
    }

    /// Hands the results of a query over one by one; memory does not grow with them unless they must be sorted. `body`
    /// returns false to stop.
    public func forEachRecord(
        _ query: RecordQuery,
        lists: Bool = true,
        _ body: (Record) throws -> Bool
    ) throws {
        try access.run {
            try access.synchronize?()
            let executor = try QueryExecutor(query, in: access)
            try executor.forEach { hit in
                let id = unsafe String(decoding: hit.id, as: UTF8.self)
                let record = try access.record(executor.model, id, hit.view, lists: lists)
                return try access.lettingGo { try body(record) }
            }
        }
    }

    /// The results of a query.
    public func records(_ query: RecordQuery, lists: Bool = true) throws -> [Record] {
        var records: [Record] = []
        try forEachRecord(query, lists: lists) {
            records.append($0)
            return true
        }
        return records
    }

    /// How many results a query has.
    public func count(_ query: RecordQuery) throws -> Int {
        try access.run {
            try access.synchronize?()
            return try QueryExecutor(
                query,
                needs: .slots([]),
                isOrderWanted: query.after != nil,
                in: access
            )
            .count()
        }
    }

    /// The entries of a to-many relationship by names.
    public func entries(of relationship: String, model name: String, id: String) throws -> [EntryID]
    {
        try access.run {
            let model = try access.model(named: name)
            return try access.entries(try access.list(relationship, of: model, id: id))
        }
    }

    /// What deleting an entity would do, or what forbids it.
    public func plan(delete reference: EntityReference) throws -> DeletionPlan {
        try access.run {
            let model = try access.model(named: reference.model)
            guard try access.row(model, reference.id) != nil else {
                throw StoreError.entityMissing(reference)
            }
            let planner = DeletionPlanner(workspace: access.workspace)
            return try planner.plan(from: planner.outcome(of: access.key(model, reference.id)))
        }
    }

    /// How many entities each model has, in the order of the schema.
    public var counts: [(model: String, count: Int)] {
        access.look { workspace in
            workspace.schema.allModels.map { model in
                (model.name, workspace.counts[Int(model.number) - 1])
            }
        }
    }
}
