internal import RepriseLMDB
internal import RepriseLog

/// Places of what both sides have put into one list.
extension MergePlanner {
    /// Notes where those that theirs brings stand in their lists.
    func addPlaces(of delta: EntityDelta) throws {
        var serials: [ListPlaceKey: UInt64]?
        for place in delta.neighbours {
            if let entry = try workspace.entry(of: place.list, at: place.orderKey) {
                // Where ours has done the same, what else has come stands before or behind it in both.
                if entry.serial == 0 {
                    if entry.target == delta.entity.id { continue }
                } else {
                    let known = serials ?? delta.serialsByPlace
                    serials = known
                    let key = ListPlaceKey(relation: place.list.relation, orderKey: place.orderKey)
                    if place.list.id == delta.entity.id, known[key] == entry.serial { continue }
                }
            }
            var writer = ByteWriter(capacity: 64)
            place.write(to: &writer)
            try arrivals.add(place.list, place.orderKey, value: writer)
        }
    }

    /// Sees to it that what each side has put into a gap of a list stays together, in an order that does not depend on
    /// which side merges: first what the older store has put there (HIS-95).
    func arrange() throws {
        if arrivals.isEmpty { return }
        let leaving = try leavingPlaces()
        let moves = PlaceTable()
        var run: Run?
        try unsafe arrivals.takeAll { _, value in
            var reader = unsafe ByteReader(value)
            let place = try ListNeighbours(decoding: &reader)
            if run?.list == place.list, run?.keys.last == place.before {
                run?.keys.append(place.orderKey)
                run?.behind = place.behind
                return
            }
            if let run { try arrange(run, leaving, moves) }
            run = Run(list: place.list, keys: [place.orderKey], before: place.before, behind: place.behind)
        }
        if let run { try arrange(run, leaving, moves) }
        if !moves.isEmpty { try carry(moves) }
    }

    /// Entries of theirs that stand one behind the other.
    private struct Run {
        let list: ListKey
        var keys: [UInt64]
        /// The places in their list before and behind it.
        let before: UInt64?
        var behind: UInt64?
    }

    /// Finds other places for a run of theirs where ours has put something into the same gap.
    private func arrange(_ run: Run, _ leaving: PlaceTable, _ moves: PlaceTable) throws {
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
        guard bounds.0 < bounds.1, let keys = OrderKey.spread(run.keys.count, between: bounds.0, bounds.1) else {
            return
        }
        for (place, key) in zip(run.keys, keys) { moves[list, place] = key }
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
    private func carry(_ moves: PlaceTable) throws {
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

/// A place in a list of an entity.
private struct ListPlaceKey: Hashable {
    let relation: UInt16
    let orderKey: UInt64
}

extension EntityDelta {
    /// The serials of the entries that it brings, by their places.
    fileprivate var serialsByPlace: [ListPlaceKey: UInt64] {
        let places = entries.compactMap { entry in
            entry.to.map { (ListPlaceKey(relation: entry.relation, orderKey: $0), entry.serial) }
        }
        return Dictionary(places) { first, _ in first }
    }
}
