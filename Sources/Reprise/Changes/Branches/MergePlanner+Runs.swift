internal import RepriseLMDB
internal import RepriseLog

/// Places of what both sides have put into one list.
extension MergePlanner {
    /// Notes where those that theirs brings stand in their lists.
    func addPlaces(of delta: EntityDelta) throws {
        var serials = ArrivingSerials(delta.entries)
        try delta.neighbours.forEach { place in
            let serial = place.list.id == delta.entity.id ? try serials.next(to: place) : nil
            // Where ours has done the same, what else has come stands before or behind it in both.
            if let entry = try workspace.entry(of: place.list, at: place.orderKey) {
                let isSame = entry.serial == 0 ? entry.target == delta.entity.id : entry.serial == serial
                if isSame { return }
            }
            var writer = ByteWriter(capacity: 64)
            place.write(to: &writer)
            try arrivals.add(place.list, place.orderKey, value: writer)
        }
    }

    /// Sees to it that what each side has put into a gap of a list stays together, in an order that does not depend on
    /// which side merges: first what the older store has put there (HIS-95). A gap lies between two entries that both
    /// have left where they were.
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
        if !moves.isEmpty { try carry(moves) }
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

    /// Finds other places for a run of theirs where ours has put something into the same gap.
    private func arrange(_ run: Run, _ leaving: PlaceTable, _ moves: inout MovedRuns) throws {
        let (list, low, high) = (run.list, run.before, run.behind)
        var firstStaying: UInt64?
        try workspace.forEachEntry(of: list, behind: low) { entry in
            if leaving.contains(list, entry.orderKey) { return true }
            firstStaying = entry.orderKey
            return false
        }
        guard let firstOfOurs = firstStaying, firstOfOurs < high ?? .max else { return }
        var end = try workspace.lastOrderKey(of: list, before: high ?? .max)
        while let place = end, leaving.contains(list, place) {
            end = try workspace.lastOrderKey(of: list, before: place)
        }
        guard let lastOfOurs = end else { return }
        let bounds =
            isTheirsLater
            ? (lastOfOurs, high ?? OrderKey.above(lastOfOurs, run.keys.count + 1))
            : (low ?? OrderKey.below(firstOfOurs, run.keys.count + 1), firstOfOurs)
        // Where the gap is too narrow, each takes the next free place.
        guard bounds.0 < bounds.1,
            let keys = OrderKey.spread(run.keys.count, between: bounds.0, bounds.1, gapAtLeast: 1)
        else { return }
        moves.add(run.keys, to: keys, in: list)
    }

    /// The places in lists that the plan takes rows and entries away from.
    private func leavingPlaces() throws -> PlaceTable {
        let places = PlaceTable()
        try plan.entries.forEach { entry in
            if let from = entry.delta.from { places.insert(entry.list.key, from) }
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

    /// Gives rows and entries of the plan their other places.
    private func carry(_ moves: MovedRuns) throws {
        try plan.entries.replaceEach { entry in
            guard let to = entry.delta.to, let key = moves[entry.list.key, to] else { return entry }
            var delta = entry.delta
            delta.to = key
            return ChangePlan.Entry(list: entry.list, delta: delta)
        }
        try plan.rows.forEach { entity, row in
            guard let payload = row.payload else { return }
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
            if changes.isEmpty { return }
            let carried = try DeltaComposer.rewritten(payload, changes)
            if case .update(let from, _) = row {
                try set(.update(from: from, to: carried), for: entity)
            } else {
                try set(.insert(carried), for: entity)
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

    /// - Parameter places: ascending, and behind those that were added to the list before.
    mutating func add(_ places: [UInt64], to keys: [UInt64], in list: ListKey) {
        runs[list, default: []].append(Run(places: places, keys: keys))
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

/// The serials of the entries that a change brings, in the order in which the change tells where they stand.
private struct ArrivingSerials {
    private var cursor: EntryDeltaCursor
    private var present: EntryDelta?

    init(_ entries: EntryDeltas) { cursor = entries.makeCursor() }

    /// The serial of the entry that comes to a place; nil where it is none of these.
    mutating func next(to place: ListNeighbours) throws -> UInt64? {
        while present?.to == nil {
            guard let entry = try cursor.next() else { return nil }
            present = entry
        }
        guard let entry = present, entry.relation == place.list.relation, entry.to == place.orderKey else { return nil }
        present = nil
        return entry.serial
    }
}
