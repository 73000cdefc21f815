internal import RepriseLMDB
internal import RepriseLog

/// What a workspace held before the changes of one commit, when several share it.
///
/// Taking it copies nothing: the parts are copied when they change, and of the rows only those that change again are
/// noted.
final class WorkspaceUndo {
    fileprivate let base: TableReader
    fileprivate let lists: [ListKey: PendingList]
    fileprivate let backlinks: [ListKey: PendingBacklinks]
    fileprivate let uniqueClaims: [[UInt8]: [UInt8]]
    fileprivate let labels: PendingLabels
    fileprivate let digest: Digest256
    fileprivate let counts: [Int]
    fileprivate let entryCount: Int
    /// The rows, once they have been written to the tables.
    fileprivate var rows = PendingRows()
    fileprivate var hasRows = false

    fileprivate init(_ workspace: Workspace) {
        base = workspace.base
        lists = workspace.lists
        backlinks = workspace.backlinks
        uniqueClaims = workspace.uniqueClaims
        labels = workspace.labels
        digest = workspace.digest
        counts = workspace.counts
        entryCount = workspace.entryCount
    }

    /// Takes the rows that were just written to the tables, if they are the first.
    func keep(_ rows: inout PendingRows) {
        if hasRows { return }
        hasRows = true
        swap(&self.rows, &rows)
    }
}

extension Workspace {
    /// From here on changes can be undone, those that are written to tables by giving up the transaction that they were
    /// written in. O(1).
    func beginUndo() {
        rows.mark()
        undo = WorkspaceUndo(self)
    }

    /// Changes so far stay.
    func endUndo() {
        rows.unmark()
        undo = nil
    }

    /// Makes everything as it was when ``beginUndo()`` was called.
    func undoChanges() {
        guard let undo else { return }
        if undo.hasRows { swap(&rows, &undo.rows) }
        rows.undo()
        base = undo.base
        lists = undo.lists
        backlinks = undo.backlinks
        uniqueClaims = undo.uniqueClaims
        labels = undo.labels
        digest = undo.digest
        counts = undo.counts
        entryCount = undo.entryCount
        pendingOrder = nil
        self.undo = nil
    }
}
