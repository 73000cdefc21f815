internal import RepriseLMDB
internal import RepriseLog

extension Store {
    /// How much the changes in memory may take before they are written to the tables, in bytes.
    static let flushByteCount = 96 << 20

    /// Lets views that are behind the log catch up, in a transaction of its own (STO-07, STO-24). In a write's turn.
    func catchUp() throws {
        let transaction = try environment.beginWrite()
        var state = try StoreState.read(transaction.reader, tables)
        guard state.areViewsBehind else { return }
        try foldMissing(&state, in: transaction)
        try transaction.commit()
    }

    /// Folds into the views what the log has and they have not. Views only fall behind in a bulk load, in which no
    /// rollback can happen, so the events are folded in order.
    func foldMissing(
        _ state: inout StoreState,
        in transaction: borrowing RepriseLMDB.WriteTransaction
    ) throws {
        let workspace = try Workspace(
            schema: compiledSchema(transaction.reader, state),
            tables: tables[state.viewSet],
            base: transaction.reader,
            digest: state.viewsDigest,
            counts: state.counts
        )
        let folder = LogFolder(
            workspace: workspace,
            log: LogReader(transaction.reader, table: tables.log)
        )
        try folder.fold((state.viewsPosition + 1)...state.log.head) {
            if workspace.byteCount > Self.flushByteCount { try workspace.flush() }
        }
        try workspace.flush()
        guard workspace.digest == state.headDigest else {
            throw StoreError.damage("The views do not arrive at the digest that the log recorded.")
        }
        state.viewsPosition = state.log.head
        state.viewsDigest = workspace.digest
        state.counts = workspace.counts
        try state.write(in: transaction, tables)
    }
}

/// Folds events of the log into a workspace, labels included.
struct LogFolder {
    let workspace: Workspace
    let log: LogReader

    /// Folds a range of events in order. `afterBlock` is called after each block.
    func fold(_ range: ClosedRange<UInt64>, afterBlock: () throws -> Void) throws {
        var lastBlock: UInt64 = 0
        try log.forEachEvent(in: range) { event, block in
            if block.firstPosition != lastBlock {
                if lastBlock != 0 { try afterBlock() }
                lastBlock = block.firstPosition
            }
            try workspace.apply(event)
            try foldLabel(event, time: block.timeMicroseconds)
            return true
        }
        try afterBlock()
    }

    /// Folds what an event says about labels, which are no part of the state.
    func foldLabel(_ event: EventView, time: Int64) throws {
        guard event.type.rawValue >= EventType.schemaDeclared.rawValue else { return }
        switch try Change(event) {
        case .snapshotCreated(let content):
            let key = LabelKey.snapshot(content.name)
            workspace.labels.changes[key] = .some(
                LabelValue.snapshot(content, at: event.position, time: time, key: key)
            )
        case .snapshotDeleted(let name):
            workspace.labels.changes[LabelKey.snapshot(name)] = .some(nil)
        case .rolledBack(let target):
            let key = LabelKey.rollback(at: event.position)
            workspace.labels.changes[key] = .some(LabelValue.rollback(to: target, key: key))
        case .annotated(let name, let annotationKey, let payload):
            let key = LabelKey.annotation(name, key: annotationKey)
            workspace.labels.changes[key] = .some(
                unsafe LabelValue.annotation(payload, at: event.position, time: time, key: key)
            )
        default: break
        }
    }
}
