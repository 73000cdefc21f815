internal import RepriseLMDB
internal import RepriseLog

/// Folding events into a state, forwards and backwards.
extension Workspace {
    /// Makes the state what it was right after `event`, given that it is what it was right before.
    func apply(_ event: borrowing EventView) throws {
        try Change.checkVersion(of: event)
        switch event.type {
        case .inserted, .updated, .deleted: return try applyToRow(event)
        default: break
        }
        switch try Change(event) {
        case .linked(let relation, let orderKey, let serial, let target):
            let list = ListKey(relation: relation, id: unsafe [UInt8](event.id))
            try checkPlace(orderKey, in: list, before: event)
            link(ListEntry(orderKey: orderKey, serial: serial, target: unsafe [UInt8](target)), in: list)
            try touchOwner(of: event)
        case .unlinked(let relation, let orderKey, let serial, let target):
            let list = ListKey(relation: relation, id: unsafe [UInt8](event.id))
            let entry = ListEntry(orderKey: orderKey, serial: serial, target: unsafe [UInt8](target))
            try checkStanding(entry, in: list, before: event)
            unlink(entry, in: list)
            try touchOwner(of: event)
        case .moved(let relation, let from, let to, let serial, let target):
            let list = ListKey(relation: relation, id: unsafe [UInt8](event.id))
            let entry = ListEntry(orderKey: from, serial: serial, target: unsafe [UInt8](target))
            try checkStanding(entry, in: list, before: event)
            if from != to { try checkPlace(to, in: list, before: event) }
            move(entry, to: to, in: list)
            try touchOwner(of: event)
        case .inserted, .updated, .deleted, .schemaDeclared, .snapshotCreated, .snapshotDeleted,
            .rolledBack, .annotated, .unknown:
            break
        }
    }

    /// Notes an event in the row of its owner.
    private func touchOwner(of event: borrowing EventView) throws {
        if checksPrevious {
            let key = unsafe rowKey(of: event)
            try unsafe checkPrevious(of: event, key, find(key))
        }
        try touch(owner(of: event), revision: event.position)
    }

    /// Throws where another entry stands at the place to which an event brings one.
    private func checkPlace(_ orderKey: UInt64, in list: ListKey, before event: borrowing EventView) throws {
        guard checksPrevious, try entry(of: list, at: orderKey) != nil else { return }
        throw RowOutcome.contradiction(event.position, "puts an entry where another one stands in its list")
    }

    /// Throws where the entry that an event takes from its place does not stand there.
    private func checkStanding(_ entry: ListEntry, in list: ListKey, before event: borrowing EventView) throws {
        guard checksPrevious, try self.entry(of: list, at: entry.orderKey) != entry else { return }
        throw RowOutcome.contradiction(event.position, "takes an entry from a place where it does not stand")
    }

    /// Throws unless an event names the last event of its entity before it.
    ///
    /// - Parameter found: the row of the entity before the event.
    private func checkPrevious(
        of event: borrowing EventView,
        _ key: UnsafeRawBufferPointer,
        _ found: Found
    ) throws {
        guard try unsafe lastPosition(of: key, found: found) != event.previous else { return }
        throw RowOutcome.contradiction(event.position, "names another event before it than its entity had")
    }

    private func applyToRow(_ event: borrowing EventView) throws {
        // Its entries go with an entity; their backlinks are found by them.
        if case .deleted(let image) = try Change(event) {
            for (relation, entry) in image.entries {
                let list = ListKey(relation: relation, id: unsafe [UInt8](event.id))
                try checkStanding(entry, in: list, before: event)
                unlink(entry, in: list)
            }
        }
        let key = unsafe rowKey(of: event)
        let found = try unsafe find(key)
        if checksPrevious { try unsafe checkPrevious(of: event, key, found) }
        let outcome = try unsafe RowOutcome(
            after: event.type,
            at: event.position,
            event.body,
            row: found.row.map { unsafe ($0.created, $0.payload) },
            room: &scratch
        )
        switch outcome {
        case .row(let created, let payload):
            try unsafe validate(payload, of: event)
            try unsafe put(
                key,
                over: found,
                created: created,
                revision: event.position,
                payload: payload
            )
        case .gone: try unsafe remove(key, found: found, tombstone: event.position)
        case .same: break
        }
    }

