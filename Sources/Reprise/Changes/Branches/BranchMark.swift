internal import RepriseLMDB
internal import RepriseLog

/// The note at the beginning of a branch that says where its past was written (Specs/format/branches.md).
struct BranchMark {
    static let name = "reprise.branch"

    let branch: UInt32
    /// The position of the note itself: the first that the branch wrote.
    let position: UInt64
    /// The identity of the store that the branch goes on from: the one that wrote the last shared event.
    let parent: [UInt8]
    /// The hash of the last block that both share.
    let hash: Digest256

    var key: String { BranchNumber.text(branch) }
    var payload: [UInt8] { StorePoint(identity: parent, position: position - 1, hash: hash).encode() }

    /// All that a log has.
    static func all(_ labels: LabelScan) throws -> [BranchMark] {
        try AnnotationLabel.all(named: name, labels).map { label in
            let point = try StorePoint(label.payload)
            guard let branch = BranchNumber.branch(label.key), branch > 0, point.position + 1 == label.position else {
                throw StoreError.damage("The note at the beginning of a branch contradicts itself.")
            }
            return BranchMark(branch: branch, position: label.position, parent: point.identity, hash: point.hash)
        }
    }
}

/// The note of a merge that says up to where another store was merged (Specs/format/branches.md).
struct MergeMark: Equatable {
    static let name = "reprise.merge"

    /// The number of the store that was merged; 0 for a root.
    let branch: UInt32
    let point: StorePoint
    /// The rollbacks in the log of that store up to the point, ascending: they say which of its positions are known.
    let rollbacks: [Rollback]

    struct Rollback: Equatable {
        let at: UInt64
        let to: UInt64
    }

    var key: String { Self.key(of: branch) }

    static func key(of branch: UInt32) -> String { BranchNumber.text(branch) }

    var payload: [UInt8] {
        var writer = ByteWriter()
        point.write(to: &writer)
        writer.varint(UInt64(rollbacks.count))
        for rollback in rollbacks {
            writer.varint(rollback.at)
            writer.varint(rollback.to)
        }
        return unsafe [UInt8](writer.bytes)
    }

    init(branch: UInt32, point: StorePoint, rollbacks: [Rollback]) {
        self.branch = branch
        self.point = point
        self.rollbacks = rollbacks
    }

    init(branch: UInt32, _ payload: [UInt8]) throws {
        self.branch = branch
        (point, rollbacks) = try unsafe payload.withUnsafeBytes { bytes in
            var reader = unsafe ByteReader(bytes)
            let point = try StorePoint(decoding: &reader)
            var rollbacks: [Rollback] = []
            for _ in 0..<(try reader.count()) {
                let (at, to) = (try reader.varint(), try reader.varint())
                guard to < at, at <= point.position, at > rollbacks.last?.at ?? 0 else {
                    throw StoreError.damage("The note of a merge contradicts itself.")
                }
                rollbacks.append(Rollback(at: at, to: to))
            }
            guard reader.isAtEnd else { throw StoreError.damage("The note of a merge is too long.") }
            return (point, rollbacks)
        }
    }

    /// The last position up to `end` whose state the store has come through that was merged; 0 where there is none.
    func knownEnd(upTo end: UInt64) -> UInt64 {
        if end >= point.position { return point.position }
        let timeline = Timeline(rollbacks: rollbacks.map { ($0.at, $0.to) })
        return timeline.liveRanges(upTo: point.position).filter { $0.lowerBound <= end }
            .map { min($0.upperBound, end) }.max() ?? 0
    }
}

/// A point of a store, as one store notes it of another.
struct StorePoint: Equatable {
    private static let version: UInt64 = 1

    /// The identity of the store, 16 bytes.
    let identity: [UInt8]
    let position: UInt64
    /// The hash of the block that ends at the position.
    let hash: Digest256

    init(identity: [UInt8], position: UInt64, hash: Digest256) {
        self.identity = identity
        self.position = position
        self.hash = hash
    }

    init(_ payload: [UInt8]) throws {
        self = try unsafe payload.withUnsafeBytes { bytes in
            var reader = unsafe ByteReader(bytes)
            let point = try StorePoint(decoding: &reader)
            guard reader.isAtEnd else { throw StoreError.damage("The note of a branch is too long.") }
            return point
        }
    }

    init(decoding reader: inout ByteReader) throws {
        guard try reader.varint() == Self.version else {
            throw StoreError(
                .newerFormat,
                "A note of a branch or of a merge is of a newer version.",
                advice: "Use the version of Reprise that has written it."
            )
        }
        identity = try unsafe [UInt8](reader.bytes(16))
        position = try reader.varint(in: 0...UInt64(Int64.max) - 1)
        hash = try reader.digest()
    }

    func encode() -> [UInt8] {
        var writer = ByteWriter()
        write(to: &writer)
        return unsafe [UInt8](writer.bytes)
    }

    func write(to writer: inout ByteWriter) {
        writer.varint(Self.version)
        unsafe identity.withUnsafeBytes { unsafe writer.bytes($0) }
        writer.varint(position)
        writer.digest(hash)
    }
}

/// Numbers of branches as keys of notes.
private enum BranchNumber {
    private static let digits = Array("0123456789abcdef")

    static func text(_ branch: UInt32) -> String {
        String(stride(from: 28, through: 0, by: -4).map { digits[Int(branch >> UInt32($0) & 0xF)] })
    }

    static func branch(_ text: String) -> UInt32? {
        guard text.utf8.count == 8, let branch = UInt32(text, radix: 16), Self.text(branch) == text else { return nil }
        return branch <= EntryName.branchNumberMax ? branch : nil
    }
}
