package import Reprise

/// Stretches of the log, sorted and apart from each other: what one source's migrations wrote.
package struct PositionRanges: Sendable, Equatable {
    private(set) var ranges: [ClosedRange<UInt64>] = []

    init() {}

    init(_ ranges: some Sequence<ClosedRange<UInt64>>) {
        for range in ranges { insert(range) }
    }

    var isEmpty: Bool { ranges.isEmpty }

    /// Whether a position is in one of the stretches. O(log stretches).
    package func contains(_ position: Position) -> Bool {
        let index = firstIndex(endingAtOrAfter: position.rawValue)
        return index < ranges.count && ranges[index].lowerBound <= position.rawValue
    }

    /// Whether all positions of a stretch are in the same one. O(log stretches).
    func contains(_ range: ClosedRange<Position>) -> Bool {
        let index = firstIndex(endingAtOrAfter: range.upperBound.rawValue)
        return index < ranges.count && ranges[index].lowerBound <= range.lowerBound.rawValue
    }

    /// The last position in one of the stretches that is before another one; the origin where there is none. O(log
    /// stretches).
    func last(before position: UInt64) -> Position {
        let index = firstIndex(endingAtOrAfter: position)
        if index < ranges.count, ranges[index].lowerBound < position {
            return Position(rawValue: position - 1)
        }
        return index == 0 ? .origin : Position(rawValue: ranges[index - 1].upperBound)
    }

    /// Adds a stretch; those that touch or overlap become one.
    mutating func insert(_ range: ClosedRange<UInt64>) {
        let low = firstIndex(endingAtOrAfter: range.lowerBound == 0 ? 0 : range.lowerBound - 1)
        var merged = range
        var high = low
        while high < ranges.count, ranges[high].lowerBound <= range.upperBound &+ 1 {
            merged =
                min(
                    merged.lowerBound,
                    ranges[high].lowerBound
                )...max(
                    merged.upperBound,
                    ranges[high].upperBound
                )
            high += 1
        }
        ranges.replaceSubrange(low..<high, with: [merged])
    }

    mutating func insert(_ other: PositionRanges) {
        for range in other.ranges { insert(range) }
    }

    private func firstIndex(endingAtOrAfter position: UInt64) -> Int {
        var low = 0
        var high = ranges.count
        while low < high {
            let middle = (low + high) / 2
            if ranges[middle].upperBound < position { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
