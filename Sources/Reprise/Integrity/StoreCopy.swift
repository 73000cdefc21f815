internal import RepriseLMDB
internal import RepriseLog

/// Fills a new store with a copy of a log and the views folded from it, event after event, in as many transactions as
/// it takes to bound the memory of each.
///
/// Verification folds this way: in the order of the log and not by entity as ``ViewRebuild`` does, with the state
/// compared with the digest of every commit on its way.
struct StoreCopy {
    let from: LogReader
    let upTo: UInt64
    /// Empty, and nobody else's.
    let target: Environment
    let tables: StoreTables
    /// How much the changes of one transaction may take, in bytes: the pages that they touch are in memory as well.
    let stepByteCount: Int
    var beforeEvent: ((EventView, Workspace) throws -> Void)?

    func run(
        progress: (ReplayProgress) -> Bool
    ) throws -> (foldedCount: Int, digest: Digest256, state: StoreState) {
        var state = StoreState.new()
        let survey = try from.survey(upTo: upTo)
        state.schemaPosition = survey.schemaPosition
        state.schemaNumber = survey.schemaNumber
        let schema = try compiledSchema(survey)
        let replay = LogReplay(timeline: survey.timeline, upTo: upTo)
        replay.beforeEvent = beforeEvent
        var folded: Workspace?
        while true {
            let transaction = try target.beginWrite()
            let workspace =
                folded
                ?? Workspace(
                    schema: schema,
                    tables: tables[.a],
                    base: transaction.reader,
                    digest: .zero,
                    counts: []
                )
            workspace.base = transaction.reader
            folded = workspace
            let begin = replay.next
            try fold(replay, into: workspace, &state, progress)
            guard replay.isFinished || replay.next > begin else {
                throw StoreError.damage("The log ends at position \(begin - 1), and the views say \(upTo).")
            }
            try workspace.flush()
            if replay.isFinished {
                try finish(workspace, &state, in: transaction)
                try transaction.commit()
                return (replay.foldedCount, workspace.digest, state)
            }
            try transaction.commit()
        }
    }

    private func compiledSchema(_ survey: LogSurvey) throws -> CompiledSchema {
        var schema = SchemaDescription(models: [], relations: [])
        if survey.schemaPosition > 0, let event = try from.event(at: survey.schemaPosition) {
            schema = try unsafe SchemaDescription(inLog: event.body)
        }
        return CompiledSchema(schema, position: survey.schemaPosition, number: survey.schemaNumber)
    }

    /// Copies and folds blocks until there is as much as one transaction may hold, or no more.
    private func fold(
        _ replay: LogReplay,
        into workspace: Workspace,
        _ state: inout StoreState,
        _ progress: (ReplayProgress) -> Bool
    ) throws {
        var cursor = try workspace.base.cursor(tables.log)
        var copiedByteCount = 0
        try replay.fold(into: workspace, from: from) { block in
            var key = KeyBuffer()
            key.append(bigEndian: block.firstPosition)
            try unsafe cursor.put(key: key.bytes, value: block.bytes, append: true)
            try state.note(block)
            let done = ReplayProgress(
                eventCount: Int(clamping: block.lastPosition),
                totalCount: Int(clamping: upTo)
            )
            guard progress(done) else {
                throw StoreError.cancelled
            }
            copiedByteCount += unsafe block.bytes.count
            return workspace.byteCount + copiedByteCount < stepByteCount
        }
    }

    private func finish(
        _ workspace: Workspace,
        _ state: inout StoreState,
        in transaction: borrowing TableWriter
    ) throws {
        guard workspace.digest == state.headDigest else {
            throw StoreError.damage("The log does not fold to the digest that it recorded.")
        }
        state.viewsPosition = state.log.head
        state.viewsDigest = workspace.digest
        state.counts = workspace.counts
        try state.write(in: transaction, tables)
    }
}