    /// Makes the state what it was right before `event`, given that it is what it was right after.
    func undo(_ event: borrowing EventView) throws {
        try Change.checkVersion(of: event)
        let previous = event.previous
        switch try Change(event) {
        case .inserted:
            let key = unsafe rowKey(of: event)
            try unsafe remove(key, found: try find(key), tombstone: previous)
        case .updated(let changes):
            try unsafe change(event, changes, revision: previous) { unsafe $0.from }
        case .deleted(let image):
            let key = unsafe rowKey(of: event)
            try unsafe validate(image.payload, of: event)
            try unsafe put(
                key,
                over: try find(key),
                created: image.created,
                revision: previous,
                payload: image.payload
            )
            for (relation, entry) in image.entries {
                link(entry, in: ListKey(relation: relation, id: unsafe [UInt8](event.id)))
            }
        case .linked(let relation, let orderKey, let serial, let target):
            unsafe unlink(
                ListEntry(orderKey: orderKey, serial: serial, target: [UInt8](target)),
                in: ListKey(relation: relation, id: [UInt8](event.id))
            )
            try touch(owner(of: event), revision: previous)
        case .unlinked(let relation, let orderKey, let serial, let target):
            unsafe link(
                ListEntry(orderKey: orderKey, serial: serial, target: [UInt8](target)),
                in: ListKey(relation: relation, id: [UInt8](event.id))
            )
            try touch(owner(of: event), revision: previous)
        case .moved(let relation, let from, let to, let serial, let target):
            unsafe move(
                ListEntry(orderKey: to, serial: serial, target: [UInt8](target)),
                to: from,
                in: ListKey(relation: relation, id: [UInt8](event.id))
            )
            try touch(owner(of: event), revision: previous)
        case .schemaDeclared, .snapshotCreated, .snapshotDeleted, .rolledBack, .annotated, .unknown:
            break
        }
    }

    /// Moves a many-to-many entry to another place in its list.
    func move(_ entry: ListEntry, to orderKey: UInt64, in list: ListKey) {
        unlink(entry, in: list)
        link(ListEntry(orderKey: orderKey, serial: entry.serial, target: entry.target), in: list)
    }

    private func change(
        _ event: borrowing EventView,
        _ changes: SlotChanges,
        revision: UInt64,
        _ bytes: (SlotChanges.SlotChange) -> UnsafeRawBufferPointer?
    ) throws {
        let key = unsafe rowKey(of: event)
        let found = try unsafe find(key)
        guard let row = found.row else {
            throw RowOutcome.contradiction(event.position, "changes what is not there")
        }
        let old = try unsafe RowPayload(trusting: row.payload)
        try unsafe scratch.rewrite(old, changes, bytes)
        try unsafe validate(scratch.bytes, of: event)
        try unsafe put(
            key,
            over: found,
            created: row.created,
            revision: revision,
            payload: scratch.bytes
        )
    }

    /// Valid until the next event.
    private func rowKey(of event: borrowing EventView) -> UnsafeRawBufferPointer {
        unsafe eventKey.setRow(model: event.model, id: event.id)
        return unsafe eventKey.bytes
    }

    private func owner(of event: borrowing EventView) -> EntityKey {
        unsafe EntityKey(model: event.model, id: event.id)
    }

    /// Throws unless the bytes are a row of the event's model.
    private func validate(
        _ payload: UnsafeRawBufferPointer,
        of event: borrowing EventView
    ) throws(StoreError) {
        let model = try schema.model(event.model)
        do throws(ValueError) {
            try unsafe model.check(RowPayload(payload))
        } catch {
            throw .damage("The event at position \(event.position) makes a row that cannot be: \(error)")
        }
    }
}
