/// Places of what both sides have put into one list.
extension MergePlanner {
    /// Sees to it that what each side has put into a gap of a list stays together, in an order that does not depend on
    /// which side merges: first what the older store has put there (HIS-95).
    ///
    /// - Parameters:
    ///   - neighbours: where theirs stand in their lists.
    ///   - isTheirsLater: whether the store of theirs is the younger one.
    func arrange(_ neighbours: [ListNeighbours], isTheirsLater: Bool) throws {
        if neighbours.isEmpty { return }
        var arrivals: [ListKey: [ListNeighbours]] = [:]
        for place in neighbours { arrivals[place.list, default: []].append(place) }
        let leaving = try leavingPlaces()
        var moves: [Place: UInt64] = [:]
        for (list, places) in arrivals {
            var run: [ListNeighbours] = []
            for place in places.sorted(by: { $0.orderKey < $1.orderKey }) {
                if let last = run.last, place.before != last.orderKey {
                    try arrange(run: run, in: list, isTheirsLater, leaving, &moves)
                    run = []
                }
                run.append(place)
            }
            try arrange(run: run, in: list, isTheirsLater, leaving, &moves)
        }
        if !moves.isEmpty { try carry(moves) }
    }

    private struct Place: Hashable {
        let list: ListKey
        let orderKey: UInt64
    }

    /// Finds other places for a run of theirs where ours has put something into the same gap.
    private func arrange(
        run: [ListNeighbours],
        in list: ListKey,
        _ isTheirsLater: Bool,
        _ leaving: Set<Place>,
        _ moves: inout [Place: UInt64]
    ) throws {
        guard let first = run.first, let last = run.last else { return }
        let (low, high) = (first.before, last.behind)
        func stays(_ orderKey: UInt64) -> Bool { !leaving.contains(Place(list: list, orderKey: orderKey)) }
        var firstStaying: UInt64?
        try workspace.forEachEntry(of: list, behind: low) { entry in
            if !stays(entry.orderKey) { return true }
            firstStaying = entry.orderKey
            return false
        }
        guard let firstOfOurs = firstStaying, firstOfOurs < high ?? .max else { return }
        var end = try workspace.lastOrderKey(of: list, before: high ?? .max)
        while let place = end, !stays(place) { end = try workspace.lastOrderKey(of: list, before: place) }
        guard let lastOfOurs = end else { return }
        let bounds =
            isTheirsLater
            ? (lastOfOurs, high ?? OrderKey.above(lastOfOurs, run.count + 1))
            : (low ?? OrderKey.below(firstOfOurs, run.count + 1), firstOfOurs)
        // Where the gap is too narrow, each takes the next free place.
        guard bounds.0 < bounds.1, let keys = OrderKey.spread(run.count, between: bounds.0, bounds.1) else { return }
        for (place, key) in zip(run, keys) { moves[Place(list: list, orderKey: place.orderKey)] = key }
    }

    /// The places in lists that the plan takes rows and entries away from.
    private func leavingPlaces() throws -> Set<Place> {
        var places: Set<Place> = []
        try plan.entries.forEach { entry in
            if let from = entry.delta.from { places.insert(Place(list: entry.list.key, orderKey: from)) }
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
                places.insert(Place(list: list, orderKey: place.orderKey))
            }
        }
        return places
    }

    /// Gives rows and entries of the plan their other places.
    private func carry(_ moves: [Place: UInt64]) throws {
        try plan.entries.replaceEach { entry in
            guard let to = entry.delta.to, let key = moves[Place(list: entry.list.key, orderKey: to)] else {
                return entry
            }
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
                guard let key = moves[Place(list: list, orderKey: place.orderKey)] else { continue }
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
