internal import Logging
internal import RepriseLMDB
internal import RepriseLog

/// A merge that is decided, and too large for one transaction of LMDB, whose pages are in memory until it ends.
struct StepwiseMerge {
    let plan: ChangePlan
    let order: PlanOrder
    /// The log on which it was decided.
    let log: LogState
    /// The newest commit that it takes back.
    let causation: UInt64?
    /// What the commit notes of those.
    let mark: TakenBackMark?
    /// Whether a commit is made even where nothing is different.
    let isNoted: Bool
    /// What the commit notes of merges.
    let notes: [MergeMark]
    /// Comes before the changes of the commit.
    let opening: ((WriteSession) throws -> Void)?
    /// Comes behind them.
    let ending: ((WriteSession, ChangeSet.Report) throws -> Void)?
    /// The report of the merge, with the position of its commit.
    let report: (UInt64?) -> ChangeSet.Report
}

extension Store {
    /// Writes a merge in bounded memory: its events are written behind the head of the log in several transactions, the
    /// last of which moves the head; then the views follow (HIS-113). In a write's turn.
    ///
    /// A process that ends in between leaves blocks behind the head, which the next commit removes.
    ///
    /// - Returns: nil where it has to be decided anew, because another process has written meanwhile or the map is too
    ///   small.
    func commitInSteps(_ merge: StepwiseMerge, _ context: CommitContext) throws -> ChangeSet.Report? {
        let outcome: StepwiseOutcome
        do {
            outcome = try writeInSteps(merge, context)
        } catch {
            try? removeStagedBlocks()
            if error is StagedWriter.Interrupted || Self.isMapFull(error) { return nil }
            throw error
        }
        let head: UInt64
        switch outcome {
        case .done(let position): head = position
        case .nothing: return merge.report(nil)
        case .decidedOnAnother:
            // A merge is written in steps only where the views are not behind the log.
            try catchUp()
            return nil
        }
        stepwiseCommitCounter.withLock { $0 += 1 }
        do {
            try catchUp()
        } catch {
            // The commit is on the disk. A failure here is met again, and named, when the store is next written.
            configuration.logger?.warning(
                "The views did not catch up with a large commit.",
                metadata: ["path": "\(path)", "error": "\(StoreError.wrapping(error))"]
            )
        }
        tellOfCommit()
        return merge.report(head)
    }

    private enum StepwiseOutcome {
        case done(head: UInt64)
        /// There was nothing to be written.
        case nothing
        /// The log is not the one on which the merge was decided, or the views are behind it.
        case decidedOnAnother
    }

    private func writeInSteps(_ merge: StepwiseMerge, _ context: CommitContext) throws -> StepwiseOutcome {
        let writer = try StagedWriter(environment, stepByteCount: configuration.viewStepByteCount)
        var state = try StoreState.read(writer.reader, tables)
        guard state.log == merge.log, !state.areViewsBehind else { return .decidedOnAnother }
        try writer.removeBlocks(of: tables.log, behind: state.log.head)
        let metadata = metadata(context, &state, schemaNumber: state.schemaNumber)
        let workspace = try workspace(on: writer.reader, state)
        let session = WriteSession(workspace: workspace, after: state.log, metadata: metadata)
        session.remembersEarlier = false
        if let causation = merge.causation { session.builder.setCausation(causation) }
        try merge.opening?(session)
        let heldByteCountMax = Swift.min(Self.heldByteCountMax, configuration.viewStepByteCount)
        try session.performInOrder(merge.plan, merge.order) { entity in
            if workspace.byteCount > heldByteCountMax {
                if let entity { try workspace.removeAll(but: entity) } else { workspace.removeAll() }
            }
            guard session.builder.heldByteCount > heldByteCountMax else { return }
            try unsafe session.builder.stage { position, block in
                try unsafe withUnsafeBytes(of: position.bigEndian) { key in
                    try unsafe writer.append(to: tables.log, key: key, value: block)
                }
            }
            workspace.base = writer.reader
        }
        if merge.isNoted, session.builder.eventCount == 0, let causation = merge.causation {
            _ = try session.annotate(name: UndoStack.name, key: String(causation), payload: [])
        }
        try session.note(merge.mark)
        for note in merge.notes {
            _ = try session.annotate(name: MergeMark.name, key: note.key, payload: note.payload)
        }
        try merge.ending?(session, merge.report(nil))
        guard session.builder.eventCount > 0 else { return .nothing }
        let room = session.builder.heldByteCount + Self.heldByteCountMax
        let ending = state
        var head = ending.log.head
        try writer.finish(room: room) { transaction in
            var state = ending
            try finish(session, &state, in: transaction)
            try state.write(in: transaction, tables)
            head = state.log.head
        }
        return .done(head: head)
    }

    /// How much of the commit, and of what it has changed, is in memory.
    private static let heldByteCountMax = 1 << 20

    /// Removes what is behind the head of the log.
    private func removeStagedBlocks() throws {
        let transaction = try environment.beginWrite()
        let state = try StoreState.read(transaction.reader, tables)
        guard try transaction.removeBlocks(of: tables.log, behind: state.log.head) > 0 else { return }
        try transaction.commit()
    }
}
