/// Which store wrote the events of a log, position by position: the root first, then each branch
/// (Specs/format/branches.md).
struct Lineage: Equatable {
    /// A stretch of positions that one store wrote: from `start` to before the next segment.
    struct Segment: Equatable {
        /// The number of the store; 0 for the root.
        let branch: UInt32
        let start: UInt64
    }

    /// Ascending; the first is that of the root.
    let segments: [Segment]

    static let root = Segment(branch: 0, start: 1)

    /// - Parameter marks: those of the log, in any order.
    init(_ marks: [BranchMark]) {
        let branches = marks.map { Segment(branch: $0.branch, start: $0.position) }
        segments = [Self.root] + branches.sorted { $0.start < $1.start }
    }

    /// The store that writes the next event.
    var own: Segment { segments.last ?? Self.root }

    /// How many segments two lineages begin with alike.
    func sharedCount(with other: Lineage) -> Int {
        zip(segments, other.segments).prefix { $0 == $1 }.count
    }

    /// The last position that a segment can have; nil for the last one, which grows.
    func end(ofSegment index: Int) -> UInt64? {
        index + 1 < segments.count ? segments[index + 1].start - 1 : nil
    }

    /// The last position that a log shares with that of a store that it is a branch of, or a branch of a branch of; nil
    /// where it is none of that store's.
    func end(ofAncestor other: Lineage) -> UInt64? {
        let count = sharedCount(with: other)
        return count == other.segments.count ? end(ofSegment: count - 1) : nil
    }

    /// The last position of this log whose state another store has had, by a merge that it noted; nil where the note is
    /// of a store that wrote no part of this log.
    func knownEnd(_ mark: MergeMark) -> UInt64? {
        segments.firstIndex { $0.branch == mark.branch }.map { mark.knownEnd(upTo: end(ofSegment: $0) ?? .max) }
    }

    /// The segment of a position.
    private func index(of position: UInt64) -> Int? {
        segments.lastIndex { $0.start <= position }
    }

    /// What an entry is called in all stores: where and as which event of that store it was made.
    func made(_ serial: UInt64) -> EntryName? {
        if let foreign = EntryName(serial: serial) { return foreign }
        guard let index = index(of: serial), let number = UInt32(exactly: serial - segments[index].start) else {
            return nil
        }
        return EntryName(branch: segments[index].branch, number: number)
    }

    /// The position that has made an entry in a log with this lineage; nil where that was written elsewhere.
    func position(of entry: EntryName) -> UInt64? {
        guard let index = segments.firstIndex(where: { $0.branch == entry.branch }) else { return nil }
        let position = segments[index].start + UInt64(entry.number)
        if let end = end(ofSegment: index), position > end { return nil }
        return position
    }

    /// The serial that an entry has in a log with this lineage.
    func serial(of entry: EntryName) -> UInt64 { position(of: entry) ?? entry.serial }

    func has(branch: UInt32) -> Bool { segments.contains { $0.branch == branch } }
}

/// What an entry of a many-to-many list is called in all stores of a family: where it was made, and as which event
/// there.
struct EntryName: Equatable {
    let branch: UInt32
    /// The position of its event, counted from the first position of that branch.
    let number: UInt32

    private static let foreign: UInt64 = 1 << 63
    static let branchNumberMax: UInt32 = 1 << 31 - 1

    init(branch: UInt32, number: UInt32) {
        self.branch = branch
        self.number = number
    }

    /// Takes the serial of an entry of another store apart; nil for that of one of the log's own.
    init?(serial: UInt64) {
        guard serial & Self.foreign != 0 else { return nil }
        branch = UInt32(truncatingIfNeeded: (serial & ~Self.foreign) >> 32)
        number = UInt32(truncatingIfNeeded: serial)
    }

    /// The serial of the entry in a log that did not make it.
    var serial: UInt64 { Self.foreign | UInt64(branch) << 32 | UInt64(number) }
}

/// Gives entries of one store the serials that they have in another, as far as the names say that.
struct EntryTranslation: Sendable {
    let from: Lineage
    let to: Lineage

    func serial(_ serial: UInt64) throws -> UInt64 {
        // Members of a list that hold the reference themselves have none.
        try serial == 0 ? 0 : to.serial(of: name(serial))
    }

    func name(_ serial: UInt64) throws -> EntryName {
        if let entry = from.made(serial) { return entry }
        throw StoreError(
            .valueTooLarge,
            "An entry of a list was made too far behind the beginning of its branch to be merged.",
            advice: "Make a branch of the branch and merge that one."
        )
    }
}
