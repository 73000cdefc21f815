internal import RepriseLMDB

/// The access paths: each hands over the rows of the tables that pass the filter, those of the overlay left out.
extension QueryExecutor {
    func forEachFound(_ body: (RowHit) throws -> Bool) throws {
        switch plan.access {
        case .nothing: break
        case .identifiers(let ids):
            var rowKey = KeyBuffer()
            for id in ids {
                unsafe id.withUnsafeBytes { unsafe rowKey.setRow(model: model.number, id: $0) }
                guard rowKey.count <= Table.keyByteCountMax else { continue }
                let found = try unsafe workspace.find(rowKey.bytes)
                tally.rows += 1
                guard found.pending == nil, let row = found.row else { continue }
                guard try pass(unsafe RowHit(key: rowKey.bytes, view: row, of: model), body) else { return }
            }
        case .scan(let range): try scan(range, body)
        case .index(let span): try walk(span, body)
        case .ordered(let span, let isDescending):
            try walk(span, isDescending: isDescending, body)
        case .members(let list): try forEachMember(of: list, body)
        case .lists(let lists): try walk(lists, body)
        case .search(let condition):
            try condition.forEachMatch(in: workspace) { hit in
                if workspace.rows.count > 0, unsafe workspace.rows.index(of: hit.key) != nil {
                    return true
                }
                tally.rows += 1
                return try pass(hit, body)
            }
        case .intersection(let spans):
            var common = try ids(in: spans[0])
            for span in spans.dropFirst() { common = common.common(with: try ids(in: span)) }
            try forEach(common, in: spans, body)
        case .union(let spans):
            var all = IdentifierList()
            for span in spans { all.append(try ids(in: span)) }
            all.sortOnce()
            try forEach(all, in: spans, body)
        }
    }

    /// Hands a row over if it passes what is left of the filter. Returns whether to go on.
    @inline(__always)
    func pass(_ hit: RowHit, _ body: (RowHit) throws -> Bool) throws -> Bool {
        if let residual {
            do {
                if try !residual.matches(hit.subject, in: workspace) {
                    // Who throws a row away has looked at it (QRY-32).
                    try hit.check()
                    return true
                }
            } catch {
                try hit.check()
                throw error
            }
        }
        guard try isWanted(hit) else { return true }
        return try body(hit)
    }

    private func scan(_ range: KeyRange, _ body: (RowHit) throws -> Bool) throws {
        let (workspace, residual) = (self.workspace, self.residual)
        let hasOverlay = workspace.rows.count > 0
        var count = 0
        defer { tally.rows += count }
        var cursor = try workspace.base.cursor(workspace.tables.rows)
        try unsafe range.upper.withUnsafeBytes { upper in
            var isThere = try unsafe range.lower.withUnsafeBytes {
                try unsafe cursor.seek(atOrAfter: $0)
            }
            while isThere, unsafe cursor.key.isBefore(upper) {
                let key = unsafe cursor.key
                if unsafe !hasOverlay || workspace.rows.index(of: key) == nil {
                    count += 1
                    // Checked before the filter looks at it, which may throw it away for its damage (QRY-32).
                    let view = try unsafe RowView(key: key, value: cursor.value)
                    let hit = unsafe try RowHit(key: key, view: view, of: model)
                    if try residual?.matches(hit.subject, in: workspace) ?? true,
                        try isWanted(hit), try !body(hit)
                    {
                        return
                    }
                }
                isThere = try cursor.next()
            }
        }
    }

    /// The entries of a span as they lie there.
    private func walk(_ span: IndexSpan, _ body: (RowHit) throws -> Bool) throws {
        var reader = IndexKeyReader(span.index)
        var finder = RowFinder(self, index: span.index)
        defer { add(finder) }
        var cursor = try workspace.base.cursor(workspace.tables.index)
        for range in span.ranges {
            var isThere = try begin(range, &cursor, &finder)
            while isThere {
                let key = unsafe cursor.key
                guard unsafe key.isBefore(range.upper) else { break }
                let entry = try unsafe IndexEntry(key: key, value: cursor.value)
                finder.entryCount += 1
                if let hit = try unsafe hit(key, entry, &reader, &finder) {
                    guard try pass(hit, body) else { return }
                }
                isThere = try cursor.next()
            }
            try end(isThere, &cursor, &finder)
        }
    }

    /// Goes to the first entry of a stretch of an index, and checks those that may not have come to lie in it.
    ///
    /// Entries have no checksum. One that was changed still lies between its neighbours, or its page is damaged, so it
    /// can have left a stretch, or come into it, at the ends only (QRY-35).
    func begin(
        _ range: KeyRange,
        _ cursor: inout Cursor,
        _ finder: inout RowFinder
    ) throws -> Bool {
        let isThere = try unsafe range.lower.withUnsafeBytes {
            try unsafe cursor.seek(atOrAfter: $0)
        }
        if isThere, plan.isCovering { try finder.check(cursor) }
        guard try isThere ? cursor.previous() : cursor.last() else {
            return try isThere && cursor.first()
        }
        try finder.check(cursor)
        return try isThere && cursor.next()
    }

