/// Results other than all models at once.
extension StateReading where Self: ~Copyable {
    /// Whether the descriptor finds anything. Stops at the first.
    public func exists<M: Model>(_ descriptor: FetchDescriptor<M>) throws -> Bool {
        try exists(descriptor.query)
    }

    /// Whether the query finds anything. Stops at the first.
    public func exists(_ query: RecordQuery) throws -> Bool {
        var first = query
        first.limit = Swift.min(1, query.limit ?? 1)
        return try count(first) > 0
    }

    /// The identifiers of the results, in their order, without making models of them.
    public func fetchIDs<M: Model>(_ descriptor: FetchDescriptor<M>) throws -> [M.ID] {
        try fetchIDs(descriptor.query).map { Identifier<M>($0) }
    }

    /// The identifiers of the results, in their order.
    public func fetchIDs(_ query: RecordQuery) throws -> [String] {
        try access.run {
            try access.synchronize?()
            var ids: [String] = []
            let executor = try QueryExecutor(query, needs: .slots([]), in: access)
            try executor.forEach { hit in
                ids.append(unsafe String(decoding: hit.id, as: UTF8.self))
                return true
            }
            return ids
        }
    }

    /// Hands the results over one by one in their order, so that memory does not grow with their number; only results
    /// that must be sorted are gathered first, at 56 bytes and an identifier each.
    ///
    /// - Parameters:
    ///   - descriptor: which results.
    ///   - body: returns false to stop.
    @inlinable
    public func forEach<M: Model>(
        _ descriptor: FetchDescriptor<M>,
        _ body: (M) throws -> Bool
    ) throws {
        let decode = M.schema.decodeRow
        try unsafe access.visitRows(
            of: ObjectIdentifier(M.self),
            { M.schema.declaration },
            descriptor.query
        ) { (id, payload, slots) in
            let id = unsafe Identifier<M>(String(decoding: id, as: UTF8.self))
            let model = try decode(id, payload, slots)
            return try access.lettingGo { try body(model) }
        }
    }

    /// One page of results: at most `limit` of the descriptor, and where the next page begins.
    ///
    /// - Complexity: O(page) where an index has the order, whatever the number of pages before.
    @inlinable
    public func fetchPage<M: Model>(_ descriptor: FetchDescriptor<M>) throws -> ResultPage<M> {
        var models: [M] = []
        let decode = M.schema.decodeRow
        let next = try unsafe access.visitPage(
            of: ObjectIdentifier(M.self),
            { M.schema.declaration },
            descriptor.query
        ) { (id, payload, slots) in
            let id = unsafe Identifier<M>(String(decoding: id, as: UTF8.self))
            models.append(try decode(id, payload, slots))
            return true
        }
        return ResultPage(models: models, next: next)
    }

    /// Some properties of the results and nothing else. Where an index has them all, the rows are not looked at.
    ///
    /// ```swift
    /// for (title, length) in try transaction.values(of: notes, \.title, \.length) { … }
    /// ```
    public func values<M: Model, each V: StoredValue>(
        of descriptor: FetchDescriptor<M>,
        _ properties: repeat KeyPath<M, each V>
    ) throws -> [(repeat each V)] {
        var partial = PartialRow(M.schema.declaration)
        repeat partial.add(M.storedName(of: each properties))
        var rows: [(repeat each V)] = []
        try access.visitParts(
            of: ObjectIdentifier(M.self),
            { M.schema.declaration },
            descriptor.query,
            &partial
        ) { (partial: inout PartialRow) in
            rows.append((repeat try partial.next((each V).self)))
        }
        return rows
    }
}

/// Some results of a query, and where those after them begin.
public struct ResultPage<M: Model>: Sendable {
    /// The results, in the order of the descriptor.
    public let models: [M]
    /// Give it to ``FetchDescriptor/after(_:)`` for the next page; nil where this one is the last.
    public let next: QueryCursor?

    @usableFromInline
    init(models: [M], next: QueryCursor?) {
        self.models = models
        self.next = next
    }
}
