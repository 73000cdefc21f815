internal import RepriseLMDB
internal import RepriseLog

/// Places of what both sides have put into one list.
extension MergePlanner {
    /// Notes the places in lists to which the entity comes that was added last, and those to which its entries come.
    func addPlaces(of delta: EntityDelta) throws {
        if delta.neighbours.isEmpty { return }
        guard let added, let row = added.row else { return }
        var entries = ArrivingCursor(delta.entries)
        try delta.neighbours.forEach { place in
            let coming = place.list.id == delta.entity.id ? try entries.next(to: place) : nil
            if let coming {
                guard added.comes.indices.contains(coming.index), added.comes[coming.index] else { return }
            } else if case .reference(let slot)? = try? schema.relation(place.list.relation).kind {
                let wanted = ReferencePlace.bytes(place.orderKey, place.list.id)
                guard try row.rowSlot(Int(slot)) == wanted else { return }
            }
            // Where ours has done the same, what else has come stands before or behind it in both.
            if let other = try workspace.entry(of: place.list, at: place.orderKey) {
                let isSame = other.serial == 0 ? other.target == delta.entity.id : coming?.entry.isSame(as: other)
                if isSame == true { return }
            }
            var writer = ByteWriter(capacity: 64)
            place.write(to: &writer)
            try arrivals.add(place.list, place.orderKey, value: writer)
        }
    }

    /// Sees to it that what each side has put into a gap of a list stays together, in an order and with keys that do
    /// not depend on which side merges: first what the older store has put there (HIS-95). What that has put there
    /// stays where it is. A gap lies between two entries that both have left where they were.
    func arrange() throws {
        if arrivals.isEmpty { return }
        let leaving = try leavingPlaces()
        var moves = MovedRuns()
        var run: Run?
        try unsafe arrivals.takeAll { _, value in
            var reader = unsafe ByteReader(value)
            let place = try ListNeighbours(decoding: &reader)
            if run?.takes(place) == true {
                run?.keys.append(place.orderKey)
                run?.behind = place.behind
                return
            }
            if let run { try arrange(run, leaving, &moves) }
            run = Run(list: place.list, keys: [place.orderKey], before: place.before, behind: place.behind)
        }
        if let run { try arrange(run, leaving, &moves) }
        if moves.isEmpty { return }
        try isTheirsLater ? carryTheirs(moves) : carryOurs(moves)
    }

    /// Entries of theirs that stand in one gap.
    private struct Run {
        let list: ListKey
        var keys: [UInt64]
        /// The places in their list before and behind it.
        let before: UInt64?
        var behind: UInt64?

        /// Whether an entry stands in the same gap. A file of changes may name the one just before it as well, which
        /// has come with it.
        func takes(_ place: ListNeighbours) -> Bool {
            guard list == place.list else { return false }
            return (before, behind) == (place.before, place.behind) || keys.last == place.before
        }
    }

    /// Finds other places for what the younger store has put into a gap, where it does not stand behind what the older
    /// one has put there.
    private func arrange(_ run: Run, _ leaving: PlaceTable, _ moves: inout MovedRuns) throws {
        guard isTheirsLater else {
            guard let last = run.keys.last else { return }
            let ours = try staying(in: run, upTo: last, leaving)
            return try moves.add(ours.keys, next: ours.next, behind: last, in: run.list, before: run.behind) {
                try staying(in: run, upTo: nil, leaving).keys
            }
        }
        var end = try workspace.lastOrderKey(of: run.list, before: run.behind ?? .max)
        while let place = end, leaving.contains(run.list, place) {
            end = try workspace.lastOrderKey(of: run.list, before: place)
        }
        guard let last = end, last > run.before ?? 0 else { return }
        let count = run.keys.partitioningIndex { $0 > last }
        let next = count < run.keys.count ? run.keys[count] : nil
        moves.add(Array(run.keys[..<count]), next: next, behind: last, in: run.list, before: run.behind) { run.keys }
    }

