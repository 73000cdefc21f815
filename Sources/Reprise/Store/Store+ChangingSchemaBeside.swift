internal import RepriseLMDB
internal import RepriseLog

extension Store {
    /// Makes a change whose functions convert at least half of the rows: all views are written anew, in key order, in
    /// the set of tables that does not serve, and swapped in by the transaction that declares the schema (STO-82). In
    /// a write's turn.
    ///
    /// - Returns: whether it was made; nil where it has to be made in the views that serve, as any change can be: it
    ///   converts few rows, there is no room for a second set of views, or another process writes meanwhile.
    func makeWithNewViews(
        _ change: SchemaChange,
        since position: UInt64,
        _ present: StoreState
    ) throws -> Bool? {
        guard change.codeChanges.isEmpty, !present.areViewsBehind, try convertsMost(change, present) else { return nil }
        let rebuild = ViewRebuild(environment, tables, schema: compiledSchema)
        // In the end the set that does not serve is emptied: of new views that were given up, or of the old ones.
        defer { try? rebuild.clearSpareViews() }
        do {
            try rebuild.clearSpareViews(always: true)
            return try writeNewViews(change, since: position)
        } catch is StagedWriter.Interrupted {
            return nil
        } catch where Self.isMapFull(error) {
            return nil
        } catch {
            // A change in place reads and writes less. It is not tried where a failed commit has ended all writing.
            let code = (StoreError.wrapping(error) as? StoreError)?.code
            guard code == .diskFull || code == .corrupted, (try? rebuild.clearSpareViews()) != nil else { throw error }
            return nil
        }
    }

    private func writeNewViews(_ change: SchemaChange, since position: UInt64) throws -> Bool? {
        let writer = try ViewsWriter(
            environment,
            isStaged: true,
            stepByteCount: configuration.viewStepByteCount
        )
        defer { writer.close() }
        var reading = Optional(try environment.beginRead())
        guard let reader = reading?.reader else { preconditionFailure("Reading has begun.") }
        var state = try StoreState.read(reader, tables)
        guard state.schemaPosition == position else { return false }
        if state.areViewsBehind { return nil }
        let old = try compiledSchema(reader, state)
        let watch = ChangeWatch(change, from: old, state.counts, configuration.schemaProgress)
        let workspace = workspace(during: change, from: old, reader, state)
        let session = try session(of: change, workspace, &state)
        let target = tables[state.viewSet.other]
        try writer.inTransaction { writer in
            for table in target.all { try writer.empty(table) }
        }
        var views = ConvertedViews(
            session: session,
            target: target,
            output: writer.output,
            progress: watch.advance
        )
        let kept = old.description.indexNumbers.intersection(change.schema.indexNumbers)
        try views.write(change.conversions, keeping: kept)
        workspace.digest = views.digest
        // The map may have to grow for what comes.
        reading = nil
        state.viewSet = state.viewSet.other
        let room = session.builder.byteCount * 3 / 2 + Self.room(forIndexesOf: change, state)
        let ending = Lent((session: session, state: state, watch: watch))
        try writer.inTransaction { [self] views in
            try self.writer.refusingTurns {
                try views.finish(room: room) { transaction in
                    var state = ending.value.state
                    try seal(ending.value.session, change, from: old, &state, in: transaction, ending.value.watch)
                }
            }
        }
        live.ring()
        return true
    }

    /// Whether at least half of the rows are converted, the other views are not much larger than the rows, and there
    /// is room for a second set of all in the map, which cannot grow while the old ones are read, and on the disk.
    private func convertsMost(_ change: SchemaChange, _ state: StoreState) throws -> Bool {
        let converted = Set(change.conversions.map(\.model)).reduce(0) { sum, number in
            let place = Int(number) - 1
            return sum + (state.counts.indices.contains(place) ? state.counts[place] : 0)
        }
        guard converted >= configuration.convertedRowCountMin, converted * 2 >= state.counts.reduce(0, +) else {
            return false
        }
        let transaction = try environment.beginRead()
        let views = tables[state.viewSet]
        var byteCount = 0
        for table in views.all { byteCount += try transaction.reader.byteCount(table) }
        let rowByteCount = try transaction.reader.byteCount(views.rows)
        guard byteCount - rowByteCount <= rowByteCount + (1 << 20) else { return false }
        let room = byteCount + Self.room(for: change, state)
        return environment.hasRoom(for: room + StagedWriter.roomByteCount) && environment.hasRoomOnDisk(for: room)
    }
}

/// What one thread lends to another one for a call that it waits for.
private struct Lent<Value>: @unchecked Sendable {
    let value: Value

    init(_ value: Value) { self.value = value }
}
