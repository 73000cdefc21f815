internal import RepriseLMDB
internal import RepriseLog

/// A long write in batches, each durable by itself, in which the views may lag behind the log.
///
/// The log is written batch by batch, in order, which is cheap. The views follow by sorted loading, at intervals and at
/// the end (STO-20 to STO-24). Readers meanwhile see the last consistent views. A store that is opened after a crash
/// catches up first, so nothing that a batch acknowledged is lost.
public struct BulkLoader: ~Copyable {
    let core: BulkLoadCore

    /// Makes one commit of what `body` does and returns when it is on the disk.
    ///
    /// Inside it everything works as in `write`; queries cost more, because the views are brought up to
    /// date first.
    @discardableResult
    public mutating func batch<R>(
        _ context: CommitContext? = nil,
        _ body: (inout WriteTransaction) throws -> R
    ) throws -> R {
        do {
            return try core.batch(context, body)
        } catch {
            throw StoreError.wrapping(error)
        }
    }

    /// Brings the views up to date and shows readers what has been loaded so far.
    public mutating func publish() throws {
        do {
            try core.publish()
        } catch {
            throw StoreError.wrapping(error)
        }
    }
}

extension Store {
    /// Runs a bulk load; other writers of this process wait until it is over.
    ///
    /// When `body` throws, the batches that it finished stay, and the views are brought up to date.
    ///
    /// Batches that only insert, link at the end of lists and update attributes are the fastest: the views are then
    /// built once, in order. Queries, deletions, and references that change need the views at once; after the first
    /// one, the load goes on with views that are kept up to date.
    ///
    /// - Parameters:
    ///   - context: what commits say of themselves where the batch does not. With another intent than `bulk.load` each
    ///     batch is on its actor's stack of undo; with a correlation, all of them are one step of it.
    ///   - memoryByteCount: about how much memory the load may take, in bytes; what does not fit goes through temporary
    ///     files in the store's directory. With 0 the views are brought up to date after every batch. A load that does
    ///     not fit takes ten bits more for every row that the views have already.
    ///   - body: loads batch after batch.
    @discardableResult
    public func bulkLoad<R>(
        _ context: CommitContext = CommitContext(intent: "bulk.load"),
        memoryByteCount: Int = 96 << 20,
        _ body: (inout BulkLoader) throws -> R
    ) throws -> R {
        try wrapped {
            try writer.perform {
                let core = BulkLoadCore(
                    store: self,
                    context: context,
                    memoryByteCount: memoryByteCount
                )
                var loader = BulkLoader(core: core)
                let result: R
                do {
                    result = try body(&loader)
                } catch {
                    // The batches that were acknowledged are in the log; a failure here is met again, and named, when
                    // the store is next written or opened.
                    try? core.publish()
                    throw error
                }
                try core.publish()
                return result
            }
        }
    }
}

/// The state of a bulk load between its batches.
final class BulkLoadCore {
    private let store: Store
    private let context: CommitContext
    private let memoryByteCount: Int
    /// Changes that are in the log and not in the views, with the head of the log and the views that they belong to.
    private var workspace: Workspace?
    private var head: UInt64 = 0
    private var viewSet = ViewSet.a
    /// Whether changes may be left to the log; not once a batch has needed the views.
    private var mayDefer: Bool
    /// Whether that has been done: the load is a large one.
    private var hasDeferred = false

    init(store: Store, context: CommitContext, memoryByteCount: Int) {
        self.store = store
        self.context = context
        self.memoryByteCount = memoryByteCount
        mayDefer = memoryByteCount > 0
    }

    /// How much the changes in memory may take: a part, because what is known of deferred ones takes some, too.
    private var changesByteCount: Int { memoryByteCount / 4 }

