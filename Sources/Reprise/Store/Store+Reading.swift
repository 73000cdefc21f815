internal import RepriseLMDB
internal import RepriseLog

extension Store {
    /// Runs `body` on one consistent state, on the caller's thread. Never waits for writes.
    ///
    /// Inside the closure of a `write` of the same store it would show the state before that write. So that
    /// stops the program: read through the transaction that the closure was given (STO-105). Other threads, other
    /// stores and `read(asOf:)` are read there as anywhere.
    ///
    /// - Throws: what `body` throws, and ``StoreError`` with the code `closed`, `poisoned` or `tooManyReaders`.
    public func read<R>(_ body: (borrowing ReadTransaction) throws -> R) throws -> R {
        if bodyThread.isCallers {
            fatalError(
                "The store was read inside a write of the same store. Read through the transaction that you were given."
            )
        }
        do {
            let transaction = try environment.beginRead()
            let context = try context(of: transaction)
            let access = StateAccess(
                shared,
                workspace: context.workspace,
                position: context.state.viewsPosition
            )
            defer {
                access.end()
                readContexts.giveBack(context)
            }
            let result: R
            do {
                result = try body(ReadTransaction(access: access, context: context))
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

    /// As the synchronous ``read(_:)``, from asynchronous code. The body itself stays synchronous and should be short.
    public func read<R: Sendable>(
        _ body: @Sendable (borrowing ReadTransaction) throws -> R
    ) async throws -> R {
        try readNow(body)
    }

    private func readNow<R>(_ body: (borrowing ReadTransaction) throws -> R) throws -> R {
        try read(body)
    }

    /// Runs `body` on the state at a point in the past, with everything that can be asked of the present.
    ///
    /// - Parameters:
    ///   - point: a position within a commit stands for the state before that commit.
    ///   - underSchemaOfThen: whether names, types and relationships are those of the schema that was in force then,
    ///     for reading by stored names. Otherwise they are those of now, for reading by Swift types (STO-86).
    ///   - body: reads that state.
    /// - Throws: as a read of the present, and `unknownPosition` or `unknownSnapshot`.
    /// - Complexity: O(changes between that point and now), whatever the size of the store.
    public func read<R>(
        asOf point: Point,
        underSchemaOfThen: Bool = false,
        _ body: (borrowing ReadTransaction) throws -> R
    ) throws -> R {
        do {
            let transaction = try environment.beginRead()
            // Of its own and never given back: travelling changes it.
            let context = try newContext(of: transaction)
            let (state, workspace) = (context.state, context.workspace)
            let travel = travel(transaction.reader, state)
            let target = try travel.position(of: point)
            try travel.travel(workspace, from: state.viewsPosition, to: target)
            if underSchemaOfThen {
                let history = try SchemaHistory(of: state, transaction.reader, tables)
                if let then = history.schema(at: target) { workspace.show(under: then) }
            } else if hasConversions(in: workspace.schema.description) {
                let history = try SchemaHistory(of: state, transaction.reader, tables)
                workspace.unconverted = try missingAttributes(history, at: target, workspace)
            }
            let access = StateAccess(shared, workspace: workspace, position: target)
            defer { access.end() }
            let result: R
            do {
                result = try body(ReadTransaction(access: access, context: context))
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

    /// The context for a read of the present: one that an earlier read of the same commit left, or a new one.
    private func context(
        of transaction: borrowing RepriseLMDB.ReadTransaction
    ) throws -> ReadContext {
        guard let context = readContexts.take(transaction.transactionID) else {
            return try newContext(of: transaction)
        }
        context.workspace.base = transaction.reader
        return context
    }

    /// The position of what reads of the present see.
    func servedPosition(_ state: StoreState) -> UInt64 {
        Swift.max(state.viewsPosition, caughtUpPosition.withLock { $0 })
    }

    func newContext(
        of transaction: borrowing RepriseLMDB.ReadTransaction
    ) throws -> ReadContext {
        var state = try StoreState.read(transaction.reader, tables)
        let workspace = try workspace(on: transaction.reader, state)
        let end = servedPosition(state)
        if state.viewsPosition < end {
            state = try catchUpInMemory(workspace, state, upTo: end, transaction.reader)
        }
        return ReadContext(
            transactionID: transaction.transactionID,
            state: state,
            workspace: workspace
        )
    }
}
