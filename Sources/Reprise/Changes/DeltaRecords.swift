internal import RepriseLMDB
internal import RepriseLog

/// What becomes of entities, one after the other: in memory while they are few, in a file without a name when they are
/// many.
///
/// Sendable, unchecked, because it is filled by one thread before another one gets it, and only read from then on.
final class DeltaRecords: @unchecked Sendable {
    static let memoryByteCount = 16 << 20

    private let makeFile: () throws(LMDBError) -> SpillFile
    private var file: SpillFile?
    /// A file that has all of them, in the place of memory and a file of its own.
    private let input: ChangeFile?
    /// What is not in the file.
    private var tail: [UInt8] = []
    private(set) var count = 0

    init(makeFile: @escaping () throws(LMDBError) -> SpillFile) {
        self.makeFile = makeFile
        input = nil
    }

    /// Those of a file of changes.
    init(_ input: ChangeFile) {
        makeFile = { preconditionFailure("Nothing is appended to a file that is read.") }
        self.input = input
        count = input.header.recordCount
    }

    func append(_ delta: EntityDelta) throws {
        var writer = ByteWriter()
        delta.write(to: &writer)
        let byteCount = UInt32(writer.count)
        unsafe withUnsafeBytes(of: byteCount.littleEndian) { unsafe tail.append(contentsOf: $0) }
        unsafe tail.append(contentsOf: writer.bytes)
        count += 1
        guard tail.count > Self.memoryByteCount else { return }
        let file = try file ?? makeFile()
        self.file = file
        try unsafe tail.withUnsafeBytes { bytes in try unsafe file.append(bytes) }
        tail.removeAll(keepingCapacity: true)
    }

    /// Hands them over in the order in which they came; `body` returns false to stop.
    func forEach(_ body: (EntityDelta) throws -> Bool) throws {
        if let input { return try input.forEachDelta(body) }
        var offset = 0
        let fileByteCount = file?.byteCount ?? 0
        var room: [UInt8] = []
        while offset < fileByteCount {
            let head = try read(4, at: offset)
            let byteCount = unsafe Int(head.withUnsafeBytes { unsafe $0.loadUnaligned(as: UInt32.self).littleEndian })
            room = try read(byteCount, at: offset + 4)
            let delta = try unsafe room.withUnsafeBytes { try unsafe decode($0) }
            guard try body(delta) else { return }
            offset += 4 + byteCount
        }
        offset = 0
        while offset < tail.count {
            let byteCount = unsafe tail.withUnsafeBytes {
                unsafe Int($0.loadUnaligned(fromByteOffset: offset, as: UInt32.self).littleEndian)
            }
            let delta = try unsafe tail.withUnsafeBytes {
                try unsafe decode(UnsafeRawBufferPointer(rebasing: $0[(offset + 4)..<(offset + 4 + byteCount)]))
            }
            guard try body(delta) else { return }
            offset += 4 + byteCount
        }
    }

    private func decode(_ bytes: UnsafeRawBufferPointer) throws -> EntityDelta {
        var reader = unsafe ByteReader(bytes)
        return try EntityDelta(decoding: &reader)
    }

    private func read(_ count: Int, at offset: Int) throws -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        let found = try unsafe bytes.withUnsafeMutableBytes { try unsafe file?.read(into: $0, at: offset) }
        guard found == count else { throw StoreError.damage("A temporary file has lost its end.") }
        return bytes
    }
}
