/// Goes through the leaves of a ``ClusterTree`` in the order of their keys, one at a time.
struct ClusterWalk {
    /// An inner array some of whose children are still to come.
    private struct Level {
        let inner: ClusterTree.Inner
        let node: ArrayNode
        let keyOffset: Int64
        /// The rows before it.
        let start: Int
        var child = 0
    }

    private let source: NodeSource
    /// The arrays, but for the root.
    private var met: MetArrays
    private var open: [Level] = []
    private var following: (reference: Int, keyOffset: Int64)?
    private var rowCount = 0
    /// Keys must be larger than this.
    private var lastKey: Int64 = -1

    init(_ tree: ClusterTree) {
        source = tree.source
        met = MetArrays(in: tree.source.bytes.count)
        following = (tree.root, 0)
    }

    /// The next leaf; nil after the last one.
    mutating func next() throws(RealmFileError) -> Cluster? {
        while true {
            if let (reference, keyOffset) = following {
                following = nil
                guard open.count <= ClusterTree.depthMax, open.isEmpty || met.insert(reference)
                else {
                    throw RealmFileError(.damaged, "A tree of rows has no end.", at: reference)
                }
                let node = try source.references(at: reference)
                guard node.isInner else {
                    let cluster = try Cluster(node, source, keyOffset: keyOffset)
                    try cluster.checkKeys(after: &lastKey)
                    rowCount += cluster.count
                    return cluster
                }
                open.append(
                    Level(
                        inner: try ClusterTree.Inner(node, source),
                        node: node,
                        keyOffset: keyOffset,
                        start: rowCount
                    )
                )
            }
            guard let level = open.last else { return nil }
            if level.child == level.inner.childCount {
                guard rowCount - level.start == level.inner.rowCount else {
                    throw RealmFileError(
                        .damaged,
                        "A part of a class has \(rowCount - level.start) objects where"
                            + " \(level.inner.rowCount) are noted.",
                        at: level.node.offset
                    )
                }
                open.removeLast()
            } else {
                open[open.count - 1].child += 1
                let offset = try level.inner.keyOffset(of: level.child)
                following = (
                    try level.node.requiredReference(at: level.child + 3),
                    level.keyOffset &+ offset
                )
            }
        }
    }
}
