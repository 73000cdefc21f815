internal import RepriseLog

/// Carrying out what was decided.
extension WriteSession {
    /// Makes rows and entries what a plan says, with the places in lists that it says.
    ///
    /// The rules were looked at for the final state; in between they need not hold. A step waits while another entry
    /// stands at the place that it wants. Where steps wait for each other, one entry goes to the end of its list first.
    ///
    /// - Parameter coming: the entries of the plan that come to places, with those that they are to have.
    func perform(_ plan: ChangePlan, _ coming: PlanEntries) throws {
        try workspace.settle()
        try change {
            var steps: [PlanStep] = []
            try plan.rows.forEach { steps.append(.row($0, $1)) }
            try plan.entries.forEach { if $0.delta.to == nil { try takeOut($0) } }
            try coming.forEach { steps.append(.entry($0)) }
            // Deletions come when those who used what goes have been changed.
            try carryOut(steps.filter(\.isDeletion) + steps.filter { !$0.isDeletion }, of: plan)
            try pairPartners(of: plan)
        }
    }

    /// Does steps, each when what is in its way has gone.
    private func carryOut(_ steps: [PlanStep], of plan: ChangePlan) throws {
        // The last one is taken first.
        var queue = Array(steps.reversed())
        var waiting = WaitingSteps()
        var hasProgress = false
        while true {
            while let step = queue.popLast() {
                if let place = try place(inTheWayOf: step, plan) {
                    waiting.add(step, for: place)
                    continue
                }
                let left = try places(of: step)
                guard try isDone(step, plan) else {
                    waiting.add(step, for: nil)
                    continue
                }
                hasProgress = true
                for place in left { queue += waiting.take(for: place) }
            }
            var held = waiting.takeAll()
            if held.isEmpty { break }
            if !hasProgress, try !unlock(&held, &waiting.parked, plan) { try force(&held, plan) }
            hasProgress = false
            queue = held.reversed()
        }
    }

    /// The place that a step wants and another entry has.
    private func place(inTheWayOf step: PlanStep, _ plan: ChangePlan) throws -> PlaceInList? {
        switch step {
        case .row(let entity, .insert(let payload)), .row(let entity, .update(_, let payload)):
            for reference in try schema.model(entity.model).references {
                guard let place = try ReferencePlace(payload.rowSlot(reference.slot)) else { continue }
                let list = ListKey(relation: reference.relation.number, id: place.target)
                if let other = try workspace.entry(of: list, at: place.orderKey), other.target != entity.id {
                    return PlaceInList(list: list, orderKey: place.orderKey)
                }
            }
            return nil
        case .row(_, .delete): return nil
        case .entry(let entry):
            guard let to = entry.delta.to, let other = try workspace.entry(of: entry.list.key, at: to),
                !entry.delta.isSame(as: other)
            else { return nil }
            return PlaceInList(list: entry.list.key, orderKey: to)
        }
    }

    /// The places that a step may leave.
    private func places(of step: PlanStep) throws -> [PlaceInList] {
        switch step {
        case .row(let entity, _):
            guard let row = try workspace.row(entity).map({ unsafe [UInt8]($0.payload) }) else { return [] }
            return try schema.model(entity.model).references.compactMap { reference in
                guard let place = try ReferencePlace(row.rowSlot(reference.slot)) else { return nil }
                let list = ListKey(relation: reference.relation.number, id: place.target)
                return PlaceInList(list: list, orderKey: place.orderKey)
            }
        case .entry(let entry):
            guard let standing = try standing(entry) else { return [] }
            return [PlaceInList(list: entry.list.key, orderKey: standing.orderKey)]
        }
    }

    /// Does a step whose places are free. Returns whether it did: a deletion may have to wait for other steps, and an
    /// entry for its owner.
    private func isDone(_ step: PlanStep, _ plan: ChangePlan) throws -> Bool {
        switch step {
        case .row(let entity, .insert(let payload)): try insertRow(entity, payload)
        case .row(let entity, .update(_, let payload)): try rewriteRow(entity, to: payload)
        case .row(let entity, .delete): return try isDeleted(entity, plan)
        case .entry(let entry):
            if try waitsForOwner(entry, plan) { return false }
            if let to = entry.delta.to { try put(entry, at: to) }
        }
        return true
    }

