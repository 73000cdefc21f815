/// How a list becomes another one with as few changes as possible: which of its elements stay, which move, and which
/// are new.
enum ListAlignment {
    /// With more pairs of an old and a new element that are equal, repeats are matched in their order.
    static let pairCountMax = 1 << 20

    /// For each new element the place of the old one that becomes it; nil where there is none left.
    ///
    /// Those that become an equal element without leaving their order are a longest common subsequence (Hunt, Szymanski
    /// 1977). Further old elements become what equals them elsewhere.
    ///
    /// - Complexity: O(p log p + n) for p pairs of equal elements, `pairCountMax` at most.
    static func sources(of new: [[UInt8]], among old: [[UInt8]]) -> [Int?] {
        var places: [[UInt8]: [Int]] = [:]
        for (place, element) in old.enumerated() { places[element, default: []].append(place) }
        let candidates = new.map { places[$0] ?? [] }
        var sources = [Int?](repeating: nil, count: new.count)
        var isTaken = [Bool](repeating: false, count: old.count)
        if candidates.reduce(0, { $0 + $1.count }) <= pairCountMax {
            // Of the places of one new element, which descend, an ascent takes one at most.
            let pairs = candidates.enumerated().flatMap { index, places in
                places.reversed().map { (new: index, old: $0) }
            }
            for pair in LongestAscent.indices(of: pairs.map(\.old)).map({ pairs[$0] }) {
                sources[pair.new] = pair.old
                isTaken[pair.old] = true
            }
        }
        var triedCounts: [[UInt8]: Int] = [:]
        for index in new.indices where sources[index] == nil {
            var tried = triedCounts[new[index], default: 0]
            while tried < candidates[index].count, isTaken[candidates[index][tried]] { tried += 1 }
            if tried < candidates[index].count {
                sources[index] = candidates[index][tried]
                tried += 1
            }
            triedCounts[new[index]] = tried
        }
        return sources
    }
}
