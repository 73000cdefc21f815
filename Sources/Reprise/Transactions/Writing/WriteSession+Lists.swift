internal import RepriseLMDB
internal import RepriseLog

/// Ordered lists.
extension WriteSession {
    /// Puts `target` into the list. In a list whose members hold the reference it is taken out of its old list.
    func link(_ list: ListPlace, target: [UInt8], at placement: Placement) throws -> EntryID {
        // A reference that changes leaves another list.
        if list.memberSlot != nil { try workspace.settle() }
        try requireOwner(list)
        let member = EntityKey(model: list.end.other.model, id: target)
        guard try workspace.contains(member) else {
            throw StoreError.targetMissing(try reference(member), from: try reference(list.owner))
        }
        if let slot = list.memberSlot {
            // A member that comes from somewhere else leaves no place here, and the end of a list is found without it.
            let isHere = try self.target(of: member, slot: slot) == list.owner.id
            let place = try place(
                for: placement,
                in: list,
                moving: isHere ? EntryID(serial: 0, target: member.text) : nil
            )
            let bytes = Self.referenceBytes(place.orderKey, list.owner.id)
            if !place.neighbours.isEmpty {
                // What forbids it is found before others make room for it.
                try checkSlot(member, slot: slot, to: bytes)
                try move(place.neighbours, list)
            }
            try setSlot(member, slot: slot, to: bytes, cause: 0, isChecked: true)
            return EntryID(serial: 0, target: member.text, place: place.orderKey)
        }
        let place = try place(for: placement, in: list, moving: nil)
        try move(place.neighbours, list)
        let serial = try linkAnew(target, list, at: place.orderKey)
        return EntryID(serial: serial, target: member.text, place: place.orderKey)
    }

    /// Puts a new entry into a many-to-many list. Nobody stands at the order key. Returns the serial of the entry.
    @discardableResult
    func linkAnew(_ target: [UInt8], _ list: ListPlace, at orderKey: UInt64) throws -> UInt64 {
        let serial = try recordEntry(.linked, list, cause: 0) { writer in
            writer.u64(orderKey)
            unsafe target.withUnsafeBytes { unsafe writer.bytes($0) }
        }
        workspace.link(ListEntry(orderKey: orderKey, serial: serial, target: target), in: list.key)
        return serial
    }

    /// Puts an entry of a many-to-many list back, with the identity that it had. Nobody stands at its order key.
    func linkAgain(_ entry: ListEntry, _ list: ListPlace) throws {
        _ = try recordEntry(.linked, list, cause: 0, version: Change.linkedAgainVersion) { writer in
            writer.u64(entry.orderKey)
            writer.varint(entry.serial)
            unsafe entry.target.withUnsafeBytes { unsafe writer.bytes($0) }
        }
        workspace.link(entry, in: list.key)
    }

    /// Takes one entry out of the list.
    func unlink(_ list: ListPlace, entry id: EntryID, cause: UInt64 = 0) throws {
        try requireOwner(list)
        let entry = try find(id, in: list)
        try checkLeaving(entry, list)
        try takeOut(entry, list, cause: cause)
    }

    /// Refuses to take out a member that needs its to-one.
    func checkLeaving(_ entry: ListEntry, _ list: ListPlace) throws {
        guard let slot = list.memberSlot else { return }
        let member = EntityKey(model: list.end.other.model, id: entry.target)
        let model = try schema.model(member.model)
        if let attribute = model.attribute(slot: slot), !attribute.isOptional {
            throw StoreError(
                .invalidValue,
                "\(try reference(member)) needs a \(attribute.name) and cannot be taken out of the list.",
                advice: "Link it somewhere else, or delete it."
            )
        }
    }

    /// Takes an entry out that may leave.
    func takeOut(_ entry: ListEntry, _ list: ListPlace, cause: UInt64) throws {
        guard let slot = list.memberSlot else { return try unlink(entry, list, cause: cause) }
        let member = EntityKey(model: list.end.other.model, id: entry.target)
        try setSlot(member, slot: slot, to: nil, cause: cause)
    }

    /// Takes a many-to-many entry out of its list.
    func unlink(_ entry: ListEntry, _ list: ListPlace, cause: UInt64) throws {
        _ = try recordEntry(.unlinked, list, cause: cause) { writer in
            writer.u64(entry.orderKey)
            writer.varint(entry.serial)
            unsafe entry.target.withUnsafeBytes { unsafe writer.bytes($0) }
        }
        workspace.unlink(entry, in: list.key)
    }

