internal import RepriseLog

/// Lists as they were, without going back to an earlier state as a whole.
extension StateReading where Self: ~Copyable {
    /// The entries that an entity's list had at an earlier position (STO-53).
    ///
    /// - Parameters:
    ///   - relationship: the stored name of an ordered many-to-many relationship, on the side that has the order.
    ///   - name: the stored name of the owner's model.
    ///   - id: the owner. One that does not exist now has no entries.
    ///   - position: the last of the events that had happened then. The owner may have been deleted and made again
    ///     since.
    /// - Throws: ``StoreError``: `unknownModel`, `unknownRelationship` (also for a list whose members hold a to-one:
    ///   its entries have no history of their own), and `corrupted` where the log or the views cannot be read.
    /// - Complexity: O(entries · log entries), and O(log n) for each event of the owner since then.
    package func entries(
        of relationship: String,
        model name: String,
        id: String,
        asOf position: Position
    ) throws -> [EntryID] {
        try access.run {
            let model = try access.model(named: name)
            let list = try access.list(relationship, of: model, id: id)
            guard case (.list, .source) = (list.end.relation.kind, list.end.side) else {
                throw StoreError.withoutHistory(relationship, of: model)
            }
            return try access.entries(list, model, id, asOf: position.rawValue).map { EntryID($0) }
        }
    }

    /// The members of a list whose members hold a to-one, in the order in which events that count have last put them
    /// into it; nil where there is a member that none of these has put there (STO-54).
    ///
    /// So can be told in which order somebody had them, whatever others have done to it since.
    ///
    /// - Parameters:
    ///   - relationship: the stored name of the list on the other side of the to-one.
    ///   - name: the stored name of the owner's model.
    ///   - id: the owner. One that does not exist has no members.
    ///   - members: those that are asked about; they need not be in the list now.
    ///   - counts: asked about an event by its position. Insertions count as well as updates, and those that only moved
    ///     a member to make room for another one (STO-49).
    /// - Throws: ``StoreError``: `unknownModel`, `unknownRelationship` (also for a many-to-many list), and `corrupted`
    ///   where the log cannot be read.
    /// - Complexity: O(members · log members), and O(log n) for each event of theirs that is looked at.
    package func order(
        of relationship: String,
        model name: String,
        id: String,
        members: [String],
        asPlacedBy counts: (Position) -> Bool
    ) throws -> [String]? {
        try access.run {
            let model = try access.model(named: name)
            let list = try access.list(relationship, of: model, id: id)
            guard case .reference(let slot) = list.end.relation.kind else {
                throw StoreError.withoutHistory(relationship, of: model)
            }
            let member = try access.workspace.schema.model(list.end.other.model)
            var places: [(orderKey: UInt64, member: String)] = []
            places.reserveCapacity(members.count)
            for id in members {
                guard
                    let orderKey = try access.orderKey(
                        of: id,
                        member,
                        slot: slot,
                        in: list.owner,
                        asPlacedBy: counts
                    )
                else { return nil }
                places.append((orderKey, id))
            }
            places.sort { $0.orderKey < $1.orderKey }
            return places.map(\.member)
        }
    }
}

extension StateAccess {
    /// What a many-to-many list had at a position: from what it has now, its owner's events are undone.
    fileprivate func entries(
        _ list: ListPlace,
        _ model: CompiledModel,
        _ id: String,
        asOf position: UInt64
    ) throws -> [ListEntry] {
        var entries: [UInt64: ListEntry] = [:]
        for entry in try workspace.entries(of: list.key) { entries[entry.serial] = entry }
        let relation = list.end.relation.number
        try forEachEvent(of: id, model) { event in
            guard event.position > position else { return false }
            switch try Change(event) {
            case .linked(relation, _, let serial, _): entries[serial] = nil
            case .unlinked(relation, let orderKey, let serial, let target),
                .moved(relation, let orderKey, _, let serial, let target):
                entries[serial] = unsafe ListEntry(
                    orderKey: orderKey,
                    serial: serial,
                    target: [UInt8](target)
                )
            case .inserted: entries = [:]
            case .deleted(let image):
                for (list, entry) in image.entries where list == relation {
                    entries[entry.serial] = entry
                }
            default: break
            }
            return true
        }
        return entries.values.sorted { $0.orderKey < $1.orderKey }
    }

    /// Where an event that counts has last put a member in the list of an owner; nil where the last of them that wrote
    /// the to-one has put it elsewhere, or there is none.
    fileprivate func orderKey(
        of id: String,
        _ member: CompiledModel,
        slot: Int,
        in owner: EntityKey,
        asPlacedBy counts: (Position) -> Bool
    ) throws -> UInt64? {
        var orderKey: UInt64?
        try forEachEvent(of: id, member) { event in
            let written: UnsafeRawBufferPointer?
            switch try Change(event) {
            case .inserted(let payload): unsafe written = try RowPayload(payload).slot(slot)
            case .updated(let changes):
                guard let change = changes.slots.first(where: { $0.slot == slot }) else {
                    return true
                }
                unsafe written = change.to
            default: return true
            }
            guard counts(Position(event.position)) else { return true }
            if let bytes = unsafe written {
                let place = try unsafe ReferenceBytes(bytes)
                if unsafe place.target.elementsEqual(owner.id) { orderKey = place.orderKey }
            }
            return false
        }
        return orderKey
    }
}

extension StoreError {
    fileprivate static func withoutHistory(
        _ relationship: String,
        of model: CompiledModel
    ) -> StoreError {
        StoreError(
            .unknownRelationship,
            "The list \"\(relationship)\" of \(model.name) is not of the kind whose history is asked for.",
            advice: "Ask for the entries of a many-to-many list, or for the order of one whose members hold a to-one."
        )
    }
}
