internal import RepriseLMDB

/// Looks up rows that an index names. A walk has one of its own in a variable: every use of an object's part that may
/// change is checked, which costs as much as a comparison of keys.
struct RowFinder: ~Copyable {
    private let workspace: Workspace
    private let model: CompiledModel
    private let base: TableReader
    private let table: Table
    /// Whether changes in memory have to be looked at before the tables.
    private let hasOverlay: Bool
    /// Whether rows are handed out before their checksums were looked at.
    private let leavesUnchecked: Bool
    /// For the key of the row that is looked at.
    private(set) var key = KeyBuffer()
    /// Entries stepped over, and rows looked up.
    var entryCount = 0
    private(set) var rowCount = 0
    /// The index that is walked.
    private let index: CompiledIndex?
    /// For the keys that rows have in indexes.
    private var encoder = IndexKeyEncoder()

    init(_ executor: QueryExecutor, index: CompiledIndex? = nil) {
        self.index = index
        workspace = executor.workspace
        model = executor.model
        base = executor.workspace.base
        table = executor.workspace.tables.rows
        hasOverlay = executor.workspace.rows.count > 0 || executor.workspace.deferred != nil
        leavesUnchecked = executor.leavesUnchecked
    }

    /// Makes this the row that is looked at.
    @inline(__always)
    mutating func begin(_ id: UnsafeRawBufferPointer) {
        unsafe key.setRow(model: model.number, id: id)
    }

    /// Whether the overlay has the row.
    var isInOverlay: Bool {
        unsafe hasOverlay && workspace.rows.index(of: key.bytes) != nil
    }

    /// The row; nil where the overlay has it. Throws when there is none.
    mutating func find() throws -> RowHit? {
        rowCount += 1
        let key = unsafe key.bytes
        if hasOverlay {
            let found = try unsafe workspace.find(key)
            if found.pending != nil { return nil }
            guard let row = found.row else { throw missing() }
            return unsafe try RowHit(key: key, view: row, of: model)
        }
        guard let value = try unsafe base.get(table, key) else { throw missing() }
        let view = try unsafe RowView(unchecked: value, key: key)
        // A row whose beginning makes no sense shows its damage at once.
        if leavesUnchecked,
            let hit = try? unsafe RowHit(key: key, view: view, of: model, isUnchecked: true)
        {
            return hit
        }
        try unsafe RowView.check(key: key, value: value)
        return unsafe try RowHit(key: key, view: view, of: model)
    }

    /// The row, as ``find()``. Throws when it is not one that has this entry in the index that is walked.
    mutating func find(
        behind key: UnsafeRawBufferPointer,
        _ entry: IndexEntry
    ) throws -> RowHit? {
        guard let hit = try find(), let index else { return nil }
        let outcome = try? unsafe encoder.encode(hit.payload, index, id: hit.id)
        guard let outcome, outcome.wasCut == entry.wasCut,
            outcome.prefixByteCount == entry.prefixByteCount,
            unsafe encoder.bytes.hasSameBytes(as: key)
        else { throw try misfit(hit) }
        return hit
    }

    /// Throws unless the entry at the cursor fits its row, where it is one of the index that is walked.
    mutating func check(_ cursor: borrowing Cursor) throws {
        let key = unsafe cursor.key
        guard let index, unsafe key.count > 2 && Workspace.modelNumber(of: key) == index.number
        else { return }
        let entry = try unsafe IndexEntry(key: key, value: cursor.value)
        unsafe begin(UnsafeRawBufferPointer(rebasing: key[entry.prefixByteCount...]))
        // Not one of the rows that the query is about.
        defer { rowCount -= 1 }
        _ = try unsafe find(behind: key, entry)
    }

    /// Whether the key of a row in an index lies in a part of it. O(log stretches).
    mutating func isIn(_ span: IndexSpan, _ hit: RowHit) throws -> Bool {
        do {
            _ = try unsafe encoder.encode(hit.payload, span.index, id: hit.id)
        } catch {
            throw try misfit(hit)
        }
        let key = unsafe encoder.bytes
        var low = 0
        var high = span.ranges.count
        while low < high {
            let middle = (low + high) / 2
            if unsafe key.isBefore(span.ranges[middle].upper) { high = middle } else { low = middle + 1 }
        }
        return unsafe low < span.ranges.count && !key.isBefore(span.ranges[low].lower)
    }

    /// What is wrong with a row that is not where the index has it: the row itself, if it does not match its checksum.
    @inline(never)
    func misfit(_ hit: RowHit) throws(StoreError) -> StoreError {
        try hit.check()
        let id = unsafe String(decoding: hit.id, as: UTF8.self)
        return .damage("The index has \(model.name) \"\(id)\" under values that it does not have.")
    }

    @inline(never)
    private func missing() -> StoreError {
        let id = unsafe String(decoding: key.bytes.dropFirst(2), as: UTF8.self)
        return .damage("The index names \(model.name) \"\(id)\", which does not exist.")
    }
}