    /// Puts an entry in another place of its list.
    func move(_ list: ListPlace, entry id: EntryID, to placement: Placement) throws {
        try requireOwner(list)
        _ = try find(id, in: list)
        if placement == .before(id) || placement == .after(id) { return }
        let place = try place(for: placement, in: list, moving: id)
        try move(place.neighbours, list)
        // Making room may have moved the entry itself.
        let entry = try find(id, in: list)
        try move(entry, list, to: place.orderKey, cause: 0)
    }

    func move(_ entry: ListEntry, _ list: ListPlace, to orderKey: UInt64, cause: UInt64) throws {
        if entry.orderKey == orderKey { return }
        if let slot = list.memberSlot {
            try setSlot(
                EntityKey(model: list.end.other.model, id: entry.target),
                slot: slot,
                to: Self.referenceBytes(orderKey, list.owner.id),
                cause: cause
            )
            return
        }
        _ = try recordEntry(.moved, list, cause: cause) { writer in
            writer.u64(entry.orderKey)
            writer.u64(orderKey)
            writer.varint(entry.serial)
            unsafe entry.target.withUnsafeBytes { unsafe writer.bytes($0) }
        }
        workspace.move(entry, to: orderKey, in: list.key)
    }

    /// Appends an event of the list's owner and gives the owner its revision.
    func recordEntry(
        _ type: EventType,
        _ list: ListPlace,
        cause: UInt64,
        version: UInt32 = Change.currentVersion,
        body: (inout ByteWriter) -> Void
    ) throws -> UInt64 {
        let previous = try workspace.row(list.owner)?.revision ?? 0
        let position = try unsafe list.owner.id.withUnsafeBytes { id in
            try unsafe record(
                type,
                list.owner.model,
                id: id,
                previous: previous,
                cause: cause,
                version: version
            ) { writer in
                writer.varint(UInt64(list.end.relation.number))
                body(&writer)
            }
        }
        try workspace.touch(list.owner, revision: position)
        return position
    }

    func requireOwner(_ list: ListPlace) throws {
        guard try workspace.contains(list.owner) else {
            throw StoreError.entityMissing(try reference(list.owner))
        }
    }

    /// The entry with an identity. O(log n) where it still stands where it was read, otherwise O(log n + how often the
    /// list has the target); one that is missing is looked for in the whole list.
    func find(_ id: EntryID, in list: ListPlace) throws -> ListEntry {
        if let entry = try workspace.entry(id, in: list) { return entry }
        return try find(id, in: list, among: try workspace.entries(of: list.key))
    }

    private func find(_ id: EntryID, in list: ListPlace, among entries: [ListEntry]) throws
        -> ListEntry
    {
        let target = Array(id.target.utf8)
        guard let entry = entries.first(where: { $0.serial == id.serial && $0.target == target })
        else { throw try missingEntry(id, list) }
        return entry
    }

    func missingEntry(_ id: EntryID, _ list: ListPlace) throws -> StoreError {
        .entryMissing(id, in: try reference(list.owner))
    }

    static func referenceBytes(_ orderKey: UInt64, _ target: [UInt8]) -> [UInt8] {
        unsafe withUnsafeBytes(of: orderKey.littleEndian) { unsafe Array($0) } + target
    }
}

/// Places.
extension WriteSession {
    /// The key after the last entry. Throws `valueTooLarge` where the range is used up.
    func freshAppendKey(of list: ListKey) throws -> UInt64 {
        if let key = try workspace.appendKey(of: list) { return key }
        throw StoreError.noPlaceLeft
    }

    /// Where an entry can stand in a list, when others have made room for it.
    private struct FreePlace {
        let orderKey: UInt64
        /// Those that go to other keys first, in the order of the list.
        var neighbours: [(entry: ListEntry, key: UInt64)] = []
    }

