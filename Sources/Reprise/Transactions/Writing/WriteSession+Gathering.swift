internal import RepriseLMDB
internal import RepriseLog

/// Entries that come to stand one behind the other (REL-17).
extension WriteSession {
    /// Keys that would leave less room than this between them are not given out.
    private static let gapMin: UInt64 = 16

    /// Moves groups of entries, each directly behind an entry that stays.
    ///
    /// - Returns: whether there is room for all; nothing is changed otherwise.
    func move(_ list: ListPlace, _ groups: [EntryGroup]) throws -> Bool {
        try requireOwner(list)
        let entries = try groups.map { try $0.entries.map { try find($0, in: list) } }
        var moving: Set<UInt64> = []
        for (group, found) in zip(groups, entries) {
            for (id, entry) in zip(group.entries, found)
            where !moving.insert(entry.orderKey).inserted {
                throw try namedTwice(id, list)
            }
        }
        // All is looked up before anything is moved.
        var moves: [(entry: ListEntry, key: UInt64)] = []
        var anchors: Set<UInt64?> = []
        for (group, found) in zip(groups, entries) {
            let low = try group.anchor.map { try find($0, in: list).orderKey }
            if let low, let anchor = group.anchor, moving.contains(low) {
                throw try namedTwice(anchor, list)
            }
            guard anchors.insert(low).inserted else {
                throw StoreError(
                    .invalidValue,
                    "Two groups of entries of \(try reference(list.owner)) come behind the same one.",
                    advice: "Make one group of them."
                )
            }
            let high = try firstStaying(behind: low, moving, list)
            if Self.stand(found, between: low, high) {
                continue
            }
            guard let keys = try keys(for: found, group.share, low, high, moving, list) else {
                return false
            }
            moves += zip(found, keys).map { ($0, $1) }
        }
        for (entry, key) in moves { try move(entry, list, to: key, cause: 0) }
        return true
    }

    private func namedTwice(_ id: EntryID, _ list: ListPlace) throws -> StoreError {
        StoreError(
            .invalidValue,
            "The entry \(id) of a list of \(try reference(list.owner)) is named twice.",
            advice: "Name each entry once, and those behind which others come not among them."
        )
    }

    private func firstStaying(
        behind low: UInt64?,
        _ moving: Set<UInt64>,
        _ list: ListPlace
    ) throws -> UInt64? {
        var high: UInt64?
        try workspace.forEachEntry(of: list.key, behind: low) { entry in
            if moving.contains(entry.orderKey) { return true }
            high = entry.orderKey
            return false
        }
        return high
    }

    /// Whether entries stand between two others, in their order.
    private static func stand(_ entries: [ListEntry], between low: UInt64?, _ high: UInt64?) -> Bool
    {
        guard let first = entries.first, let last = entries.last else { return true }
        return (low.map { $0 < first.orderKey } ?? true)
            && (high.map { last.orderKey < $0 } ?? true)
            && zip(entries, entries.dropFirst()).allSatisfy { $0.orderKey < $1.orderKey }
    }

    /// Free keys between two that stay; nil where there is no room.
    private func keys(
        for entries: [ListEntry],
        _ share: Int,
        _ low: UInt64?,
        _ high: UInt64?,
        _ moving: Set<UInt64>,
        _ list: ListPlace
    ) throws -> [UInt64]? {
        guard let high else {
            // Behind all, as though they were appended one after the other.
            var last = try workspace.lastOrderKey(of: list.key)
            var keys: [UInt64] = []
            for _ in entries {
                guard let key = OrderKey.after(last) else { return nil }
                keys.append(key)
                last = key
            }
            return keys
        }
        let bottom = low ?? OrderKey.below(high, share == .max ? share : share + 1)
        let (parts, overflow) = UInt64(share).addingReportingOverflow(1)
        let gap = overflow ? 0 : min(OrderKey.step, (high - bottom) / parts)
        guard gap >= Self.gapMin else { return nil }
        var keys: [UInt64] = []
        for number in 1...UInt64(entries.count) {
            var key = bottom + gap * number
            // What stands there is one of those that move, and goes only when this one has come.
            while moving.contains(key) { key += 1 }
            guard key < bottom + gap * (number + 1), key < high else { return nil }
            keys.append(key)
        }
        return keys
    }
}
