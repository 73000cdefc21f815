package import RepriseLMDB

/// Gathers the events of one commit in memory and cuts them into blocks.
///
/// Events are encoded straight into the bytes of their block. A block is hashed once, while it is
/// still in the processor's cache, as soon as it is known not to be the commit's last; blocks
/// are held in memory until `finish`, or until `stage` hands them out.
package struct CommitBuilder: ~Copyable {
    private let before: LogState
    private var metadata: CommitMetadata
    /// Blocks that take no further event, in order. All but the last are sealed; the last is sealed
    /// when an event follows it, since only then it is known not to be the last of the commit.
    private var closed: [ClosedBlock] = []
    private var closedByteCount = 0
    /// How many bytes are behind the head of the log already.
    private var stagedByteCount = 0
    private var previousHash: Digest256

    /// The block that takes the next event: empty, or header, metadata and events.
    @usableFromInline var block = ByteWriter(capacity: 1024)
    private var blockFirstPosition: UInt64
    private var blockEventCount: UInt32 = 0

    private var eventOffset = 0
    private var bodyOffset = 0
    /// The width of the last event's length prefix, which is the guess for the next one.
    private var prefixByteCount = 1

    /// The position that the next event will have.
    package private(set) var nextPosition: UInt64

    /// - Parameters:
    ///   - state: what the commit continues.
    ///   - metadata: what the commit says about itself. It is checked when the first event is
    ///     appended.
    package init(after state: LogState, metadata: CommitMetadata) {
        before = state
        self.metadata = metadata
        previousHash = state.lastHash
        // A head read from a damaged store must not trap; `append` refuses positions that do not
        // exist.
        nextPosition = state.head &+ 1
        blockFirstPosition = nextPosition
    }

    /// Says which event has led to the commit, before it has an event of its own.
    package mutating func setCausation(_ position: UInt64) {
        precondition(eventCount == 0, "The causation of a commit is said before its first event.")
        metadata.causation = position
    }

    /// How many events have been appended.
    package var eventCount: Int { Int(nextPosition &- before.head &- 1) }

    /// How many bytes the commit takes in the log so far.
    package var byteCount: Int { closedByteCount + (blockEventCount > 0 ? block.count : 0) }

    /// How many of these bytes are in memory.
    package var heldByteCount: Int { byteCount - stagedByteCount }
}

// MARK: - Appending

extension CommitBuilder {
    /// Appends an event.
    ///
    /// - Parameters:
    ///   - type: the kind of change, not 0.
    ///   - version: the version of the type, 1 and up.
    ///   - model: the number of the model concerned, 0 for none.
    ///   - id: the identifier of the entity concerned; may be empty.
    ///   - previous: the position of the previous event of the same entity, 0 for none.
    ///   - cause: the position of the event that this one follows from, 0 for a root of the commit.
    ///   - body: appends the event's content to the writer it is given, and must leave alone what
    ///     is already there.
    /// - Returns: the position of the event.
    /// - Throws: `.eventTooLarge` above `LogFormat.eventByteCountMax`, `.commitTooLarge`,
    ///   `.textTooLong` for the metadata, `.invalidEvent` for a field out of its range. The builder
    ///   is then as it was before.
    /// - Complexity: amortised O(event); allocates once per block, not per event.
    @inlinable @discardableResult
    package mutating func append(
        type: EventType,
        version: UInt32,
        model: UInt16,
        id: UnsafeRawBufferPointer,
        previous: UInt64,
        cause: UInt64,
        body: (inout ByteWriter) -> Void
    ) throws(LogError) -> UInt64 {
        try unsafe beginEvent(
            type: type,
            version: version,
            model: model,
            id: id,
            previous: previous,
            cause: cause
        )
        body(&block)
        return try endEvent()
    }

    @usableFromInline
    mutating func beginEvent(
        type: EventType,
        version: UInt32,
        model: UInt16,
        id: UnsafeRawBufferPointer,
        previous: UInt64,
        cause: UInt64
    ) throws(LogError) {
        guard type.rawValue != 0, version != 0, previous < nextPosition, cause < nextPosition else {
            throw LogError(
                .invalidEvent,
                position: nextPosition,
                detail:
                    "type \(type.rawValue), version \(version), "
                    + "previous \(previous), cause \(cause)"
            )
        }
        guard nextPosition >= 1, nextPosition <= LogFormat.positionMax,
            nextPosition &- before.head <= LogFormat.commitEventCountMax
        else { throw LogError(.commitTooLarge, position: nextPosition) }
        guard id.count < LogFormat.eventByteCountMax else { throw eventTooLarge(id.count) }
        if block.count == 0 { try beginBlock() }
        eventOffset = block.count
        // The prefix and six fields of at most ten bytes: the buffer grows at most once for them.
        block.makeRoom(for: 70 + id.count)
        block.extend(by: prefixByteCount)
        block.u8(type.rawValue)
        block.varint(UInt64(version))
        block.varint(UInt64(model))
        unsafe block.prefixedBytes(id)
        block.varint(previous == 0 ? 0 : nextPosition - previous)
        block.varint(cause == 0 ? 0 : nextPosition - cause)
        bodyOffset = block.count
    }

