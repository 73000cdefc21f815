internal import RepriseLMDB
internal import RepriseLog

extension Store {
    /// Runs `body` on one consistent state, on the caller's thread. Never waits for writes.
    ///
    /// - Throws: what `body` throws, and ``StoreError`` with the code `closed`, `poisoned` or `tooManyReaders`.
    public func read<R>(_ body: (borrowing ReadTransaction) throws -> R) throws -> R {
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
    /// - Throws: as ``read(_:)``, and `unknownPosition` or `unknownSnapshot`.
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
            } else if !conversions.withLock({ $0.isEmpty }) {
                let history = try SchemaHistory(of: state, transaction.reader, tables)
                workspace.unconverted = Set(try unconverted(history, at: target, workspace).map(\.place))
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

    /// The entities that the descriptor asks for, as they are now.
    @inlinable
    public func fetch<M: Model>(_ descriptor: FetchDescriptor<M>) throws -> [M] {
        try read { try $0.fetch(descriptor) }
    }

    /// The entity with this identifier as it is now, or nil.
    @inlinable
    public func fetch<M: Model>(_ type: M.Type = M.self, id: M.ID) throws -> M? {
        try read { try $0.fetch(M.self, id: id) }
    }

    /// The members of a to-many relationship as they are now, in its order, repeats kept.
    ///
    /// - Throws: ``StoreError``: `unknownRelationship`, `corrupted`.
    @inlinable
    public func fetch<Owner, Target>(
        _ relationship: Relationship<Owner, Target>,
        of owner: Owner.ID
    ) throws -> [Target] {
        try read { try $0.fetch(relationship, of: owner) }
    }

    /// How many entities the descriptor asks for.
    public func count<M: Model>(_ descriptor: FetchDescriptor<M>) throws -> Int {
        try read { try $0.count(descriptor) }
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
        max(state.viewsPosition, caughtUpPosition.withLock { $0 })
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
