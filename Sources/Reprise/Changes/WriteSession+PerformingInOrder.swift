internal import RepriseLog

/// Carrying out a plan whose steps do not stand in each other's way.
extension WriteSession {
    /// Does one step after the other: first rows leave what others want, then come insertions, changes and entries, and
    /// deletions at last. What was done can be forgotten after each step, but for the row of the entity that the next
    /// step is of (HIS-113).
    ///
    /// - Parameter afterStep: called after each step, with the entity that the next one is of, too; nil where it is of
    ///   another one.
    func performInOrder(
        _ plan: ChangePlan,
        _ order: PlanOrder,
        afterStep: (_ entity: EntityKey?) throws -> Void
    ) throws {
        try change {
            let left = try order.leaving.takeAll { try leave($0, afterStep) }
            try performChanges(plan, order, left, afterStep)
            for model in order.deletions {
                var cursor = try LeftRowCursor(left)
                try plan.rows.forEach { entity, row in
                    guard entity.model == model, row.isDeletion else { return }
                    let left = try cursor.row(of: entity)
                    if let left { try resume(left) }
                    try deleteAlone(entity, without: left?.lists ?? [])
                    try afterStep(nil)
                }
            }
        }
    }

    /// Everything but deletions.
    private func performChanges(
        _ plan: ChangePlan,
        _ order: PlanOrder,
        _ left: LeftRows,
        _ afterStep: (_ entity: EntityKey?) throws -> Void
    ) throws {
        var entries = EntryCursors(order.entries)
        var left = try LeftRowCursor(left)
        func doEntries(before bound: EntityKey?) throws {
            while let owner = entries.owner, bound.map({ owner.precedes($0) }) ?? true {
                if let row = try left.row(of: owner) { try resume(row) }
                try self.doEntries(of: owner, &entries, afterStep)
                try afterStep(nil)
            }
        }
        try entries.begin()
        try plan.rows.forEach { entity, row in
            try doEntries(before: entity)
            switch row {
            case .insert(let payload): try insertRow(entity, payload)
            case .update(_, let payload):
                if let row = try left.row(of: entity) { try resume(row) }
                try rewriteRow(entity, to: payload)
            case .delete:
                // What is in its lists goes with it.
                try entries.pass(entity)
                return
            }
            try self.doEntries(of: entity, &entries, afterStep)
            try afterStep(nil)
        }
        try doEntries(before: nil)
    }

    /// Takes all entries of an owner that go or move out of its lists, and puts those that come or move to their
    /// places.
    private func doEntries(
        of owner: EntityKey,
        _ entries: inout EntryCursors,
        _ afterStep: (_ entity: EntityKey?) throws -> Void
    ) throws {
        while let entry = try entries.nextLeaving(of: owner) {
            try takeOut(entry)
            try afterStep(owner)
        }
        while var entry = try entries.nextComing(of: owner) {
            // One that moves has been taken out.
            entry.delta.from = nil
            if let to = entry.delta.to { try put(entry, at: to) }
            try afterStep(owner)
        }
    }

    // MARK: Leaving

    /// Has a row leave what others want. Returns the position of its last event.
    private func leave(_ row: LeftRow, _ afterStep: (_ entity: EntityKey?) throws -> Void) throws -> UInt64 {
        let entity = row.entity
        guard let present = try workspace.row(entity) else { throw StoreError.entityMissing(try reference(entity)) }
        if !row.slots.isEmpty { try rewriteRow(entity, to: row.left(unsafe [UInt8](present.payload))) }
        for end in try schema.model(entity.model).ownedLists where row.lists.contains(Int(end.relation.number)) {
            let list = ListPlace(end: end, owner: entity)
            var place: UInt64?
            while true {
                var some: [ListEntry] = []
                try workspace.forEachEntry(of: list.key, behind: place) { entry in
                    some.append(entry)
                    return some.count < Self.pieceCount
                }
                for entry in some {
                    try unlink(entry, list, cause: 0)
                    try afterStep(entity)
                }
                guard let last = some.last else { break }
                place = last.orderKey
            }
        }
        let revision = try workspace.row(entity)?.revision ?? 0
        try afterStep(nil)
        return revision
    }

    /// How many entries of a list are in memory at a time.
    private static let pieceCount = 4096

    /// Remembers a row as it was left.
    private func resume(_ row: LeftRow) throws {
        let entity = row.entity
        guard let present = try workspace.row(entity) else { throw StoreError.entityMissing(try reference(entity)) }
        try workspace.remember(entity, payload: row.left(unsafe [UInt8](present.payload)), revision: row.revision)
    }

    /// Deletes a row together with the entries of its lists, of which only the digest remembers anything: no later step
    /// looks at them.
    ///
    /// - Parameter left: the lists that it has left, by the numbers of their relations.
    private func deleteAlone(_ entity: EntityKey, without left: Set<Int>) throws {
        let lists = try schema.model(entity.model).ownedLists.map { $0.relation.number }
            .filter { !left.contains(Int($0)) }.map { ListKey(relation: $0, id: entity.id) }
        var count = 0
        for list in lists {
            try workspace.forEachEntry(of: list) { _ in
                count += 1
                return true
            }
        }
        try recordDeletion(of: entity, cause: 0, entryCount: count) { body in
            for list in lists {
                try workspace.forEachEntry(of: list) { entry in
                    body(list, entry)
                    workspace.removeFromDigest(Workspace.digest(of: entry, in: list))
                    return true
                }
            }
        }
    }
}

/// The entries of a plan that leave their places, and those that come to places, owner by owner.
private struct EntryCursors {
    private var leaving: PlanEntryCursor
    private var coming: PlanEntryCursor

    init(_ places: EntryPlaces) {
        (leaving, coming) = (PlanEntryCursor(places.leaving), PlanEntryCursor(places.coming))
    }

    mutating func begin() throws {
        try leaving.advance()
        try coming.advance()
    }

    /// The next owner.
    var owner: EntityKey? {
        guard let one = leaving.present?.list.owner, let other = coming.present?.list.owner else {
            return (leaving.present ?? coming.present)?.list.owner
        }
        return one.precedes(other) ? one : other
    }

    mutating func nextLeaving(of owner: EntityKey) throws -> ChangePlan.Entry? {
        guard let entry = leaving.present, entry.list.owner == owner else { return nil }
        try leaving.advance()
        return entry
    }

    mutating func nextComing(of owner: EntityKey) throws -> ChangePlan.Entry? {
        guard let entry = coming.present, entry.list.owner == owner else { return nil }
        try coming.advance()
        return entry
    }

    /// Passes over those of one owner.
    mutating func pass(_ owner: EntityKey) throws {
        while try nextLeaving(of: owner) != nil {}
        while try nextComing(of: owner) != nil {}
    }
}
