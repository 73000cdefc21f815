/// A bit for every eight bytes of a file.
struct UnitSet {
    private var words: [UInt64]

    /// - Parameter byteCount: the size of the file.
    init(byteCount: Int) {
        words = Array(repeating: 0, count: byteCount / 512 + 1)
    }

    func contains(_ unit: Int) -> Bool {
        words[unit / 64] >> UInt64(unit % 64) & 1 == 1
    }

    mutating func insert(_ range: Range<Int>) {
        Self.forEachMask(range) { word, mask in
            words[word] |= mask
            return true
        }
    }

    func intersects(_ range: Range<Int>) -> Bool {
        var isFound = false
        Self.forEachMask(range) { word, mask in
            isFound = words[word] & mask != 0
            return !isFound
        }
        return isFound
    }

    func containsAll(of range: Range<Int>) -> Bool {
        var isMissed = false
        Self.forEachMask(range) { word, mask in
            isMissed = words[word] & mask != mask
            return !isMissed
        }
        return !isMissed
    }

    mutating func formUnionOfCommon(_ first: UnitSet, _ second: UnitSet) {
        for index in words.indices { words[index] |= first.words[index] & second.words[index] }
    }

    private static func forEachMask(_ range: Range<Int>, _ body: (Int, UInt64) -> Bool) {
        var unit = range.lowerBound
        while unit < range.upperBound {
            let shift = unit % 64
            let count = min(64 - shift, range.upperBound - unit)
            let ones: UInt64 = count == 64 ? .max : (1 << UInt64(count)) - 1
            guard body(unit / 64, ones << UInt64(shift)) else { return }
            unit += count
        }
    }
}
