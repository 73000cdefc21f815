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

    /// Every point in time; nil for null.
    func all() throws(RealmFileError) -> [RealmTimestamp?] {
        var wholes: [Int64?] = []
        try seconds.forEachLeaf { node throws(RealmFileError) in
            let count = try Self.secondsCount(node)
            try ElementTree.check(count, node)
            let null = try node.integer(at: 0)
            for index in 0..<count {
                let value = try node.integer(at: index + 1)
                try source.keep(.null, node.offset)
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
        guard timestamps.count == wholes.count else {
            throw RealmFileError(.damaged, "Dates have no nanoseconds.", at: nanoseconds.root)
        }
        return timestamps
    }
}
