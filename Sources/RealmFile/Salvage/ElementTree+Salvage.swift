extension ElementTree {
    /// Hands over the leaves of a column that can be read, and which rows lie in those that cannot.
    ///
    /// - Parameters:
    ///   - rowCount: how many rows there should be.
    ///   - leaf: is given a leaf and which rows should be in it; what it throws is a loss, too.
    ///   - loss: is given rows that cannot be read, and why.
    func salvage(
        rowCount: Int,
        leaf: (ArrayNode, Range<Int>) throws(RealmFileError) -> Void,
        loss: (RealmFileError, Range<Int>) throws(RealmFileError) -> Void
    ) throws(RealmFileError) {
        try salvage(root, 0..<rowCount, depth: 0, leaf, loss)
    }

    private func salvage(
        _ reference: Int,
        _ rows: Range<Int>,
        depth: Int,
        _ leaf: (ArrayNode, Range<Int>) throws(RealmFileError) -> Void,
        _ loss: (RealmFileError, Range<Int>) throws(RealmFileError) -> Void
    ) throws(RealmFileError) {
        var children: [(reference: Int, rows: Range<Int>)] = []
        do throws(RealmFileError) {
            let node = try source.node(at: reference)
            guard node.isInner else {
                try leaf(node, rows)
                return
            }
            let inner = try InnerNode(node, source)
            guard depth <= Self.depthMax, inner.elementCount == rows.count else {
                throw RealmFileError(
                    .damaged,
                    "There are \(inner.elementCount) values for \(rows.count) objects.",
                    at: node.offset
                )
            }
            for child in 0..<inner.childCount {
                let range = try inner.range(of: child)
                guard range.upperBound <= rows.count else {
                    throw RealmFileError(
                        .damaged,
                        "The children of an inner array overlap.",
                        at: node.offset
                    )
                }
                let next = try inner.reference(to: child)
                children.append(
                    (next, rows.lowerBound + range.lowerBound..<rows.lowerBound + range.upperBound)
                )
            }
        } catch {
            try loss(error, rows)
            return
        }
        for child in children {
            try salvage(child.reference, child.rows, depth: depth + 1, leaf, loss)
        }
    }
}
