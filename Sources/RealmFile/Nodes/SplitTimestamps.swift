/// Points in time before version 10: one tree of seconds and one of nanoseconds.
///
/// Source: `column_timestamp.cpp` of realm-core 5.23.9 (Apache-2.0).
struct SplitTimestamps {
    let seconds: ElementTree
    let nanoseconds: ElementTree

    init(_ source: NodeSource, root: Int) throws(RealmFileError) {
        let node = try source.references(at: root)
        seconds = ElementTree(source, root: try node.requiredReference(at: 0))
        nanoseconds = ElementTree(source, root: try node.requiredReference(at: 1))
    }

    /// Seconds have a number before them that stands for null.
    static func secondsCount(_ node: ArrayNode) throws(RealmFileError) -> Int {
        guard node.count > 0 else {
            throw RealmFileError(
                .damaged,
                "An array does not say what stands for null.",
                at: node.offset
            )
        }
        return try node.checked(as: .integers).count - 1
    }

    /// Reads every point in time, and returns how many there are.
    func check() throws(RealmFileError) -> Int {
        var cursor = Cursor(self)
        var count = 0
        while try cursor.next() != nil { count += 1 }
        return count
    }

    /// A point in time.
    ///
    /// - Complexity: O(log elements).
    func value(at index: Int) throws(RealmFileError) -> RealmValue {
        let (whole, wholes) = try seconds.leaf(with: index, leafCount: Self.secondsCount)
        let (part, parts) = try nanoseconds.leaf(with: index) { $0.count }
        return try Self.value(
            whole.checked(as: .integers),
            index - wholes.lowerBound,
            part.checked(as: .integers),
            index - parts.lowerBound
        )
    }

    /// - Parameters:
    ///   - seconds: an array with a number before the elements that stands for null.
    ///   - nanoseconds: an array of numbers.
    static func value(
        _ seconds: ArrayNode,
        _ index: Int,
        _ nanoseconds: ArrayNode,
        _ nanosecondsIndex: Int
    ) throws(RealmFileError) -> RealmValue {
        let whole = try seconds.integer(at: index + 1)
        if whole == (try seconds.integer(at: 0)) { return .null }
        let part = try nanoseconds.integer(at: nanosecondsIndex)
        return .timestamp(try RealmTimestamp(checked: whole, part, nanoseconds.offset))
    }

    /// Reads one point in time after the other, from a leaf of each of the two trees.
    struct Cursor {
        private var seconds: LeafWalk
        private var nanoseconds: LeafWalk
        private let root: Int
        private var whole: ArrayNode?
        private var wholeIndex = 0
        private var wholeCount = 0
        private var part: ArrayNode?
        private var partIndex = 0

        init(_ timestamps: SplitTimestamps) {
            seconds = LeafWalk(timestamps.seconds)
            nanoseconds = LeafWalk(timestamps.nanoseconds)
            root = timestamps.nanoseconds.root
        }

        /// The next point in time; nil after the last one.
        mutating func next() throws(RealmFileError) -> RealmValue? {
            while wholeIndex == wholeCount {
                guard let node = try seconds.next() else {
                    // What follows means nothing, but has to be whole.
                    while try nextPart() {}
                    return nil
                }
                wholeCount = try SplitTimestamps.secondsCount(node)
                wholeIndex = 0
                try seconds.add(wholeCount, of: node)
                whole = node
            }
            while partIndex == part?.count ?? 0 {
                guard try nextPart() else {
                    throw RealmFileError(.damaged, "Dates have no nanoseconds.", at: root)
                }
            }
            guard let whole, let part else { return nil }
            defer {
                wholeIndex += 1
                partIndex += 1
            }
            return try SplitTimestamps.value(whole, wholeIndex, part, partIndex)
        }

        /// Returns false where there is no further leaf.
        private mutating func nextPart() throws(RealmFileError) -> Bool {
            guard let node = try nanoseconds.next() else { return false }
            let part = try node.checked(as: .integers)
            try nanoseconds.add(part.count, of: part)
            self.part = part
            partIndex = 0
            return true
        }
    }
}
