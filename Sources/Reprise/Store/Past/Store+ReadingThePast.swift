internal import Logging
internal import RepriseLMDB
internal import RepriseLog

extension Store {
    /// Runs `body` on the state at a point in the past, with everything that can be asked of the present.
    ///
    /// A state that is far from the present is built from the log, in bounded memory and files of its own beside the
    /// store (HIS-80). Where there is no room for such files, the changes between the point and now are held in memory,
    /// as those of near states are. The store keeps the last few states that were built until it is closed, and the one
    /// that the last read held in memory until its next commit. Later reads of states near one begin from it (HIS-81).
    ///
    /// - Parameters:
    ///   - point: a position within a commit stands for the state before that commit.
    ///   - underSchemaOfThen: whether names, types and relationships are those of the schema that was in force then,
    ///     for reading by stored names. Otherwise they are those of now, for reading by Swift types (STO-86).
    ///   - body: reads that state.
    /// - Throws: as a read of the present, and `unknownPosition` or `unknownSnapshot`.
    /// - Complexity: O(changes between that point and now, or the nearest state that is kept), whatever the size of the
    ///   store; O(events · log events) up to that point where these are more than some hundred thousand.
    public func read<R>(
        asOf point: Point,
        underSchemaOfThen: Bool = false,
        _ body: (borrowing ReadTransaction) throws -> R
    ) throws -> R {
        do {
            let transaction = try environment.beginRead()
            let past = try past(at: point, transaction.reader, transaction.transactionID)
            let result: R
            do {
                result = try withState(past, { try transaction.checkUndisturbed() }) { context, shared in
                    let workspace = context.workspace
                    if underSchemaOfThen {
                        let history = try SchemaHistory(of: past.state, past.reader, tables)
                        if let then = history.schema(at: past.target) { workspace.show(under: then) }
                    } else if hasConversions(in: workspace.schema.description) {
                        let history = try SchemaHistory(of: past.state, past.reader, tables)
                        workspace.unconverted = try missingAttributes(history, at: past.target, workspace)
                    }
                    let access = StateAccess(
                        shared,
                        workspace: workspace,
                        position: past.target,
                        logHead: past.state.log.head
                    )
                    defer { access.end() }
                    return try body(ReadTransaction(access: access, context: context))
                }
            } catch {
                // What was read over a commit of another process, an error included, says nothing (STO-68).
                try transaction.checkUndisturbed()
                throw error
            }
            try transaction.checkUndisturbed()
            return result
        } catch {
            throw StoreError.wrapping(error)
        }
    }

    /// As the synchronous ``read(asOf:underSchemaOfThen:_:)``, from asynchronous code. The body itself stays
    /// synchronous and should be short.
    public func read<R: Sendable>(
        asOf point: Point,
        underSchemaOfThen: Bool = false,
        _ body: @Sendable (borrowing ReadTransaction) throws -> R
    ) async throws -> R {
        try readNow(asOf: point, underSchemaOfThen, body)
    }

    private func readNow<R>(
        asOf point: Point,
        _ underSchemaOfThen: Bool,
        _ body: (borrowing ReadTransaction) throws -> R
    ) throws -> R {
        try read(asOf: point, underSchemaOfThen: underSchemaOfThen, body)
    }
}

// MARK: - The way there

/// A state of the past, as one transaction finds it.
struct PastState {
    let reader: TableReader
    let transactionID: UInt64
    let state: StoreState
    let travel: TimeTravel
    let target: UInt64
    let schema: CompiledSchema
    let way: Checkpoints.Way
}

extension Store {
    func past(at point: Point, _ reader: TableReader, _ transactionID: UInt64) throws -> PastState {
        let state = try StoreState.read(reader, tables)
        let travel = travel(reader, state)
        let target = try travel.position(of: point)
        return PastState(
            reader: reader,
            transactionID: transactionID,
            state: state,
            travel: travel,
            target: target,
            schema: try compiledSchema(reader, state),
            way: Checkpoints.Way(
                timeline: target == travel.servedPosition
                    ? Timeline(rollbacks: [])
                    : try Timeline(reader, tables[state.viewSet]),
                start: travel.servedPosition,
                target: target,
                logHead: state.log.head,
                schemaPosition: state.schemaPosition,
                eventCountMax: configuration.readEventCountMax,
                shortEventCount: configuration.shortReadEventCount
            )
        )
    }

