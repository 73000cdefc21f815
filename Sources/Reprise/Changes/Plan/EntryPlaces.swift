internal import RepriseLMDB
internal import RepriseLog

/// The entries of many-to-many lists that leave their places by a plan, and those that come to places: owner by owner,
/// list by list and place by place. One that moves does both.
struct EntryPlaces {
    private static let memoryByteCount = 24 << 20

    let leaving: PlanEntries
    let coming: PlanEntries
    private let workspace: Workspace

    /// Gives an entry whose place another one keeps, or comes to as well, the next free place.
    ///
    /// - Parameter consequences: entries that leave without being of the plan.
    /// - Returns: nil where there is no room for that between two others.
    /// - Complexity: O(n log n) of the entries that come, go or move.
    init?(
        _ plan: ChangePlan,
        _ consequences: PlanEntries,
        _ workspace: Workspace,
        _ makeFile: @escaping () throws(LMDBError) -> SpillFile
    ) throws {
        self.workspace = workspace
        (leaving, coming) = (plan.entries.emptyCopy(), plan.entries.emptyCopy())
        var records = try Self.sorted([plan.entries, consequences], makeFile)
        var present = Place()
        while try records.next() {
            let key = unsafe records.key
            if unsafe !key.elementsEqual(present.key) {
                let list = unsafe key.dropLast(MemoryLayout<UInt64>.size)
                let isSameList = unsafe list.elementsEqual(present.key.dropLast(MemoryLayout<UInt64>.size))
                let orderKey = unsafe UInt64(
                    bigEndian: key.loadUnaligned(fromByteOffset: list.count, as: UInt64.self)
                )
                guard try settle(present, before: isSameList ? orderKey : nil) else { return nil }
                present = unsafe Place(key: [UInt8](key), orderKey: orderKey)
            }
            var reader = unsafe ByteReader(records.value)
            let isComing = try reader.u8() == 1
            let entry = try ChangePlan.Entry(&reader, workspace.schema)
            if isComing {
                present.coming.append(entry)
            } else if !present.isLeft {
                present.isLeft = true
                try leaving.append(entry)
            }
        }
        guard try settle(present, before: nil) else { return nil }
    }

    private static func sorted(
        _ all: [PlanEntries],
        _ makeFile: @escaping () throws(LMDBError) -> SpillFile
    ) throws -> SortedRecords {
        var sort = ExternalSort(memoryByteCount: memoryByteCount, makeFile: makeFile)
        var key = KeyBuffer()
        var value = ByteWriter()
        for entries in all {
            try entries.forEach { entry in
                for (place, isComing) in [(entry.delta.from, false), (entry.delta.to, true)] {
                    guard let place else { continue }
                    key.setEntity(entry.list.owner)
                    key.append(bigEndian: entry.delta.relation)
                    key.append(bigEndian: place)
                    value.removeAll()
                    value.u8(isComing ? 1 : 0)
                    entry.write(to: &value)
                    try unsafe sort.add(key: key.bytes, value: value.bytes)
                }
            }
        }
        return try sort.sorted()
    }

    /// A place in a list, and what the plan makes of it.
    private struct Place {
        var key: [UInt8] = []
        var orderKey: UInt64 = 0
        /// Whether the entry that stands there leaves it.
        var isLeft = false
        var coming: [ChangePlan.Entry] = []
    }

    /// Settles who gets a place. Returns whether there is room for those who do not.
    ///
    /// - Parameter bound: the next place of the list to which entries come, or which they leave; nil for none.
    private func settle(_ place: Place, before bound: UInt64?) throws -> Bool {
        guard let first = place.coming.first else { return true }
        let list = first.list.key
        let isKept = try !place.isLeft && workspace.entry(of: list, at: place.orderKey) != nil
        if !isKept { try coming.append(first, at: place.orderKey) }
        let others = isKept ? place.coming[...] : place.coming.dropFirst()
        if others.isEmpty { return true }
        var high = bound ?? OrderKey.above(place.orderKey, others.count + 1)
        try workspace.forEachEntry(of: list, behind: place.orderKey) { entry in
            high = min(high, entry.orderKey)
            return false
        }
        guard let keys = OrderKey.spread(others.count, between: place.orderKey, high) else { return false }
        // Each comes right behind the place that it wanted, as if one after the other came.
        for (entry, key) in zip(others.reversed(), keys) { try coming.append(entry, at: key) }
        return true
    }
}

extension PlanEntries {
    /// Takes an entry that comes to a place, wherever it stood before.
    fileprivate func append(_ entry: ChangePlan.Entry, at orderKey: UInt64) throws {
        var delta = entry.delta
        (delta.from, delta.to) = (nil, orderKey)
        try append(ChangePlan.Entry(list: entry.list, delta: delta))
    }
}
