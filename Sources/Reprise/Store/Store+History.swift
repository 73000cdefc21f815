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

    /// Gives the present state a name. O(1), whatever the size of the store, unless the state is kept.
    ///
    /// A state that is kept is a file beside the store, from which later reads of it begin. The snapshot is made first:
    /// where the file cannot be made, this throws, and the snapshot is there all the same (HIS-100). Then
    /// ``keepState(ofSnapshot:progress:)`` tries again.
    ///
    /// - Parameters:
    ///   - name: what the state is called.
    ///   - keepingState: whether its state is kept as a file, as ``keepState(ofSnapshot:progress:)`` does.
    ///   - context: what the commit says of itself.
    /// - Throws: `snapshotExists`; `invalidIdentifier` for a name that is empty, longer than 200 bytes, a number, a
    ///   date or `head`, which could not be told from other points (HIS-30). With `keepingState` also
    ///   `permissionDenied`, `diskFull` or `inputOutput`, where there is no place for the file.
    @discardableResult
    public func createSnapshot(
        named name: String,
        keepingState: Bool = false,
        context: CommitContext = CommitContext(intent: "snapshot.create")
    ) throws -> Snapshot {
        let snapshot = try wrapped {
            try Snapshot.checkName(name)
            return try writer.perform {
                try self.commit(context) { session in
                    try session.createSnapshot(named: name)
                }
            }
        }
        if keepingState { try keepState(ofSnapshot: name) }
        return snapshot
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