    /// Whether the row has still to come in whose list an entry comes. What events say of a row comes behind the event
    /// that brings it.
    private func waitsForOwner(_ entry: ChangePlan.Entry, _ plan: ChangePlan) throws -> Bool {
        let owner = entry.list.owner
        guard try workspace.row(owner) == nil, case .insert? = try plan.rows.row(of: owner) else { return false }
        return true
    }

    /// Steps may wait for each other's places in rings. Puts one entry of each ring at the end of its list for now, and
    /// does the steps that had waited for its place. O(n log n) for all rings together. Returns whether one was put
    /// there.
    private func unlock(
        _ waiting: inout [PlanStep],
        _ parked: inout Set<EntityKey>,
        _ plan: ChangePlan
    ) throws -> Bool {
        var steps: [PlanStep?] = waiting
        var byPlace: [PlaceInList: [Int]] = [:]
        for (index, step) in waiting.enumerated() {
            if let place = try place(inTheWayOf: step, plan) { byPlace[place, default: []].append(index) }
        }
        var hasParked = false
        // Where no step has a place that another one wants, a deletion waits for one of them: the first one goes alone.
        for isInRing in [true, false] where !hasParked {
            for index in steps.indices where isInRing || !hasParked {
                guard let step = steps[index], try place(inTheWayOf: step, plan) != nil else { continue }
                var free = try places(of: step)
                if isInRing, !free.contains(where: { byPlace[$0] != nil }) { continue }
                guard let left = try park(step, &parked, plan) else { continue }
                steps[index] = left
                hasParked = true
                while let next = free.popLast() {
                    for index in byPlace.removeValue(forKey: next) ?? [] {
                        guard let step = steps[index] else { continue }
                        if let other = try place(inTheWayOf: step, plan) {
                            byPlace[other, default: []].append(index)
                            continue
                        }
                        let left = try places(of: step)
                        guard try isDone(step, plan) else { continue }
                        steps[index] = nil
                        free += left
                    }
                }
            }
        }
        waiting = steps.compactMap(\.self)
        return hasParked
    }

    /// Puts one of those that wait for each other at the end of its list for now. Returns what is left to be done with
    /// it; nil where it was put there before, or cannot be.
    private func park(_ step: PlanStep, _ parked: inout Set<EntityKey>, _ plan: ChangePlan) throws -> PlanStep? {
        switch step {
        case .row(let entity, .insert(let payload)):
            guard parked.insert(entity).inserted else { return nil }
            let fitting = try fitted(payload, for: entity) { list, _ in try freshAppendKey(of: list) }
            try insertRow(entity, fitting)
            return .row(entity, .update(from: fitting, to: payload))
        case .row(let entity, .update(_, let payload)):
            guard parked.insert(entity).inserted else { return nil }
            try rewriteRow(entity, to: try fitted(payload, for: entity) { list, _ in try freshAppendKey(of: list) })
            return step
        case .row(_, .delete): return nil
        case .entry(let entry):
            var wish = entry
            wish.delta.from = nil
            var writer = ByteWriter(capacity: 96)
            wish.write(to: &writer)
            let place = unsafe EntityKey(model: 0, id: [UInt8](writer.bytes))
            // One that comes anew is not looked for again.
            guard entry.delta.serial != EntryDelta.newSerial, try !waitsForOwner(entry, plan),
                parked.insert(place).inserted
            else { return nil }
            let key = try freshAppendKey(of: entry.list.key)
            try put(entry, at: key)
            var left = entry
            left.delta.from = key
            return .entry(left)
        }
    }

