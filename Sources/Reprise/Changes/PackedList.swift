internal import RepriseLMDB
internal import RepriseLog

/// Something small of which there may be many, with a form in bytes.
protocol PackedElement {
    func write(to writer: inout ByteWriter)
    init(decoding reader: inout ByteReader) throws
}

/// Small values one behind the other, in the bytes in which they are written to files: in memory while they are few, in
/// a temporary file when they are many.
struct PackedList<Element: PackedElement> {
    /// Whole elements one behind the other.
    fileprivate enum Piece {
        case memory([UInt8])
        case file(SpillFile, offset: Int, byteCount: Int)
    }

    /// Less than a power of two, behind which an array would take twice the room.
    private static var pieceByteCount: Int { 60_000 }
    /// How many pieces are in memory before they go to a file.
    private static var pieceCountMax: Int { 64 }

    private var pieces: [Piece] = []
    /// What comes behind the pieces.
    private var tail: [UInt8] = []
    /// How many of the last pieces are in memory.
    private var presentCount = 0
    private let makeFile: (() throws(LMDBError) -> SpillFile)?
    private var file: SpillFile?
    private(set) var count = 0

    /// - Parameter makeFile: makes the file for what does not fit into memory; nil where all of it is there anyway.
    init(_ makeFile: (() throws(LMDBError) -> SpillFile)? = nil) { self.makeFile = makeFile }

    var isEmpty: Bool { count == 0 }

    /// None yet, with the same room.
    func emptyCopy() -> PackedList { PackedList(makeFile) }

    mutating func append(_ element: Element) throws {
        var writer = ByteWriter(capacity: 96)
        element.write(to: &writer)
        count += 1
        if tail.count + writer.count > Self.pieceByteCount { try endPiece() }
        unsafe tail.append(contentsOf: writer.bytes)
    }

    private mutating func endPiece() throws {
        if tail.isEmpty { return }
        pieces.append(.memory(tail))
        presentCount += 1
        tail = []
        guard presentCount >= Self.pieceCountMax, let makeFile else { return }
        let file = try file ?? makeFile()
        self.file = file
        for index in pieces.indices.suffix(presentCount) {
            guard case .memory(let bytes) = pieces[index] else { continue }
            let offset = file.byteCount
            try unsafe bytes.withUnsafeBytes { bytes in try unsafe file.append(bytes) }
            pieces[index] = .file(file, offset: offset, byteCount: bytes.count)
        }
        presentCount = 0
    }

    /// The pieces with the tail.
    fileprivate var allPieces: [Piece] { tail.isEmpty ? pieces : pieces + [.memory(tail)] }

    fileprivate static func bytes(of piece: Piece) throws -> [UInt8] {
        switch piece {
        case .memory(let bytes): return bytes
        case .file(let file, let offset, let byteCount):
            var bytes = [UInt8](repeating: 0, count: byteCount)
            let found = try unsafe bytes.withUnsafeMutableBytes { try unsafe file.read(into: $0, at: offset) }
            guard found == byteCount else { throw StoreError.damage("A temporary file has lost its end.") }
            return bytes
        }
    }
}

// MARK: - Going through it

/// Goes from one element of a packed list to the next.
struct PackedCursor<Element: PackedElement> {
    private var pieces: ArraySlice<PackedList<Element>.Piece>
    private var bytes: [UInt8] = []
    /// How many of the bytes were handed out.
    private var offset = 0

    init(_ list: PackedList<Element>) { pieces = list.allPieces[...] }

    mutating func next() throws -> Element? {
        if offset == bytes.count {
            guard let piece = pieces.popFirst() else { return nil }
            (bytes, offset) = (try PackedList<Element>.bytes(of: piece), 0)
        }
        let start = offset
        let (element, byteCount) = try unsafe bytes.withUnsafeBytes { bytes in
            var reader = unsafe ByteReader(UnsafeRawBufferPointer(rebasing: bytes[start...]))
            return (try Element(decoding: &reader), reader.offset)
        }
        offset += byteCount
        return element
    }
}

extension PackedList {
    func forEach(_ body: (Element) throws -> Void) throws {
        for piece in allPieces {
            try unsafe Self.bytes(of: piece).withUnsafeBytes { bytes in
                var reader = unsafe ByteReader(bytes)
                while !reader.isAtEnd { try body(Element(decoding: &reader)) }
            }
        }
    }

    func map(_ transform: (Element) throws -> Element) throws -> PackedList {
        var others = emptyCopy()
        try forEach { try others.append(transform($0)) }
        return others
    }

    mutating func removeAll(where isUnwanted: (Element) throws -> Bool) throws {
        var left = emptyCopy()
        try forEach { if try !isUnwanted($0) { try left.append($0) } }
        if left.count < count { self = left }
    }
}

// MARK: - Its bytes

extension PackedList {
    /// How many bytes each piece has.
    var pieceByteCounts: [Int] {
        allPieces.map { piece in
            switch piece {
            case .memory(let bytes): bytes.count
            case .file(_, _, let byteCount): byteCount
            }
        }
    }

    /// Writes all elements.
    ///
    /// - Parameter afterPiece: called now and then; may take away what was written.
    func write(to writer: inout ByteWriter, afterPiece: (inout ByteWriter) throws -> Void = { _ in }) throws {
        for piece in allPieces {
            try unsafe Self.bytes(of: piece).withUnsafeBytes { unsafe writer.bytes($0) }
            try afterPiece(&writer)
        }
    }

    /// Reads so many elements.
    init(
        count: Int,
        decoding reader: inout ByteReader,
        _ makeFile: (() throws(LMDBError) -> SpillFile)? = nil
    ) throws {
        self.init(makeFile)
        for _ in 0..<count { try append(Element(decoding: &reader)) }
    }

    /// Takes over what was written before, piece by piece.
    ///
    /// - Parameter reader: of the bytes.
    init(count: Int, pieceByteCounts: [Int], _ reader: inout ByteReader) throws {
        self.init()
        self.count = count
        for byteCount in pieceByteCounts {
            pieces.append(.memory(unsafe [UInt8](try reader.bytes(byteCount))))
        }
    }

    /// Takes over what was written to a file before, piece by piece. It stays there.
    ///
    /// - Parameter offset: where the bytes begin; where they end afterwards.
    init(count: Int, pieceByteCounts: [Int], _ file: SpillFile, at offset: inout Int) {
        self.init()
        self.count = count
        for byteCount in pieceByteCounts {
            pieces.append(.file(file, offset: offset, byteCount: byteCount))
            offset += byteCount
        }
    }
}
