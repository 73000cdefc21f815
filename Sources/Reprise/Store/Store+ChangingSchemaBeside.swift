internal import RepriseLMDB
internal import RepriseLog

extension Store {
    /// Makes a change whose functions convert many rows: all views are written anew, in key order, in the set of tables
    /// that does not serve, and swapped in by the transaction that declares the schema (STO-82). In a write's turn.
    ///
    /// - Returns: whether it was made; nil where it has to be made in the views that serve, as any change can be: it
    ///   converts few rows, or there is no room for a second set of views.
    func makeWithNewViews(
        _ change: SchemaChange,
        since position: UInt64,
        _ present: StoreState
    ) throws -> Bool? {
        guard change.codeChanges.isEmpty, !present.areViewsBehind,
            try convertsMany(change.conversions, present, room: Self.room(for: change, present))
        else { return nil }
        return try writingNewViews { try makeBeside(change, since: position, $0) }
    }

    private func makeBeside(
        _ change: SchemaChange,
        since position: UInt64,
        _ writer: ViewsWriter
    ) throws -> Bool? {
        var reading = Optional(try environment.beginRead())
        guard let reader = reading?.reader else { preconditionFailure("Reading has begun.") }
        var state = try StoreState.read(reader, tables)
        guard state.schemaPosition == position else { return false }
        if state.areViewsBehind { return nil }
        let old = try compiledSchema(reader, state)
        let watch = ChangeWatch(change, from: old, state.counts, configuration.schemaProgress)
        let workspace = workspace(during: change, from: old, reader, state)
        let session = try session(of: change, workspace, &state)
        let kept = old.description.indexNumbers.intersection(change.schema.indexNumbers)
        _ = try writeNewViews(session, change.conversions, keeping: kept, &state, writer, watch.advance)
        // The map may have to grow for what comes.
        reading = nil
        let room = session.builder.byteCount * 3 / 2 + Self.room(forIndexesOf: change, state)
        try finishNewViews(writer, room: room, with: (session, state, watch)) { [self] work, transaction in
            let (session, begun, watch) = work
            var state = begun
            try seal(session, change, from: old, &state, in: transaction, watch)
        }
        tellOfCommit()
        return true
    }

    // MARK: For a change and for a rollback

    /// Runs `body` with a writer for the set of tables that does not serve, which is empty before and afterwards. Other
    /// processes do not write meanwhile.
    ///
    /// - Returns: nil where it has to be done in the views that serve.
    func writingNewViews<R>(_ body: (ViewsWriter) throws -> R?) throws -> R? {
        let rebuild = ViewRebuild(environment, tables, schema: compiledSchema)
        // In the end the set that does not serve is emptied: of new views that were given up, or of the old ones.
        defer { try? rebuild.clearSpareViews() }
        do {
            // To do it in the views that serve would keep them out as well, and take more memory.
            return try environment.keepingWritersOut {
                try rebuild.clearSpareViews(always: true)
                let writer = try ViewsWriter(environment, stepByteCount: configuration.viewStepByteCount)
                defer { writer.close() }
                return try body(writer)
            }
        } catch is StagedWriter.Interrupted {
            return nil
        } catch where Self.isMapFull(error) {
            return nil
        } catch {
            // In place it reads and writes less. It is not tried where a failed commit has ended all writing.
            let code = (StoreError.wrapping(error) as? StoreError)?.code
            guard code == .diskFull || code == .corrupted, (try? rebuild.clearSpareViews()) != nil else { throw error }
            return nil
        }
    }

    /// Writes the rows of a state with what functions make of them, and all else but the entries of some indexes, into
    /// the set of tables that does not serve, and has the state name that set.
    ///
    /// - Parameters:
    ///   - session: takes the events.
    ///   - isAgain: see ``ConvertedViews``.
    ///   - indexNumbers: the indexes whose entries are taken over.
    /// - Returns: how many rows were refused.
    func writeNewViews(
        _ session: WriteSession,
        _ conversions: [PlannedConversion],
        isAgain: Bool = false,
        keeping indexNumbers: Set<UInt16>,
        _ state: inout StoreState,
        _ writer: ViewsWriter,
        _ progress: @escaping (Int) throws -> Void = { _ in }
    ) throws -> Int {
        state.viewSet = state.viewSet.other
        let target = tables[state.viewSet]
        try writer.inTransaction { writer in
            for table in target.all { try writer.empty(table) }
        }
        var views = ConvertedViews(
            session: session,
            target: target,
            output: writer.output,
            isAgain: isAgain,
            progress: progress
        )
        try views.write(conversions, keeping: indexNumbers)
        session.workspace.digest = views.digest
        return views.refusedCount
    }

    /// Ends the last transaction of the new views, on the thread that writes.
    ///
    /// - Parameters:
    ///   - room: how many bytes `body` may add.
    ///   - work: handed to `body`, which runs on that thread.
    func finishNewViews<Work>(
        _ writer: ViewsWriter,
        room: Int,
        with work: Work,
        _ body: @escaping @Sendable (Work, borrowing TableWriter) throws -> Void
    ) throws {
        let lent = Lent(work)
        try writer.inTransaction { [self] views in
            try self.writer.refusingTurns {
                try views.finish(room: room) { try body(lent.value, $0) }
            }
        }
    }

    /// From how many rows on a conversion in place would hold too many pages in memory, however many others there are
    /// (measured: 262 bytes for each row with three indexes).
    private static let largeConversionRowCount = 1 << 19

    /// Whether at least half of the rows are converted, and the other views are not much larger than the rows; or very
    /// many are converted. And whether there is room for a second set of all in the map, which cannot grow while the
    /// old ones are read, and on the disk.
    ///
    /// - Parameter room: about how much new indexes and changed rows will take, in bytes.
    func convertsMany(_ conversions: [PlannedConversion], _ state: StoreState, room: Int) throws -> Bool {
        let converted = Set(conversions.map(\.model)).reduce(0) { sum, number in
            let place = Int(number) - 1
            return sum + (state.counts.indices.contains(place) ? state.counts[place] : 0)
        }
        let isLarge = converted >= Self.largeConversionRowCount
        guard converted >= configuration.convertedRowCountMin, isLarge || converted * 2 >= state.counts.reduce(0, +)
        else { return false }
        let transaction = try environment.beginRead()
        let views = tables[state.viewSet]
        var byteCount = 0
        for table in views.all { byteCount += try transaction.reader.byteCount(table) }
        let rowByteCount = try transaction.reader.byteCount(views.rows)
        guard isLarge || byteCount - rowByteCount <= rowByteCount + (1 << 20) else { return false }
        return environment.hasRoom(for: byteCount + room + StagedWriter.roomByteCount)
            && environment.hasRoomOnDisk(for: byteCount + room)
    }
}

/// What one thread lends to another one for a call that it waits for.
private struct Lent<Value>: @unchecked Sendable {
    let value: Value

    init(_ value: Value) { self.value = value }
}