    /// Does one of those that wait for each other, although something is in its way.
    private func force(_ waiting: inout [PlanStep], _ plan: ChangePlan) throws {
        // One that goes leaves its place to others, so it comes first.
        for (index, step) in waiting.enumerated() {
            guard case .row(let entity, .delete) = step, try isForcedOut(entity, plan) else { continue }
            waiting.remove(at: index)
            return
        }
        let next = try waiting.firstIndex { step in
            if case .entry(let entry) = step { try !waitsForOwner(entry, plan) } else { !step.isDeletion }
        }
        guard let index = next else {
            guard case .row(let entity, _)? = waiting.first else {
                throw StoreError.damage("Entries wait for an owner that does not come.")
            }
            throw StoreError(
                .deleteDenied,
                "\(try reference(entity)) cannot go: entities that go with it forbid each other's deletion.",
                advice: "Nothing was written. Take back fewer commits at a time."
            )
        }
        try put(waiting.remove(at: index))
    }

    /// Does a step whose place is still taken by an entry that should have left it: it takes the next free place.
    /// Places that stay taken are settled before.
    private func put(_ step: PlanStep) throws {
        switch step {
        case .row(let entity, .insert(let payload)):
            try insertRow(entity, try fitted(payload, for: entity) { try freeKey(of: $0, from: $1, for: entity.id) })
        case .row(let entity, .update(_, let payload)):
            let fitting = try fitted(payload, for: entity) { try freeKey(of: $0, from: $1, for: entity.id) }
            try rewriteRow(entity, to: fitting)
        case .entry(let entry): try put(entry, at: try freeKey(of: entry.list.key, from: entry.delta.to ?? 0))
        case .row(_, .delete): break
        }
    }
}

/// One thing of a plan.
private enum PlanStep {
    case row(EntityKey, ChangePlan.Row)
    case entry(ChangePlan.Entry)

    var isDeletion: Bool {
        if case .row(_, .delete) = self { true } else { false }
    }
}

private struct PlaceInList: Hashable {
    let list: ListKey
    let orderKey: UInt64
}

/// Steps that wait for others to leave a place, in the order in which they came.
private struct WaitingSteps {
    /// Those that were put elsewhere for now, once each.
    var parked: Set<EntityKey> = []
    private var byPlace: [PlaceInList: [(number: Int, step: PlanStep)]] = [:]
    private var others: [(number: Int, step: PlanStep)] = []
    private var count = 0

    mutating func add(_ step: PlanStep, for place: PlaceInList?) {
        count += 1
        if let place { byPlace[place, default: []].append((count, step)) } else { others.append((count, step)) }
    }

    /// Those that wait for a place, the last first.
    mutating func take(for place: PlaceInList) -> [PlanStep] {
        byPlace.removeValue(forKey: place)?.reversed().map(\.step) ?? []
    }

    mutating func takeAll() -> [PlanStep] {
        let all = byPlace.values.joined() + others
        byPlace = [:]
        others = []
        return all.sorted { $0.number < $1.number }.map(\.step)
    }
}

// MARK: Rows

extension WriteSession {
    /// Inserts a row as it is. Its places in lists are free.
    func insertRow(_ entity: EntityKey, _ payload: [UInt8]) throws {
        var key = KeyBuffer()
        key.setRow(entity)
        let found = try unsafe workspace.find(key.bytes)
        try unsafe payload.withUnsafeBytes { payload in
            let position = try unsafe record(
                .inserted,
                entity.model,
                id: UnsafeRawBufferPointer(rebasing: key.bytes[2...]),
                previous: try workspace.lastPosition(of: key.bytes, found: found),
                cause: 0
            ) { unsafe $0.bytes(payload) }
            try unsafe workspace.put(
                key.bytes,
                over: found,
                created: position,
                revision: position,
                payload: payload
            )
        }
    }

