internal import RepriseLMDB
internal import RepriseLog

extension Store {
    /// Keeps the state of a snapshot as a file beside the store, from which reads of that state and of others near it
    /// begin, in this process and in later ones (HIS-100).
    ///
    /// Reads of the near past gain nothing: they begin at the present. The file takes about as much room as the rows
    /// and indexes of then. It is good until the schema changes.
    ///
    /// - Parameters:
    ///   - name: the name of the snapshot.
    ///   - progress: called now and then; returning false cancels, and nothing is left.
    /// - Returns: what there is now. One that is there and whole already is left as it is.
    /// - Throws: `unknownSnapshot`; `permissionDenied`, `diskFull` or `inputOutput` where there is no place for the
    ///   file; `corrupted` where the log is damaged before the snapshot; `cancelled`.
    /// - Complexity: O(events · log events) up to the snapshot, in bounded memory.
    @discardableResult
    public func keepState(
        ofSnapshot name: String,
        progress: (ReplayProgress) -> Bool = { _ in true }
    ) throws -> Snapshot.Checkpoint {
        try wrapped {
            let transaction = try environment.beginRead()
            let result = Result {
                let past = try past(at: .snapshot(name), transaction.reader, transaction.transactionID)
                let log = LogReader(past.reader, table: tables.log, head: past.state.log.head)
                let hash = try log.commit(holding: past.target)?.hash ?? .zero
                let entry = checkpointFolder.entry(at: past.target, hash: hash)
                let names = try Snapshot.names(past.reader, tables[past.state.viewSet])[Position(past.target)] ?? []
                if let found = try? ExaminedFile(entry, log, past.schema, names)?.withDataChecked(),
                    found.checkpoint.fault == nil
                {
                    // The process that made it may have been killed before it removed the place of the making.
                    checkpointFolder.tidy()
                    return found.checkpoint
                }
                let made = try make(entry, hash, past, progress) { try transaction.checkUndisturbed() }
                return Snapshot.Checkpoint(
                    path: entry.path,
                    position: Position(past.target),
                    digest: StateDigest(made.digest),
                    byteCount: made.byteCount,
                    snapshots: names,
                    fault: nil
                )
            }
            // What was read over a commit of another process, an error included, says nothing (STO-68).
            try transaction.checkUndisturbed()
            return try result.get()
        }
    }

    /// The states that are kept as files beside the store, by position.
    ///
    /// - Throws: `permissionDenied` or `inputOutput` where one cannot be read.
    /// - Complexity: O(bytes of the files): each is compared with its checksum.
    public func checkpoints() throws -> [Snapshot.Checkpoint] {
        try wrapped { try examineAll().map(\.checkpoint) }
    }

    /// Removes kept states: those that no snapshot names any more, those that are damaged, and those of another log or
    /// schema (HIS-105).
    ///
    /// No store needs one. Reads that have begun from one go on.
    ///
    /// - Parameters:
    ///   - all: whether all are removed.
    ///   - isPlan: whether nothing is removed, and only said what would be.
    /// - Returns: what was removed, by position.
    /// - Throws: `permissionDenied` or `inputOutput` where one cannot be read or removed; those before it are gone.
    /// - Complexity: O(bytes of the files): each is compared with its checksum.
    @discardableResult
    public func pruneCheckpoints(all: Bool = false, isPlan: Bool = false) throws -> [Snapshot.Checkpoint] {
        try wrapped {
            let found = try examineAll().filter { all || $0.checkpoint.isOfNoUse }
            if isPlan { return found.map(\.checkpoint) }
            defer { checkpointFolder.tidy() }
            return try found.filter { try SealedFile.remove($0.path, $0.stamp) }.map(\.checkpoint)
        }
    }
}

extension Snapshot.Checkpoint {
    fileprivate var isOfNoUse: Bool {
        switch fault {
        case nil: snapshots.isEmpty
        case .damaged, .otherLog, .otherSchema: true
        case .newerFormat: false
        }
    }
}

extension Store {
    private func examineAll() throws -> [ExaminedFile] {
        // The bytes are read when the transaction has ended: that may take long.
        try examineRecords().compactMap { try $0.withDataChecked() }
    }

    private func examineRecords() throws -> [ExaminedFile] {
        let transaction = try environment.beginRead()
        let state = try StoreState.read(transaction.reader, tables)
        let schema = try compiledSchema(transaction.reader, state)
        let names = try Snapshot.names(transaction.reader, tables[state.viewSet])
        let log = LogReader(transaction.reader, table: tables.log, head: state.log.head)
        let found = try checkpointFolder.entries().compactMap { entry in
            try ExaminedFile(entry, log, schema, names[Position(entry.position)] ?? [])
        }
        try transaction.checkUndisturbed()
        return found
    }

    /// Builds a state, and gives the file its name when it is complete and on the disk (HIS-104).
    ///
    /// - Parameters:
    ///   - hash: of the log's block that ends at the position.
    ///   - check: throws where what was read was of more than one commit.
    private func make(
        _ entry: CheckpointFolder.Entry,
        _ hash: Digest256,
        _ past: PastState,
        _ progress: (ReplayProgress) -> Bool,
        _ check: () throws -> Void
    ) throws -> (digest: Digest256, byteCount: Int) {
        let place = try checkpointFolder.makePlace()
        defer {
            place.remove()
            checkpointFolder.tidy()
        }
        let directory = place.path + "/checkpoint"
        let (environment, built) = try Checkpoint.make(build(of: past), at: directory) { done in
            let progress = progress(
                ReplayProgress(eventCount: Int(clamping: done), totalCount: Int(clamping: past.target))
            )
            guard progress else { throw StoreError.cancelled }
        }
        environment.close()
        let log = LogReader(past.reader, table: tables.log, head: past.state.log.head)
        let schemaHash = try log.commit(holding: past.schema.position)?.hash ?? .zero
        try check()
        let byteCount = try SealedFile.make(from: directory, at: entry.path) { data in
            CheckpointRecord(
                identity: past.state.identity,
                position: past.target,
                hash: hash,
                schemaPosition: past.schema.position,
                schemaHash: schemaHash,
                digest: built.digest,
                dataByteCount: data.byteCount,
                dataHash: try data.hash(ofFirst: data.byteCount),
                counts: built.counts
            ).encode()
        }
        return (built.digest, byteCount)
    }
}
