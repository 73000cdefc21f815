internal import RepriseLMDB
internal import RepriseLog

/// Thrown out of a write that must leave nothing: a conflict is open, or the change was only to be looked at.
private struct NothingIsWritten: Error {
    let report: ChangeSet.Report
}

extension Store {
    /// What a merge works on: the state as the write sees it.
    struct MergeGround {
        let session: WriteSession
        let travel: TimeTravel
        let log: LogReader
        let state: StoreState
        let makeFile: () throws(LMDBError) -> SpillFile
        /// Makes what reads older events in the terms of the present schema, be it to take them back.
        let upcaster: (_ isTakingBack: Bool) throws -> EventUpcaster?

        var workspace: Workspace { session.workspace }
        var head: UInt64 { session.builder.nextPosition - 1 }

        /// Gathers events that are taken back.
        func gathering() throws -> DeltaGathering { DeltaGathering(try upcaster(true), makeFile: makeFile) }

        /// The stretches of the log that have led to the present state, ascending.
        func liveRanges() throws -> [ClosedRange<UInt64>] {
            try Timeline(of: workspace).liveRanges(upTo: head)
        }
    }

    /// Changes that are to be merged, and the commits that they take back.
    struct MergeWish {
        let takenBack: [CommitView]
        /// Whether these are taken back as a whole, which the commit then notes.
        var isWhole = false
        /// What the commit notes of the stores that the changes are of; empty where they are of this one.
        var notes: [MergeMark] = []
        /// Whether that store is the younger one of the two.
        var isTheirsLater = true
        /// Finds the places in lists that this store has given itself, where that is not told from the changes alone.
        var ownPlaces: ((MergeGround) throws -> OwnPlaces)?
        /// Whether the notes are written also where the changes come to nothing.
        var isAlwaysNoted = false
        /// Whether the changes come from another log, and by no merge: with entries that this store does not know.
        var isOfAnotherLog = false
        /// What stays because an entity stays that theirs takes away; nil for all where notes say that another store is
        /// merged, and otherwise nothing.
        var keepsLeadingToKept: MergePlanner.Keeping?
        /// Whether a row stays away that comes with a unique value that is taken, also where it could come without it.
        var leavesOutTaken = false
        /// Told of the plan once it is made; returns whether there is nothing to be written.
        var decided: ((ChangePlan, ChangeSet.Report) throws -> Bool)?
        /// Comes before the changes of the commit.
        var opening: ((WriteSession) throws -> Void)?
        /// Comes behind them.
        var ending: ((WriteSession, ChangeSet.Report) throws -> Void)?
        let deltas: (_ body: (EntityDelta) throws -> Void) throws -> Void
    }

    /// Merges changes into the present state in one commit, or writes nothing where a conflict stays open.
    ///
    /// - Parameters:
    ///   - isPlan: whether the changes are only looked at.
    ///   - isNoted: whether a commit is made even where nothing is different.
    ///   - wish: finds the changes; nil where there are none to be made.
    func merge(
        _ context: CommitContext,
        resolving resolution: ChangeSet.Resolution,
        isPlan: Bool,
        isNoted: Bool = false,
        _ wish: (MergeGround) throws -> MergeWish?
    ) throws -> ChangeSet.Report? {
        do {
            return try wrapped {
                if isPlan { return try plan(context, resolving: resolution, wish) }
                return try writer.perform {
                    func attempt(mayTakeSteps: Bool = true) throws -> MergeOutcome {
                        let outcome = try self.commit(context) {
                            try self.merge(
                                in: $0,
                                resolution,
                                intent: context.intent,
                                isNoted: isNoted,
                                mayTakeSteps: mayTakeSteps,
                                wish
                            )
                        }
                        guard case .decided(let merge) = outcome else { return outcome }
                        return try commitInSteps(merge, context).map { .done($0) } ?? .givenUp
                    }
                    var outcome = MergeOutcome.givenUp
                    for _ in 0..<Self.openAttemptCount {
                        outcome = try attempt()
                        guard case .givenUp = outcome else { return outcome.report }
                    }
                    outcome = try environment.keepingWritersOut { try attempt() }
                    if case .givenUp = outcome { outcome = try attempt(mayTakeSteps: false) }
                    return outcome.report
                }
            }
        } catch let nothing as NothingIsWritten {
            return nothing.report
        }
    }

    /// What came of a merge in a write's transaction.
    private enum MergeOutcome {
        case nothing
        case done(ChangeSet.Report)
        /// It is decided and too large for that transaction, in which nothing was written.
        case decided(StepwiseMerge)
        /// It was decided and not written, and has to be decided anew.
        case givenUp

        var report: ChangeSet.Report? {
            if case .done(let report) = self { report } else { nil }
        }
    }

    /// How often a large merge is tried in several transactions before the writers of other processes are kept out.
    private static let openAttemptCount = 2

    /// Looks at what a merge would do, in a read: nothing waits, and a store that is only read can be asked as well.
    private func plan(
        _ context: CommitContext,
        resolving resolution: ChangeSet.Resolution,
        _ wish: (MergeGround) throws -> MergeWish?
    ) throws -> ChangeSet.Report? {
        let transaction = try environment.beginRead()
        let reading = try newContext(of: transaction.reader, transaction.transactionID)
        var state = reading.state
        let metadata = metadata(context, &state, schemaNumber: state.schemaNumber)
        let session = WriteSession(workspace: reading.workspace, after: state.log, metadata: metadata)
        do {
            _ = try merge(in: session, resolution, intent: context.intent, isPlan: true, wish)
        } catch let nothing as NothingIsWritten {
            try transaction.checkUndisturbed()
            throw nothing
        }
        try transaction.checkUndisturbed()
        return nil
    }