    /// What ours has put into the gap in which a run stands, and keeps there.
    ///
    /// - Parameter last: a place in the gap; nil for its end.
    /// - Returns: the places up to that one, and the next one behind it.
    private func staying(
        in run: Run,
        upTo last: UInt64?,
        _ leaving: PlaceTable
    ) throws -> (keys: [UInt64], next: UInt64?) {
        var keys: [UInt64] = []
        var next: UInt64?
        try workspace.forEachEntry(of: run.list, behind: run.before) { entry in
            let place = entry.orderKey
            if let end = run.behind, place >= end { return false }
            if leaving.contains(run.list, place) { return true }
            if let last, place > last {
                next = place
                return false
            }
            keys.append(place)
            return true
        }
        return (keys, next)
    }

    /// The places in lists that the plan takes rows and entries away from, and those of entries that leave because they
    /// lead to a row that goes.
    private func leavingPlaces() throws -> PlaceTable {
        let places = PlaceTable()
        for entries in [plan.entries, try EntryPlaces.consequences(of: self)] {
            try entries.forEach { entry in
                if let from = entry.delta.from { places.insert(entry.list.key, from) }
            }
        }
        try plan.rows.forEach { entity, row in
            let before: [UInt8]?
            switch row {
            case .insert: return
            case .update(let from, _): before = from
            case .delete: before = try present(entity)
            }
            guard let before else { return }
            for reference in try schema.model(entity.model).references {
                guard let place = try ReferencePlace(before.rowSlot(reference.slot)) else { continue }
                let after = try ReferencePlace(row.payload?.rowSlot(reference.slot))
                if after == place { continue }
                let list = ListKey(relation: reference.relation.number, id: place.target)
                places.insert(list, place.orderKey)
            }
        }
        return places
    }

    /// Gives rows and entries of theirs their other places.
    private func carryTheirs(_ moves: MovedRuns) throws {
        try plan.entries.replaceEach { entry in
            guard let to = entry.delta.to, let key = moves[entry.list.key, to] else { return entry }
            var delta = entry.delta
            delta.to = key
            return ChangePlan.Entry(list: entry.list, delta: delta)
        }
        try plan.rows.replaceEach { entity, row in
            guard let payload = row.payload else { return row }
            var changes: [SlotDelta] = []
            for reference in try schema.model(entity.model).references {
                guard let place = try ReferencePlace(payload.rowSlot(reference.slot)) else { continue }
                let list = ListKey(relation: reference.relation.number, id: place.target)
                guard let key = moves[list, place.orderKey] else { continue }
                if case .update(let from, _) = row, try ReferencePlace(from.rowSlot(reference.slot)) == place {
                    continue
                }
                let bytes = ReferencePlace.bytes(key, place.target)
                changes.append(SlotDelta(slot: reference.slot, from: nil, to: bytes))
            }
            if changes.isEmpty { return row }
            let carried = try DeltaComposer.rewritten(payload, changes)
            return if case .update(let from, _) = row { .update(from: from, to: carried) } else { .insert(carried) }
        }
    }

    /// How many rows are looked up in the plan before the first of them is changed there: a change makes the next
    /// look at the plan slow.
    private static let memberCountMax = 1 << 16

    /// Moves members of ours.
    private func carry(_ members: inout [(EntityKey, SlotDelta)]) throws {
        let planned = try members.map { try plan.rows.row(of: $0.0)?.payload }
        for ((member, change), planned) in zip(members, planned) {
            guard let present = try present(member) else { continue }
            try set(.update(from: present, to: DeltaComposer.rewritten(planned ?? present, [change])), for: member)
        }
        members = []
    }

    /// Moves rows and entries of ours to their other places.
    private func carryOurs(_ moves: MovedRuns) throws {
        var waiting: [EntityKey: [ListPlace]] = [:]
        for list in moves.lists {
            let relation = try schema.relation(list.relation)
            if case .list = relation.kind {
                let owner = EntityKey(model: relation.source.model, id: list.id)
                waiting[owner, default: []].append(
                    ListPlace(end: RelationEnd(relation: relation, side: .source), owner: owner)
                )
            } else if case .reference(let slot) = relation.kind {
                var members: [(EntityKey, SlotDelta)] = []
                try moves.forEach(in: list, of: workspace) { entry, key in
                    let change = SlotDelta(slot: Int(slot), from: nil, to: ReferencePlace.bytes(key, list.id))
                    members.append((EntityKey(model: relation.source.model, id: entry.target), change))
                    if members.count == Self.memberCountMax { try carry(&members) }
                }
                try carry(&members)
            }
        }
        try plan.entries.append(behindOwners: waiting.keys) { owner, append in
            for list in waiting[owner] ?? [] {
                try moves.forEach(in: list.key, of: workspace) { entry, key in
                    let delta = EntryDelta(
                        relation: list.key.relation,
                        serial: entry.serial,
                        target: entry.target,
                        from: entry.orderKey,
                        to: key
                    )
                    try append(ChangePlan.Entry(list: list, delta: delta))
                }
            }
        }
    }
}

