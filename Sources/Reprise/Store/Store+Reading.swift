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
                position: context.state.viewsPosition,
                logHead: context.state.log.head
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

    /// The context for a read of the present: one that an earlier read of the same commit left, or a new one.
    private func context(
        of transaction: borrowing RepriseLMDB.ReadTransaction
    ) throws -> ReadContext {
        guard let context = readContexts.take(transaction.transactionID) else {
            return try newContext(of: transaction.reader, transaction.transactionID)
        }
        context.workspace.base = transaction.reader
        return context
    }

    /// The position of what reads of the present see.
    func servedPosition(_ state: StoreState) -> UInt64 {
        Swift.max(state.viewsPosition, caughtUpPosition.withLock { $0 })
    }

    func newContext(of reader: TableReader, _ transactionID: UInt64) throws -> ReadContext {
        var state = try StoreState.read(reader, tables)
        let workspace = try workspace(on: reader, state)
        let end = servedPosition(state)
        if state.viewsPosition < end {
            state = try catchUpInMemory(workspace, state, upTo: end, reader)
        }
        return ReadContext(
            transactionID: transactionID,
            state: state,
            workspace: workspace
        )
    }
}