    private func merge(
        in session: WriteSession,
        _ resolution: ChangeSet.Resolution,
        intent: String,
        isPlan: Bool = false,
        isNoted: Bool = false,
        mayTakeSteps: Bool = false,
        _ wish: (MergeGround) throws -> MergeWish?
    ) throws -> MergeOutcome {
        let state = try StoreState.read(session.workspace.base, tables)
        let base = session.workspace.base
        let travel = travel(base, state)
        let ground = MergeGround(
            session: session,
            travel: travel,
            log: LogReader(base, table: tables.log, head: state.log.head),
            state: state,
            makeFile: environment.makeSpillFile,
            upcaster: { try self.upcaster(of: travel, session.schema.description, isTakingBack: $0) }
        )
        guard let wish = try wish(ground) else { return .nothing }
        let planner = MergePlanner(
            session.workspace,
            resolution,
            keeps: wish.keepsLeadingToKept ?? (wish.notes.isEmpty ? .nothing : .all),
            isTheirsLater: wish.isTheirsLater,
            planByteCount: configuration.planByteCount,
            makeFile: environment.makeSpillFile
        )
        planner.looksAtSerials = wish.isOfAnotherLog
        planner.leavesOutTaken = wish.leavesOutTaken
        planner.ownPlaces = try wish.ownPlaces?(ground)
        var hasDeltas = wish.isAlwaysNoted
        try wish.deltas { delta in
            try planner.add(delta)
            hasDeltas = true
            try planner.addPlaces(of: delta)
        }
        try planner.settle()
        try planner.arrange()
        let plan = planner.plan
        let (counts, open, settled) = (try plan.counts(), planner.decisions.open, planner.decisions.settled)
        func report(_ commit: UInt64?) -> ChangeSet.Report {
            ChangeSet.Report(
                commit: commit.map { Position($0) },
                takenBack: wish.takenBack.map { Position($0.lastPosition) },
                counts: counts,
                conflicts: open,
                settled: settled
            )
        }
        let hasNothing = try wish.decided?(plan, report(nil)) ?? false
        guard open.isEmpty, !isPlan, !hasNothing else { throw NothingIsWritten(report: report(nil)) }
        let newest = wish.takenBack.first?.lastPosition
        let mark = wish.isWhole ? TakenBackMark(of: wish.takenBack, intent: intent) : nil
        let isLarge = try hasManySteps(planner)
        let leaving = mayTakeSteps && isLarge ? LeavingRows(environment.makeSpillFile) : nil
        try MemberPlaces(plan, session.workspace, environment.makeSpillFile).settle(leaving)
        if let leaving, let order = try PlanOrder(planner, leaving: leaving, makeFile: environment.makeSpillFile) {
            return .decided(
                StepwiseMerge(
                    plan: plan,
                    order: order,
                    log: state.log,
                    causation: newest,
                    mark: mark,
                    isNoted: isNoted,
                    notes: hasDeltas ? wish.notes : [],
                    opening: wish.opening,
                    ending: wish.ending,
                    report: report
                )
            )
        }
        let places = try EntryPlaces(planner, environment.makeSpillFile)
        if let newest { session.builder.setCausation(newest) }
        try wish.opening?(session)
        try session.perform(plan, places.coming)
        try wish.ending?(session, report(nil))
        if isNoted, session.builder.eventCount == 0, let newest {
            let key = String(newest)
            _ = try session.annotate(name: UndoStack.name, key: key, payload: [])
        }
        try session.note(mark)
        // Also where nothing had to be done: what both have done alike is known to both from here on.
        if hasDeltas {
            for note in wish.notes {
                _ = try session.annotate(name: MergeMark.name, key: note.key, payload: note.payload)
            }
        }
        return .done(report(session.builder.eventCount == 0 ? nil : session.builder.nextPosition - 1))
    }

    /// Whether a plan is written in steps. The entries that go with their owners count as well, and the rows and
    /// entries that a forced deletion changes.
    private func hasManySteps(_ planner: MergePlanner) throws -> Bool {
        let (plan, workspace, limit) = (planner.plan, planner.workspace, configuration.stepwiseChangeCountMin)
        var count = plan.rows.roughCount + plan.entries.count
        try plan.rows.forEach { entity, row in
            guard row.isDeletion, count < limit else { return }
            for end in try workspace.schema.model(entity.model).ownedLists {
                try workspace.forEachEntry(of: ListKey(relation: end.relation.number, id: entity.id)) { _ in
                    count += 1
                    return count < limit
                }
            }
        }
        guard count < limit else { return true }
        try planner.forEachConsequence { user, entity, end in
            guard case .list = end.relation.kind else { return count += 1 }
            let list = ListPlace(end: RelationEnd(relation: end.relation, side: .source), owner: user)
            count += try workspace.entries(of: list, to: entity.id, behind: nil, limit: limit).count
        }
        return count >= limit
    }
}
