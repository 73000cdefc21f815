internal import RepriseLMDB
internal import RepriseLog

/// Fills a new store with a copy of a log up to a position, and its views with what is folded from that copy.
///
/// Positions and hashes stay the same, and so the digest of the state.
struct LogCopy {
    let source: LogReader
    let end: UInt64

    /// The state record that a new store begins with.
    ///
    /// The set of views that is built is the one that does not serve, and the first one of the new store shall serve
    /// in the end.
    static var emptyState: StoreState {
        var state = StoreState.new()
        state.viewSet = .b
        return state
    }

    /// Copies the log into `target`, which was made with ``emptyState``.
    func copyLog(
        to target: Environment,
        _ tables: StoreTables,
        report: (_ position: UInt64) throws -> Void
    ) throws {
        let writer = try StagedWriter(target)
        var state = try StoreState.read(writer.reader, tables)
        var key = KeyBuffer()
        try source.forEachBlock(from: 1) { block in
            guard block.firstPosition <= end else { return false }
            key.removeAll()
            key.append(bigEndian: block.firstPosition)
            try unsafe writer.append(to: tables.log, key: key.bytes, value: block.bytes)
            try state.note(block)
            try report(block.lastPosition)
            return block.lastPosition < end
        }
        try writer.finish { try state.write(in: $0, tables) }
    }
}

extension StoreState {
    /// Takes over what a block of the log says of the state after it.
    mutating func note(_ block: BlockView) throws {
        log.head = block.lastPosition
        log.lastHash = block.hash
        lastCommitTime = block.timeMicroseconds
        if block.isLastOfCommit {
            log.commitCount += 1
            headDigest = block.digest
        }
        // A declaration of a schema is the first event of its commit.
        guard block.isFirstOfCommit else { return }
        var events = block.events()
        if let event = try events.next(), event.type == .schemaDeclared {
            schemaPosition = event.position
            schemaNumber = block.schema
        }
    }
}
