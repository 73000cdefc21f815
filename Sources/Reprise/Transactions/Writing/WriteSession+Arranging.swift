/// Lists that are put into another order as a whole (REL-16).
extension WriteSession {
    /// Puts all entries of a list into an order. A longest run of entries that are in it already stays where it is;
    /// the others go to free places between those, before them and behind them, with one event each. Where there is
    /// no room for that, all get the places that they would have had they been appended in this order.
    ///
    /// - Returns: how many have another place now.
    /// - Complexity: O(n · log n).
    func arrange(_ list: ListPlace, _ ids: [EntryID]) throws -> Int {
        try requireOwner(list)
        let present = try workspace.entries(of: list.key)
        let wanted = try indices(of: ids, among: present, list)
        let staying = LongestAscent.indices(of: wanted)
        if staying.count == wanted.count { return 0 }
        let entries = wanted.map { present[$0] }
        guard let keys = Self.freeKeys(for: entries, staying: staying, among: present) else {
            let moves = try moves(of: entries)
            try permute(moves, list)
            return moves.count
        }
        // Nothing stands at any of these keys.
        for (entry, key) in zip(entries, keys) { try move(entry, list, to: key, cause: 0) }
        return wanted.count - staying.count
    }

    /// Where each entry stands in the list; each of the list's must be named once.
    private func indices(
        of ids: [EntryID],
        among present: [ListEntry],
        _ list: ListPlace
    ) throws -> [Int] {
        var places: [EntryID: Int] = [:]
        places.reserveCapacity(present.count)
        for (index, entry) in present.enumerated() { places[EntryID(entry)] = index }
        var isNamed = [Bool](repeating: false, count: present.count)
        let indices = try ids.map { id in
            guard let index = places[id] else { throw try missingEntry(id, list) }
            if isNamed[index] {
                throw StoreError(
                    .invalidValue,
                    "The entry \(id) is named twice in the new order of a list of \(try reference(list.owner)).",
                    advice: "Name each entry of the list once."
                )
            }
            isNamed[index] = true
            return index
        }
        guard let index = isNamed.firstIndex(of: false) else { return indices }
        let id = EntryID(present[index])
        throw StoreError(
            .invalidValue,
            "The new order of a list of \(try reference(list.owner)) leaves out \(id) and perhaps others.",
            advice: "Name each entry of the list once; unlink those that are to go."
        )
    }

    /// The keys of entries in their new order, of which some stay; nobody stands at any of the others. Nil where a gap
    /// has no room.
    ///
    /// - Parameters:
    ///   - entries: nil where one is to be made.
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
        for (low, high) in zip(staying, staying.dropFirst()) where high - low > 1 {
            let gap = keysBetween(keys[low], keys[high], count: high - low - 1, notAmong: taken)
            guard let gap else { return nil }
            keys.replaceSubrange((low + 1)..<high, with: gap)
        }
        return keys
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
