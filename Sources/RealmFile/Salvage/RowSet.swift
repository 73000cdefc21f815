/// Some of up to 256 rows that lie together.
struct RowSet {
    private var words: (UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0)

    /// The first rows.
    init(first count: Int) {
        for row in 0..<min(count, Cluster.rowCountMax) {
            change(row / 64, word(row / 64) | 1 << UInt64(row % 64))
        }
    }

    var isEmpty: Bool { words.0 | words.1 | words.2 | words.3 == 0 }

    var count: Int {
        words.0.nonzeroBitCount + words.1.nonzeroBitCount + words.2.nonzeroBitCount
            + words.3.nonzeroBitCount
    }

    func contains(_ row: Int) -> Bool { word(row / 64) >> UInt64(row % 64) & 1 == 1 }

    /// Returns whether the row was one of them.
    @discardableResult
    mutating func remove(_ row: Int) -> Bool {
        guard contains(row) else { return false }
        change(row / 64, word(row / 64) & ~(1 << UInt64(row % 64)))
        return true
    }

    mutating func removeAll() { words = (0, 0, 0, 0) }

    private func word(_ index: Int) -> UInt64 {
        switch index {
        case 0: words.0
        case 1: words.1
        case 2: words.2
        case 3: words.3
        default: 0
        }
    }

    private mutating func change(_ index: Int, _ word: UInt64) {
        switch index {
        case 0: words.0 = word
        case 1: words.1 = word
        case 2: words.2 = word
        case 3: words.3 = word
        default: break
        }
    }
}
