internal import RepriseLMDB
internal import RepriseLog

/// The gaps of lists between entries that two stores both have at the same place.
///
/// What lies in such a gap, one of the two has put there or taken away. So both see the same gaps.
struct SharedGaps {
    private struct Gap {
        let before: UInt64?
        let behind: UInt64?

        func contains(_ orderKey: UInt64) -> Bool {
            (before.map { $0 < orderKey } ?? true) && (behind.map { orderKey < $0 } ?? true)
        }
    }

    /// How many entries lie in a gap that is remembered: it would take long to find it again for each of them.
    private static let wideCount = 4
    /// How many gaps are remembered at most.
    private static let knownCountMax = 1 << 16

    private let ours: Workspace
    private let theirs: Workspace
    private let numbers: Renumbering?
    private let serials: ArrivingEntries
    /// Wide gaps, ascending.
    private var known: [ListKey: [Gap]] = [:]
    private var knownCount = 0

    /// - Parameters:
    ///   - ours: the state of this store.
    ///   - theirs: that of the other one.
    ///   - numbers: what the numbers of the other store are in this one; nil where they are the same.
    ///   - serials: says which entries of the two stores are the same.
    init(ours: Workspace, theirs: Workspace, numbers: Renumbering?, serials: ArrivingEntries) {
        (self.ours, self.theirs, self.numbers, self.serials) = (ours, theirs, numbers, serials)
    }

    /// Between which shared entries a place lies. O(entries in the gap · log n), and O(log n) where that is known.
    ///
    /// - Parameters:
    ///   - orderKey: a place in the list as theirs has it.
    ///   - list: the list, with the number that its relationship has in this store.
    mutating func neighbours(of orderKey: UInt64, in list: ListKey) throws -> ListNeighbours {
        let gap = try gap(around: orderKey, in: list)
        return ListNeighbours(list: list, orderKey: orderKey, before: gap.before, behind: gap.behind)
    }

    private mutating func gap(around orderKey: UInt64, in list: ListKey) throws -> Gap {
        if let gaps = known[list] {
            let next = gaps.partitioningIndex { $0.before ?? 0 >= orderKey }
            if next > 0, gaps[next - 1].contains(orderKey) { return gaps[next - 1] }
        }
        // Nothing is shared where ours has nothing.
        if try ours.forEachEntry(of: list, { _ in false }) { return Gap(before: nil, behind: nil) }
        let own = own(list)
        var count = 0
        var before = try theirs.lastOrderKey(of: own, before: orderKey)
        while let place = before, let entry = try theirs.entry(of: own, at: place), try !isShared(entry, in: list) {
            count += 1
            before = try theirs.lastOrderKey(of: own, before: place)
        }
        var behind: UInt64?
        try theirs.forEachEntry(of: own, behind: orderKey) { entry in
            if try isShared(entry, in: list) {
                behind = entry.orderKey
                return false
            }
            count += 1
            return true
        }
        let gap = Gap(before: before, behind: behind)
        // Beside a shared entry lie two gaps, and none around it.
        if count >= Self.wideCount, try !isShared(orderKey, in: list) { remember(gap, in: list) }
        return gap
    }

    private mutating func remember(_ gap: Gap, in list: ListKey) {
        if knownCount == Self.knownCountMax {
            known.removeAll(keepingCapacity: true)
            knownCount = 0
        }
        knownCount += 1
        var gaps = known.removeValue(forKey: list) ?? []
        gaps.insert(gap, at: gaps.partitioningIndex { $0.before ?? 0 > gap.before ?? 0 })
        known[list] = gaps
    }

    /// The list with the number that its relationship has in the other store.
    private func own(_ list: ListKey) -> ListKey {
        ListKey(relation: numbers?.theirRelation(list.relation) ?? list.relation, id: list.id)
    }

    private func isShared(_ orderKey: UInt64, in list: ListKey) throws -> Bool {
        guard let entry = try theirs.entry(of: own(list), at: orderKey) else { return false }
        return try isShared(entry, in: list)
    }

    private func isShared(_ entry: ListEntry, in list: ListKey) throws -> Bool {
        guard let other = try ours.entry(of: list, at: entry.orderKey), other.target == entry.target else {
            return false
        }
        return try serials.isSame(other.serial, entry.serial)
    }
}
