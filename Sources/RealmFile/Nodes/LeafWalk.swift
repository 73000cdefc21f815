/// Goes through the leaves of an ``ElementTree`` in order, one at a time.
///
/// Not by recursion: values hold trees, and trees values, and stacks are small on some threads.
struct LeafWalk {
    private let source: NodeSource
    private var met: MetArrays
    private var open: [(inner: ElementTree.InnerNode, child: Int, start: Int)] = []
    private var following: Int?
    /// The elements of the leaves so far.
    private(set) var count = 0

    init(_ tree: ElementTree) {
        source = tree.source
        met = MetArrays(in: tree.source.bytes.count)
        following = tree.root
    }

    /// The next leaf, of which ``add(_:of:)`` has to be told how many elements it has; nil after the last one.
    mutating func next() throws(RealmFileError) -> ArrayNode? {
        while true {
            if let reference = following {
                following = nil
                guard open.count <= ElementTree.depthMax, open.isEmpty || met.insert(reference)
                else {
                    throw RealmFileError(.damaged, "A tree has no end.", at: reference)
                }
                let node = try source.node(at: reference)
                guard node.isInner else { return node }
                open.append((try ElementTree.InnerNode(node, source), 0, count))
            }
            guard let (inner, child, start) = open.last else { return nil }
            if child > 0 { try inner.check(child - 1, endsAt: count - start) }
            if child == inner.childCount {
                open.removeLast()
            } else {
                open[open.count - 1].child += 1
                following = try inner.reference(to: child)
            }
        }
    }

    /// Notes how many elements the last leaf has, before they are read.
    mutating func add(_ elementCount: Int, of node: ArrayNode) throws(RealmFileError) {
        try ElementTree.check(elementCount, node)
        count += elementCount
    }
}
