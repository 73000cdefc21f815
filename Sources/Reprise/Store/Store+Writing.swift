internal import RepriseLMDB
internal import RepriseLog

extension Store {
    /// Runs `body` as one commit and returns when it is on the disk.
    ///
    /// The body is synchronous and runs on the caller's thread when its turn has come. When it throws, nothing
    /// of it remains. A body that changes nothing makes no commit.
    ///
    /// - Throws: what `body` throws, and ``StoreError`` with the code `diskFull`, `inputOutput`, `poisoned`, `closed`
    ///   or `mapFull`. After `inputOutput` the outcome is unknown: close the store and open it again.
    public func write<R>(
        _ context: CommitContext = CommitContext(),
        _ body: (inout WriteTransaction) throws -> R
    ) throws -> R {
        do {
            return try writer.perform { try self.commit(context) { try self.run(body, in: $0) } }
        } catch {
            throw StoreError.wrapping(error)
        }
    }

    /// As the synchronous ``write(_:_:)``, without blocking the caller's thread: the body runs on the store's own.
    public func write<R: Sendable>(
        _ context: CommitContext = CommitContext(),
        _ body: @escaping @Sendable (inout WriteTransaction) throws -> R
    ) async throws -> R {
        do {
            return try await writer.perform {
                try self.commit(context) { try self.run(body, in: $0) }
            }
        } catch {
            throw StoreError.wrapping(error)
        }
    }

    func run<R>(_ body: (inout WriteTransaction) throws -> R, in session: WriteSession) throws -> R
    {
        let access = StateAccess(
            store: self,
            workspace: session.workspace,
            position: session.builder.nextPosition - 1
        )
        access.synchronize = { [unowned session] in try session.synchronize() }
        defer { access.end() }
        var transaction = WriteTransaction(access: access, session: session)
        let result = try body(&transaction)
        if let failure = session.failure { throw failure }
        return result
    }

    /// Makes one commit, in a write's turn.
    ///
    /// Log and views move in the same LMDB transaction, so the views cannot drift from the log (STO-13).
    func commit<R>(
        _ context: CommitContext,
        schemaNumber: UInt32? = nil,
        _ body: (WriteSession) throws -> R
    ) throws -> R {
        let transaction = try environment.beginWrite()
        var state = try StoreState.read(transaction.reader, tables)
        if state.areViewsBehind { try foldMissing(&state, in: transaction) }
        let session = try session(
            context,
            state: &state,
            reader: transaction.reader,
            schemaNumber: schemaNumber
        )
        let result = try body(session)
        guard session.builder.eventCount > 0 else { return result }
        try session.workspace.flush()
        try finish(session, &state, in: transaction)
        state.viewsPosition = state.log.head
        state.viewsDigest = state.headDigest
        state.counts = session.workspace.counts
        try state.write(in: transaction, tables)
        try transaction.commit()
        return result
    }

    /// Appends the session's events to the log and moves the state's head.
    func finish(
        _ session: WriteSession,
        _ state: inout StoreState,
        in transaction: borrowing RepriseLMDB.WriteTransaction
    ) throws {
        state.headDigest = session.workspace.digest
        if let position = session.declaredSchema {
            state.schemaPosition = position
            state.schemaNumber += 1
        }
        state.log = try session.takeBuilder().finish(
            digest: session.workspace.digest,
            in: transaction,
            table: tables.log
        )
    }

    /// A session on the present views.
    func session(
        _ context: CommitContext,
        state: inout StoreState,
        reader: TableReader,
        schemaNumber: UInt32? = nil
    ) throws -> WriteSession {
        let schema = try compiledSchema(reader, state)
        let workspace = Workspace(
            schema: schema,
            tables: tables[state.viewSet],
            base: reader,
            digest: state.viewsDigest,
            counts: state.counts
        )
        return WriteSession(
            workspace: workspace,
            after: state.log,
            metadata: metadata(context, &state, schemaNumber: schemaNumber ?? state.schemaNumber)
        )
    }

    /// What the commit says of itself. Its time is never before that of the last commit, so that a date names one
    /// place in the log (HIS-03).
    func metadata(
        _ context: CommitContext,
        _ state: inout StoreState,
        schemaNumber: UInt32
    ) -> CommitMetadata {
        let time = max(configuration.now().microsecondsSince1970, state.lastCommitTime)
        state.lastCommitTime = time
        return CommitMetadata(
            timeMicroseconds: time,
            actor: context.actor ?? configuration.actor,
            intent: context.intent,
            correlation: context.correlation,
            causation: context.causation?.rawValue ?? 0,
            schema: schemaNumber
        )
    }
}
