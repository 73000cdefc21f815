internal import RepriseLMDB

extension Store {
    /// The position that a point stands for: always the end of a commit, or 0.
    ///
    /// - Throws: `unknownPosition` for one after the head, `unknownSnapshot`.
    /// - Complexity: O(log n); for a date, it reads the log from the head back to the commit that it finds.
    public func resolve(_ point: Point) throws -> Position {
        do {
            let transaction = try environment.beginRead()
            let state = try StoreState.read(transaction.reader, tables)
            return Position(try travel(transaction.reader, state).position(of: point))
        } catch {
            throw StoreError.wrapping(error)
        }
    }

    /// On the tables of a transaction.
    func travel(_ reader: TableReader, _ state: StoreState) -> TimeTravel {
        TimeTravel(
            reader: reader,
            tables: tables,
            state: state,
            servedPosition: servedPosition(state)
        )
    }

    /// Makes the present state equal to that at a point in the past, in one commit.
    ///
    /// Nothing is erased: the rollback is an event of its own (HIS-20 to HIS-26). What came after `point` stays in
    /// the log, can be read with `read(asOf:)` and can be brought back by rolling back to a position among it.
    /// Snapshots and annotations stay as they are.
    ///
    /// The schema stays, too (STO-86). Where functions of the program have made attributes since, they are called for
    /// the rows that come back, in a commit behind the rollback, so that the head is then higher than the report says.
    ///
    /// - Parameters:
    ///   - point: the state that is wanted.
    ///   - head: the head of the log as the caller knows it; nil where it makes no difference what has been written
    ///     since.
    ///   - context: what the commit says of itself.
    /// - Throws: `unknownPosition`, `unknownSnapshot`; `invalidValue` and `uniqueViolation` where rows of then break
    ///   what the schema demands now, or a function refuses them; `revisionConflict` where the head is another one than
    ///   `head` (HIS-27), `corrupted` when the state that was arrived at does not have the digest that the log recorded
    ///   for it. Nothing is changed then.
    /// - Complexity: O(changes between `point` and now · log n), whatever the size of the store; where functions of
    ///   the program are called again, O(rows of their models · log n).
    @discardableResult
    public func rollback(
        to point: Point,
        expecting head: Position? = nil,
        context: CommitContext = CommitContext(intent: "rollback")
    ) throws -> RollbackReport {
        try wrapped {
            let report = try writer.perform {
                try self.commit(context) { session in
                    let state = try StoreState.read(session.workspace.base, self.tables)
                    return try session.rollBack(
                        to: point,
                        expecting: head,
                        self.travel(session.workspace.base, state),
                        converting: self.adoptedSchema.withLock { $0 == nil }
                            ? nil
                            : self.conversions.withLock { $0 } + session.schema.description.widenings
                    )
                }
            }
            if hasConversions(in: try schema) { try convertAgain(try schemaHistory()) }
            return report
        }
    }

    /// Gives the present state a name. O(1), whatever the size of the store.
    ///
    /// - Throws: `snapshotExists`; `invalidIdentifier` for a name that is empty, longer than 200 bytes, a number, a
    ///   date or `head`, which could not be told from other points (HIS-30).
    @discardableResult
    public func createSnapshot(
        named name: String,
        context: CommitContext = CommitContext(intent: "snapshot.create")
    ) throws -> Snapshot {
        try wrapped {
            try Snapshot.checkName(name)
            return try writer.perform {
                try self.commit(context) { session in
                    try session.createSnapshot(named: name)
                }
            }
        }
    }

    /// Takes a name away; the log and the state are not touched.
    ///
    /// - Throws: `unknownSnapshot`.
    public func deleteSnapshot(
        named name: String,
        context: CommitContext = CommitContext(intent: "snapshot.delete")
    ) throws {
        try wrapped {
            try writer.perform {
                try self.commit(context) { session in
                    try session.deleteSnapshot(named: name)
                }
            }
        }
    }

    /// All snapshots, by position and then by name.
    public func snapshots() throws -> [Snapshot] {
        try wrapped {
            let transaction = try environment.beginRead()
            let state = try StoreState.read(transaction.reader, tables)
            let snapshots = try Snapshot.all(transaction.reader, tables[state.viewSet])
            try transaction.checkUndisturbed()
            return snapshots
        }
    }
}
