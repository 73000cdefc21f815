/// The places of all entries of a list (REL-15).
extension WriteSession {
    /// Gives the entries of a list the places that they would have had they been appended to an empty list one after
    /// the other.
    ///
    /// - Parameter limit: how many may get another place: of those that go down the first ones, then of those that go
    ///   up the last ones, so that the order stays.
    /// - Returns: how many have another place now.
    func respace(_ list: ListPlace, atMost limit: Int) throws -> Int {
        try requireOwner(list)
        var down: [(entry: ListEntry, key: UInt64)] = []
        var up: [(entry: ListEntry, key: UInt64)] = []
        var last: UInt64?
        try workspace.forEachEntry(of: list.key) { entry in
            let key = try self.key(after: last)
            last = key
            if key < entry.orderKey {
                down.append((entry, key))
            } else if key > entry.orderKey {
                if up.count / 2 >= limit { up.removeFirst(limit) }
                up.append((entry, key))
            }
            return down.count < limit
        }
        if down.count < limit { down += up.suffix(limit - down.count) }
        try move(down, list)
        return down.count
    }

    /// The same where nobody sees an order: in that of the UTF-8 bytes of the identifiers.
    ///
    /// - Parameter limit: how many may get another place, where there are more.
    func respaceByIdentifier(_ list: ListPlace, atMost limit: Int) throws -> Int {
        try requireOwner(list)
        let standing = try identifierOrder(of: list)
        if standing.isAscending { return try respace(list, atMost: limit) }
        if standing.count > limit { return try appendByIdentifier(list, standing, atMost: limit) }
        let entries = try workspace.entries(of: list.key)
        let moves = try moves(
            of: entries.sorted { $0.target.lexicographicallyPrecedes($1.target) }
        )
        try permute(moves, list)
        return moves.count
    }

    /// How the entries of a list stand to the order of their identifiers.
    private struct IdentifierOrder {
        var count = 0
        var isAscending = true
        /// The last identifier of the list, where the end of the list is the beginning of that order.
        var lastInOrder: [UInt8]?
    }

    private func identifierOrder(of list: ListPlace) throws -> IdentifierOrder {
        var order = IdentifierOrder()
        var last: [UInt8] = []
        // The least identifier before the last stretch that ascends.
        var leastBefore: [UInt8]?
        var leastHere: [UInt8] = []
        try workspace.forEachEntry(of: list.key) { entry in
            if order.count == 0 {
                leastHere = entry.target
            } else if !last.lexicographicallyPrecedes(entry.target) {
                order.isAscending = false
                let isLess = leastBefore.map { leastHere.lexicographicallyPrecedes($0) } ?? true
                if isLess { leastBefore = leastHere }
                leastHere = entry.target
            }
            last = entry.target
            order.count += 1
            return true
        }
        if let leastBefore, last.lexicographicallyPrecedes(leastBefore) { order.lastInOrder = last }
        return order
    }

    /// Moves entries to the end of their list, the least identifiers first, behind those that stand there already in
    /// this order. In the end all are in it.
    private func appendByIdentifier(
        _ list: ListPlace,
        _ standing: IdentifierOrder,
        atMost limit: Int
    ) throws -> Int {
        var least: [ListEntry] = []
        func cut() {
            least.sort { $0.target.lexicographicallyPrecedes($1.target) }
            least.removeLast(max(0, least.count - limit))
        }
        var last: UInt64?
        try workspace.forEachEntry(of: list.key) { entry in
            last = entry.orderKey
            if let done = standing.lastInOrder, !done.lexicographicallyPrecedes(entry.target) {
                return true
            }
            least.append(entry)
            if least.count / 2 >= limit { cut() }
            return true
        }
        cut()
        for entry in least {
            let key = try key(after: last)
            try move(entry, list, to: key, cause: 0)
            last = key
        }
        if least.count == limit { return limit }
        return try least.count + respace(list, atMost: limit - least.count)
    }

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
