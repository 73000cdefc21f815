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
    private var tail = ByteWriter()
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

    /// Each lies there as the count of the bytes of its head, the head, and the pieces of its lists. The head has the
    /// row and tells how many entries and neighbours there are and how many bytes each piece of them has.
    func append(_ delta: EntityDelta) throws {
        let entries = try delta.entries.packed()
        var head = ByteWriter()
        delta.writeRow(to: &head)
        head.list(entries.count, entries.pieceByteCounts)
        head.list(delta.neighbours.count, delta.neighbours.pieceByteCounts)
        tail.u32(UInt32(head.count))
        unsafe tail.bytes(head.bytes)
        var isInFile = false
        func spill(_ tail: inout ByteWriter) throws {
            guard tail.count > Self.memoryByteCount else { return }
            isInFile = true
            try self.spill(&tail)
        }
        try entries.write(to: &tail, afterPiece: spill)
        try delta.neighbours.write(to: &tail, afterPiece: spill)
        count += 1
        // One lies in the file as a whole, or in memory.
        if isInFile || tail.count > Self.memoryByteCount { try self.spill(&tail) }
    }

    private func spill(_ tail: inout ByteWriter) throws {
        let file = try file ?? makeFile()
        self.file = file
        try unsafe file.append(tail.bytes)
        tail.removeAll()
    }

    /// Hands them over in the order in which they came.
    ///
    /// - Parameters:
    ///   - makeFile: makes the file for entries of a file of changes that do not fit into memory.
    ///   - body: returns false to stop.
    func forEach(
        _ makeFile: (() throws(LMDBError) -> SpillFile)? = nil,
        _ body: (EntityDelta) throws -> Bool
    ) throws {
        if let input { return try input.forEachDelta(makeFile, body) }
        if let file {
            var offset = 0
            while offset < file.byteCount { if try !body(delta(in: file, at: &offset)) { return } }
        }
        var reader = unsafe ByteReader(tail.bytes)
        while !reader.isAtEnd { if try !body(Self.delta(&reader)) { return } }
    }

    /// Reads one that lies in a file. Its entries stay there.
    private func delta(in file: SpillFile, at offset: inout Int) throws -> EntityDelta {
        func read(_ count: Int) throws -> [UInt8] {
            var bytes = [UInt8](repeating: 0, count: count)
            let found = try unsafe bytes.withUnsafeMutableBytes { try unsafe file.read(into: $0, at: offset) }
            guard found == count else { throw StoreError.damage("A temporary file has lost its end.") }
            offset += count
            return bytes
        }
        let byteCount = try unsafe read(4).withUnsafeBytes { unsafe $0.loadUnaligned(as: UInt32.self).littleEndian }
        var (delta, lists) = try unsafe read(Int(byteCount)).withUnsafeBytes { bytes in
            var reader = unsafe ByteReader(bytes)
            return (try EntityDelta(decodingRow: &reader), (entries: try reader.list(), neighbours: try reader.list()))
        }
        delta.entries = EntryDeltas(
            PackedList(count: lists.entries.count, pieceByteCounts: lists.entries.pieces, file, at: &offset)
        )
        delta.neighbours = PackedList(
            count: lists.neighbours.count,
            pieceByteCounts: lists.neighbours.pieces,
            file,
            at: &offset
        )
        return delta
    }

    /// Reads one that lies in memory.
    private static func delta(_ reader: inout ByteReader) throws -> EntityDelta {
        _ = try reader.u32()
        var delta = try EntityDelta(decodingRow: &reader)
        let (entries, neighbours) = (try reader.list(), try reader.list())
        delta.entries = EntryDeltas(try PackedList(count: entries.count, pieceByteCounts: entries.pieces, &reader))
        delta.neighbours = try PackedList(count: neighbours.count, pieceByteCounts: neighbours.pieces, &reader)
        return delta
    }
}

extension ByteWriter {
    fileprivate mutating func list(_ count: Int, _ pieceByteCounts: [Int]) {
        varint(UInt64(count))
        varint(UInt64(pieceByteCounts.count))
        for byteCount in pieceByteCounts { varint(UInt64(byteCount)) }
    }
}

extension ByteReader {
    fileprivate mutating func list() throws -> (count: Int, pieces: [Int]) {
        let count = Int(try varint())
        var pieces: [Int] = []
        for _ in 0..<(try varint()) { pieces.append(Int(try varint())) }
        return (count, pieces)
    }
}
