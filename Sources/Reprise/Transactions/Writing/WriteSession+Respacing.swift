/// Other places for many entries of a list (REL-15).
extension WriteSession {
    /// Moves entries to keys in any order, of which some may be those of others that move, so that no two ever stand
    /// in the same place. O(entries that move); where entries wait for each other's places one of them moves twice.
    func permute(_ moves: [(entry: ListEntry, key: UInt64)], _ list: ListPlace) throws {
        var standing = Dictionary(uniqueKeysWithValues: moves.map { ($0.entry.orderKey, $0) })
        let aside = try freeKey(in: list, notAmong: moves)
        for first in moves where standing[first.entry.orderKey] != nil {
            // Before it those go that stand where it is to be, and where these are to be.
            var chain = [first]
            var place = first.key
            while let next = standing[place], place != first.entry.orderKey {
                chain.append(next)
                place = next.key
            }
            for link in chain { standing[link.entry.orderKey] = nil }
            if place == first.entry.orderKey {
                // They wait for each other until one steps aside.
                try move(first.entry, list, to: aside, cause: 0)
                let (serial, target) = (first.entry.serial, first.entry.target)
                chain[0].entry = ListEntry(orderKey: aside, serial: serial, target: target)
            }
            for link in chain.reversed() { try move(link.entry, list, to: link.key, cause: 0) }
        }
    }

    /// A key at which nobody stands nor is to stand: behind the list, as long as there is room.
    private func freeKey(
        in list: ListPlace,
        notAmong moves: [(entry: ListEntry, key: UInt64)]
    ) throws -> UInt64 {
        let last = try moves.map(\.key).reduce(workspace.lastOrderKey(of: list.key) ?? 0, max)
        if let key = OrderKey.after(last) { return key }
        let wanted = Set(moves.map(\.key))
        var key = UInt64.max
        while try wanted.contains(key) || workspace.entry(of: list.key, at: key) != nil { key -= 1 }
        return key
    }

    /// Those of the entries that stand elsewhere than where they would have been appended in this order.
    func moves(of entries: [ListEntry]) throws -> [(entry: ListEntry, key: UInt64)] {
        var moves: [(entry: ListEntry, key: UInt64)] = []
        var last: UInt64?
        for entry in entries {
            let key = try self.key(after: last)
            if key != entry.orderKey { moves.append((entry, key)) }
            last = key
        }
        return moves
    }

    func key(after last: UInt64?) throws -> UInt64 {
        if let key = OrderKey.after(last) { return key }
        throw StoreError(
            .valueTooLarge,
            "The list has too many entries.",
            advice: "Split it into several."
        )
    }
}
