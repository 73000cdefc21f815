/// The fixed 144 bytes at the beginning of a block.
struct BlockHeader {
    var isFirstOfCommit: Bool
    var isLastOfCommit: Bool
    var firstPosition: UInt64
    var commitFirstPosition: UInt64
    var eventCount: UInt32
    var payloadByteCount: UInt32
    var timeMicroseconds: Int64
    var schema: UInt32
    /// The digest of the state after the commit; zero unless this is the commit's last block.
    var digest: Digest256
    var previousHash: Digest256
    /// Not written by `encode`: it is known only when everything else is in place.
    var hash: Digest256

    /// The position of the block's last event.
    var lastPosition: UInt64 { firstPosition + UInt64(eventCount) - 1 }
}

extension BlockHeader {
    private static let firstFlag: UInt16 = 1
    private static let lastFlag: UInt16 = 2

    /// Overwrites the first 112 bytes of `writer`.
    func encode(into writer: inout ByteWriter) {
        typealias Offset = LogFormat.Offset
        let flags = (isFirstOfCommit ? Self.firstFlag : 0) | (isLastOfCommit ? Self.lastFlag : 0)
        writer.patch(u32: LogFormat.magic, at: Offset.magic)
        writer.patch(u16: LogFormat.version, at: Offset.version)
        writer.patch(u16: flags, at: Offset.flags)
        writer.patch(u64: firstPosition, at: Offset.firstPosition)
        writer.patch(u64: commitFirstPosition, at: Offset.commitFirstPosition)
        writer.patch(u32: eventCount, at: Offset.eventCount)
        writer.patch(u32: payloadByteCount, at: Offset.payloadByteCount)
        writer.patch(u64: UInt64(bitPattern: timeMicroseconds), at: Offset.time)
        writer.patch(u32: schema, at: Offset.schema)
        writer.patch(u32: 0, at: Offset.reserved)
        writer.patch(digest: digest, at: Offset.digest)
        writer.patch(digest: previousHash, at: Offset.previousHash)
    }

    /// The hash that a block must carry: over its header up to the hash, then its payload.
    ///
    /// - Parameter block: at least `LogFormat.headerByteCount` bytes.
    static func hash(ofBlock block: UnsafeRawBufferPointer) -> Digest256 {
        unsafe SHA256Hash.digest(
            of: UnsafeRawBufferPointer(rebasing: block[..<LogFormat.Offset.hash]),
            UnsafeRawBufferPointer(rebasing: block[LogFormat.headerByteCount...])
        )
    }

    /// Reads and checks the header of `block`, which is stored under the position `key`.
    ///
    /// - Parameter verifiesHash: whether the whole block is read to check its hash.
    /// - Throws: `.corruptBlock(key)`, or `.unsupportedVersion` for an undamaged block of another
    ///   version.
    init(
        ofBlock block: UnsafeRawBufferPointer,
        storedAt key: UInt64,
        verifiesHash: Bool
    ) throws(LogError) {
        do throws(LogError) {
            var reader = unsafe ByteReader(block)
            guard block.count >= LogFormat.headerByteCount else {
                throw .corrupt("it is too short")
            }
            guard try reader.u32() == LogFormat.magic else {
                throw .corrupt("its first bytes are wrong")
            }
            let version = try reader.u16()
            // Every version keeps the place and the rule of the hash, so damage is told from
            // novelty.
            if verifiesHash || version != LogFormat.version {
                guard unsafe Self.storedHash(ofBlock: block) == Self.hash(ofBlock: block) else {
                    throw .corrupt("its hash does not agree with its bytes")
                }
            }
            guard version == LogFormat.version else {
                throw LogError(.unsupportedVersion(version), position: key)
            }
            try self.init(fieldsFrom: &reader)
            try validate(blockByteCount: block.count, key: key)
        } catch {
            throw error.inBlock(key)
        }
    }

    private static func storedHash(ofBlock block: UnsafeRawBufferPointer) -> Digest256 {
        let bytes = unsafe block[LogFormat.Offset.hash..<LogFormat.headerByteCount]
        return unsafe Digest256(bytes: UnsafeRawBufferPointer(rebasing: bytes))
    }

    /// Reads what follows magic and version.
    private init(fieldsFrom reader: inout ByteReader) throws(LogError) {
        let flags = try reader.u16()
        guard flags & ~(Self.firstFlag | Self.lastFlag) == 0 else {
            throw .corrupt("it has flags that are not defined")
        }
        isFirstOfCommit = flags & Self.firstFlag != 0
        isLastOfCommit = flags & Self.lastFlag != 0
        firstPosition = try reader.u64()
        commitFirstPosition = try reader.u64()
        eventCount = try reader.u32()
        payloadByteCount = try reader.u32()
        timeMicroseconds = Int64(bitPattern: try reader.u64())
        schema = try reader.u32()
        guard try reader.u32() == 0 else { throw .corrupt("its reserved bytes are not zero") }
        digest = try reader.digest()
        previousHash = try reader.digest()
        hash = try reader.digest()
    }

    /// What one block's header must fulfil for itself.
    private func validate(blockByteCount: Int, key: UInt64) throws(LogError) {
        guard firstPosition == key else {
            throw .corrupt("it belongs to position \(firstPosition)")
        }
        guard Int(payloadByteCount) == blockByteCount - LogFormat.headerByteCount else {
            throw .corrupt("its payload has not the length that it states")
        }
        guard eventCount >= 1, firstPosition >= 1, firstPosition <= LogFormat.positionMax,
            UInt64(eventCount) - 1 <= LogFormat.positionMax - firstPosition
        else { throw .corrupt("it states impossible positions") }
        guard commitFirstPosition >= 1, commitFirstPosition <= firstPosition,
            isFirstOfCommit == (commitFirstPosition == firstPosition),
            lastPosition - commitFirstPosition < LogFormat.commitEventCountMax
        else { throw .corrupt("it states an impossible place in its commit") }
        guard isLastOfCommit || digest == .zero else {
            throw .corrupt("it has a state digest without being the last of its commit")
        }
        guard firstPosition > 1 || previousHash == .zero else {
            throw .corrupt("it is the first of the log and names a block before it")
        }
    }
}

extension LogError {
    /// The same fault, located in the block that is stored under `position`.
    func inBlock(_ position: UInt64) -> LogError {
        guard code == .corrupt else { return self }
        return LogError(.corruptBlock(position), position: position, detail: detail)
    }
}
