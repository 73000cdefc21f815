internal import RepriseLog

/// How a list becomes the one that an export says, with as few moves as possible.
struct IntakeAlignment {
    /// For each wanted member which entry becomes it; nil for a new one.
    let sources: [Int?]
    /// Which of the wanted members stay where they are among each other.
    let stays: [Bool]
    /// Which entries become wanted members.
    let isTaken: [Bool]

    init(of wanted: [[UInt8]], among present: [ListEntry]) {
        sources =
            present.isEmpty
            ? [Int?](repeating: nil, count: wanted.count)
            : ListAlignment.sources(of: wanted, among: present.map(\.target))
        stays = Self.staying(sources)
        var isTaken = [Bool](repeating: false, count: present.count)
        for case let source? in sources { isTaken[source] = true }
        self.isTaken = isTaken
    }

    /// All entries as they are, and new ones behind them.
    init(appending count: Int, to present: [ListEntry]) {
        sources = present.indices.map { $0 } + [Int?](repeating: nil, count: count)
        stays = present.map { _ in true } + [Bool](repeating: false, count: count)
        isTaken = [Bool](repeating: true, count: present.count)
    }

    /// Which places ascend with their sources.
    private static func staying(_ sources: [Int?]) -> [Bool] {
        var stays = [Bool](repeating: false, count: sources.count)
        let known = sources.indices.filter { sources[$0] != nil }
        for place in LongestAscent.indices(of: known.compactMap { sources[$0] }) { stays[known[place]] = true }
        return stays
    }

    /// Whether no member is new and none moves.
    var isUnmoved: Bool { !stays.contains(false) }

    /// Where members stand in the end.
    struct Places {
        /// For each wanted member; nil for one that stays.
        var keys: [UInt64?]
        /// Other places of entries that are not wanted, to make room.
        var moves: [(index: Int, key: UInt64)] = []
    }

    /// Finds places: what is moved or new goes directly behind the wanted member before it, to the front where there is
    /// none, or to the end of the list where all that stays comes before.
    ///
    /// - Parameter leaving: the entries that go.
    func places(among present: [ListEntry], leaving: Set<Int>) -> Places {
        var places = Places(keys: [UInt64?](repeating: nil, count: sources.count))
        if isUnmoved { return places }
        let moving = Set(sources.indices.filter { !stays[$0] }.compactMap { sources[$0] })
        let lastStaying = present.indices.last { !leaving.contains($0) && !moving.contains($0) }
        var index = 0
        // The entry behind which the next one goes.
        var before = -1
        while index < sources.count {
            if stays[index], let source = sources[index] {
                before = source
                index += 1
                continue
            }
            let start = index
            while index < sources.count, !stays[index] { index += 1 }
            let isAtEnd = before >= lastStaying ?? -1
            guard let keys = Self.keys(index - start, behind: before, isAtEnd: isAtEnd, present) else {
                return respaced(among: present)
            }
            for (place, key) in zip(start..<index, keys) { places.keys[place] = key }
        }
        return places
    }

    private static func keys(_ count: Int, behind before: Int, isAtEnd: Bool, _ present: [ListEntry]) -> [UInt64]? {
        guard isAtEnd else {
            let high = present[before + 1].orderKey
            let low = before < 0 ? OrderKey.below(high, count + 1) : present[before].orderKey
            return OrderKey.spread(count, between: low, high)
        }
        var last = present.last?.orderKey
        var keys: [UInt64] = []
        keys.reserveCapacity(count)
        for _ in 0..<count {
            guard let next = OrderKey.after(last) else { return nil }
            keys.append(next)
            last = next
        }
        return keys
    }

    /// New places for all, where a gap is too narrow.
    private func respaced(among present: [ListEntry]) -> Places {
        var places = Places(keys: [UInt64?](repeating: nil, count: sources.count))
        var following: [Int: [Int]] = [:]
        var stayOf: [Int: Int] = [:]
        var last = -1
        for index in sources.indices {
            if stays[index], let source = sources[index] {
                last = source
                stayOf[source] = index
            } else {
                following[last, default: []].append(index)
            }
        }
        var key = OrderKey.first
        func next() -> UInt64 {
            defer { key += OrderKey.step }
            return key
        }
        for index in following[-1] ?? [] { places.keys[index] = next() }
        for entry in present.indices {
            if let index = stayOf[entry] {
                places.keys[index] = next()
            } else if !isTaken[entry] {
                places.moves.append((entry, next()))
            }
            for index in following[entry] ?? [] { places.keys[index] = next() }
        }
        return places
    }
}
