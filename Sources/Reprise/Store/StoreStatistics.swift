internal import RepriseLMDB
internal import RepriseLog

/// What a store is like right now.
public struct StoreStatistics: Sendable {
    /// The position of the last event.
    public let head: Position
    /// How many commits the log has, that of the schema among them.
    public let commitCount: Int
    /// The digest of the state that readers see.
    public let digest: StateDigest
    /// How many entities each model has, in the order of the schema.
    public let counts: [(model: String, count: Int)]
    /// The snapshots, by position and then by name.
    public let snapshots: [Snapshot]
    /// How far the views are; less than `head` only during a bulk load.
    public let viewsPosition: Position
    /// The number of the schema in force.
    public let schemaNumber: Int
    /// The size of the file in bytes; what is free in it for new pages is part of it.
    public let fileByteCount: Int
    /// The part of the file whose pages are free, in bytes.
    public let freeByteCount: Int
    /// How many reads are open in all processes.
    public let readerCount: Int
    /// How many commits the oldest open read is behind; a large number keeps the file growing.
    public let oldestReaderLag: Int
}

extension Store {
    /// What the store is like right now. O(1) but for the list of snapshots.
    public func statistics() throws -> StoreStatistics {
        try wrapped {
            let file = try environment.statistics()
            let snapshots = try self.snapshots()
            return try read { transaction in
                StoreStatistics(
                    head: transaction.head,
                    commitCount: Int(clamping: transaction.state.log.commitCount),
                    digest: transaction.digest,
                    counts: transaction.counts,
                    snapshots: snapshots,
                    viewsPosition: transaction.position,
                    schemaNumber: Int(transaction.state.schemaNumber),
                    fileByteCount: file.fileByteCount,
                    freeByteCount: file.freePageCount * file.pageByteCount,
                    readerCount: file.readers.count { $0.transactionID != nil },
                    oldestReaderLag: Int(file.oldestReaderLag)
                )
            }
        }
    }
}
