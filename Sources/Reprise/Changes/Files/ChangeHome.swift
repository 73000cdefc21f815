internal import RepriseLog

/// The log in whose terms changes are said: it has given models, attributes and lists their numbers, and entries their
/// serials.
struct ChangeHome: Sendable {
    /// The identity of the store, 16 bytes.
    let identity: [UInt8]
    /// The hash of the block that ends the first commit; zero where the log is empty.
    let firstHash: Digest256
    /// The branches that the log has come through, by position.
    let marks: [BranchMark]
    /// The state before. It may be one of a branch of the store, whose identity it has then.
    let from: StorePoint
    /// The state afterwards.
    let to: StorePoint
    /// The ends of the commits behind the earlier one of the two, as far as the later one, where both are of the store:
    /// they tell where a copy has parted from it. No more than ``endCountMax``.
    let ends: [CommitEnd]

    static let endCountMax = 4096

    /// Where a commit ends, and the hash of its last block.
    struct CommitEnd: Equatable {
        let position: UInt64
        let hash: Digest256
    }

    var lineage: Lineage { Lineage(marks) }

    /// The points that are of the store itself, the latest first.
    var ownPoints: [StorePoint] {
        [from, to].filter { $0.identity == identity }.sorted { $0.position > $1.position }
    }

    func point(at end: CommitEnd) -> StorePoint {
        StorePoint(identity: identity, position: end.position, hash: end.hash)
    }

    func inverted() -> ChangeHome {
        ChangeHome(identity: identity, firstHash: firstHash, marks: marks, from: to, to: from, ends: ends)
    }
}

extension BranchSide {
    /// The store as the one in whose terms changes are said.
    ///
    /// - Parameters:
    ///   - from: the position of the state before.
    ///   - to: the position of the state afterwards, in `end`.
    ///   - end: the store that has that state; nil where it is this one.
    func home(from: UInt64, to: UInt64, in end: BranchSide? = nil) throws -> ChangeHome {
        ChangeHome(
            identity: identity,
            firstHash: try firstHash(),
            marks: marks,
            from: try point(at: from),
            to: try (end ?? self).point(at: to),
            ends: end == nil ? try ends(behind: min(from, to), upTo: max(from, to)) : []
        )
    }

    private func point(at position: UInt64) throws -> StorePoint {
        StorePoint(identity: identity, position: position, hash: try hash(at: position) ?? .zero)
    }
}

// MARK: - Changes in the terms of another log

/// How changes of one log are said in the terms of another one.
struct ChangeArrival {
    /// Whether the log has all that the changes come from: it is the log that they were found in, or a copy of it.
    let isSameLog: Bool
    /// The end of the past that both logs begin with, as far as that is known.
    let sharedEnd: UInt64
    let entries: ArrivingEntries

    /// - Throws: `notABranch` where the two logs do not share their past.
    init(of home: ChangeHome, in side: BranchSide) throws {
        guard try side.firstHash() == home.firstHash else {
            throw Self.stranger("The changes are of a store that shares no past with this one.")
        }
        let (ours, theirs) = (side.lineage, home.lineage)
        let count = theirs.sharedCount(with: ours)
        guard theirs.segments.count == count, ours.segments.count == count else {
            sharedEnd = try Self.check(home, side, sharedCount: count)
            isSameLog = false
            entries = ArrivingEntries(EntryTranslation(from: theirs, to: side.lineage), in: side, behind: sharedEnd)
            return
        }
        // The store itself, or a copy of it.
        let points = home.ownPoints
        isSameLog = try points.first.map { try side.has($0.position, $0.hash) } ?? false
        if isSameLog {
            sharedEnd = side.head
            entries = ArrivingEntries(EntryTranslation(from: theirs, to: side.lineage), in: side, behind: sharedEnd)
            return
        }
        guard let base = points.last, try side.has(base.position, base.hash) else {
            throw Self.stranger("The changes begin with a state of a copy of this store that it has not had.")
        }
        // A commit covers all before it by its hash.
        let shared = try home.ends.partitioningIndex { try !side.has($0.position, $0.hash) }
        guard shared < home.ends.count else {
            throw Self.stranger(
                "The changes are of a copy of this store, which parted from it too many commits behind their beginning."
            )
        }
        // What the copy has written since was written by another store.
        let begin = shared == 0 ? base : home.point(at: home.ends[shared - 1])
        sharedEnd = begin.position
        let mark = BranchMark(
            branch: home.ends[shared].branchNumber,
            position: begin.position + 1,
            parent: home.identity,
            hash: begin.hash
        )
        // And what this store has written since has such a number in the copy, if it has come there.
        let own = try side.ends(behind: begin.position, upTo: side.head, countMax: 1).first.map { end in
            BranchMark(
                branch: end.branchNumber,
                position: begin.position + 1,
                parent: home.identity,
                hash: begin.hash
            )
        }
        entries = ArrivingEntries(
            EntryTranslation(
                from: Lineage(home.marks + [mark]),
                to: Lineage(side.marks + (own.map { [$0] } ?? []))
            ),
            in: side,
            behind: sharedEnd
        )
    }

    /// Makes sure that the positions are the same that both logs have according to their lineages.
    ///
    /// - Returns: the last of these positions.
    private static func check(_ home: ChangeHome, _ side: BranchSide, sharedCount count: Int) throws -> UInt64 {
        let end = min(side.lineage.end(ofSegment: count - 1) ?? .max, home.lineage.end(ofSegment: count - 1) ?? .max)
        // What the file says of positions that both have.
        let known = home.ownPoints.map { ($0.position, $0.hash) } + home.ends.map { ($0.position, $0.hash) }
        for (position, hash) in known where position <= end {
            guard try side.has(position, hash) else {
                throw stranger("The changes are of a copy of a store of this family that has gone another way.")
            }
        }
        let theirs = home.marks.count >= count ? home.marks[count - 1] : nil
        let ours = side.marks.count >= count ? side.marks[count - 1] : nil
        let isShared: Bool
        if let theirs, theirs.position - 1 == end {
            isShared = try side.hash(at: end) == theirs.hash
        } else {
            isShared = ours?.parent == theirs?.parent ?? home.identity
        }
        guard isShared else { throw stranger("The changes are of a store that shares no past with this one.") }
        return end
    }

    private static func stranger(_ message: String) -> StoreError {
        StoreError(
            .notABranch,
            message,
            advice: "Make them from a state that both stores have had, the latest if you can, or merge a branch."
        )
    }
}

extension BranchSide {
    fileprivate func has(_ position: UInt64, _ hash: Digest256) throws -> Bool {
        try position == 0 || self.hash(at: position) == hash
    }
}

extension ChangeHome.CommitEnd {
    /// A number for the copy whose first own commit this is. It has none of its own, and gets this one each time.
    fileprivate var branchNumber: UInt32 {
        let start = unsafe withUnsafeBytes(of: hash) { unsafe $0.loadUnaligned(as: UInt32.self) }
        return Swift.max(1, UInt32(littleEndian: start) & EntryName.branchNumberMax)
    }
}
