internal import Logging
internal import RepriseLMDB
internal import RepriseLog

extension Store {
    /// Converts rows that a rollback has brought back as they were before a change of the schema (STO-86).
    ///
    /// A row that the function refuses stays as it is.
    func convertAgain(_ history: SchemaHistory) throws {
        if configuration.readOnly || !hasConversions(in: history.present) { return }
        let planned = try read { transaction in
            try unconverted(history, at: transaction.state.log.head, transaction.access.workspace)
        }
        if planned.isEmpty { return }
        let refusedCount = try writer.perform {
            try convertAgainBeside(planned) ?? convertAgainInPlace(planned)
        }
        configuration.logger?.notice(
            "Rows that a rollback has brought back were converted.",
            metadata: ["path": "\(path)", "refused": "\(refusedCount)"]
        )
    }

    private func convertAgainInPlace(_ planned: [PlannedConversion]) throws -> Int {
        try commit(CommitContext(intent: Self.conversionName)) { session in
            let refusedCount = try RowConversions(session: session).runAgain(planned)
            try noteConversion(in: session)
            return refusedCount
        }
    }

    /// Writes all views anew where many rows are converted: one transaction would hold all pages that they lie in.
    ///
    /// - Returns: how many rows were refused; nil where they have to be converted in place. So they have where two get
    ///   the same unique value, the second of which is refused.
    private func convertAgainBeside(_ planned: [PlannedConversion]) throws -> Int? {
        let present = try readState()
        let room = Self.room(of: planned.map(\.model), present)
        guard !present.areViewsBehind, try convertsMany(planned, present, room: room) else { return nil }
        do {
            return try writingNewViews { try convertIntoNewViews(planned, present, room: room, $0) }
        } catch let error as StoreError where error.code == .uniqueViolation {
            return nil
        }
    }

    private func convertIntoNewViews(
        _ planned: [PlannedConversion],
        _ present: StoreState,
        room: Int,
        _ writer: ViewsWriter
    ) throws -> Int? {
        var reading = Optional(try environment.beginRead())
        guard let reader = reading?.reader else { preconditionFailure("Reading has begun.") }
        var state = try StoreState.read(reader, tables)
        guard state.log.head == present.log.head, !state.areViewsBehind else { return nil }
        let workspace = try workspace(on: reader, state)
        let metadata = metadata(
            CommitContext(intent: Self.conversionName),
            &state,
            schemaNumber: state.schemaNumber
        )
        let session = WriteSession(workspace: workspace, after: state.log, metadata: metadata)
        let schema = workspace.schema
        let changed = schema.description.indexNumbers(of: planned)
        let kept = schema.description.indexNumbers.subtracting(changed)
        let refusedCount = try writeNewViews(session, planned, isAgain: true, keeping: kept, &state, writer)
        // The map may have to grow for what comes.
        reading = nil
        try noteConversion(in: session)
        let needed = session.builder.byteCount * 3 / 2 + room
        try finishNewViews(writer, room: needed, with: (session, state)) { [self] work, transaction in
            let (session, begun) = work
            var state = begun
            let views = tables[state.viewSet]
            try IndexBuild(
                schema: schema,
                tables: views,
                base: transaction.reader,
                makeFile: environment.makeSpillFile
            ).build(changed)
            try session.workspace.labels.write(to: views.labels, in: transaction.reader)
            try self.finish(session, &state, in: transaction)
            state.viewsPosition = state.log.head
            state.viewsDigest = state.headDigest
            try state.write(in: transaction, tables)
        }
        tellOfCommit()
        return refusedCount
    }

    /// Notes in a commit that it has converted rows that were brought back.
    private func noteConversion(in session: WriteSession) throws {
        let key = "\(session.builder.nextPosition)"
        _ = try session.annotate(name: Self.conversionName, key: key, payload: [])
    }

    /// Whether functions of the program or the rule of the format have made attributes of a schema.
    func hasConversions(in present: SchemaDescription) -> Bool {
        !conversions.withLock { $0.isEmpty } || present.hasWidenings
    }

    /// The conversions whose attributes the state at a position does not have: it has come neither through
    /// the declaration of the attribute nor through a later conversion of rows that were brought back.
    func unconverted(
        _ history: SchemaHistory,
        at position: UInt64,
        _ workspace: Workspace
    ) throws -> [PlannedConversion] {
        let missing = try missingAttributes(history, at: position, workspace)
        let planned = conversions.withLock { $0 } + history.present.widenings
        return planned.filter { missing.contains($0.place) }.map { $0.reading(before: missing) }
    }

    /// The attributes that functions of the program or the rule of the format have made, and that the state at a
    /// position does not have yet; removed ones included, of which others were made.
    func missingAttributes(
        _ history: SchemaHistory,
        at position: UInt64,
        _ workspace: Workspace
    ) throws -> UnconvertedAttributes {
        if !hasConversions(in: history.present) { return UnconvertedAttributes() }
        let conversions = try ConversionHistory(history, Timeline(of: workspace), workspace.labelScan)
        return conversions.missing(history.present.convertedSlots, at: position)
    }
}
