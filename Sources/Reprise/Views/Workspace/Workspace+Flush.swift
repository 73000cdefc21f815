internal import RepriseLMDB
internal import RepriseLog

/// Writing the changes in memory to the tables.
extension Workspace {
    /// Writes all changes to the tables in key order and forgets them. ``base`` must belong to a write transaction.
    /// O(changes · log changes), plus the pages touched.
    func flush() throws {
        try settle()
        guard !isEmpty else { return }
        try flushRows()
        try flushLists()
        try labels.write(to: tables.labels, in: base)
        undo?.keep(&rows)
        removeAll()
    }

    private func flushRows() throws {
        guard rows.count > 0 else { return }
        let order = rows.sortedIndices()
        // Index entries first: they are derived from the old rows, which are still in the table.
        if hasIndexes { try flushIndexes(order) }
        let hadTombstones = try base.entryCount(tables.tombstones) > 0
        var tombstones = SortedRun()
        var cursor = try base.cursor(tables.rows)
        var appends = try AppendWatch(&cursor)
        for index in order {
            let record = rows[index]
            let key = unsafe record.keyBytes
            if let row = record.row {
                let count = unsafe RowView.headerByteCount + row.payload.count
                let room = try unsafe cursor.reserve(
                    key: key,
                    byteCount: count,
                    append: appends.isPastEnd(key)
                )
                unsafe row.write(key: key, into: room)
                if hadTombstones, !record.isInViews { unsafe tombstones.delete(key: key) }
                continue
            }
            if record.isInViews, try unsafe cursor.seek(exactly: key) { try cursor.deleteCurrent() }
            if record.revision > 0 {
                unsafe withUnsafeBytes(of: record.revision.littleEndian) {
                    unsafe tombstones.put(key: key, value: $0)
                }
            } else if hadTombstones {
                unsafe tombstones.delete(key: key)
            }
        }
        try tombstones.apply(to: tables.tombstones, in: base)
    }

    private func flushIndexes(_ order: [Int]) throws {
        var run = SortedRun()
        var before = IndexKeyEncoder()
        var after = IndexKeyEncoder()
        var postings = PostingChanges()
        // They come model by model.
        guard let first = order.first else { return }
        var model = try unsafe schema.model(Self.modelNumber(of: rows[first].keyBytes))
        for position in order {
            let record = rows[position]
            let key = unsafe record.keyBytes
            let number = unsafe Self.modelNumber(of: key)
            if number != model.number { model = try schema.model(number) }
            guard !model.indexes.isEmpty || model.search != nil else { continue }
            let id = unsafe UnsafeRawBufferPointer(rebasing: key[2...])
            var old: RowPayload?
            if record.isInViews, let value = try unsafe base.get(tables.rows, key) {
                unsafe old = try RowPayload(
                    trusting: try RowView(key: key, value: value).payload,
                    model.defaults
                )
            }
            let new = try record.row.map { try unsafe RowPayload(trusting: $0.payload, model.defaults) }
            for index in model.indexes {
                if let old {
                    _ = try unsafe before.encode(old, index, id: id)
                }
                var entry = IndexEntry(prefixByteCount: 0, wasCut: false)
                if let new {
                    let outcome = try unsafe after.encode(new, index, id: id)
                    entry = IndexEntry(
                        prefixByteCount: outcome.prefixByteCount,
                        wasCut: outcome.wasCut
                    )
                }
                switch (old != nil, new != nil) {
                case (true, true):
                    if unsafe before.bytes.hasSameBytes(as: after.bytes) { continue }
                    unsafe run.delete(key: before.bytes)
                    unsafe entry.withBytes { unsafe run.put(key: after.bytes, value: $0) }
                case (true, false): unsafe run.delete(key: before.bytes)
                case (false, true):
                    unsafe entry.withBytes { unsafe run.put(key: after.bytes, value: $0) }
                case (false, false): break
                }
            }
            if let search = model.search {
                unsafe postings.add(search, id: id, from: old, to: new, to: &run)
            }
        }
        try run.apply(to: tables.index, in: base)
    }

    private func flushLists() throws {
        var edges = SortedRun()
        var value: [UInt8] = []
        for (list, pending) in lists {
            for (orderKey, entry) in pending.changes {
                keyBuffer.setEdge(list, orderKey: orderKey)
                if let entry {
                    unsafe EdgeValue.encode(entry, key: keyBuffer.bytes, into: &value)
                    unsafe value.withUnsafeBytes {
                        unsafe edges.put(key: keyBuffer.bytes, value: $0)
                    }
                } else {
                    unsafe edges.delete(key: keyBuffer.bytes)
                }
            }
        }
        try edges.apply(to: tables.edges, in: base)
        var ways = SortedRun()
        let empty = unsafe UnsafeRawBufferPointer(start: nil, count: 0)
        for (target, changes) in backlinks {
            changes.forEachChange { backlink, isPresent in
                keyBuffer.setBacklink(target, backlink)
                if isPresent {
                    unsafe ways.put(key: keyBuffer.bytes, value: empty)
                } else {
                    unsafe ways.delete(key: keyBuffer.bytes)
                }
            }
        }
        try ways.apply(to: tables.backlinks, in: base)
    }
}
