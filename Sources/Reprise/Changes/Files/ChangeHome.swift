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
    /// The end of the commit behind the earlier one of the two, where both are of the store and differ: it tells a copy
    /// that parted there from one that parted later.
    let next: StorePoint?

    var lineage: Lineage { Lineage(marks) }

    /// The points that are of the store itself, the latest first.
    var ownPoints: [StorePoint] {
        [from, to].filter { $0.identity == identity }.sorted { $0.position > $1.position }
    }

    func inverted() -> ChangeHome {
        ChangeHome(identity: identity, firstHash: firstHash, marks: marks, from: to, to: from, next: next)
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
            next: end == nil && from != to ? try endOfCommit(at: min(from, to) + 1).map(point) : nil
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
    let entries: EntryTranslation

    /// - Throws: `notABranch` where the two logs do not share their past.
    init(of home: ChangeHome, in side: BranchSide) throws {
        guard try side.firstHash() == home.firstHash else {
            throw Self.stranger("The changes are of a store that shares no past with this one.")
        }
        let (ours, theirs) = (side.lineage, home.lineage)
        let count = theirs.sharedCount(with: ours)
        guard theirs.segments.count == count, ours.segments.count == count else {
            try Self.check(home, side, sharedCount: count)
            isSameLog = false
            entries = EntryTranslation(from: theirs, to: ours)
            return
        }
        // The store itself, or a copy of it.
        let points = home.ownPoints
        isSameLog = try points.first.map(side.has) ?? false
        if isSameLog {
            entries = EntryTranslation(from: theirs, to: ours)
            return
        }
        guard let base = points.last, try side.has(base), let next = home.next else {
            throw Self.stranger("The changes begin with a state of a copy of this store that it has not had.")
        }
        guard try !side.has(next) else {
            throw Self.stranger(
                "The changes are of a copy of this store, which parted from it later than where the changes begin."
            )
        }
        // What the copy has written since was written by another store.
        let mark = BranchMark(
            branch: next.branchNumber,
            position: base.position + 1,
            parent: home.identity,
            hash: base.hash
        )
        entries = EntryTranslation(from: Lineage(home.marks + [mark]), to: ours)
    }

    /// Makes sure that the positions are the same that both logs have according to their lineages.
    private static func check(_ home: ChangeHome, _ side: BranchSide, sharedCount count: Int) throws {
        let end = min(side.lineage.end(ofSegment: count - 1) ?? .max, home.lineage.end(ofSegment: count - 1) ?? .max)
        let theirs = home.marks.count >= count ? home.marks[count - 1] : nil
        let ours = side.marks.count >= count ? side.marks[count - 1] : nil
        let isShared: Bool
        if let theirs, theirs.position - 1 == end {
            isShared = try side.hash(at: end) == theirs.hash
        } else {
            isShared = ours?.parent == theirs?.parent ?? home.identity
        }
        guard isShared else { throw stranger("The changes are of a store that shares no past with this one.") }
    }

    private static func stranger(_ message: String) -> StoreError {
        StoreError(
            .notABranch,
            message,
            advice: "Make them from the last state that both stores have had, or merge a branch."
        )
    }
}

extension BranchSide {
    fileprivate func has(_ point: StorePoint) throws -> Bool {
        try point.position == 0 || hash(at: point.position) == point.hash
    }
}

extension StorePoint {
    /// A number for the copy whose first own commit ends here. It has none of its own, and gets this one each time.
    fileprivate var branchNumber: UInt32 {
        let start = unsafe withUnsafeBytes(of: hash) { unsafe $0.loadUnaligned(as: UInt32.self) }
        return max(1, UInt32(littleEndian: start) & EntryName.branchNumberMax)
    }
}
