/// The places of all entries of a list (REL-15).
extension WriteSession {
    /// Gives the entries of a list the places that they would have had they been appended to an empty list one after
    /// the other.
    ///
    /// - Returns: how many have another place now.
    func respace(_ list: ListPlace) throws -> Int {
        try requireOwner(list)
        let moves = try moves(of: try workspace.entries(of: list.key))
        try move(moves, list)
        return moves.count
    }

    /// The same where nobody sees an order: in that of the UTF-8 bytes of the identifiers.
    func respaceByIdentifier(_ list: ListPlace) throws -> Int {
        try requireOwner(list)
        let entries = try workspace.entries(of: list.key)
        let sorted = entries.sorted { $0.target.lexicographicallyPrecedes($1.target) }
        let moves = try moves(of: sorted)
        if zip(sorted, sorted.dropFirst()).allSatisfy({ $0.orderKey < $1.orderKey }) {
            try move(moves, list)
            return moves.count
        }
        var standing = Dictionary(uniqueKeysWithValues: moves.map { ($0.entry.orderKey, $0) })
        var last = try moves.map(\.key).reduce(workspace.lastOrderKey(of: list.key) ?? 0, max)
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
                // They wait for each other until one steps aside, behind the list.
                last = try key(after: last)
                try move(first.entry, list, to: last, cause: 0)
                let (serial, target) = (first.entry.serial, first.entry.target)
                chain[0].entry = ListEntry(orderKey: last, serial: serial, target: target)
            }
            for link in chain.reversed() { try move(link.entry, list, to: link.key, cause: 0) }
        }
        return moves.count
    }

    /// Those of the entries that stand elsewhere than where they would have been appended in this order.
    private func moves(of entries: [ListEntry]) throws -> [(entry: ListEntry, key: UInt64)] {
        var moves: [(entry: ListEntry, key: UInt64)] = []
        var last: UInt64?
        for entry in entries {
            let key = try self.key(after: last)
            if key != entry.orderKey { moves.append((entry, key)) }
            last = key
        }
        return moves
    }

    private func key(after last: UInt64?) throws -> UInt64 {
        if let key = OrderKey.after(last) { return key }
        throw StoreError(
            .valueTooLarge,
            "The list has too many entries.",
            advice: "Split it into several."
        )
    }
}