    func batch<R>(_ context: CommitContext?, _ body: (inout WriteTransaction) throws -> R) throws
        -> R
    {
        // Not after a batch: one that is on the disk must not throw (STO-23).
        if let deferred = workspace?.deferred, deferred.byteCount > memoryByteCount {
            try publish()
        }
        if workspace == nil { try store.catchUp(memoryByteCount: max(memoryByteCount, 1 << 20)) }
        let transaction = try store.environment.beginWrite()
        var state = try StoreState.read(transaction.reader, store.tables)
        let kept = self.workspace
        let workspace = try adopt(&state, in: transaction)
        let metadata = store.metadata(
            context ?? self.context,
            &state,
            schemaNumber: state.schemaNumber
        )
        let session = WriteSession(workspace: workspace, after: state.log, metadata: metadata)
        // Until the batch is on the disk the changes in memory are ahead of it; should anything fail they are dropped,
        // and the views catch up from the log.
        self.workspace = nil
        let result = try run(body, in: session, on: state)
        let hasChangedViews = session.hasFlushed || workspace.hasSettled
        guard session.builder.eventCount > 0 else {
            // A new workspace rests on views that may have caught up in this transaction, which leaves no trace.
            if workspace === kept, !hasChangedViews { self.workspace = workspace }
            return result
        }
        let isFull = workspace.byteCount > changesByteCount
        if hasChangedViews || (isFull && !mayDefer) {
            try workspace.flush()
            try store.finish(session, &state, in: transaction)
            state.viewsPosition = state.log.head
            state.viewsDigest = state.headDigest
            state.counts = workspace.counts
        } else {
            try store.finish(session, &state, in: transaction)
            if isFull {
                hasDeferred = true
                try workspace.deferChanges { try deferredChanges(state, transaction.reader) }
            }
        }
        try state.write(in: transaction, store.tables)
        try transaction.commit()
        if hasChangedViews || (isFull && !mayDefer) { store.tellOfCommit() }
        workspace.hasSettled = false
        self.workspace = workspace
        head = state.log.head
        viewSet = state.viewSet
        return result
    }

    private func deferredChanges(
        _ state: StoreState,
        _ base: TableReader
    ) throws -> DeferredChanges {
        try unsafe DeferredChanges(
            after: state.viewsPosition,
            log: store.tables.log,
            over: base,
            store.tables[state.viewSet],
            fold: EntityFold.folding()
        )
    }

    /// Runs a batch's body; what it asks may need views that have all that is in the log.
    private func run<R>(
        _ body: (inout WriteTransaction) throws -> R,
        in session: WriteSession,
        on state: StoreState
    ) throws -> R {
        let workspace = session.workspace
        workspace.foldDeferred = { [unowned workspace] in
            self.mayDefer = false
            _ = try self.store.foldMissing(state, workspace.base)
        }
        defer { workspace.foldDeferred = nil }
        return try store.run(body, in: session)
    }

    /// Writes to the views what they lack.
    func publish() throws {
        defer { store.tellOfCommit() }
        if let workspace, workspace.deferred == nil {
            if try publish(workspace) { return }
        }
        workspace = nil
        try store.catchUp(memoryByteCount: max(memoryByteCount, 1 << 20))
    }

    /// Writes the changes in memory to the views, if they are all that these lack.
    private func publish(_ kept: Workspace) throws -> Bool {
        let transaction = try store.environment.beginWrite()
        var state = try StoreState.read(transaction.reader, store.tables)
        guard state.areViewsBehind else {
            workspace = nil
            return true
        }
        guard head == state.log.head, viewSet == state.viewSet else { return false }
        kept.base = transaction.reader
        workspace = nil
        try kept.flush()
        state.viewsPosition = state.log.head
        state.viewsDigest = state.headDigest
        state.counts = kept.counts
        try state.write(in: transaction, store.tables)
        try transaction.commit()
        return true
    }

    /// The workspace of the batch before, unless another process has written or replayed since: then the views have
    /// caught up, or do so now.
    private func adopt(
        _ state: inout StoreState,
        in transaction: borrowing TableWriter
    ) throws -> Workspace {
        if let workspace, head == state.log.head, viewSet == state.viewSet,
            state.areViewsBehind || workspace.isEmpty
        {
            workspace.base = transaction.reader
            return workspace
        }
        if state.areViewsBehind { try store.foldMissing(&state, in: transaction) }
        let workspace = try Workspace(
            schema: store.compiledSchema(transaction.reader, state),
            tables: store.tables[state.viewSet],
            base: transaction.reader,
            digest: state.viewsDigest,
            counts: state.counts
        )
        workspace.rowDigests = RowDigests()
        if hasDeferred, mayDefer {
            workspace.deferred = try deferredChanges(state, transaction.reader)
        }
        return workspace
    }
}
