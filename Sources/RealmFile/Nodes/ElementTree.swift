/// The tree that a column, a list, a set or one half of a dictionary lies in.
///
/// A leaf is the root itself, or hangs below inner arrays: the number of elements of each child (compact), or a
/// reference to the ends of the children; the children; the number of all elements. Source: `bplustree.cpp` of
/// realm-core 20.1.5 (Apache-2.0).
struct ElementTree {
    /// Deeper trees have more elements than a file can hold.
    static let depthMax = 12
    /// `REALM_MAX_BPNODE_SIZE`, which every build that apps have was made with.
    private static let leafElementCountMax = 1000

    let source: NodeSource
    let root: Int

    init(_ source: NodeSource, root: Int) {
        self.source = source
        self.root = root
    }

    /// Hands over the leaves in order.
    ///
    /// - Parameter body: is given a leaf and returns how many elements it has.
    /// - Returns: the number of all elements.
    @discardableResult
    func forEachLeaf(
        _ body: (ArrayNode) throws(RealmFileError) -> Int
    ) throws(RealmFileError) -> Int {
        var walk = LeafWalk(self)
        while let node = try walk.next() {
            let count = try body(node)
            try walk.add(count, of: node)
        }
        return walk.count
    }

    /// Refuses a leaf of more elements than Realm puts into one, before they are read.
    static func check(_ count: Int, _ node: ArrayNode) throws(RealmFileError) {
        guard count <= leafElementCountMax else {
            throw RealmFileError(.damaged, "A leaf has \(count) elements.", at: node.offset)
        }
    }

    /// How many elements there are, by what the root says.
    ///
    /// - Parameter leafCount: how many a leaf has.
    func count(
        _ leafCount: (ArrayNode) throws(RealmFileError) -> Int
    ) throws(RealmFileError) -> Int {
        let node = try source.unnoted.node(at: root)
        return node.isInner ? try InnerNode(node, source).elementCount : try leafCount(node)
    }

    /// The leaf with an element, and which elements it has.
    ///
    /// - Complexity: O(log elements).
    func leaf(
        with index: Int,
        leafCount: (ArrayNode) throws(RealmFileError) -> Int
    ) throws(RealmFileError) -> (node: ArrayNode, range: Range<Int>) {
        var reference = root
        var start = 0
        for _ in 0...Self.depthMax {
            let node = try source.node(at: reference)
            guard node.isInner else {
                let range = try start..<start + leafCount(node)
                guard range.contains(index) else { break }
                return (node, range)
            }
            let inner = try InnerNode(node, source)
            let child = try inner.child(with: index - start)
            start += try inner.range(of: child).lowerBound
            reference = try inner.reference(to: child)
        }
        throw RealmFileError(.damaged, "Element \(index) of a tree is not there.", at: root)
    }

    /// What an inner array says of its children.
    struct InnerNode {
        private let node: ArrayNode
        let childCount: Int
        let elementCount: Int
        private let offset: Int
        private let compactCount: Int?
        private let ends: ArrayNode?

        init(_ node: ArrayNode, _ source: NodeSource) throws(RealmFileError) {
            self.node = try node.checked(as: .references)
            offset = node.offset
            childCount = node.count - 2
            guard childCount > 0, let total = try node.number(at: node.count - 1),
                let elementCount = Int(exactly: total),
                elementCount >= 0, elementCount <= source.bytes.count * 128
            else {
                throw RealmFileError(
                    .damaged,
                    "An inner array has no children or no count.",
                    at: offset
                )
            }
            self.elementCount = elementCount
            switch try node.element(at: 0) {
            case .number(let count):
                guard let count = Int(exactly: count), count > 0, count <= source.bytes.count * 128
                else {
                    throw RealmFileError(
                        .damaged,
                        "An inner array has children of no size.",
                        at: offset
                    )
                }
                compactCount = count
                ends = nil
            case .reference(let reference):
                compactCount = nil
                ends = try source.integers(at: reference).checked(count: childCount - 1)
            case .null:
                throw RealmFileError(
                    .damaged,
                    "An inner array does not say where its children end.",
                    at: offset
                )
            }
        }

        func reference(to child: Int) throws(RealmFileError) -> Int {
            try node.requiredReference(at: child + 1)
        }

        /// Refuses a child that has ended at another element than is noted.
        func check(_ child: Int, endsAt count: Int) throws(RealmFileError) {
            guard try end(of: child) == count else {
                throw RealmFileError(
                    .damaged,
                    "A part of a tree has another size than is noted.",
                    at: offset
                )
            }
        }

        /// The elements of a child.
        func range(of child: Int) throws(RealmFileError) -> Range<Int> {
            let start = child == 0 ? 0 : try end(of: child - 1)
            let end = try end(of: child)
            guard start <= end else {
                throw RealmFileError(
                    .damaged,
                    "The children of an inner array overlap.",
                    at: offset
                )
            }
            return start..<end
        }

        /// The child with an element.
        func child(with index: Int) throws(RealmFileError) -> Int {
            if let compactCount { return min(max(0, index) / compactCount, childCount - 1) }
            var low = 0
            var high = childCount - 1
            while low < high {
                let middle = (low + high) / 2
                if try end(of: middle) > index { high = middle } else { low = middle + 1 }
            }
            return low
        }

        private func end(of child: Int) throws(RealmFileError) -> Int {
            if child == childCount - 1 { return elementCount }
            if let compactCount {
                let (end, overflow) = (child + 1).multipliedReportingOverflow(by: compactCount)
                return overflow ? elementCount : min(end, elementCount)
            }
            guard let ends else { return 0 }
            return Int(clamping: try ends.unsigned(at: child))
        }
    }
}
