internal import RepriseLMDB
internal import RepriseLog

/// One LMDB transaction with the commits that share it, and its sync (STO-40 to STO-45).
///
/// Each commit has blocks, metadata, a hash and positions of its own in the log, as if it had been alone. The changes
/// to the views are gathered in one workspace and written once. Begun and ended by one thread; between, used by one
/// thread at a time.
final class CommitGroup {
    /// How much a group writes to the log before it is closed, in bytes. Far more than a sync costs by then, and little
    /// enough that neither memory nor the time of the commit grows with the number of those who wait.
    static let byteCountMax = 1 << 20
    /// How long a group takes others in. Those who came first wait for those who came later, and this is about what a
    /// slow disk lets one wait anyway.
    static let durationMax: Duration = .milliseconds(10)

    private let store: Store
    private let transaction: TableWriter
    private let workspace: Workspace
    private var state: StoreState
    private var hasCommits = false
    private var isFirst = true
    private var byteCount = 0
    private let byteCountMax: Int
    private var nested: NestedTransaction?
    private var start: ContinuousClock.Instant?
    /// Raised for the leader when somebody else has had his turn in the group.
    let handedBack = Signal()
    private let stay = FollowerStay()

    init(_ store: Store) throws {
        self.store = store
        var begun = try store.environment.beginWrite()
        var state = try StoreState.read(begun.reader, store.tables)
        if store.areViewsFarBehind(state) {
            begun.abort()
            try store.catchUp()
            begun = try store.environment.beginWrite()
            state = try StoreState.read(begun.reader, store.tables)
        }
        transaction = begun
        // A transaction takes some times the bytes of its log: rows, index entries, and pages that are rewritten. So
        // a write that fits alone will hardly ever fail for its company; where it does, all fail and the map grows.
        byteCountMax = min(Self.byteCountMax, store.environment.roomByteCount / 32)
        if state.areViewsBehind { try store.foldMissing(&state, in: transaction) }
        workspace = try store.workspace(on: transaction.reader, state)
        workspace.rowDigests = RowDigests()
        self.state = state
    }

    /// Whether another commit may join, asked before each.
    func takesOthers() -> Bool {
        guard byteCount < byteCountMax else { return false }
        guard let start else {
            start = ContinuousClock.now
            return true
        }
        return ContinuousClock.now - start < Self.durationMax
    }

    /// Makes one commit of what `body` does. One that throws leaves no trace; when it was the first, nothing else is in
    /// the transaction, and the group must be given up.
    ///
    /// - Throws: also `writeStalled`, where the leader has left the body out (STO-76).
    func add<R>(
        _ context: CommitContext,
        schemaNumber: UInt32? = nil,
        _ body: (WriteSession) throws -> R
    ) throws -> R {
        if isFirst {
            isFirst = false
            let (session, next) = beginSession(context, schemaNumber)
            let result = try body(session)
            try append(session, next)
            return result
        }
        let (session, next) = stay.begin {
            workspace.beginUndo()
            return beginSession(context, schemaNumber)
        }
        session.stay = stay
        session.beforeFlush = { [unowned self] in try self.beginNested() }
        let result = Result { try body(session) }
        return try stay.end {
            let before = (state, hasCommits)
            do {
                let result = try result.get()
                try append(session, next)
                try nested?.transaction.commitInPlace()
                nested = nil
                workspace.base = transaction.reader
                workspace.endUndo()
                return result
            } catch {
                undoFollower()
                (state, hasCommits) = before
                throw error
            }
        }
    }

    /// Waits until the invited follower has handed the group back. Returns false where the group went on without it,
    /// and must be closed.
    ///
    /// - Parameter takesBack: takes the invitation back, if the follower has not begun.
    func waitForFollower(takesBack: () -> Bool) -> Bool {
        stay.wait(for: handedBack, takesBack: takesBack, undo: undoFollower)
    }

    /// Whether the body that has just ended on the calling thread was left out.
    var hasLeftOut: Bool { stay.wasLeftOut }

    /// Lets one that was left out learn so.
    func release() { stay.release() }

    /// Makes everything as it was before the present follower.
    private func undoFollower() {
        nested?.transaction.abort()
        nested = nil
        workspace.undoChanges()
    }

    private func beginSession(
        _ context: CommitContext,
        _ schemaNumber: UInt32?
    ) -> (WriteSession, StoreState) {
        var next = state
        let metadata = store.metadata(
            context,
            &next,
            schemaNumber: schemaNumber ?? next.schemaNumber
        )
        return (WriteSession(workspace: workspace, after: next.log, metadata: metadata), next)
    }

    private func append(_ session: WriteSession, _ state: StoreState) throws {
        guard session.builder.eventCount > 0 else { return }
        var next = state
        byteCount += session.builder.byteCount
        if let nested {
            try store.finish(session, &next, in: nested.transaction)
        } else {
            try store.finish(session, &next, in: transaction)
        }
        self.state = next
        hasCommits = true
    }

    /// Lets what is written to the tables be undone without what others have done.
    private func beginNested() throws {
        if nested != nil { return }
        let begun = NestedTransaction(try transaction.beginNested())
        nested = begun
        workspace.base = begun.transaction.reader
    }

    /// Makes all commits durable. Returns when they are on the disk, or throws and leaves none.
    ///
    /// Log and views move in the same LMDB transaction, so the views cannot drift from the log (STO-13).
    func commit() throws {
        guard hasCommits else { return transaction.abort() }
        do {
            try workspace.flush()
            state.viewsPosition = state.log.head
            state.viewsDigest = state.headDigest
            state.counts = workspace.counts
            try state.write(in: transaction, store.tables)
            try transaction.commitInPlace()
        } catch {
            transaction.abort()
            throw error
        }
        store.tellOfCommit()
    }

    /// Gives everything up.
    func abort() {
        transaction.abort()
    }
}

/// Holds a transaction where a class cannot.
private final class NestedTransaction {
    let transaction: TableWriter

    init(_ transaction: consuming TableWriter) {
        self.transaction = transaction
    }
}
