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
    /// Inside it everything works as in ``Store/write(_:_:)``; queries cost more, because the views are brought up to
    /// date first.
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
    /// - Parameter memoryByteCount: how much the changes that the views do not have yet may take in memory before the
    ///   views are brought up to date.
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

    init(store: Store, context: CommitContext, memoryByteCount: Int) {
        self.store = store
        self.context = context
        self.memoryByteCount = memoryByteCount
    }

    func batch<R>(_ context: CommitContext?, _ body: (inout WriteTransaction) throws -> R) throws
        -> R
    {
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
        let result = try store.run(body, in: session)
        guard session.builder.eventCount > 0 else {
            // A new workspace rests on views that may have caught up in this transaction, which leaves no trace.
            if workspace === kept, !session.hasFlushed { self.workspace = workspace }
            return result
        }
        if workspace.byteCount > memoryByteCount || session.hasFlushed {
            try workspace.flush()
            try store.finish(session, &state, in: transaction)
            state.viewsPosition = state.log.head
            state.viewsDigest = state.headDigest
            state.counts = workspace.counts
        } else {
            try store.finish(session, &state, in: transaction)
        }
        try state.write(in: transaction, store.tables)
        try transaction.commit()
        self.workspace = workspace
        head = state.log.head
        viewSet = state.viewSet
        return result
    }

    /// Writes to the views what they lack.
    func publish() throws {
        let transaction = try store.environment.beginWrite()
        var state = try StoreState.read(transaction.reader, store.tables)
        guard state.areViewsBehind else {
            workspace = nil
            return
        }
        let workspace = try adopt(&state, in: transaction)
        self.workspace = nil
        try workspace.flush()
        state.viewsPosition = state.log.head
        state.viewsDigest = state.headDigest
        state.counts = workspace.counts
        try state.write(in: transaction, store.tables)
        try transaction.commit()
    }

    /// The workspace of the batch before, unless another process has written or replayed since: then the views have
    /// caught up, or do so now.
    private func adopt(
        _ state: inout StoreState,
        in transaction: borrowing RepriseLMDB.WriteTransaction
    ) throws -> Workspace {
        if let workspace, head == state.log.head, viewSet == state.viewSet,
            state.areViewsBehind || workspace.isEmpty
        {
            workspace.base = transaction.reader
            return workspace
        }
        if state.areViewsBehind { try store.foldMissing(&state, in: transaction) }
        return try Workspace(
            schema: store.compiledSchema(transaction.reader, state),
            tables: store.tables[state.viewSet],
            base: transaction.reader,
            digest: state.viewsDigest,
            counts: state.counts
        )
    }
}