/// Other places for entries, run by run.
private struct MovedRuns {
    private struct Run {
        /// Ascending.
        let places: [UInt64]
        let keys: [UInt64]
    }

    /// Those of each list, ascending.
    private var runs: [ListKey: [Run]] = [:]

    var isEmpty: Bool { runs.isEmpty }

    /// By relation and owner, so that the same merge writes the same events.
    var lists: [ListKey] { runs.keys.sorted { $0.precedes($1) } }

    /// Moves what stands in a gap behind a place: no more than has to be moved, where there is room for that.
    ///
    /// - Parameters:
    ///   - places: what has to be moved, ascending, and behind those that were added to the list before.
    ///   - next: what stands behind them and can stay; nil where nothing does.
    ///   - last: what they shall stand behind.
    ///   - end: the end of the gap; nil where that is the end of the list.
    ///   - all: gives all places in the gap. They are moved where there is no room between `last` and `next`.
    mutating func add(
        _ places: [UInt64],
        next: UInt64?,
        behind last: UInt64,
        in list: ListKey,
        before end: UInt64?,
        all: () throws -> [UInt64]
    ) rethrows {
        let known = runs[list]?.last?.places.last
        let places = places.filter { $0 > known ?? 0 }
        if places.isEmpty { return }
        func keys(_ count: Int, before bound: UInt64?) -> [UInt64]? {
            let high = bound ?? OrderKey.above(last, count + 1)
            return last < high ? OrderKey.spread(count, between: last, high, gapAtLeast: 1) : nil
        }
        if let keys = keys(places.count, before: next ?? end) {
            return runs[list, default: []].append(Run(places: places, keys: keys))
        }
        // Where the gap is too narrow for all of it, each takes the next free place.
        let all = try all()
        guard let keys = keys(all.count, before: end) else { return }
        runs[list, default: []].append(Run(places: all, keys: keys))
    }

    /// Hands over what stands in a list at a place that is moved, and its other place.
    func forEach(in list: ListKey, of workspace: Workspace, _ body: (ListEntry, UInt64) throws -> Void) throws {
        for run in runs[list] ?? [] {
            for (place, key) in zip(run.places, run.keys) {
                if let entry = try workspace.entry(of: list, at: place) { try body(entry, key) }
            }
        }
    }

    /// The place in the stead of one; nil where that stays. O(log n).
    subscript(list: ListKey, place: UInt64) -> UInt64? {
        guard let runs = runs[list] else { return nil }
        let next = runs.partitioningIndex { ($0.places.first ?? 0) > place }
        guard next > 0 else { return nil }
        let run = runs[next - 1]
        let index = run.places.partitioningIndex { $0 >= place }
        return index < run.places.count && run.places[index] == place ? run.keys[index] : nil
    }
}

/// The entries that a change brings, in the order in which the change tells where they stand.
private struct ArrivingCursor {
    private var cursor: EntryDeltaCursor
    private var present: EntryDelta?
    private var index = -1

    init(_ entries: EntryDeltas) { cursor = entries.makeCursor() }

    /// The entry that comes to a place, and which of those that come to places it is; nil where it is none of these.
    mutating func next(to place: ListNeighbours) throws -> (entry: EntryDelta, index: Int)? {
        while present?.to == nil {
            guard let entry = try cursor.next() else { return nil }
            present = entry
            if entry.to != nil { index += 1 }
        }
        guard let entry = present, entry.relation == place.list.relation, entry.to == place.orderKey else { return nil }
        present = nil
        return (entry, index)
    }
}