    @usableFromInline
    mutating func endEvent() throws(LogError) -> UInt64 {
        precondition(
            block.count >= bodyOffset,
            "An event's body must not remove what was written before it."
        )
        let byteCount = block.count - eventOffset - prefixByteCount
        guard byteCount <= LogFormat.eventByteCountMax else {
            block.truncate(to: eventOffset)
            throw eventTooLarge(byteCount)
        }
        let neededByteCount = Varint.byteCount(of: UInt64(byteCount))
        if neededByteCount != prefixByteCount {
            block.shift(from: eventOffset + prefixByteCount, by: neededByteCount - prefixByteCount)
            prefixByteCount = neededByteCount
        }
        block.patch(varint: UInt64(byteCount), byteCount: neededByteCount, at: eventOffset)
        let position = nextPosition
        nextPosition += 1
        blockEventCount += 1
        if blockEventCount == 1 { sealLastClosed(isLastOfCommit: false, digest: .zero) }
        if block.count >= LogFormat.headerByteCount + LogFormat.blockPayloadByteCountTarget {
            closeBlock(nextCapacity: Self.blockCapacity)
        }
        return position
    }

    private func eventTooLarge(_ byteCount: Int) -> LogError {
        LogError(
            .eventTooLarge,
            position: nextPosition,
            detail: "it has \(byteCount) bytes, \(LogFormat.eventByteCountMax) are possible"
        )
    }
}

// MARK: - Blocks

extension CommitBuilder {
    private mutating func beginBlock() throws(LogError) {
        let isFirst = blockFirstPosition == before.head &+ 1
        if isFirst { try metadata.validate(at: nextPosition) }
        _ = block.reserve(LogFormat.headerByteCount)
        if isFirst { metadata.encode(into: &block) }
    }

    /// What a block takes when its events are small, so that its bytes need not move while it fills
    /// up.
    private static let blockCapacity =
        LogFormat.headerByteCount + LogFormat.blockPayloadByteCountTarget + 4096

    /// - Parameter capacity: how many bytes the next block gets room for.
    private mutating func closeBlock(nextCapacity capacity: Int) {
        var full = ByteWriter(capacity: capacity)
        swap(&full, &block)
        closedByteCount += full.count
        closed.append(
            ClosedBlock(bytes: full, firstPosition: blockFirstPosition, eventCount: blockEventCount)
        )
        blockFirstPosition = nextPosition
        blockEventCount = 0
    }

    /// Completes the header of the last closed block, unless it is complete already.
    private mutating func sealLastClosed(isLastOfCommit: Bool, digest: Digest256) {
        guard let last = closed.last, !last.isSealed else { return }
        let first = before.head + 1
        previousHash = last.seal(
            BlockHeader(
                isFirstOfCommit: last.firstPosition == first,
                isLastOfCommit: isLastOfCommit,
                firstPosition: last.firstPosition,
                commitFirstPosition: first,
                eventCount: last.eventCount,
                payloadByteCount: UInt32(last.bytes.count - LogFormat.headerByteCount),
                timeMicroseconds: metadata.timeMicroseconds,
                schema: metadata.schema,
                digest: digest,
                previousHash: previousHash,
                hash: .zero
            )
        )
    }
}

// MARK: - Finishing

extension CommitBuilder {
    /// Completes the commit without writing it.
    ///
    /// - Parameter digest: the digest of the state after the commit.
    package consuming func seal(digest: Digest256) -> SealedCommit {
        guard eventCount > 0 else { return SealedCommit(blocks: [], state: before) }
        if blockEventCount > 0 { closeBlock(nextCapacity: 0) }
        sealLastClosed(isLastOfCommit: true, digest: digest)
        let state = LogState(
            head: nextPosition - 1,
            commitCount: before.commitCount + 1,
            lastHash: previousHash
        )
        return SealedCommit(blocks: closed, state: state)
    }

    /// Takes the blocks that are complete out of memory, to be written behind the head of the log, where they are no
    /// part of it until the commit is finished (LOG-09).
    ///
    /// - Parameter body: gets each block in order, with the position of its first event. The bytes are valid during the
    ///   call.
    package mutating func stage<Failure: Error>(
        _ body: (_ firstPosition: UInt64, _ bytes: UnsafeRawBufferPointer) throws(Failure) -> Void
    ) throws(Failure) {
        while let block = closed.first, block.isSealed {
            try unsafe body(block.firstPosition, block.bytes.bytes)
            closed.removeFirst()
            stagedByteCount += block.bytes.count
        }
    }

    /// Completes the commit and appends its blocks to the log. An empty commit writes nothing.
    ///
    /// What another commit that was not finished has left behind the head goes first.
    ///
    /// - Parameters:
    ///   - digest: the digest of the state after the commit.
    ///   - transaction: the transaction to write in.
    ///   - table: the log's table, whose last block must be the one that the builder's state names.
    /// - Returns: the state of the log after the commit.
    /// - Throws: `.lmdb` when the table cannot take the blocks.
    package consuming func finish(
        digest: Digest256,
        in transaction: borrowing WriteTransaction,
        table: Table
    ) throws(LogError) -> LogState {
        let (head, isStaged, isEmpty) = (before.head, stagedByteCount > 0, eventCount == 0)
        let sealed = seal(digest: digest)
        let state = sealed.state
        if !isStaged, !isEmpty { _ = try transaction.removeBlocks(of: table, behind: head) }
        try sealed.append(in: transaction, table: table)
        return state
    }
}
