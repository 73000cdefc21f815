internal import RepriseLMDB
internal import RepriseLog

/// Fills a new store with a copy of a log and the views folded from it, event after event, in one transaction.
///
/// Verification folds this way: in the order of the log and not by entity as ``ViewRebuild`` does, with the state
/// compared with the digest of every commit on its way.
struct StoreCopy {
    let from: LogReader
    let upTo: UInt64
    let tables: StoreTables
    private let target: TableReader
    var beforeEvent: ((EventView, Workspace) throws -> Void)?

    init(
        from: LogReader,
        upTo: UInt64,
        to target: borrowing TableWriter,
        _ tables: StoreTables
    ) {
        self.from = from
        self.upTo = upTo
        self.tables = tables
        self.target = target.reader
    }

    func run(
        progress: (ReplayProgress) -> Bool
    ) throws -> (foldedCount: Int, digest: Digest256, state: StoreState) {
        var state = StoreState.new()
        let survey = try from.survey(upTo: upTo)
        var schema = SchemaDescription(models: [], relations: [])
        if survey.schemaPosition > 0, let event = try from.event(at: survey.schemaPosition) {
            schema = try unsafe SchemaDescription(inLog: event.body)
        }
        state.schemaPosition = survey.schemaPosition
        state.schemaNumber = survey.schemaNumber
        let workspace = Workspace(
            schema: CompiledSchema(
                schema,
                position: survey.schemaPosition,
                number: survey.schemaNumber
            ),
            tables: tables[.a],
            base: target,
            digest: .zero,
            counts: []
        )
        let replay = LogReplay(timeline: survey.timeline, upTo: upTo)
        replay.beforeEvent = beforeEvent
        var cursor = try target.cursor(tables.log)
        try replay.fold(into: workspace, from: from) { block in
            var key = KeyBuffer()
            key.append(bigEndian: block.firstPosition)
            try unsafe cursor.put(key: key.bytes, value: block.bytes, append: true)
            try state.note(block)
            if workspace.byteCount > Workspace.flushByteCount { try workspace.flush() }
            let done = ReplayProgress(
                eventCount: Int(clamping: block.lastPosition),
                totalCount: Int(clamping: upTo)
            )
            guard progress(done) else {
                throw StoreError.cancelled
            }
            return true
        }
        try workspace.flush()
        guard workspace.digest == state.headDigest else {
            throw StoreError.damage("The log does not fold to the digest that it recorded.")
        }
        state.viewsPosition = state.log.head
        state.viewsDigest = workspace.digest
        state.counts = workspace.counts
        var stateCursor = try target.cursor(tables.state)
        try unsafe StoreState.key.withUnsafeBytes { key in
            try unsafe state.encode().withUnsafeBytes {
                try unsafe stateCursor.put(key: key, value: $0)
            }
        }
        return (replay.foldedCount, workspace.digest, state)
    }
}
