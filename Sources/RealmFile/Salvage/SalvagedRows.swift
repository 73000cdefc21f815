/// The rows of a class that are whole.
struct SalvagedClass {
    let source: NodeSource
    /// In the order of their keys, with gaps where rows are lost.
    var leaves = SalvagedLeaves()

    init(_ source: NodeSource) {
        self.source = source
    }

    var wholeCount: Int { leaves.wholeCount }

    func key(ofRow row: Int, inLeaf index: Int) throws(RealmFileError) -> Int64 {
        try leaves[index].key(at: row, source)
    }

    /// Where a row that is whole lies; nil for every other one.
    ///
    /// - Complexity: O(log rows).
    func place(ofKey key: Int64) -> (leaf: Int, row: Int)? {
        var low = 0
        var high = leaves.count
        while low < high {
            let middle = (low + high) / 2
            if leaves[middle].lastKey < key { low = middle + 1 } else { high = middle }
        }
        guard low < leaves.count else { return nil }
        let leaf = leaves[low]
        guard let row = leaf.row(ofKey: key, source), leaf.whole.contains(row) else { return nil }
        return (low, row)
    }
}

/// A link by what it leads from and to.
struct LinkIdentity: Hashable {
    let column: LinkColumn
    let origin: Int64
    let targetClass: Int
    let target: Int64
}

/// A property of links, by its class and what it is named in the file.
struct LinkColumn: Hashable {
    let classIndex: Int
    let columnKey: Int64
}

/// What is whole of a damaged file.
final class SalvagedRows: @unchecked Sendable {
    // Unchecked: set before `init` returns, and only read from then on. The arrays that are pointed to live as long as
    // the source.
    private let source: NodeSource
    let classes: [SalvagedClass]
    /// Links that only one of their ends knows of.
    private let doubtful: DoubtfulLinks
    /// Classes whose objects have other numbers than links know: builds of realm-core for its own tests write such.
    private let renumbered: Set<Int>
    private let wholeCounts: [Int]

    init(
        _ source: NodeSource,
        _ classes: [SalvagedClass],
        renumbered: Set<Int>,
        doubtful: DoubtfulLinks
    ) {
        self.renumbered = renumbered
        self.source = source
        self.classes = classes
        self.doubtful = doubtful
        wholeCounts = classes.map(\.wholeCount)
    }

    func wholeCount(ofClass index: Int) -> Int { wholeCounts[index] }

    func isWhole(_ link: RealmLink) -> Bool {
        classes.indices.contains(link.classIndex)
            && classes[link.classIndex].place(ofKey: link.key) != nil
    }

    /// Why a link is not handed on; nil where it is.
    enum Refusal {
        case target
        case doubt
    }

    func refusal(_ link: RealmLink, from origin: Int64, _ column: LinkColumn) -> Refusal? {
        if !renumbered.isEmpty, renumbered.contains(link.classIndex) { return nil }
        guard classes.indices.contains(link.classIndex),
            let place = classes[link.classIndex].place(ofKey: link.key)
        else { return .target }
        // What targets know of links from objects with other numbers, is not what these are.
        guard !doubtful.isEmpty, !renumbered.contains(column.classIndex) else { return nil }
        let identity = LinkIdentity(
            column: column,
            origin: origin,
            targetClass: link.classIndex,
            target: link.key
        )
        return doubtful.contains(identity, inLeaf: place.leaf) ? .doubt : nil
    }
}
