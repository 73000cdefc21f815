internal import RepriseLMDB
internal import RepriseLog

extension Store {
    /// Declares a schema and brings rows and views to it, in one transaction (STO-82). In a write's turn.
    ///
    /// - Parameter position: that of the declaration that the change leads away from.
    /// - Returns: whether it was made; not where another schema is in force by now.
    func make(_ change: SchemaChange, since position: UInt64) throws -> Bool {
        let present = try readState()
        if let isMade = try makeWithNewViews(change, since: position, present) { return isMade }
        let transaction = try environment.beginWrite(room: Self.room(for: change, present))
        var state = try StoreState.read(transaction.reader, tables)
        guard state.schemaPosition == position else { return false }
        if state.areViewsBehind { try foldMissing(&state, in: transaction) }
        let old = try compiledSchema(transaction.reader, state)
        let watch = ChangeWatch(change, from: old, state.counts, configuration.schemaProgress)
        let workspace = workspace(during: change, from: old, transaction.reader, state)
        let session = try session(of: change, workspace, &state)
        try RowConversions(session: session, progress: watch.advance).run(change.conversions)
        try run(change.codeChanges, in: session)
        try workspace.flush()
        try seal(session, change, from: old, &state, in: transaction, watch)
        try transaction.commit()
        tellOfCommit()
        return true
    }

    /// The commit of a change, which begins with the declaration.
    func session(
        of change: SchemaChange,
        _ workspace: Workspace,
        _ state: inout StoreState
    ) throws -> WriteSession {
        let session = WriteSession(
            workspace: workspace,
            after: state.log,
            metadata: metadata(
                CommitContext(intent: Self.schemaDeclarationIntent),
                &state,
                schemaNumber: state.schemaNumber + 1
            )
        )
        let bytes = change.schema.encode()
        session.declaredSchema = try session.record(.schemaDeclared, previous: state.schemaPosition) { writer in
            unsafe bytes.withUnsafeBytes { unsafe writer.bytes($0) }
        }
        return session
    }

    /// Appends the commit of a change to the log, builds the indexes that are new in the views that the state names,
    /// and writes the state.
    func seal(
        _ session: WriteSession,
        _ change: SchemaChange,
        from old: CompiledSchema,
        _ state: inout StoreState,
        in transaction: borrowing TableWriter,
        _ watch: ChangeWatch
    ) throws {
        try finish(session, &state, in: transaction)
        let new = CompiledSchema(
            change.schema,
            position: state.schemaPosition,
            number: state.schemaNumber
        )
        try buildIndexes(of: state, from: old, to: new, transaction.reader, watch)
        state.viewsPosition = state.log.head
        state.viewsDigest = state.headDigest
        state.counts = session.workspace.counts
        try state.write(in: transaction, tables)
    }

    /// A workspace in which rows change under the schema that is to come. Its new indexes are built in the end.
    func workspace(
        during change: SchemaChange,
        from old: CompiledSchema,
        _ base: TableReader,
        _ state: StoreState
    ) -> Workspace {
        // A number of its own: other transactions will find another schema under the next one.
        let schema = CompiledSchema(
            change.schema.keepingIndexes(old.description.indexNumbers),
            position: state.schemaPosition,
            number: .max
        )
        return Workspace(
            schema: schema,
            tables: tables[state.viewSet],
            base: base,
            digest: state.viewsDigest,
            counts: state.counts + Array(repeating: 0, count: Swift.max(0, schema.modelCount - state.counts.count))
        )
    }

    /// Runs what the program does to the content, reading the last commit and writing the one that is being made.
    private func run(_ changes: [any CodeChange], in session: WriteSession) throws {
        if changes.isEmpty { return }
        let transaction = try environment.beginRead()
        let context = try newContext(of: transaction.reader, transaction.transactionID)
        let old = StateAccess(
            shared,
            workspace: context.workspace,
            position: context.state.viewsPosition,
            logHead: context.state.log.head
        )
        defer { old.end() }
        for case let change as ClosureChange in changes {
            try run(
                { new in try change.body(ReadTransaction(access: old, context: context), &new) },
                in: session
            )
            try session.synchronize()
        }
    }

    private func buildIndexes(
        of state: StoreState,
        from old: CompiledSchema,
        to new: CompiledSchema,
        _ base: TableReader,
        _ watch: ChangeWatch
    ) throws {
        let build = IndexBuild(
            schema: new,
            tables: tables[state.viewSet],
            base: base,
            progress: watch.advance,
            makeFile: environment.makeSpillFile
        )
        for model in new.allModels {
            let required = model.description.newlyRequired(since: old.description)
            if !required.isEmpty { try build.requireValues(required, of: model) }
        }
        let (numbers, oldNumbers) = (new.description.indexNumbers, old.description.indexNumbers)
        for number in oldNumbers.subtracting(numbers).sorted() { try build.drop(number) }
        try build.build(numbers.subtracting(oldNumbers))
    }

    /// About how much new indexes and changed rows will take, in bytes.
    static func room(for change: SchemaChange, _ state: StoreState) -> Int {
        room(of: change.conversions.map(\.model), state) + room(forIndexesOf: change, state)
    }

    /// About how much new indexes will take, in bytes.
    static func room(forIndexesOf change: SchemaChange, _ state: StoreState) -> Int {
        var numbers: [UInt16] = []
        for step in change.steps {
            switch step {
            case .addsIndex(let model, _, _), .addsSearchIndex(let model, _):
                numbers.append(change.schema.model(named: model)?.number ?? 0)
            default: break
            }
        }
        return room(of: numbers, state)
    }

    static func room(of numbers: [UInt16], _ state: StoreState) -> Int {
        let entryByteCount = 256
        return numbers.reduce(0) { sum, number in
            let place = Int(number) - 1
            let count = state.counts.indices.contains(place) ? state.counts[place] : 0
            // Bounded, so that no number in a file makes the sum overflow.
            return sum + Swift.min(count, 1 << 32) * entryByteCount
        }
    }
}

extension ModelDescription {
    /// The slots of attributes that were optional, and of which every row has to have a value now.
    func newlyRequired(since old: SchemaDescription) -> [Int] {
        guard let before = old.model(number) else { return [] }
        // Models may have thousands of attributes.
        let wereOptional = Set(before.attributes.filter(\.isOptional).map(\.slot))
        return attributes.filter { !$0.isOptional && wereOptional.contains($0.slot) }.map(\.slot)
    }
}