    /// The place for `placement`, leaving out the entry that is being moved. Changes nothing. O(log n), and
    /// O(what is pending of the list), where there is room, and otherwise O(entries of the list).
    private func place(
        for placement: Placement,
        in list: ListPlace,
        moving: EntryID?
    ) throws -> FreePlace {
        let anchor: ListEntry?
        switch placement {
        case .first, .last: anchor = nil
        case .before(let id), .after(let id): anchor = try find(id, in: list)
        }
        var leaving = try moving.map { try find($0, in: list) }
        if leaving?.orderKey == anchor?.orderKey { leaving = nil }
        var (below, above) = (anchor?.orderKey, anchor?.orderKey)
        switch placement {
        case .first: above = try orderKey(of: list.key, behind: nil, leaving)
        case .after: above = try orderKey(of: list.key, behind: above, leaving)
        case .last: below = try orderKey(of: list.key, before: nil, leaving)
        case .before: below = try orderKey(of: list.key, before: below, leaving)
        }
        if let key = Self.orderKey(between: below, above) { return FreePlace(orderKey: key) }
        var entries = try workspace.entries(of: list.key)
        entries.removeAll { $0.orderKey == leaving?.orderKey }
        let index = above.map { above in entries.partitioningIndex { $0.orderKey >= above } } ?? entries.count
        return try Self.room(at: index, in: entries, leaving: leaving)
    }

    /// The place of the last entry before a place, or of the last one of all, that is not leaving.
    private func orderKey(of list: ListKey, before place: UInt64?, _ leaving: ListEntry?) throws -> UInt64? {
        let last =
            if let place { try workspace.lastOrderKey(of: list, before: place) } else {
                try workspace.lastOrderKey(of: list)
            }
        guard let last, last == leaving?.orderKey else { return last }
        return try workspace.lastOrderKey(of: list, before: last)
    }

    /// The place of the first entry behind a place, or of the first one of all, that is not leaving.
    private func orderKey(of list: ListKey, behind place: UInt64?, _ leaving: ListEntry?) throws -> UInt64? {
        var first: UInt64?
        try workspace.forEachEntry(of: list, behind: place) { entry in
            if entry.orderKey == leaving?.orderKey { return true }
            first = entry.orderKey
            return false
        }
        return first
    }

    /// A place between two others; nil where there is no room. The first of all where nobody stands at either side.
    private static func orderKey(between below: UInt64?, _ above: UInt64?) -> UInt64? {
        switch (below, above) {
        case (nil, nil): OrderKey.first
        case (nil, let above?): OrderKey.before(above) ?? OrderKey.between(0, above)
        case (let below?, nil): OrderKey.after(below) ?? OrderKey.between(below, .max)
        case (let below?, let above?): OrderKey.between(below, above)
        }
    }

    /// A place in a used-up gap, for which its neighbours are spread over the smallest window that has room.
    ///
    /// At an end of the list they spread outwards no further than as many appends would: towards the end of the range
    /// the last entry would soon leave no room behind it. `leaving` is not among `entries` but stands in the list until
    /// it is moved, so its place is given to nobody.
    private static func room(
        at index: Int,
        in entries: [ListEntry],
        leaving: ListEntry?
    ) throws -> FreePlace {
        var width = 16
        while true {
            let low = max(0, index - width)
            let high = min(entries.count, index + width)
            let isWhole = low == 0 && high == entries.count
            let count = high - low + 1
            let below =
                low > 0 ? entries[low - 1].orderKey : OrderKey.below(entries[0].orderKey, count)
            let above =
                high < entries.count
                ? entries[high].orderKey : OrderKey.above(entries[high - 1].orderKey, count)
            var keys = OrderKey.spread(count, between: below, above)
            if keys == nil, isWhole { keys = OrderKey.spread(count, between: 0, .max) }
            if var keys {
                if let leaving, keys.contains(leaving.orderKey) { keys = keys.map { $0 + 1 } }
                let gap = index - low
                let neighbours = entries[low..<high].enumerated().map { offset, entry in
                    (entry, keys[offset < gap ? offset : offset + 1])
                }
                return FreePlace(orderKey: keys[gap], neighbours: neighbours)
            }
            guard !isWhole else {
                throw StoreError(
                    .valueTooLarge,
                    "The list has too many entries.",
                    advice: "Split it into several."
                )
            }
            width *= 2
        }
    }

    /// Moves entries, in the order of the list, to keys in the same order. Those that go up are moved from the top,
    /// those that go down from the bottom, so that no two ever stand in the same place.
    func move(_ moves: [(entry: ListEntry, key: UInt64)], _ list: ListPlace) throws {
        for move in moves.reversed() where move.key > move.entry.orderKey {
            try self.move(move.entry, list, to: move.key, cause: 0)
        }
        for move in moves where move.key < move.entry.orderKey {
            try self.move(move.entry, list, to: move.key, cause: 0)
        }
    }
}

extension StoreError {
    /// Nothing can be put at the end of a list.
    static var noPlaceLeft: StoreError {
        StoreError(
            .valueTooLarge,
            "The list has had two billion entries appended.",
            advice: "Move its last entry before another to make room."
        )
    }
}
