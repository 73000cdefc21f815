internal import RepriseLMDB
internal import RepriseLog

extension Store {
    /// Makes the present state equal to that at a point in the past, in one commit.
    ///
    /// Nothing is erased: the rollback is an event of its own (HIS-20 to HIS-29). What came after `point` stays in
    /// the log, can be read with `read(asOf:)` and can be brought back by rolling back to a position among it.
    /// Snapshots and annotations stay as they are.
    ///
    /// The schema stays, too (STO-86). Where functions of the program have made attributes since, they are called for
    /// the rows that come back, in a commit behind the rollback, so that the head is then higher than the report says.
    /// Code of ``Schema/change(to:keepsOlderCode:_:)`` does not run again: rows from before it come back in their old
    /// form, and ``RollbackReport/rowVersion`` says so.
    ///
    /// A long way back takes no more memory than a short one: the views of then are built from the log beside those
    /// that serve, and swapped in (HIS-28). Only where the disk has no room for a second set of views, the changes on
    /// the way are held in memory, about 400 bytes for each row. Of rows for which functions are called again, the
    /// events are held in memory, some 90 bytes for each; and where these rows are less than half of all, and less than
    /// half a million, their pages as well: some 260 bytes for each.
    ///
    /// - Parameters:
    ///   - point: the state that is wanted.
    ///   - head: the head of the log as the caller knows it; nil where it makes no difference what has been written
    ///     since.
    ///   - context: what the commit says of itself.
    /// - Throws: `unknownPosition`, `unknownSnapshot`; `invalidValue` and `uniqueViolation` where rows of then break
    ///   what the schema demands now, or a function refuses them; `valueTooLarge` where a function makes more of one
    ///   than an event can hold; `revisionConflict` where the head is another one than
    ///   `head` (HIS-27), `corrupted` when the state that was arrived at does not have the digest that the log recorded
    ///   for it. Nothing is changed then.
    /// - Complexity: O(changes between `point` and now · log n), whatever the size of the store, or O(events · log
    ///   events) of the whole log where the changes are many; where functions of the program are called again, O(rows
    ///   of their models · log n).
    @discardableResult
    public func rollback(
        to point: Point,
        expecting head: Position? = nil,
        context: CommitContext = CommitContext(intent: "rollback")
    ) throws -> RollbackReport {
        try wrapped {
            let report = try writer.perform { try rollBack(RollbackWish(point: point, head: head, context: context)) }
            // The rollback has happened. Where clearing up after it has poisoned the store, the next opening converts.
            if let schema = try? schema, hasConversions(in: schema) { try convertAgain(try schemaHistory()) }
            return report
        }
    }
}

/// What the caller of a rollback asks for.
private struct RollbackWish {
    let point: Point
    /// The head of the log as the caller knows it.
    let head: Position?
    let context: CommitContext
}

extension Store {
    /// The views of the point cannot be built, or it is near after all: another process has written meanwhile.
    private struct IsNotBuilt: Error {}

    private func rollBack(_ wish: RollbackWish) throws -> RollbackReport {
        var mayBuild = try mayBuildViews()
        if mayBuild, try isFar(wish.point) {
            if let report = try rollBackByBuilding(wish, evenIfNear: false) { return report }
            mayBuild = false
        }
        do {
            return try rollBackInMemory(wish, byteCountMax: mayBuild ? configuration.travelByteCountMax : .max)
        } catch is TimeTravel.IsTooLarge {
            return try rollBackByBuilding(wish, evenIfNear: true) ?? rollBackInMemory(wish, byteCountMax: .max)
        }
    }

    /// Whether a second set of views can be built. Views that are behind the log catch up first.
    private func mayBuildViews() throws -> Bool {
        if configuration.readOnly { return false }
        try catchUp()
        return true
    }

    private func isFar(_ point: Point) throws -> Bool {
        let transaction = try environment.beginRead()
        let state = try StoreState.read(transaction.reader, tables)
        let travel = travel(transaction.reader, state)
        let target = try travel.position(of: point)
        if state.areViewsBehind { return false }
        return try travel.distance(from: state.log.head, to: target) > configuration.travelEventCountMax
    }

    // MARK: In memory

    private func rollBackInMemory(_ wish: RollbackWish, byteCountMax: Int) throws -> RollbackReport {
        try commit(wish.context) { session in
            let base = session.workspace.base
            let travel = try travel(base, StoreState.read(base, tables))
            let rows = ReturningRows(
                schema: session.schema,
                conversions: try conversions(at: travel.position(of: wish.point), travel, session.workspace)
            )
            return try session.rollBack(
                to: wish.point,
                expecting: wish.head,
                travel,
                byteCountMax: byteCountMax,
                checking: { try rows.check(session.workspace) }
            )
        }
    }

