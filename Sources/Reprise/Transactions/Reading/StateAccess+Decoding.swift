/// Rows lent to code that knows their Swift types, which lies in other modules.
extension StateAccess {
    /// Lends the row of an entity to `decode`. Returns whether there is one.
    ///
    /// - Parameter isListed: whether it is one of several that are asked for, so that it is left out where an enum does
    ///   not have a raw value in it.
    @usableFromInline
    func decodeRow(
        of type: ObjectIdentifier,
        _ declaration: () -> ModelDeclaration,
        id: String,
        isListed: Bool = false,
        _ decode: RowDecoder
    ) throws -> Bool {
        try run {
            let binding = try binding(for: type, declaration)
            guard id.utf8.count <= identifierByteCountMax else { return false }
            var text = id
            return try text.withUTF8 { bytes in
                let id = UnsafeRawBufferPointer(bytes)
                unsafe workspace.keyBuffer.setRow(model: binding.model.number, id: id)
                guard let row = try unsafe workspace.row(workspace.keyBuffer.bytes) else {
                    return false
                }
                try unsafe binding.decode(row, id: id, leavingOut: isListed ? shared.leftOut : nil, decode)
                return true
            }
        }
    }

    /// Lends the rows that a query asks for to `decode`, in its order.
    @usableFromInline
    func decodeRows(
        of type: ObjectIdentifier,
        _ declaration: () -> ModelDeclaration,
        _ query: RecordQuery,
        _ decode: RowDecoder
    ) throws {
        try run {
            try synchronize?()
            let binding = try binding(for: type, declaration)
            let executor = try QueryExecutor(query, in: self)
            try unsafe withoutActuallyEscaping(decode) { decode in
                executor.leaveUnchecked()
                try unsafe self.decodeRows(of: executor, binding, decode)
            }
        }
    }

    /// Decodes the first rows where they are found, and those after them on another thread.
    private func decodeRows(
        of executor: QueryExecutor,
        _ binding: ModelBinding,
        _ decode: @escaping RowDecoder
    ) throws {
        var relay: RowRelay?
        var alone = executor.plan.isCovering ? Int.max : RowRelay.rowCountAlone
        do {
            try executor.forEach { hit in
                if let relay { return relay.add(hit) }
                if alone > 0 {
                    alone -= 1
                } else if let begun = unsafe RowRelay(binding, leavingOut: shared.leftOut, decode) {
                    relay = begun
                    return begun.add(hit)
                } else {
                    alone = .max
                }
                try hit.check()
                try unsafe binding.decode(hit.view, id: hit.id, leavingOut: shared.leftOut, decode)
                return true
            }
        } catch {
            // Of two errors the one that comes first in the order of the results.
            throw relay?.finish() ?? error
        }
        if let failure = relay?.finish() { throw failure }
    }

    /// Lends the rows that a query asks for to `visit`, in its order, until it returns false.
    @usableFromInline
    func visitRows(
        of type: ObjectIdentifier,
        _ declaration: () -> ModelDeclaration,
        _ query: RecordQuery,
        _ visit: RowVisitor
    ) throws {
        try run {
            try synchronize?()
            let binding = try binding(for: type, declaration)
            let executor = try QueryExecutor(query, in: self)
            try executor.forEach { try unsafe binding.visit($0, leavingOut: shared.leftOut, visit) }
        }
    }

    /// Lends one page of rows to `visit`. Returns where the next one begins.
    @usableFromInline
    func visitPage(
        of type: ObjectIdentifier,
        _ declaration: () -> ModelDeclaration,
        _ query: RecordQuery,
        _ visit: RowVisitor
    ) throws -> QueryCursor? {
        try run {
            try synchronize?()
            let binding = try binding(for: type, declaration)
            var query = query
            let limit = query.limit ?? .max
            // One more, to know whether there is another page.
            if limit > 0, limit < .max { query.limit = limit + 1 }
            let executor = try QueryExecutor(query, in: self)
            var count = 0
            var last: QueryCursor?
            var next: QueryCursor?
            try executor.forEach { hit in
                if count == limit {
                    next = last
                    return false
                }
                count += 1
                if count == limit { last = try executor.cursor(at: hit, count: count) }
                return try unsafe binding.visit(hit, leavingOut: shared.leftOut, visit)
            }
            return next
        }
    }

    /// Lends some attributes of the rows that a query asks for.
    func visitParts(
        of type: ObjectIdentifier,
        _ declaration: () -> ModelDeclaration,
        _ query: RecordQuery,
        _ partial: inout PartialRow,
        _ visit: (inout PartialRow) throws -> Void
    ) throws {
        try run {
            try synchronize?()
            let binding = try binding(for: type, declaration)
            partial.bind(binding.slots)
            let executor = try QueryExecutor(query, needs: .slots(partial.wantedSlots), in: self)
            try executor.forEach { hit in
                unsafe partial.begin(hit.id, hit.payload)
                do {
                    try visit(&partial)
                } catch let error as ValueError {
                    let id = unsafe String(decoding: hit.id, as: UTF8.self)
                    try binding.leave(error, shared.leftOut, binding.unreadable(id, error, hit.payload))
                }
                return true
            }
        }
    }
}
