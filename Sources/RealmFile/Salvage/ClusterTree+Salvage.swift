extension ClusterTree {
    /// What a walk over damaged rows hands over.
    struct SalvageWalk {
        /// A leaf whose keys are in order and where they may be.
        let leaf: (Cluster) throws(RealmFileError) -> Void
        /// Rows that cannot be read: why, and which keys they could have.
        let loss: (RealmFileError, ClosedRange<Int64>) throws(RealmFileError) -> Void
    }

    /// Hands over the leaves that can be read, in the order of their keys, and what is lost between them.
    ///
    /// Which keys a leaf may have is what the arrays above it say: so one leaf with wrong keys makes no other one
    /// doubtful.
    func salvage(_ walk: SalvageWalk) throws(RealmFileError) {
        _ = try salvage(root, keys: 0...Int64.max, depth: nil, walk)
    }

    /// - Parameters:
    ///   - keys: those that rows may have here; the first one is what they are counted from.
    ///   - depth: how many levels there should be below, 0 for a leaf; nil where nothing says so.
    /// - Returns: the number of rows; nil where some could not be read.
    private func salvage(
        _ reference: Int,
        keys: ClosedRange<Int64>,
        depth: Int?,
        _ walk: SalvageWalk
    ) throws(RealmFileError) -> Int? {
        let node: ArrayNode
        let children: [(reference: Int?, keys: ClosedRange<Int64>)]
        let inner: Inner
        do throws(RealmFileError) {
            node = try source.references(at: reference)
            guard node.isInner else {
                guard depth ?? 0 == 0 else { throw Self.wrongDepth(node) }
                let cluster = try Cluster(node, source, keyOffset: keys.lowerBound)
                try cluster.checkKeys(in: keys)
                try walk.leaf(cluster)
                return cluster.count
            }
            inner = try Inner(node, source)
            guard depth == nil || depth == inner.depth else { throw Self.wrongDepth(node) }
            children = try self.children(of: inner, node, keys)
        } catch {
            try walk.loss(error, keys)
            return nil
        }
        var count: Int? = 0
        for child in children {
            guard let next = child.reference else {
                try walk.loss(
                    RealmFileError(.damaged, "A reference is missing.", at: node.offset),
                    child.keys
                )
                count = nil
                continue
            }
            let found = try salvage(next, keys: child.keys, depth: inner.depth - 1, walk)
            if let sum = count, let found { count = sum + found } else { count = nil }
        }
        if let count, count != inner.rowCount {
            try walk.loss(
                RealmFileError(
                    .damaged,
                    "A part of a class has \(count) objects where \(inner.rowCount) are noted.",
                    at: reference
                ),
                keys
            )
            return nil
        }
        return count
    }

    /// The children of an inner array, and which keys are theirs. Their first keys grow.
    private func children(
        of inner: Inner,
        _ node: ArrayNode,
        _ keys: ClosedRange<Int64>
    ) throws(RealmFileError) -> [(reference: Int?, keys: ClosedRange<Int64>)] {
        var starts: [Int64] = []
        for child in 0..<inner.childCount {
            let offset = try inner.keyOffset(of: child)
            let (start, overflow) = keys.lowerBound.addingReportingOverflow(offset)
            guard offset >= 0, !overflow, start <= keys.upperBound,
                starts.last.map({ $0 < start }) ?? true
            else {
                throw RealmFileError(.damaged, "The keys of rows do not grow.", at: node.offset)
            }
            starts.append(start)
        }
        var children: [(reference: Int?, keys: ClosedRange<Int64>)] = []
        for (child, start) in starts.enumerated() {
            let last = child + 1 < starts.count ? starts[child + 1] - 1 : keys.upperBound
            children.append((try? node.reference(at: child + 3), start...last))
        }
        return children
    }

    private static func wrongDepth(_ node: ArrayNode) -> RealmFileError {
        RealmFileError(
            .damaged,
            "A part of a class lies at another depth than is noted.",
            at: node.offset
        )
    }
}

extension Cluster {
    /// Sees to it that keys grow and are some of `keys`.
    func checkKeys(in keys: ClosedRange<Int64>) throws(RealmFileError) {
        guard count > 0 else { return }
        var last = keys.lowerBound
        try checkKeys(after: &last, isIncluded: true)
        guard last <= keys.upperBound else {
            throw RealmFileError(
                .damaged,
                "Rows have keys that lie in another part of the class.",
                at: node.offset
            )
        }
    }

    private func checkKeys(after last: inout Int64, isIncluded: Bool) throws(RealmFileError) {
        for index in 0..<count {
            let key = try key(at: index)
            guard key > last || isIncluded && index == 0 && key == last else {
                throw RealmFileError(.damaged, "The keys of rows do not grow.", at: node.offset)
            }
            last = key
        }
    }
}