    /// Gives a present row other content, as it is. Its places in lists are free.
    func rewriteRow(_ entity: EntityKey, to payload: [UInt8]) throws {
        var key = KeyBuffer()
        key.setRow(entity)
        let found = try unsafe workspace.find(key.bytes)
        guard let row = found.row else { return }
        try unsafe payload.withUnsafeBytes { payload in
            let (old, new) = unsafe (try RowPayload(trusting: row.payload), try RowPayload(trusting: payload))
            let changes = Self.differences(old, new)
            if changes.isEmpty { return }
            guard Self.hasRoom(forUpdating: old, to: new) else {
                throw StoreError.updateTooLarge(try reference(entity))
            }
            _ = try unsafe recordUpdate(
                key.bytes,
                found: found,
                row: row,
                changes: changes,
                payload: payload,
                cause: 0
            )
        }
    }

    /// A row with other places in lists, where others stand at its own.
    private func fitted(
        _ payload: [UInt8],
        for entity: EntityKey,
        _ freeKey: (ListKey, UInt64) throws -> UInt64
    ) throws -> [UInt8] {
        var changes: [SlotDelta] = []
        for reference in try schema.model(entity.model).references {
            guard let place = try ReferencePlace(payload.rowSlot(reference.slot)) else { continue }
            let list = ListKey(relation: reference.relation.number, id: place.target)
            guard let other = try workspace.entry(of: list, at: place.orderKey), other.target != entity.id else {
                continue
            }
            let bytes = ReferencePlace.bytes(try freeKey(list, place.orderKey), place.target)
            changes.append(SlotDelta(slot: reference.slot, from: nil, to: bytes))
        }
        return try DeltaComposer.rewritten(payload, changes)
    }

    /// The order key where it is free, otherwise the next free one behind it.
    private func freeKey(of list: ListKey, from wanted: UInt64, for member: [UInt8]? = nil) throws -> UInt64 {
        var key = wanted
        while let other = try workspace.entry(of: list, at: key), other.target != member {
            var next: UInt64?
            try workspace.forEachEntry(of: list, behind: key) {
                next = $0.orderKey
                return false
            }
            guard let next else { return try freshAppendKey(of: list) }
            key = OrderKey.between(key, next) ?? next
        }
        return key
    }

    /// Makes both sides of one-to-ones agree, where a plan has changed only one of them.
    private func pairPartners(of plan: ChangePlan) throws {
        try plan.rows.forEach { entity, row in
            guard let payload = row.payload else { return }
            for reference in try schema.model(entity.model).pairSlots {
                var before: [UInt8]?
                if case .update(let from, _) = row {
                    before = try ReferencePlace(from.rowSlot(reference.slot))?.target
                }
                let after = try ReferencePlace(payload.rowSlot(reference.slot))?.target
                if before == after { continue }
                if let wish = try workspace.partnerWish(entity, reference, leaving: before, for: after) {
                    for loser in wish.losers {
                        if let error = try workspace.partnerNeeded(by: loser, wish) { throw error }
                    }
                }
                try pair(entity, reference, leaving: before, cause: 0)
            }
        }
    }
}

// MARK: Entries

extension WriteSession {
    private func standing(_ entry: ChangePlan.Entry) throws -> ListEntry? {
        if entry.delta.serial == EntryDelta.newSerial { return nil }
        let target = String(decoding: entry.delta.target, as: UTF8.self)
        let place = entry.delta.from ?? entry.delta.to ?? 0
        let id = EntryID(serial: entry.delta.serial, target: target, place: place)
        return try workspace.entry(id, in: entry.list)
    }

    func takeOut(_ entry: ChangePlan.Entry) throws {
        guard let standing = try standing(entry) else { return }
        try unlink(standing, entry.list, cause: 0)
    }

    /// Puts an entry at a free place.
    func put(_ entry: ChangePlan.Entry, at orderKey: UInt64) throws {
        if entry.delta.from != nil, let standing = try standing(entry) {
            return try move(standing, entry.list, to: orderKey, cause: 0)
        }
        let (serial, target) = (entry.delta.serial, entry.delta.target)
        if serial == EntryDelta.newSerial {
            try linkAnew(target, entry.list, at: orderKey)
            return
        }
        try linkAgain(ListEntry(orderKey: orderKey, serial: serial, target: target), entry.list)
    }
}
