internal import RepriseLMDB
internal import RepriseLog

extension Store {
    /// Runs `body` as one commit and returns when it is on the disk.
    ///
    /// ```swift
    /// try store.write { transaction in
    ///     try transaction.insert(Note(id: "n1", title: "Monday"))
    /// }
    /// ```
    ///
    /// The body is synchronous and runs on the caller's thread when its turn has come. The caller's thread waits for
    /// its turn and for the disk: some milliseconds as a rule, and longer on a slow disk. Where that must not happen,
    /// as on the main thread, write `try await store.write { … }`, which leaves the thread free.
    ///
    /// All that the body does is one commit, or nothing is. When it throws, nothing of it remains, and the error comes
    /// out of `write`. A body that changes nothing makes no commit.
    ///
    /// Read through the transaction, which sees what the body has done so far. Reading the store itself in the body
    /// would show the state before, and stops the program (STO-105), as a write inside a write does.
    ///
    /// Writes that wait together share one sync of the disk (STO-40): the first waits for the bodies of the others, so
    /// a body should be short, and must not wait for a thread that is writing. One that does nothing for five seconds
    /// while others wait for it is left out (STO-76).
    ///
    /// Unique values, and whether the target of a to-one is there, are looked at when the body is through: two rows can
    /// exchange a value, and a row can name one that is inserted later (REL-33). See
    /// ``WriteTransaction/checkRulesAtOnce()``.
    ///
    /// What the state forbids is a ``StoreError``, whose cause has the data:
    ///
    /// ```swift
    /// do {
    ///     try store.write { try $0.insert(person) }
    /// } catch let error as StoreError where error.code == .uniqueViolation {
    ///     guard case .uniqueViolation(let attributes, let existing)? = error.cause else { throw error }
    ///     show("\(attributes.joined(separator: ", ")) is taken by \(existing.id).")
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - context: what the commit says of itself.
    ///   - body: makes the changes, through the transaction that it is given.
    /// - Returns: what `body` returns; it need not be used.
    /// - Throws: what `body` throws, and ``StoreError`` with the code `diskFull`, `inputOutput`, `poisoned`, `closed`,
    ///   `mapFull`, `writerBusy`, `readOnly` or `writeStalled`. After `inputOutput` the outcome is unknown: close the
    ///   store and open it again.
    @discardableResult
    public func write<R>(
        _ context: CommitContext = CommitContext(),
        _ body: (inout WriteTransaction) throws -> R
    ) throws -> R {
        do {
            return try writer.commit({ try CommitGroup(self) }) { group in
                try group.add(context) { try self.run(body, in: $0, defersRules: true) }
            }
        } catch {
            throw StoreError.wrapping(error)
        }
    }

    /// As the synchronous ``write(_:_:)``, without blocking the caller's thread: the body runs on the store's own, and
    /// the caller goes on when the commit is on the disk.
    ///
    /// - Parameters:
    ///   - context: what the commit says of itself.
    ///   - body: makes the changes, through the transaction that it is given.
    /// - Returns: what `body` returns; it need not be used.
    /// - Throws: as the synchronous ``write(_:_:)``.
    @discardableResult
    public func write<R: Sendable>(
        _ context: CommitContext = CommitContext(),
        _ body: @escaping @Sendable (inout WriteTransaction) throws -> R
    ) async throws -> R {
        do {
            return try await writer.commit({ try CommitGroup(self) }) { group in
                try group.add(context) { try self.run(body, in: $0, defersRules: true) }
            }
        } catch {
            throw StoreError.wrapping(error)
        }
    }

    /// Runs `body` while a write to this store on the calling thread throws `writeInCallback` (STO-51).
    ///
    /// For work that lets another thread write, waits for it, and calls somebody back meanwhile: a write in such a
    /// callback would wait for its turn, which that thread has, which waits for the callback.
    package func refusingWrites<R>(_ body: () throws -> R) rethrows -> R {
        try writer.refusingTurns(body)
    }

    /// Runs the body of a write or of a batch.
    ///
    /// - Parameter defersRules: whether unique values and targets are looked at when it is through.
    func run<R>(
        _ body: (inout WriteTransaction) throws -> R,
        in session: WriteSession,
        defersRules: Bool = false
    ) throws -> R {
        session.defersRules = defersRules
        let access = StateAccess(
            shared,
            workspace: session.workspace,
            position: session.builder.nextPosition - 1,
            logHead: session.builder.nextPosition - 1
        )
        access.synchronize = { [unowned session] in try session.synchronize() }
        access.stay = session.stay
        access.earlierEvent = { [unowned session] in session.earlier.link(of: $0) }
        defer { access.end() }
        var transaction = WriteTransaction(access: access, session: session)
        bodyThread.begin()
        defer { bodyThread.end() }
        let result = try body(&transaction)
        if let failure = session.failure { throw failure }
        try session.settleOwedRules()
        return result
    }

    /// Makes one commit, in a write's turn.
    func commit<R>(
        _ context: CommitContext,
        schemaNumber: UInt32? = nil,
        _ body: (WriteSession) throws -> R
    ) throws -> R {
        let group = try CommitGroup(self)
        do {
            let result = try group.add(context, schemaNumber: schemaNumber, body)
            try group.commit()
            return result
        } catch {
            group.abort()
            throw error
        }
    }

    /// Appends the session's events to the log and moves the state's head.
    func finish(
        _ session: WriteSession,
        _ state: inout StoreState,
        in transaction: borrowing TableWriter
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

    /// A workspace on the present views.
    func workspace(on reader: TableReader, _ state: StoreState) throws -> Workspace {
        Workspace(
            schema: try compiledSchema(reader, state),
            tables: tables[state.viewSet],
            base: reader,
            digest: state.viewsDigest,
            counts: state.counts
        )
    }

    /// What the commit says of itself. Its time is what the clock says, even where the last commit says a later one: or
    /// else one commit with a wrong clock would give its time to all that follow (HIS-03).
    func metadata(
        _ context: CommitContext,
        _ state: inout StoreState,
        schemaNumber: UInt32
    ) -> CommitMetadata {
        let time = configuration.now().microsecondsSince1970
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