    /// Runs `body` with a workspace that shows the state, which has come from the present, from the state that was kept
    /// in memory, or from a checkpoint.
    ///
    /// - Parameter check: throws where what was read was of more than one commit (STO-68). So nothing is kept that was
    ///   built of it.
    private func withState<R>(
        _ past: PastState,
        _ check: () throws -> Void,
        _ body: (ReadContext, StoreShared) throws -> R
    ) throws -> R {
        func run(from kept: TravelledState.Kept?, isTooLarge: Bool = false) throws -> R {
            try withState(
                past,
                from: start(of: past, from: kept, isTooLarge: isTooLarge, check),
                kept,
                byteCountMax: isTooLarge ? .max : configuration.travelByteCountMax,
                check,
                body
            )
        }
        if let kept = keptState(near: past) {
            do {
                return try run(from: kept)
            } catch is TimeTravel.IsTooLarge {
                // It holds other ways as well.
            }
        }
        do {
            return try run(from: nil)
        } catch is TimeTravel.IsTooLarge {
            // Its own state is met at once; where it cannot be built, all must be held in memory after all.
            return try run(from: nil, isTooLarge: true)
        }
    }

    /// The state that was kept, if it is nearer than the present.
    private func keptState(near past: PastState) -> TravelledState.Kept? {
        let way = past.way
        guard let kept = travelledState.take(past.transactionID) else { return nil }
        let distance = way.timeline.distance(from: kept.position, to: way.target)
        if distance < way.timeline.distance(from: way.start, to: way.target) { return kept }
        travelledState.keep(kept)
        return nil
    }

    private func withState<R>(
        _ past: PastState,
        from checkpoint: Checkpoint?,
        _ kept: TravelledState.Kept?,
        byteCountMax: Int,
        _ check: () throws -> Void,
        _ body: (ReadContext, StoreShared) throws -> R
    ) throws -> R {
        guard let checkpoint else {
            // Of its own and never given to reads of the present: travelling changes it.
            let context = try kept?.context ?? newContext(of: past.reader, past.transactionID)
            let workspace = context.workspace
            workspace.base = past.reader
            // What the last read has set.
            workspace.show(under: workspace.schemaInForce)
            workspace.unconverted = UnconvertedAttributes()
            try past.travel.travel(
                workspace,
                from: kept?.position ?? context.state.viewsPosition,
                to: past.target,
                byteCountMax: byteCountMax
            )
            let result = try body(context, shared)
            try check()
            // The present is at hand anyway.
            if past.target != past.way.start {
                travelledState.keep(TravelledState.Kept(context: context, position: past.target))
            }
            return result
        }
        if let kept { travelledState.keep(kept) }
        let journal = Journal(reader: past.reader, labels: tables[past.state.viewSet].labels)
        return try checkpoint.withWorkspace(past.schema, journal) { workspace in
            try past.travel.travel(
                workspace,
                from: checkpoint.position,
                to: past.target,
                byteCountMax: byteCountMax
            )
            let context = ReadContext(transactionID: past.transactionID, state: past.state, workspace: workspace)
            return try body(context, checkpoint.shared)
        }
    }

    private func start(
        of past: PastState,
        from kept: TravelledState.Kept?,
        isTooLarge: Bool,
        _ check: () throws -> Void
    ) -> Checkpoint? {
        var way = past.way
        way.start = kept?.position ?? way.start
        let start = pastStates.start(
            of: way,
            isTooLarge: isTooLarge,
            files: checkpointFolder,
            open: { open($0, for: past) }
        ) {
            let build = build(of: past)
            let folders = configuration.checkpointFolders ?? ScratchDirectory.folders(beside: path)
            let built = try Checkpoint(build, in: folders, shared)
            try check()
            builtStateCounter.withLock { $0 += 1 }
            return built
        }
        if let failure = start.failure {
            configuration.logger?.warning(
                "A state of the past cannot be built. It is read in memory.",
                metadata: ["path": "\(path)", "failure": "\(StoreError.wrapping(failure))"]
            )
        }
        return start.checkpoint
    }

    /// Builds the state.
    func build(of past: PastState) -> CheckpointBuild {
        CheckpointBuild(
            reader: past.reader,
            tables: tables,
            position: past.target,
            head: past.state.log.head,
            timeline: past.way.timeline,
            schema: past.schema,
            memoryByteCount: configuration.buildingByteCount
        )
    }
}
