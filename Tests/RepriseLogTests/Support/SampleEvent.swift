import RepriseLog

/// An event as a plain value, to compare what was written with what is read.
struct SampleEvent: Equatable {
    var type: UInt8 = 1
    var version: UInt32 = 1
    var model: UInt16 = 0
    var id: [UInt8] = []
    var previous: UInt64 = 0
    var cause: UInt64 = 0
    var body: [UInt8] = []
}

extension SampleEvent {
    init(_ view: EventView) {
        type = view.type.rawValue
        version = view.version
        model = view.model
        id = unsafe Array(view.id)
        previous = view.previous
        cause = view.cause
        body = unsafe Array(view.body)
    }

    /// Any event that can stand at `position`.
    static func random(at position: UInt64, using random: inout SeededGenerator) -> SampleEvent {
        let bodyByteCount =
            switch Int.random(in: 0..<100, using: &random) {
            case 0: Int.random(in: 0...90_000, using: &random)
            case 1..<10: Int.random(in: 100...5_000, using: &random)
            default: Int.random(in: 0...200, using: &random)
            }
        return SampleEvent(
            type: .random(in: 1...255, using: &random),
            version: Bool.random(using: &random) ? 1 : .random(in: 1 ... .max, using: &random),
            model: .random(in: 0 ... .max, using: &random),
            id: random.bytes(.random(in: 0...60, using: &random)),
            previous: Bool.random(using: &random) ? 0 : .random(in: 0..<position, using: &random),
            cause: Bool.random(using: &random) ? 0 : .random(in: 0..<position, using: &random),
            body: random.bytes(bodyByteCount)
        )
    }
}

extension CommitBuilder {
    @discardableResult
    mutating func append(_ event: SampleEvent) throws(LogError) -> UInt64 {
        let id = event.id
        let body = event.body
        return try unsafe withBytes(id) { id throws(LogError) in
            try unsafe append(
                type: EventType(rawValue: event.type),
                version: event.version,
                model: event.model,
                id: id,
                previous: event.previous,
                cause: event.cause
            ) { writer in
                unsafe body.withUnsafeBytes { unsafe writer.bytes($0) }
            }
        }
    }
}

/// `Array.withUnsafeBytes`, but keeping the type of what is thrown.
func withBytes<Result, Failure: Error>(
    _ bytes: [UInt8],
    _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
) throws(Failure) -> Result {
    try unsafe bytes.span.bytes.withUnsafeBytes(body)
}

/// Blocks of one commit as plain bytes, by position.
func blocks(of commit: borrowing SealedCommit) -> [(position: UInt64, bytes: [UInt8])] {
    var blocks: [(UInt64, [UInt8])] = []
    unsafe commit.forEachBlock { position, bytes in blocks.append((position, unsafe Array(bytes))) }
    return blocks
}

/// Seals a commit of `events`.
func seal(
    _ events: [SampleEvent],
    after state: LogState,
    metadata: CommitMetadata,
    digest: Digest256 = .zero
) throws(LogError) -> SealedCommit {
    var builder = CommitBuilder(after: state, metadata: metadata)
    for event in events { try builder.append(event) }
    return builder.seal(digest: digest)
}

/// Everything that can be read from a block, or the error that it is refused with.
func decode(
    _ bytes: [UInt8],
    storedAt key: UInt64
) throws(LogError) -> (metadata: CommitMetadata?, events: [SampleEvent]) {
    try unsafe withBytes(bytes) { raw throws(LogError) in
        let block = try unsafe BlockView(raw, storedAt: key)
        let metadata = try block.metadata()
        var events: [SampleEvent] = []
        var cursor = block.events()
        while let event = try cursor.next() { events.append(SampleEvent(event)) }
        return (metadata, events)
    }
}

/// Puts the right hash into a block that has been changed.
func rehash(_ block: inout [UInt8]) {
    guard block.count >= LogFormat.headerByteCount else { return }
    let hash = unsafe block.withUnsafeBytes { raw in
        unsafe SHA256Hash.digest(
            of: UnsafeRawBufferPointer(rebasing: raw[..<112]),
            UnsafeRawBufferPointer(rebasing: raw[LogFormat.headerByteCount...])
        )
    }
    unsafe block.withUnsafeMutableBytes { raw in
        unsafe hash.write(into: UnsafeMutableRawBufferPointer(rebasing: raw[112..<144]))
    }
}
