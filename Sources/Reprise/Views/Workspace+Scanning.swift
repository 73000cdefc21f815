internal import RepriseLMDB

/// Walking tables and overlay together.
extension Workspace {
    /// All rows of a model in the order of their identifiers; `body` returns false to stop. O(rows).
    func forEachRow(
        of model: CompiledModel,
        _ body: (UnsafeRawBufferPointer, RowView) throws -> Bool
    ) throws {
        try settle()
        let pending = rows.count == 0 ? [] : pendingIndices(of: model)
        var next = 0
        var cursor = try base.cursor(tables.rows)
        var prefix = KeyBuffer()
        unsafe prefix.setRow(model: model.number, id: UnsafeRawBufferPointer(start: nil, count: 0))
        var isThere = try unsafe cursor.seek(atOrAfter: prefix.bytes)
        while isThere, unsafe cursor.key.starts(with: prefix.bytes) {
            let key = unsafe cursor.key
            // Changed rows that come before this one.
            while next < pending.count {
                let record = rows[pending[next]]
                guard unsafe record.keyBytes.precedes(key) else { break }
                next += 1
                if let row = record.row, try unsafe !body(record.keyBytes, row) { return }
            }
            if next < pending.count, unsafe rows[pending[next]].keyBytes.hasSameBytes(as: key) {
                isThere = try cursor.next()
                continue
            }
            guard try unsafe body(key, try RowView(key: key, value: cursor.value)) else { return }
            isThere = try cursor.next()
        }
        while next < pending.count {
            let record = rows[pending[next]]
            next += 1
            if let row = record.row, try unsafe !body(record.keyBytes, row) { return }
        }
    }

    /// The changed rows of a model that exist, in the order of their identifiers.
    func forEachPendingRow(
        of model: CompiledModel,
        _ body: (UnsafeRawBufferPointer, RowView) throws -> Bool
    ) throws {
        try settle()
        for index in pendingIndices(of: model) {
            let record = rows[index]
            if let row = record.row, try unsafe !body(record.keyBytes, row) { return }
        }
    }

    /// The entries of a stretch of an index, as the tables have them: identifier, entry, key up to the identifier.
    func forEachEntry(
        in range: IndexRange,
        _ body: (UnsafeRawBufferPointer, IndexEntry, UnsafeRawBufferPointer) throws -> Bool
    ) throws {
        try settle()
        var cursor = try base.cursor(tables.index)
        var isThere = try unsafe range.lower.withUnsafeBytes {
            try unsafe cursor.seek(atOrAfter: $0)
        }
        while isThere, unsafe range.holds(cursor.key) {
            let entry = try unsafe IndexEntry(key: cursor.key, value: cursor.value)
            let id = unsafe UnsafeRawBufferPointer(rebasing: cursor.key[entry.prefixByteCount...])
            let prefix = unsafe UnsafeRawBufferPointer(
                rebasing: cursor.key[..<entry.prefixByteCount]
            )
            guard try unsafe body(id, entry, prefix) else { return }
            isThere = try cursor.next()
        }
    }

    /// All entries of an index from either end.
    func forEachEntry(
        of index: CompiledIndex,
        reversed: Bool,
        _ body: (UnsafeRawBufferPointer, IndexEntry, UnsafeRawBufferPointer) throws -> Bool
    ) throws {
        try settle()
        var number = KeyBuffer()
        number.append(bigEndian: index.number)
        var cursor = try base.cursor(tables.index)
        var isThere: Bool
        if reversed {
            var beyond = KeyBuffer()
            beyond.append(bigEndian: index.number)
            beyond.append(bigEndian: 0xFF as UInt8)
            let isBeyond = try unsafe cursor.seek(atOrAfter: beyond.bytes)
            isThere = try isBeyond ? cursor.previous() : cursor.last()
        } else {
            isThere = try unsafe cursor.seek(atOrAfter: number.bytes)
        }
        while isThere, unsafe cursor.key.starts(with: number.bytes) {
            let entry = try unsafe IndexEntry(key: cursor.key, value: cursor.value)
            let id = unsafe UnsafeRawBufferPointer(rebasing: cursor.key[entry.prefixByteCount...])
            let prefix = unsafe UnsafeRawBufferPointer(
                rebasing: cursor.key[..<entry.prefixByteCount]
            )
            guard try unsafe body(id, entry, prefix) else { return }
            isThere = try reversed ? cursor.previous() : cursor.next()
        }
    }

    private func pendingIndices(of model: CompiledModel) -> [Int] {
        if let cached = pendingOrder, cached.count == rows.count {
            return cached.filter(of: model, in: self)
        }
        let order = PendingOrder(indices: rows.sortedIndices(), count: rows.count)
        pendingOrder = order
        return order.filter(of: model, in: self)
    }
}

/// The order of the changed rows, kept for the next query of a state that does not change any more.
struct PendingOrder {
    let indices: [Int]
    let count: Int

    func filter(of model: CompiledModel, in workspace: Workspace) -> [Int] {
        indices.filter {
            unsafe Workspace.modelNumber(of: workspace.rows[$0].keyBytes) == model.number
        }
    }
}
