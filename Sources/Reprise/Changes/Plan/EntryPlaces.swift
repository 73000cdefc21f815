internal import RepriseLMDB
internal import RepriseLog

/// The entries of many-to-many lists that leave their places by a plan, and those that come to places: owner by owner,
/// list by list and place by place. One that moves does both.
struct EntryPlaces {
    private static let memoryByteCount = 24 << 20

    let leaving: PlanEntries
    let coming: PlanEntries
    private let workspace: Workspace
    /// Entries that cannot have the places that they wanted.
    private var waiting: PlanEntries

    /// Gives an entry whose place another one keeps, or comes to as well, the next free place (HIS-55).
    ///
    /// - Parameter consequences: entries that leave without being of the plan.
    /// - Throws: `valueTooLarge` where a list has no place left at its end.
    /// - Complexity: O(n log n) of the entries that come, go or move.
    init(
        _ plan: ChangePlan,
        _ consequences: PlanEntries,
        _ workspace: Workspace,
        _ makeFile: @escaping () throws(LMDBError) -> SpillFile
    ) throws {
        self.workspace = workspace
        (leaving, coming, waiting) = (plan.entries.emptyCopy(), plan.entries.emptyCopy(), plan.entries.emptyCopy())
        if plan.entries.isEmpty, consequences.isEmpty { return }
        var records = try Self.sorted([plan.entries, consequences], makeFile)
        var (last, present) = (Place(), Place())
        while try records.next() {
            var reader = unsafe ByteReader(records.value)
            let isComing = try reader.u8() == 1
            let entry = try ChangePlan.Entry(&reader, workspace.schema)
            if unsafe !records.key.elementsEqual(present.key) {
                try settle(last, before: present)
                (last, present) = unsafe (present, Place(key: [UInt8](records.key), list: entry.list.key))
            }
            if isComing {
                present.coming.append(entry)
            } else if !present.isLeft {
                present.isLeft = true
                try leaving.append(entry)
            }
        }
        try settle(last, before: present)
        try settle(present, before: Place())
    }

    /// Settles the places of a plan's entries. Entries of other rows that lead to what goes leave theirs.
    init(_ planner: MergePlanner, _ makeFile: @escaping () throws(LMDBError) -> SpillFile) throws {
        let plan = planner.plan
        // Where no entry comes, nothing needs the places that are left.
        let consequences = try plan.entries.isEmpty ? plan.entries.emptyCopy() : Self.consequences(of: planner)
        try self.init(plan, consequences, planner.workspace, makeFile)
    }

    /// The entries by which lists of rows that stay lead to entities that go.
    static func consequences(of planner: MergePlanner) throws -> PlanEntries {
        let entries = planner.plan.entries.emptyCopy()
        try planner.forEachConsequence { user, entity, end in
            guard case .list = end.relation.kind else { return }
            try addConsequence(user, entity, end, planner.workspace, to: entries)
        }
        return entries
    }

    /// Adds the entries by which the list of a row that stays leads to an entity that goes.
    static func addConsequence(
        _ user: EntityKey,
        _ entity: EntityKey,
        _ end: RelationEnd,
        _ workspace: Workspace,
        to entries: PlanEntries
    ) throws {
        let list = ListPlace(end: RelationEnd(relation: end.relation, side: .source), owner: user)
        for entry in try workspace.entries(of: list, to: entity.id, behind: nil, limit: .max) {
            let delta = EntryDelta(
                relation: end.relation.number,
                serial: entry.serial,
                target: entry.target,
                from: entry.orderKey,
                to: nil
            )
            try entries.append(ChangePlan.Entry(list: list, delta: delta))
        }
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
        /// The key of its record: the owner, the relation and the place.
        var key: [UInt8] = []
        /// Nil where there is no place.
        var list: ListKey?
        /// Whether the entry that stands there leaves it.
        var isLeft = false
        var coming: [ChangePlan.Entry] = []

        var orderKey: UInt64 { key.suffix(MemoryLayout<UInt64>.size).reduce(0) { $0 << 8 | UInt64($1) } }
    }

    /// Settles which entry gets a place, and where the others stand that wanted it.
    ///
    /// - Parameter next: the next place to which entries come, or which they leave.
    private mutating func settle(_ place: Place, before next: Place) throws {
        guard let list = place.list, !place.coming.isEmpty || !waiting.isEmpty else { return }
        let isKept = try self.isKept(place, in: list)
        let isTaken = isKept || !place.coming.isEmpty
        if !isKept, let first = place.coming.first { try coming.append(first, at: place.orderKey) }
        // Each comes right behind the place that it wanted, as if one after the other came.
        let others = (isKept ? place.coming[...] : place.coming.dropFirst()).reversed()
        for entry in others { try waiting.append(entry) }
        if waiting.isEmpty { return }
        let bound = next.list == list ? next.orderKey : nil
        if isKept, let bound, !next.coming.isEmpty, try self.isKept(next, in: list) {
            // Where entries that stay follow one another, those that come to their places stand together behind the
            // last.
            if try workspace.nextPlace(of: list, behind: place.orderKey) == bound { return }
        }
        var keys = isTaken ? [] : [place.orderKey]
        let count = waiting.count - keys.count
        if count > 0 {
            let free = try workspace.freePlaces(count, of: list, behind: place.orderKey, before: bound)
            guard let free else { return }
            keys += free
        }
        var places = keys.makeIterator()
        try waiting.forEach { entry in
            if let key = places.next() { try coming.append(entry, at: key) }
        }
        waiting = waiting.emptyCopy()
    }

    /// Whether an entry stands at a place and stays there.
    private func isKept(_ place: Place, in list: ListKey) throws -> Bool {
        try !place.isLeft && workspace.entry(of: list, at: place.orderKey) != nil
    }
}

extension PlanEntries {
    /// Takes an entry that comes to a place.
    fileprivate func append(_ entry: ChangePlan.Entry, at orderKey: UInt64) throws {
        var delta = entry.delta
        delta.to = orderKey
        try append(ChangePlan.Entry(list: entry.list, delta: delta))
    }
}