    /// The functions that are called for rows of a position when they have come back; nil where this is a tool that
    /// has none, and a program calls them later.
    private func conversions(
        at target: UInt64,
        _ travel: TimeTravel,
        _ workspace: Workspace
    ) throws -> [PlannedConversion]? {
        if adoptedSchema.withLock({ $0 == nil }) { return nil }
        let history = try SchemaHistory(of: travel.state, travel.reader, tables)
        return try unconverted(history, at: target, workspace)
    }

    // MARK: By building the views

    /// Builds the views of the point from the log, and swaps them in together with the event of the rollback
    /// (HIS-28, HIS-29).
    ///
    /// - Returns: nil where that cannot be, or need not; nothing is changed then.
    private func rollBackByBuilding(_ wish: RollbackWish, evenIfNear isWanted: Bool) throws -> RollbackReport? {
        let rebuild = ViewRebuild(
            environment,
            tables,
            memoryByteCount: configuration.buildingByteCount,
            schema: compiledSchema
        )
        guard try rebuild.hasRoomOnDisk() else { return nil }
        var report: RollbackReport?
        do {
            _ = try rebuild.run(toward: { reader, state in
                let found = try way(wish, reader, state, evenIfNear: isWanted)
                report = found.report
                return found.goal
            })
        } catch {
            // What the attempt has left.
            try? rebuild.clearSpareViews()
            if error is IsNotBuilt { return nil }
            // What is wrong may lie before the point, where the way in memory does not come.
            let code = (StoreError.wrapping(error) as? StoreError)?.code
            if let code, [.corrupted, .newerFormat, .diskFull].contains(code) { return nil }
            throw error
        }
        tellOfCommit()
        builtStateCounter.withLock { $0 += 1 }
        return report
    }

    /// What is built, and the report of it, from what an attempt finds in the store.
    private func way(
        _ wish: RollbackWish,
        _ reader: TableReader,
        _ state: StoreState,
        evenIfNear isWanted: Bool
    ) throws -> (goal: RebuildGoal, report: RollbackReport) {
        let present = state.log.head
        if let head = wish.head, head != Position(present) {
            throw WriteSession.headMoved(from: head, to: Position(present))
        }
        let travel = travel(reader, state)
        let target = try travel.position(of: wish.point)
        let timeline = try Timeline(reader, tables[state.viewSet])
        let isFar = isWanted || timeline.distance(from: present, to: target) > configuration.travelEventCountMax
        guard isFar, !state.areViewsBehind else { throw IsNotBuilt() }
        let log = LogReader(reader, table: tables.log, head: present)
        let expected = try log.commit(holding: target)?.digest ?? .zero
        try checkContext(wish.context, state, target)
        let rows = try target < state.schemaPosition ? returningRows(at: target, travel) : nil
        let goal = RebuildGoal(
            rollback: RebuildGoal.Rollback(timeline: timeline, target: target),
            digest: expected,
            digestFailure: "The state at position \(target) does not have the digest that the log recorded for it.",
            seal: { [self] state, transaction in
                // Functions of the program run on the thread that writes.
                try writer.refusingTurns { try rows?.check(transaction.reader, makeFile: environment.makeSpillFile) }
                let builder = try rollbackCommit(wish.context, &state, to: target)
                state.headDigest = expected
                state.log = try builder.finish(digest: expected, in: transaction, table: tables.log)
            }
        )
        let changedCount = try travel.entityCount(from: present, to: target, makeFile: environment.makeSpillFile)
        let versions = try travel.versions(at: target)
        let report = RollbackReport(
            from: Position(present),
            to: Position(target),
            head: Position(present + 1),
            changedCount: changedCount,
            digest: StateDigest(expected),
            rowVersion: versions.rows,
            schemaVersion: versions.schema
        )
        return (goal, report)
    }

    /// The rows of a position from before a change of the schema, which are built in the set that does not serve.
    private func returningRows(at target: UInt64, _ travel: TimeTravel) throws -> BuiltRows {
        let workspace = try workspace(on: travel.reader, travel.state)
        return BuiltRows(
            rules: ReturningRows(
                schema: workspace.schema,
                conversions: try conversions(at: target, travel, workspace)
            ),
            tables: tables[travel.state.viewSet.other],
            present: tables[travel.state.viewSet],
            memoryByteCount: configuration.buildingByteCount
        )
    }

    /// Throws what the commit of the rollback would, before the views are built.
    private func checkContext(_ context: CommitContext, _ state: StoreState, _ target: UInt64) throws {
        var state = state
        _ = try rollbackCommit(context, &state, to: target).byteCount
    }

    /// A commit of one event, the rollback.
    private func rollbackCommit(
        _ context: CommitContext,
        _ state: inout StoreState,
        to target: UInt64
    ) throws -> CommitBuilder {
        let metadata = metadata(context, &state, schemaNumber: state.schemaNumber)
        var builder = CommitBuilder(after: state.log, metadata: metadata)
        try unsafe builder.append(
            type: .rolledBack,
            version: Change.currentVersion,
            model: 0,
            id: UnsafeRawBufferPointer(start: nil, count: 0),
            previous: 0,
            cause: 0
        ) { $0.varint(target) }
        return builder
    }
}
