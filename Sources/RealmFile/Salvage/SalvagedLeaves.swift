/// Rows that lie together, and which of them are whole.
///
/// Small, because a file has many: where the rows lie is read again when they are needed.
struct SalvagedLeaf {
    let firstKey: Int64
    let lastKey: Int64
    var whole: RowSet
    /// Where the leaf lies; nothing before version 10, where rows are numbered.
    private let reference: Int
    private let rowCount: UInt16

    /// Rows from version 10 on.
    init(_ cluster: Cluster) throws(RealmFileError) {
        reference = cluster.node.offset
        rowCount = UInt16(clamping: cluster.count)
        firstKey = try cluster.key(at: 0)
        lastKey = try cluster.key(at: cluster.count - 1)
        whole = RowSet(first: cluster.count)
    }

    /// Numbered rows.
    init(_ rows: Range<Int>, _ whole: RowSet) {
        reference = 0
        rowCount = UInt16(clamping: rows.count)
        firstKey = Int64(rows.lowerBound)
        lastKey = Int64(rows.upperBound - 1)
        self.whole = whole
    }

    var keys: ClosedRange<Int64> { firstKey...lastKey }

    /// Whether no number lies between the first key and the last one that is none: keys grow.
    private var isDense: Bool { lastKey &- firstKey == Int64(rowCount) - 1 }

    /// Nil where rows are numbered.
    func cluster(_ source: NodeSource) throws(RealmFileError) -> Cluster? {
        guard reference != 0 else { return nil }
        let node = try source.references(at: reference)
        let first = try Cluster(node, source, keyOffset: 0).key(at: 0)
        return try Cluster(node, source, keyOffset: firstKey &- first)
    }

    func key(at row: Int, _ source: NodeSource) throws(RealmFileError) -> Int64 {
        guard !isDense, let cluster = try cluster(source) else { return firstKey &+ Int64(row) }
        return try cluster.key(at: row)
    }

    func row(ofKey key: Int64, _ source: NodeSource) -> Int? {
        guard keys.contains(key) else { return nil }
        if isDense { return Int(key &- firstKey) }
        return (try? cluster(source)?.index(ofKey: key)) ?? nil
    }
}

/// The leaves of a class, in the order of their keys.
///
/// In pieces, because an array that grows takes up to three times what it holds.
struct SalvagedLeaves {
    private static let pieceCount = 1024

    private var pieces: [[SalvagedLeaf]] = []
    /// Of numbered rows this is all that has to be kept.
    private var numbered: [RowSet] = []
    private var rowCount = 0
    private(set) var count = 0

    init() {}

    /// Numbered rows.
    init(rowCount: Int) {
        self.rowCount = rowCount
        count = (rowCount + Cluster.rowCountMax - 1) / Cluster.rowCountMax
        numbered.reserveCapacity(count)
        for index in 0..<count {
            let rest = rowCount - index * Cluster.rowCountMax
            numbered.append(RowSet(first: min(Cluster.rowCountMax, rest)))
        }
    }

    subscript(_ index: Int) -> SalvagedLeaf {
        guard numbered.isEmpty else {
            let start = index * Cluster.rowCountMax
            let end = min(start + Cluster.rowCountMax, rowCount)
            return SalvagedLeaf(start..<end, numbered[index])
        }
        return pieces[index / Self.pieceCount][index % Self.pieceCount]
    }

    mutating func append(_ leaf: SalvagedLeaf) {
        if count % Self.pieceCount == 0 { pieces.append([]) }
        pieces[pieces.count - 1].append(leaf)
        count += 1
    }

    /// Returns whether the row was whole.
    @discardableResult
    mutating func remove(_ row: Int, ofLeaf index: Int) -> Bool {
        guard numbered.isEmpty else { return numbered[index].remove(row) }
        return pieces[index / Self.pieceCount][index % Self.pieceCount].whole.remove(row)
    }

    var wholeCount: Int {
        var sum = 0
        for index in 0..<count { sum += self[index].whole.count }
        return sum
    }

    func allSatisfy(_ condition: (SalvagedLeaf) -> Bool) -> Bool {
        for index in 0..<count where !condition(self[index]) { return false }
        return true
    }
}
