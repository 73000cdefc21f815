/// Points in time before version 10: one tree of seconds and one of nanoseconds.
///
/// Source: `column_timestamp.cpp` of realm-core 5.23.9 (Apache-2.0).
struct SplitTimestamps {
    private let source: NodeSource
    let seconds: ElementTree
    let nanoseconds: ElementTree

    init(_ source: NodeSource, root: Int) throws(RealmFileError) {
        self.source = source
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

    /// What ``all()`` keeps of each: the seconds, and then the value.
    private static let keptByteCount =
        MemoryLayout<Int64?>.stride + MemoryLayout<RealmTimestamp?>.stride
        + MemoryLayout<RealmValue>.stride

    /// Reads every point in time, and returns how many there are.
    func check() throws(RealmFileError) -> Int {
        let source = source.limited
        var areNull: [Bool] = []
        try seconds.forEachLeaf { node throws(RealmFileError) in
            let count = try Self.secondsCount(node)
            try ElementTree.check(count, node)
            let null = try node.integer(at: 0)
            try source.keep(byteCount: count, node.offset)
            for index in 0..<count { areNull.append(try node.integer(at: index + 1) == null) }
            return count
        }
        var count = 0
        try nanoseconds.forEachLeaf { node throws(RealmFileError) in
            let node = try node.checked(as: .integers)
            for index in 0..<min(node.count, areNull.count - count) where !areNull[count + index] {
                _ = try RealmTimestamp(checked: 0, node.integer(at: index), node.offset)
            }
            count = min(count + node.count, areNull.count)
            return node.count
        }
        try checkCount(count, areNull.count)
        return count
    }

    private func checkCount(_ count: Int, _ secondsCount: Int) throws(RealmFileError) {
        guard count == secondsCount else {
            throw RealmFileError(.damaged, "Dates have no nanoseconds.", at: nanoseconds.root)
        }
    }

    /// Every point in time; nil for null.
    func all() throws(RealmFileError) -> [RealmTimestamp?] {
        var wholes: [Int64?] = []
        try seconds.forEachLeaf { node throws(RealmFileError) in
            let count = try Self.secondsCount(node)
            try ElementTree.check(count, node)
            let null = try node.integer(at: 0)
            for index in 0..<count {
                let value = try node.integer(at: index + 1)
                try source.keep(byteCount: Self.keptByteCount, node.offset)
                wholes.append(value == null ? nil : value)
            }
            return count
        }
        var timestamps: [RealmTimestamp?] = []
        try nanoseconds.forEachLeaf { node throws(RealmFileError) in
            let node = try node.checked(as: .integers)
            for index in 0..<node.count {
                guard timestamps.count < wholes.count else { break }
                guard let whole = wholes[timestamps.count] else {
                    timestamps.append(nil)
                    continue
                }
                timestamps.append(
                    try RealmTimestamp(checked: whole, node.integer(at: index), node.offset)
                )
            }
            return node.count
        }
        try checkCount(timestamps.count, wholes.count)
        return timestamps
    }
}
