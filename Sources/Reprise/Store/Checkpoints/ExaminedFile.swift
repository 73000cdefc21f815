internal import RepriseLMDB
internal import RepriseLog

/// What is said of a file that may be a checkpoint. The file is not open.
struct ExaminedFile {
    let path: String
    /// Tells the file from another one that comes into its place.
    let stamp: SealedFile.Stamp
    private(set) var checkpoint: Snapshot.Checkpoint

    /// Reads the record and compares it with the log.
    ///
    /// - Parameters:
    ///   - entry: nil comes of one that is gone, or that is no file.
    ///   - schema: the one in force.
    ///   - snapshots: the names of the snapshots of its position.
    /// - Throws: `LMDBError` where the file cannot be read, `LogError` where the log is damaged there.
    init?(
        _ entry: CheckpointFolder.Entry,
        _ log: LogReader,
        _ schema: CompiledSchema,
        _ snapshots: [String]
    ) throws {
        guard let sealed = try Self.open(entry.path) else { return nil }
        var digest: Digest256?
        var fault: Snapshot.Checkpoint.Fault?
        do {
            let file = try CheckpointFile(sealed)
            try file.check(entry, log, schema)
            digest = file.record.digest
        } catch let error as Unusable {
            fault = error.fault
        }
        path = entry.path
        stamp = sealed.stamp
        checkpoint = Snapshot.Checkpoint(
            path: entry.path,
            position: Position(entry.position),
            digest: digest.map { StateDigest($0) },
            byteCount: sealed.byteCount,
            snapshots: fault == .otherLog ? [] : snapshots,
            fault: fault
        )
    }

    /// The same after the data was compared with its hash; nil where another file is there now, or none.
    ///
    /// - Throws: `LMDBError` where the file cannot be read.
    /// - Complexity: O(bytes), if nothing speaks against the file so far.
    func withDataChecked() throws -> ExaminedFile? {
        if checkpoint.fault != nil { return self }
        guard let sealed = try Self.open(path), sealed.stamp == stamp else { return nil }
        do {
            try CheckpointFile(sealed).checkData()
            return self
        } catch is Unusable {
            var damaged = self
            damaged.checkpoint = Snapshot.Checkpoint(
                path: path,
                position: checkpoint.position,
                digest: nil,
                byteCount: checkpoint.byteCount,
                snapshots: checkpoint.snapshots,
                fault: .damaged
            )
            return damaged
        }
    }

    private static func open(_ path: String) throws(LMDBError) -> SealedFile? {
        do throws(LMDBError) {
            return try SealedFile(opening: path)
        } catch {
            guard error.code == .noSuchStore || error.code == .notAStore else { throw error }
            return nil
        }
    }
}

extension Snapshot {
    /// The names of all snapshots by their positions, each sorted.
    static func names(_ reader: TableReader, _ tables: ViewTables) throws -> [Position: [String]] {
        Dictionary(grouping: try all(reader, tables), by: \.position).mapValues { $0.map(\.name) }
    }
}
