internal import RepriseLMDB
internal import RepriseLog

/// Folds a log, event after event, into the views of a scratch store, in as many transactions as it takes to bound the
/// memory of each.
///
/// Verification folds this way: in the order of the log and not by entity as ``ViewRebuild`` does, with the state
/// compared with the digest of every commit on its way. No event asks for an index, and a step would touch nearly all
/// pages of one: the scratch store has none, and ``IndexBuild`` says which entries its rows lead to.
struct ScratchViews {
    let log: LogReader
    let upTo: UInt64
    /// Empty, and nobody else's.
    let target: Environment
    let tables: ViewTables
    /// How much the changes of one transaction may take, in bytes: the pages that they touch are in memory as well.
    let stepByteCount: Int
    let beforeEvent: (EventView, Workspace) throws -> Void

    struct Outcome {
        let schema: CompiledSchema
        let digest: Digest256
        let counts: [Int]
    }

    func run(progress: (ReplayProgress) -> Bool) throws -> Outcome {
        let survey = try log.survey(upTo: upTo)
        let schema = try compiledSchema(survey)
        let replay = LogReplay(timeline: survey.timeline, upTo: upTo)
        replay.beforeEvent = beforeEvent
        var folded: Workspace?
        while true {
            let transaction = try target.beginWrite()
            let workspace =
                folded
                ?? Workspace(schema: schema, tables: tables, base: transaction.reader, digest: .zero, counts: [])
            workspace.hasIndexes = false
            workspace.checksPrevious = true
            workspace.base = transaction.reader
            folded = workspace
            let begin = replay.next
            try fold(replay, into: workspace, progress)
            guard replay.isFinished || replay.next > begin else {
                throw StoreError.damage("The log ends at position \(begin - 1), and the views say \(upTo).")
            }
            try workspace.flush()
            try transaction.commit()
            if replay.isFinished {
                return Outcome(schema: schema, digest: workspace.digest, counts: workspace.counts)
            }
        }
    }

    private func compiledSchema(_ survey: LogSurvey) throws -> CompiledSchema {
        var schema = SchemaDescription(models: [], relations: [])
        if survey.schemaPosition > 0, let event = try log.event(at: survey.schemaPosition) {
            schema = try unsafe SchemaDescription(inLog: event.body)
        }
        return CompiledSchema(schema, position: survey.schemaPosition, number: survey.schemaNumber)
    }

    /// Folds blocks until there is as much as one transaction may hold, or no more.
    private func fold(_ replay: LogReplay, into workspace: Workspace, _ progress: (ReplayProgress) -> Bool) throws {
        try replay.fold(into: workspace, from: log) { block in
            let done = ReplayProgress(
                eventCount: Int(clamping: block.lastPosition),
                totalCount: Int(clamping: upTo)
            )
            guard progress(done) else { throw StoreError.cancelled }
            return workspace.byteCount < stepByteCount
        }
        guard replay.isFinished, let digest = try log.commit(holding: upTo)?.digest else { return }
        guard workspace.digest == digest else {
            throw StoreError.damage("The log does not fold to the digest that it recorded.")
        }
    }
}
