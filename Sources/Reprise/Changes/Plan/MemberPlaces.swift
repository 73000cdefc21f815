internal import RepriseLMDB
internal import RepriseLog

/// The places to which members of lists come by a plan.
struct MemberPlaces {
    private let plan: ChangePlan
    private let workspace: Workspace
    private let arrivals: PlaceSort

    init(_ plan: ChangePlan, _ workspace: Workspace, _ makeFile: @escaping () throws(LMDBError) -> SpillFile) {
        self.plan = plan
        self.workspace = workspace
        arrivals = PlaceSort(makeFile)
    }

    /// Sees to it that each of them is free in time: notes the rows that have to leave one before, and gives a member
    /// the next free place where another one keeps the place or comes to it as well.
    ///
    /// - Parameter leaving: takes the rows that have to leave; nil where nobody asks.
    /// - Returns: false where there is no room for that between two others.
    /// - Complexity: O(n log n) of the members that change places.
    func settle(_ leaving: LeavingRows?) throws -> Bool {
        try plan.rows.forEach { entity, row in
            guard let payload = row.payload else { return }
            for reference in try workspace.schema.model(entity.model).references {
                guard let place = try ReferencePlace(payload.rowSlot(reference.slot)) else { continue }
                if case .update(let from, _) = row, try ReferencePlace(from.rowSlot(reference.slot)) == place {
                    continue
                }
                let list = ListKey(relation: reference.relation.number, id: place.target)
                var arrival = Arrival(member: entity, slot: reference.slot, isKept: false)
                if let other = try workspace.entry(of: list, at: place.orderKey) {
                    let holder = EntityKey(model: entity.model, id: other.target)
                    arrival.isKept = try !leaves(holder, place, reference.slot)
                    if !arrival.isKept { try leaving?.add(holder, slot: reference.slot) }
                }
                var writer = ByteWriter(capacity: 32)
                arrival.write(to: &writer)
                try arrivals.add(list, place.orderKey, value: writer)
            }
        }
        return try settleTaken()
    }

    /// Whether a row that has a place in a list has it no more in the end.
    private func leaves(_ holder: EntityKey, _ place: ReferencePlace, _ slot: Int) throws -> Bool {
        guard let row = try plan.rows.row(of: holder) else { return false }
        return try ReferencePlace(row.payload?.rowSlot(slot)) != place
    }

    /// Finds other places for members whose places others keep or come to as well. Returns whether there is room.
    private func settleTaken() throws -> Bool {
        if arrivals.isEmpty { return true }
        var hasRoom = true
        var taken = TakenPlace()
        try unsafe arrivals.takeAll { key, value in
            guard hasRoom else { return }
            var parser = unsafe KeyParser(key, skipping: 2)
            let list = ListKey(relation: unsafe Workspace.modelNumber(of: key), id: try parser.identifier())
            let orderKey = try parser.number()
            var reader = unsafe ByteReader(value)
            let arrival = try Arrival(&reader)
            if taken.list == list, taken.orderKey == orderKey {
                taken.others.append(arrival)
                return
            }
            hasRoom = try settle(taken, before: taken.list == list ? orderKey : nil)
            taken = TakenPlace(list: list, orderKey: orderKey, others: arrival.isKept ? [arrival] : [])
        }
        return try hasRoom && settle(taken, before: nil)
    }

    /// Gives those that cannot have a place the next free ones. Returns whether there is room.
    private func settle(_ taken: TakenPlace, before bound: UInt64?) throws -> Bool {
        guard !taken.others.isEmpty, let list = taken.list else { return true }
        var high = bound ?? OrderKey.above(taken.orderKey, taken.others.count + 1)
        try workspace.forEachEntry(of: list, behind: taken.orderKey) { entry in
            high = min(high, entry.orderKey)
            return false
        }
        guard let keys = OrderKey.spread(taken.others.count, between: taken.orderKey, high) else { return false }
        // Each comes right behind the place that it wanted, as if one after the other came.
        for (arrival, key) in zip(taken.others.reversed(), keys) {
            guard let row = try plan.rows.row(of: arrival.member), let payload = row.payload else { continue }
            let bytes = ReferencePlace.bytes(key, list.id)
            let moved = try DeltaComposer.rewritten(payload, [SlotDelta(slot: arrival.slot, from: nil, to: bytes)])
            if case .update(let from, _) = row {
                try plan.rows.set(.update(from: from, to: moved), for: arrival.member)
            } else {
                try plan.rows.set(.insert(moved), for: arrival.member)
            }
        }
        return true
    }
}

/// A place in a list, and members that want it and cannot have it.
private struct TakenPlace {
    var list: ListKey?
    var orderKey: UInt64 = 0
    var others: [Arrival] = []
}

/// A member that comes to a place.
private struct Arrival {
    let member: EntityKey
    let slot: Int
    /// Whether another member keeps the place.
    var isKept: Bool

    init(member: EntityKey, slot: Int, isKept: Bool) {
        (self.member, self.slot, self.isKept) = (member, slot, isKept)
    }

    func write(to writer: inout ByteWriter) {
        writer.u8(isKept ? 1 : 0)
        writer.varint(UInt64(slot))
        writer.u16(member.model)
        unsafe member.id.withUnsafeBytes { unsafe writer.bytes($0) }
    }

    init(_ reader: inout ByteReader) throws {
        isKept = try reader.u8() == 1
        slot = Int(try reader.varint())
        let model = try reader.u16()
        member = unsafe EntityKey(model: model, id: reader.rest())
    }
}
