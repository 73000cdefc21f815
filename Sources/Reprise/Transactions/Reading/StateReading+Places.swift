internal import RepriseLog

extension StateReading where Self: ~Copyable {
    /// The position of the last event of an entity that was more than another place in the list on the other side of
    /// one of its to-ones; nil when there is no entity, or none of those counts that are looked at (STO-49).
    ///
    /// Whoever puts something into such a list may have to move its neighbours to make room. An event of the commit
    /// that is being made counts, whatever it says, unless it is passed over.
    ///
    /// - Parameters:
    ///   - attribute: where it is named, only events count that wrote this attribute, and those of the commit that is
    ///     being made; the insertion of the entity wrote all of them.
    ///   - limit: how many events of the entity are looked at, from the last one back.
    ///   - isPassedOver: asked about each event that would count, by its position and whether it followed from
    ///     another one of its commit (``CommitRecord/Event/cause``): whether it is passed over, too. So whoever gives
    ///     one entity a partner, and thereby takes it from another, need not count as having changed either. The
    ///     insertion of the entity is never passed over.
    /// - Throws: ``StoreError``; `unknownAttribute` where the model has no such attribute, `corrupted` where the log
    ///   cannot be read.
    /// - Complexity: O(log n) for each event that is looked at.
    package func lastChange(
        of reference: EntityReference,
        to attribute: String? = nil,
        amongLast limit: Int = .max,
        passingOver isPassedOver: (_ position: Position, _ isConsequence: Bool) -> Bool = { _, _ in
            false
        }
    ) throws -> Position? {
        try access.run {
            let model = try access.model(named: reference.model)
            let slot = try attribute.map { try model.slot(named: $0) }
            guard let row = try access.row(model, reference.id) else { return nil }
            let created = row.created
            var position = row.revision
            var leftCount = limit
            while position > created, leftCount > 0, let link = access.earlierEvent?(position),
                isPassedOver(Position(position), link.isConsequence)
            {
                position = link.previous
                leftCount -= 1
            }
            let log = access.log
            while position > created, leftCount > 0, let event = try log.event(at: position),
                event.previous >= created, event.previous < position
            {
                guard
                    try !model.isWriting(event, slot)
                        || isPassedOver(Position(position), event.cause != 0)
                else { break }
                position = event.previous
                leftCount -= 1
            }
            // The insertion is known without a look.
            if leftCount <= 0, position > created { return nil }
            return Position(position)
        }
    }
}

extension StateReading where Self: ~Copyable {
    /// The position of the event that deleted an entity; nil where it is there, and where it never was, as a rollback
    /// may have made it.
    ///
    /// - Throws: ``StoreError``; `unknownModel`, and `corrupted` where the views cannot be read.
    /// - Complexity: O(log n).
    package func deletion(of reference: EntityReference) throws -> Position? {
        try access.run {
            let model = try access.model(named: reference.model)
            guard try access.row(model, reference.id) == nil,
                reference.id.utf8.count <= identifierByteCountMax
            else { return nil }
            // It has just been looked for under this key.
            let key = unsafe access.workspace.keyBuffer.bytes
            let position = try unsafe access.workspace.lastPosition(
                of: key,
                found: access.workspace.find(key)
            )
            return position == 0 ? nil : Position(position)
        }
    }
}

extension CompiledModel {
    /// The slot of an attribute.
    fileprivate func slot(named name: String) throws(StoreError) -> Int {
        guard let attribute = attribute(named: name) else {
            throw unknownAttribute(name)
        }
        return attribute.slot
    }

    /// Whether an event writes a slot, or anything: more than another place in a list on the other side of a to-one.
    fileprivate func isWriting(_ event: EventView, _ slot: Int?) throws -> Bool {
        guard let slot else { return try !isPlacing(event) }
        // What inserts an entity, or brings one back, writes all of it; what only concerns lists writes no slot.
        guard event.type == .updated else { return event.type == .inserted }
        guard case .updated(let changes) = try Change(event) else { return true }
        return try changes.slots.contains { try $0.slot == slot && !isPlacing($0) }
    }

    /// Whether an event only gives an entity another place in lists that it is in.
    fileprivate func isPlacing(_ event: EventView) throws -> Bool {
        guard event.type == .updated, !references.isEmpty,
            case .updated(let changes) = try Change(event)
        else {
            return false
        }
        return try changes.slots.allSatisfy(isPlacing)
    }

    private func isPlacing(_ change: SlotChanges.SlotChange) throws -> Bool {
        guard references.contains(where: { $0.slot == change.slot }),
            let from = unsafe change.from, let to = unsafe change.to
        else { return false }
        return try unsafe ReferenceBytes(from).target.hasSameBytes(as: ReferenceBytes(to).target)
    }
}
