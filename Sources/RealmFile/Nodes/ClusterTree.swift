/// The rows of a class, from version 10 on: leaves of up to 256 rows, in the order of their keys.
///
/// A leaf: the number of rows, or a reference to their keys; an array for each property. An inner array: a reference to
/// the keys at which the children begin, or nothing; the depth; the number of rows below; the children. Source:
/// `cluster.cpp` and `cluster_tree.cpp` of realm-core 20.1.5 (Apache-2.0).
struct ClusterTree {
    static let depthMax = 12
    /// How many bits of a key a level decides where the children's keys are not written down.
    private static let bitsPerLevel = 8
    /// How many rows or children an array has at most in builds for tests.
    private static let testBuildCountMax = 4

    let source: NodeSource
    let root: Int

    init(_ source: NodeSource, root: Int) {
        self.source = source
        self.root = root
    }

    /// Hands over the leaves in the order of their keys, until `body` returns false.
    ///
    /// - Returns: whether `body` saw all of them.
    @discardableResult
    func forEachLeaf(_ body: (Cluster) throws(RealmFileError) -> Bool) throws(RealmFileError)
        -> Bool
    {
        var walk = ClusterWalk(self)
        while let cluster = try walk.next() {
            guard try body(cluster) else { return false }
        }
        return true
    }

    /// How many rows there are, by what the root says.
    func count() throws(RealmFileError) -> Int {
        let node = try source.unnoted.node(at: root).checked(as: .references)
        return node.isInner
            ? try Inner(node, source.unnoted).rowCount
            : try Cluster(node, source.unnoted, keyOffset: 0).count
    }

    /// Whether leaves that are full have fewer rows than a level of keys has room for.
    ///
    /// Builds of realm-core for its own tests put four rows into a leaf and number rows accordingly. Those that apps
    /// have read such files as this does; but origins then name rows by other numbers than the rows have.
    func isOfTestBuild() throws(RealmFileError) -> Bool {
        var node = try source.unnoted.node(at: root).checked(as: .references)
        var hasSibling = false
        for _ in 0...Self.depthMax where node.isInner {
            let inner = try Inner(node, source.unnoted)
            guard inner.isCompact else { return false }
            guard inner.childCount <= Self.testBuildCountMax else { return false }
            hasSibling = inner.childCount > 1
            node = try source.unnoted.node(at: node.requiredReference(at: 3))
                .checked(as: .references)
        }
        guard hasSibling, !node.isInner, let count = try? node.number(at: 0) else { return false }
        return count <= Self.testBuildCountMax
    }

    /// The leaf with a row, and the row's place in it; nil where there is no such row.
    ///
    /// - Complexity: O(log rows).
    func row(withKey key: Int64) throws(RealmFileError) -> (cluster: Cluster, index: Int)? {
        guard key >= 0 else { return nil }
        var reference = root
        var keyOffset: Int64 = 0
        for _ in 0...Self.depthMax {
            let node = try source.references(at: reference)
            guard node.isInner else {
                let cluster = try Cluster(node, source, keyOffset: keyOffset)
                guard let index = try cluster.index(ofKey: key) else { return nil }
                return (cluster, index)
            }
            let inner = try Inner(node, source)
            guard let child = try inner.child(withKey: key &- keyOffset) else { return nil }
            keyOffset = keyOffset &+ (try inner.keyOffset(of: child))
            reference = try node.requiredReference(at: child + 3)
        }
        throw RealmFileError(.damaged, "A tree of rows has no end.", at: root)
    }

    /// What an inner array says of its children.
    struct Inner {
        let childCount: Int
        let rowCount: Int
        /// 1 where the children are leaves.
        let depth: Int
        private let keys: ArrayNode?
        private let shift: Int

        init(_ node: ArrayNode, _ source: NodeSource) throws(RealmFileError) {
            childCount = node.count - 3
            guard childCount > 0, let depth = try node.number(at: 1), (1...12).contains(depth),
                let count = try node.number(at: 2), let rowCount = Int(exactly: count),
                rowCount >= 0, rowCount <= source.bytes.count * 128
            else {
                throw RealmFileError(
                    .damaged,
                    "An inner array of rows is not whole.",
                    at: node.offset
                )
            }
            self.rowCount = rowCount
            self.depth = Int(depth)
            shift = min(Int(depth) * ClusterTree.bitsPerLevel, 62)
            keys = try source.integers(ifAt: node.reference(at: 0))
            _ = try keys?.checked(count: childCount)
        }

        var isCompact: Bool { keys == nil }

        func keyOffset(of child: Int) throws(RealmFileError) -> Int64 {
            guard let keys else { return Int64(child) << Int64(shift) }
            return Int64(truncatingIfNeeded: try keys.unsigned(at: child))
        }

        /// The last child that begins at a key or before it.
        func child(withKey key: Int64) throws(RealmFileError) -> Int? {
            guard key >= 0 else { return nil }
            var low = 0
            var high = childCount
            while low < high {
                let middle = (low + high) / 2
                if try keyOffset(of: middle) <= key { low = middle + 1 } else { high = middle }
            }
            return low == 0 ? nil : low - 1
        }
    }
}

/// A leaf of a ``ClusterTree``.
struct Cluster {
    static let rowCountMax = 256
    let node: ArrayNode
    let count: Int
    private let keyOffset: Int64
    private let keys: ArrayNode?

    init(_ node: ArrayNode, _ source: NodeSource, keyOffset: Int64) throws(RealmFileError) {
        self.node = node
        self.keyOffset = keyOffset
        switch try node.element(at: 0) {
        case .number(let count):
            guard (0...Int64(Self.rowCountMax)).contains(count) else {
                throw RealmFileError(
                    .damaged,
                    "A leaf of rows has \(count) of them.",
                    at: node.offset
                )
            }
            self.count = Int(count)
            keys = nil
        case .reference(let reference):
            let keys = try source.integers(at: reference)
            guard keys.count <= Self.rowCountMax else {
                throw RealmFileError(
                    .damaged,
                    "A leaf of rows has \(keys.count) of them.",
                    at: node.offset
                )
            }
            count = keys.count
            self.keys = keys
        case .null:
            throw RealmFileError(.damaged, "A leaf of rows has no keys.", at: node.offset)
        }
    }

    func key(at index: Int) throws(RealmFileError) -> Int64 {
        guard let keys else { return keyOffset &+ Int64(index) }
        return keyOffset &+ Int64(truncatingIfNeeded: try keys.unsigned(at: index))
    }

    func index(ofKey key: Int64) throws(RealmFileError) -> Int? {
        var low = 0
        var high = count
        while low < high {
            let middle = (low + high) / 2
            if try self.key(at: middle) < key { low = middle + 1 } else { high = middle }
        }
        guard low < count, try self.key(at: low) == key else { return nil }
        return low
    }

    /// Sees to it that keys only grow.
    func checkKeys(after last: inout Int64) throws(RealmFileError) {
        for index in 0..<count {
            let key = try key(at: index)
            guard key > last else {
                throw RealmFileError(.damaged, "The keys of rows do not grow.", at: node.offset)
            }
            last = key
        }
    }
}
