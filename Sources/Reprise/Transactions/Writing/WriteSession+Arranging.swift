/// Lists that are put into another order as a whole (REL-16).
extension WriteSession {
    /// Puts all entries of a list into an order. A longest run of entries that are in it already stays where it is;
    /// the others go to free places between those, before them and behind them, with one event each. Where there is
    /// no room for that, others get other places as well (REL-15).
    ///
    /// - Parameters:
    ///   - order: for each place the index in `present` of the entry that goes there, each once.
    ///   - present: the list as it is.
    /// - Complexity: O(n · log n).
    func arrange(_ list: ListPlace, _ order: [Int], among present: [ListEntry]) throws {
        let staying = LongestAscent.indices(of: order)
        if staying.count == order.count { return }
        let entries = order.map { present[$0] }
        guard let keys = Self.freeKeys(for: entries, staying: staying, among: present) else {
            return try permute(moves(of: entries), list)
        }
        // Nothing stands at any of these keys.
        for (entry, key) in zip(entries, keys) { try move(entry, list, to: key, cause: 0) }
    }

    /// The keys of entries in their new order. Those that stay keep theirs where the gaps between them have room for
    /// the others; nobody stands at any other of the keys. Nil where the whole list has no room.
    ///
    /// - Parameters:
    ///   - entries: nil where one is to be made.
    ///   - staying: the indices in `entries` of those that can stay, ascending, and with ascending keys.
    ///   - present: the list in the order that it has.
    static func freeKeys(
        for entries: [ListEntry?],
        staying: [Int],
        among present: [ListEntry]
    ) -> [UInt64]? {
        guard let first = present.first, let last = present.last,
            let firstStaying = staying.first, let lastStaying = staying.last
        else { return [] }
        var keys = entries.map { $0?.orderKey ?? 0 }
        // As entries that are put before the list, and behind it, one after the other.
        var end = first.orderKey
        for place in (0..<firstStaying).reversed() {
            guard let key = OrderKey.before(end) ?? OrderKey.between(0, end) else { return nil }
            keys[place] = key
            end = key
        }
        end = last.orderKey
        for place in (lastStaying + 1)..<entries.count {
            guard let key = OrderKey.after(end) ?? OrderKey.between(end, .max) else { return nil }
            keys[place] = key
            end = key
        }
        let taken = Set(entries.lazy.compactMap { $0?.orderKey })
        var settled = 0
        while settled < staying.count - 1 {
            if staying[settled + 1] - staying[settled] == 1 {
                settled += 1
            } else if let next = settle(&keys, staying, gap: settled, notAmong: taken) {
                settled = next
            } else {
                return nil
            }
        }
        return keys
    }

    /// Finds keys for what comes into a gap. Where it has no room, entries at both of its sides get other keys too: as
    /// few as leave room, by twice as many each time.
    ///
    /// - Parameters:
    ///   - keys: ascending up to the gap.
    ///   - gap: the index in `staying` of the entry before it.
    /// - Returns: the index in `staying` of the first entry behind them; nil where there is no room.
    private static func settle(
        _ keys: inout [UInt64],
        _ staying: [Int],
        gap: Int,
        notAmong taken: Set<UInt64>
    ) -> Int? {
        var (first, last) = (gap, gap + 1)
        var width = 16
        while true {
            let (low, high) = (staying[first], staying[last])
            if let found = keysBetween(keys[low], keys[high], count: high - low - 1, notAmong: taken) {
                keys.replaceSubrange((low + 1)..<high, with: found)
                return last
            }
            if first == 0, last == staying.count - 1 { return nil }
            first = max(0, gap - width)
            last = min(staying.count - 1, gap + 1 + width)
            width *= 2
        }
    }

    /// Keys in a gap between two entries that stay, evenly spread but for those that others stand at.
    private static func keysBetween(
        _ low: UInt64,
        _ high: UInt64,
        count: Int,
        notAmong taken: Set<UInt64>
    ) -> [UInt64]? {
        var keys = OrderKey.spread(count, between: low, high)
        // One alone takes the middle, as it does when it is moved by itself.
        if keys == nil, count == 1 { keys = OrderKey.between(low, high).map { [$0] } }
        guard var keys else { return nil }
        for place in keys.indices {
            let bound = place + 1 < keys.count ? keys[place + 1] : high
            while taken.contains(keys[place]) {
                keys[place] += 1
                if keys[place] == bound { return nil }
            }
        }
        return keys
    }
}
