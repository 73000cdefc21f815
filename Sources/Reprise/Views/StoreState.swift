internal import RepriseLMDB
internal import RepriseLog

/// What a store knows of itself: one small record that every transaction reads first and every commit writes last
/// (Specs/format/state.md).
struct StoreState: Equatable {
    static let formatVersion: UInt32 = 1
    static let key: [UInt8] = Array("state".utf8)
    /// No file has more rows: addresses have 48 bits. Counts up to here can be added up and made into a `Double` and
    /// back.
    static let rowCountMax: UInt64 = 1 << 48

    /// Sixteen random bytes, made with the store.
    var identity: [UInt8]
    var log: LogState
    /// The digest of the state at the log's head.
    var headDigest: Digest256
    /// Microseconds since 1970 of the last commit.
    var lastCommitTime: Int64
    var schemaPosition: UInt64
    var schemaNumber: UInt32
    /// Which set of view tables serves, how far it is, and what it holds.
    var viewSet: ViewSet
    var viewsPosition: UInt64
    var viewsDigest: Digest256
    var counts: [Int]

    init(identity: [UInt8]) {
        self.identity = identity
        log = .empty
        headDigest = .zero
        lastCommitTime = .min
        schemaPosition = 0
        schemaNumber = 0
        viewSet = .a
        viewsPosition = 0
        viewsDigest = .zero
        counts = []
    }

    /// The state of a store without events, with an identity of its own.
    static func new() -> StoreState {
        StoreState(identity: (0..<16).map { _ in UInt8.random(in: 0...255) })
    }

    var areViewsBehind: Bool { viewsPosition < log.head }

    func encode() -> [UInt8] {
        var writer = ByteWriter()
        writer.u64(0)
        unsafe Array("RPST".utf8).withUnsafeBytes { unsafe writer.bytes($0) }
        writer.u32(Self.formatVersion)
        unsafe identity.withUnsafeBytes { unsafe writer.bytes($0) }
        writer.u64(log.head)
        writer.u64(log.commitCount)
        Self.write(log.lastHash, to: &writer)
        Self.write(headDigest, to: &writer)
        writer.u64(UInt64(bitPattern: lastCommitTime))
        writer.u64(schemaPosition)
        writer.u32(schemaNumber)
        writer.u32(viewSet == .a ? 0 : 1)
        writer.u64(viewsPosition)
        Self.write(viewsDigest, to: &writer)
        writer.u32(UInt32(counts.count))
        for count in counts { writer.u64(UInt64(clamping: count)) }
        let checksum = unsafe XXH64.hash(UnsafeRawBufferPointer(rebasing: writer.bytes[8...]))
        writer.patch(u64: checksum, at: 0)
        return unsafe [UInt8](writer.bytes)
    }

    init(decoding bytes: UnsafeRawBufferPointer) throws {
        var reader = unsafe ByteReader(bytes)
        let checksum = try reader.u64()
        let magic = try unsafe reader.bytes(4)
        guard unsafe magic.elementsEqual("RPST".utf8) else {
            throw StoreError(
                .notAStore,
                "The database is not a Reprise store.",
                advice: "Check the path."
            )
        }
        let version = try reader.u32()
        guard version == Self.formatVersion else {
            throw StoreError(
                .newerFormat,
                "The store has format \(version), and this version knows \(Self.formatVersion).",
                advice: "Open it with a newer version of Reprise."
            )
        }
        guard unsafe XXH64.hash(UnsafeRawBufferPointer(rebasing: bytes[8...])) == checksum else {
            throw StoreError.damage("The state record does not match its checksum.")
        }
        identity = unsafe [UInt8](try reader.bytes(16))
        log = try LogState(decoding: &reader)
        headDigest = try Self.digest(from: &reader)
        lastCommitTime = Int64(bitPattern: try reader.u64())
        schemaPosition = try reader.u64()
        schemaNumber = try reader.u32()
        viewSet = try reader.u32() == 0 ? .a : .b
        viewsPosition = try reader.u64()
        viewsDigest = try Self.digest(from: &reader)
        // Positions lie in the log, each schema has a commit of its own, and each row an event.
        guard schemaPosition <= log.head, schemaNumber <= log.commitCount, viewsPosition <= log.head
        else { throw StoreError.damage("The state record names a position that the log does not have.") }
        counts = []
        for _ in 0..<(try reader.u32()) {
            let count = try reader.u64()
            guard count <= min(viewsPosition, Self.rowCountMax) else {
                throw StoreError.damage("The state record counts more rows than there can be.")
            }
            counts.append(Int(count))
        }
    }

    /// The state as a transaction sees it.
    static func read(_ reader: TableReader, _ tables: StoreTables) throws -> StoreState {
        try unsafe key.withUnsafeBytes { key in
            guard let bytes = try unsafe reader.get(tables.state, key) else {
                throw StoreError(
                    .notAStore,
                    "The database has no Reprise state.",
                    advice: "Check the path."
                )
            }
            do {
                return try unsafe StoreState(decoding: bytes)
            } catch let error as LogError {
                throw StoreError.damage("The state record is not well formed: \(error.sentence)")
            }
        }
    }

    func write(
        in transaction: borrowing TableWriter,
        _ tables: StoreTables
    ) throws {
        try unsafe Self.key.withUnsafeBytes { key in
            try unsafe encode().withUnsafeBytes {
                try unsafe transaction.put(tables.state, key: key, value: $0)
            }
        }
    }

    private static func write(_ digest: Digest256, to writer: inout ByteWriter) {
        unsafe withUnsafeTemporaryAllocation(byteCount: 32, alignment: 8) { buffer in
            unsafe digest.write(into: buffer)
            unsafe writer.bytes(UnsafeRawBufferPointer(buffer))
        }
    }

    private static func digest(from reader: inout ByteReader) throws -> Digest256 {
        unsafe Digest256(bytes: try reader.bytes(32))
    }
}
