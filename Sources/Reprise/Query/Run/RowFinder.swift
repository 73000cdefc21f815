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

    init(_ executor: QueryExecutor) {
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
            return unsafe try RowHit(key: key, view: row)
        }
        guard let value = try unsafe base.get(table, key) else { throw missing() }
        let view = try unsafe RowView(unchecked: value, key: key)
        // A row whose beginning makes no sense shows its damage at once.
        if leavesUnchecked, let hit = try? unsafe RowHit(key: key, view: view, isUnchecked: true) {
            return hit
        }
        try unsafe RowView.check(key: key, value: value)
        return unsafe try RowHit(key: key, view: view)
    }

    @inline(never)
    private func missing() -> StoreError {
        let id = unsafe String(decoding: key.bytes.dropFirst(2), as: UTF8.self)
        return .damage("The index names \(model.name) \"\(id)\", which does not exist.")
    }
}