    /// Checks the entries at the end of a stretch of an index, which the cursor has left.
    func end(
        _ isThere: Bool,
        _ cursor: inout Cursor,
        _ finder: inout RowFinder
    ) throws {
        if isThere { try finder.check(cursor) }
        if plan.isCovering, try isThere ? cursor.previous() : cursor.last() {
            try finder.check(cursor)
        }
    }

    /// The row behind an index entry, from the entry itself where that is enough; nil where the overlay has it.
    @inline(__always)
    func hit(
        _ key: UnsafeRawBufferPointer,
        _ entry: IndexEntry,
        _ reader: inout IndexKeyReader,
        _ finder: inout RowFinder
    ) throws -> RowHit? {
        unsafe finder.begin(UnsafeRawBufferPointer(rebasing: key[entry.prefixByteCount...]))
        if plan.isCovering {
            if finder.isInOverlay { return nil }
            if let payload = try unsafe reader.payload(of: key, entry) {
                return unsafe try RowHit(
                    key: finder.key.bytes,
                    view: RowView(created: 0, revision: 0, payload: payload),
                    of: model
                )
            }
        }
        return try unsafe finder.find(behind: key, entry)
    }

    func add(_ finder: borrowing RowFinder) {
        tally.entries += finder.entryCount
        tally.rows += finder.rowCount
    }

    private func ids(in span: IndexSpan) throws -> IdentifierList {
        var list = IdentifierList()
        var finder = RowFinder(self, index: span.index)
        var cursor = try workspace.base.cursor(workspace.tables.index)
        for range in span.ranges {
            var isThere = try begin(range, &cursor, &finder)
            while isThere, unsafe cursor.key.isBefore(range.upper) {
                let key = unsafe cursor.key
                let entry = try unsafe IndexEntry(key: key, value: cursor.value)
                tally.entries += 1
                unsafe list.append(
                    UnsafeRawBufferPointer(rebasing: key[entry.prefixByteCount...])
                )
                isThere = try cursor.next()
            }
            try end(isThere, &cursor, &finder)
        }
        if !span.isInIdentifierOrder { list.sortOnce() }
        return list
    }

    /// - Parameter spans: Where the identifiers are from: a row lies in all of them, or in one of a union.
    private func forEach(
        _ ids: IdentifierList,
        in spans: [IndexSpan],
        _ body: (RowHit) throws -> Bool
    ) throws {
        var finder = RowFinder(self)
        defer { add(finder) }
        let isUnion = if case .union = plan.access { true } else { false }
        for index in 0..<ids.count {
            unsafe finder.begin(ids[index])
            guard let hit = try finder.find() else { continue }
            var place = spans.startIndex
            while place < spans.endIndex, try finder.isIn(spans[place], hit) != isUnion { place += 1 }
            if (place == spans.endIndex) == isUnion { throw try finder.misfit(hit) }
            guard try pass(hit, body) else { return }
        }
    }
}

/// Identifiers where they lie in index keys, which do not move while the transaction lasts.
@safe
struct IdentifierList {
    private var ids: [UnsafeRawBufferPointer] = unsafe []

    var count: Int { unsafe ids.count }

    subscript(index: Int) -> UnsafeRawBufferPointer { unsafe ids[index] }

    mutating func append(_ id: UnsafeRawBufferPointer) { unsafe ids.append(id) }

    mutating func append(_ other: IdentifierList) {
        unsafe ids.append(contentsOf: other.ids)
    }

    /// Sorts, and leaves out repeats.
    mutating func sortOnce() {
        unsafe ids.sort { unsafe $0.precedes($1) }
        var kept: [UnsafeRawBufferPointer] = unsafe []
        unsafe kept.reserveCapacity(ids.count)
        for index in unsafe ids.indices {
            let id = unsafe ids[index]
            if let last = unsafe kept.last, unsafe last.hasSameBytes(as: id) { continue }
            unsafe kept.append(id)
        }
        unsafe ids = kept
    }

    /// Those that are in both; both are ascending.
    func common(with other: IdentifierList) -> IdentifierList {
        var list = IdentifierList()
        var left = 0
        var right = 0
        while left < count, right < other.count {
            let order = unsafe self[left].order(against: other[right])
            if order == 0 {
                unsafe list.append(self[left])
                left += 1
                right += 1
            } else if order < 0 {
                left += 1
            } else {
                right += 1
            }
        }
        return list
    }
}
