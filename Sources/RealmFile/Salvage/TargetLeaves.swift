/// Numbers for the leaves that links lead to by a property: several may have the same, if there are many, so that what
/// is kept of each is bounded.
struct TargetLeaves {
    private static let countMin = 1 << 10
    /// How many bytes of the file there are for each.
    private static let byteCountOfEach = 64

    let count: Int

    /// - Parameters:
    ///   - leafCount: how many leaves all classes have.
    ///   - byteCount: the size of the file.
    init(leafCount: Int, in byteCount: Int) {
        let most = max(Self.countMin, byteCount / Self.byteCountOfEach)
        var count = Self.countMin
        // Twice as many numbers as leaves: there is often more than one property that leads to a leaf.
        while count < 2 * leafCount, 2 * count <= most { count *= 2 }
        self.count = count
    }

    func number(ofLeaf leaf: Int, in targetClass: Int, by column: LinkColumn) -> Int {
        let classes = column.classIndex << 17 | targetClass
        let hash = Examination.sum(column.columnKey, classes, Int64(leaf))
        return Int(hash & UInt64(count - 1))
    }
}

/// The links that only one of their ends knows of, or not as often as the other.
struct DoubtfulLinks {
    /// One by one.
    var links: Set<LinkIdentity> = []
    /// All that lead to some leaves: where they are so many that they are not told from each other.
    var leaves: UnitSet?
    /// Of `leaves`.
    var numbers: TargetLeaves?

    var isEmpty: Bool { links.isEmpty && leaves == nil }

    /// - Parameter leaf: where the target lies.
    func contains(_ link: LinkIdentity, inLeaf leaf: Int) -> Bool {
        if let leaves, let numbers {
            let number = numbers.number(ofLeaf: leaf, in: link.targetClass, by: link.column)
            return leaves.contains(number)
        }
        return links.contains(link)
    }
}
