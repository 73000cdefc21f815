internal import RepriseLog

/// What stands behind the data of a kept checkpoint and says whose state it is (Specs/format/checkpoints.md).
struct CheckpointRecord: Equatable {
    static let version: UInt32 = 1
    /// No record is longer: what says that it is cannot be one.
    static let byteCountMax = 1 << 20
    /// The length of the record and the magic.
    static let endByteCount = 8
    private static let magic: [UInt8] = Array("RPCP".utf8)
    private static let fixedByteCount = 200

    /// Of the store that made it.
    var identity: [UInt8]
    var position: UInt64
    /// Of the log's block that ends at the position.
    var hash: Digest256
    var schemaPosition: UInt64
    /// Of the last block of the commit with the schema.
    var schemaHash: Digest256
    var digest: Digest256
    /// How many bytes of the file are data.
    var dataByteCount: Int
    var dataHash: Digest256
    /// How many rows each model has.
    var counts: [Int]

    func encode() -> [UInt8] {
        var writer = ByteWriter()
        writer.u64(0)
        unsafe Self.magic.withUnsafeBytes { unsafe writer.bytes($0) }
        writer.u32(Self.version)
        writer.u32(StoreState.formatVersion)
        writer.u32(UInt32(counts.count))
        unsafe identity.withUnsafeBytes { unsafe writer.bytes($0) }
        writer.u64(position)
        writer.digest(hash)
        writer.u64(schemaPosition)
        writer.digest(schemaHash)
        writer.digest(digest)
        writer.u64(UInt64(dataByteCount))
        writer.digest(dataHash)
        for count in counts { writer.u64(UInt64(clamping: count)) }
        writer.u32(UInt32(Self.fixedByteCount + 8 * counts.count))
        unsafe Self.magic.withUnsafeBytes { unsafe writer.bytes($0) }
        let checksum = unsafe XXH64.hash(UnsafeRawBufferPointer(rebasing: writer.bytes[8...]))
        writer.patch(u64: checksum, at: 0)
        return unsafe [UInt8](writer.bytes)
    }

    /// How long the record is whose last bytes these are; nil where they are not those of one.
    static func byteCount(fromEnd end: [UInt8]) -> Int? {
        guard end.count == endByteCount, end.suffix(4) == magic[...] else { return nil }
        let byteCount = end.prefix(4).reversed().reduce(0) { $0 << 8 | Int($1) }
        return (fixedByteCount...byteCountMax).contains(byteCount) ? byteCount : nil
    }

}

extension CheckpointRecord {
    /// Reads a record.
    ///
    /// - Parameter fileByteCount: how long the file is with the record.
    /// - Throws: ``Unusable``.
    init(decoding bytes: [UInt8], fileByteCount: Int) throws(Unusable) {
        let result = unsafe bytes.withUnsafeBytes { bytes in
            Result { try unsafe CheckpointRecord(bytes, fileByteCount) }
        }
        do {
            self = try result.get()
        } catch let error as Unusable {
            throw error
        } catch {
            throw Unusable(fault: .damaged)
        }
    }

    private init(_ bytes: UnsafeRawBufferPointer, _ fileByteCount: Int) throws {
        var reader = unsafe ByteReader(bytes)
        let checksum = try reader.u64()
        guard try unsafe reader.bytes(4).elementsEqual(Self.magic) else { throw Unusable(fault: .damaged) }
        guard try reader.u32() == Self.version, try reader.u32() == StoreState.formatVersion else {
            throw Unusable(fault: .newerFormat)
        }
        guard unsafe XXH64.hash(UnsafeRawBufferPointer(rebasing: bytes[8...])) == checksum else {
            throw Unusable(fault: .damaged)
        }
        let count = try reader.u32()
        identity = unsafe [UInt8](try reader.bytes(16))
        position = try reader.u64()
        hash = try reader.digest()
        schemaPosition = try reader.u64()
        schemaHash = try reader.digest()
        digest = try reader.digest()
        let statedByteCount = try reader.u64()
        dataByteCount = fileByteCount - bytes.count
        dataHash = try reader.digest()
        guard bytes.count == Self.fixedByteCount + 8 * Int(count), dataByteCount > 0,
            statedByteCount == UInt64(dataByteCount)
        else {
            throw Unusable(fault: .damaged)
        }
        counts = []
        for _ in 0..<count {
            let rows = try reader.u64()
            guard rows <= min(position, StoreState.rowCountMax) else { throw Unusable(fault: .damaged) }
            counts.append(Int(rows))
        }
    }
}

/// Why a file is not used as a checkpoint.
struct Unusable: Error {
    let fault: Snapshot.Checkpoint.Fault
}
