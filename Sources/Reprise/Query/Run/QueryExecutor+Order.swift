internal import RepriseLMDB

/// Walking an index for its order.
extension QueryExecutor {
    /// The rows of a span in the order of its components, ties by identifier.
    ///
    /// Two kinds of neighbours do not lie in the wanted order. Rows with equal components are walked forward, in a walk
    /// backward too; rows whose components were cut at the same bytes (QRY-25) are gathered and sorted.
    func walk(
        _ span: IndexSpan,
        isDescending: Bool,
        _ body: (RowHit) throws -> Bool
    ) throws {
        var reader = IndexKeyReader(span.index)
        var finder = RowFinder(self, index: span.index)
        defer { add(finder) }
        var cursor = try workspace.base.cursor(workspace.tables.index)
        for range in span.ranges {
            _ = try begin(range, &cursor, &finder)
            let isBeyond = try unsafe range.upper.withUnsafeBytes {
                try unsafe cursor.seek(atOrAfter: $0)
            }
            try end(isBeyond, &cursor, &finder)
            var isThere = try begin(range, &cursor, isDescending: isDescending)
            while isThere {
                let key = unsafe cursor.key
                guard unsafe range.contains(key) else { break }
                let entry = try unsafe IndexEntry(key: key, value: cursor.value)
                if !isDescending, !entry.wasCut {
                    finder.entryCount += 1
                    if let hit = try unsafe hit(key, entry, &reader, &finder) {
                        guard try pass(hit, body) else { return }
                    }
                    isThere = try cursor.next()
                    continue
                }
                let prefix = unsafe groupPrefix(key, entry, &reader)
                if !entry.wasCut {
                    isThere = try cursor.previous()
                    guard isThere, unsafe cursor.key.starts(with: prefix) else {
                        // The only row with these values. Its key stays where it is while the cursor moves.
                        finder.entryCount += 1
                        if let hit = try unsafe hit(key, entry, &reader, &finder),
                            try !pass(hit, body)
                        {
                            return
                        }
                        continue
                    }
                    guard try walkForward(range, prefix, &cursor, &reader, &finder, body) else {
                        return
                    }
                    let isAtGroup = try unsafe prefix.withUnsafeBytes {
                        try unsafe cursor.seek(atOrAfter: $0)
                    }
                    isThere = try isAtGroup ? cursor.previous() : cursor.last()
                    continue
                }
                let group = KeptRows(model, order, limit: nil, copiesPayload: plan.isCovering)
                while isThere, unsafe range.contains(cursor.key),
                    unsafe cursor.key.starts(with: prefix)
                {
                    let entry = try unsafe IndexEntry(key: cursor.key, value: cursor.value)
                    finder.entryCount += 1
                    if let hit = try unsafe hit(cursor.key, entry, &reader, &finder) {
                        _ = try pass(hit) { hit in
                            try group.add(hit.checked())
                            return true
                        }
                    }
                    isThere = try isDescending ? cursor.previous() : cursor.next()
                }
                guard try group.forEach(body) else { return }
            }
        }
    }

    /// The rows that have the same components, by identifier. Returns whether to go on.
    private func walkForward(
        _ range: KeyRange,
        _ prefix: [UInt8],
        _ cursor: inout Cursor,
        _ reader: inout IndexKeyReader,
        _ finder: inout RowFinder,
        _ body: (RowHit) throws -> Bool
    ) throws -> Bool {
        var isThere = try unsafe prefix.withUnsafeBytes { try unsafe cursor.seek(atOrAfter: $0) }
        while isThere, unsafe cursor.key.starts(with: prefix) {
            if unsafe range.contains(cursor.key) {
                let entry = try unsafe IndexEntry(key: cursor.key, value: cursor.value)
                finder.entryCount += 1
                if let hit = try unsafe hit(cursor.key, entry, &reader, &finder) {
                    guard try pass(hit, body) else { return false }
                }
            }
            isThere = try cursor.next()
        }
        return true
    }

    private func begin(
        _ range: KeyRange,
        _ cursor: inout Cursor,
        isDescending: Bool
    ) throws -> Bool {
        let bound = isDescending ? range.upper : range.lower
        let isThere = try unsafe bound.withUnsafeBytes { try unsafe cursor.seek(atOrAfter: $0) }
        guard isDescending else { return isThere }
        return try isThere ? cursor.previous() : cursor.last()
    }

    /// What the keys of a group have in common.
    private func groupPrefix(
        _ key: UnsafeRawBufferPointer,
        _ entry: IndexEntry,
        _ reader: inout IndexKeyReader
    ) -> [UInt8] {
        // An index of decimals and texts does not tell where the cut is: then all its entries are one group.
        let end = entry.wasCut ? unsafe reader.endOfCut(key, entry) ?? 2 : entry.prefixByteCount
        return unsafe [UInt8](key.prefix(end))
    }
}

extension KeyRange {
    @inline(__always)
    fileprivate func contains(_ key: UnsafeRawBufferPointer) -> Bool {
        unsafe key.isBefore(upper) && !key.isBefore(lower)
    }
}
