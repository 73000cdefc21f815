internal import RepriseLMDB
internal import RepriseLog

/// The places to which members of lists come by a plan.
struct MemberPlaces {
    private let plan: ChangePlan
    private let workspace: Workspace
    private let arrivals: PlaceSort
    private let makeFile: () throws(LMDBError) -> SpillFile

    init(_ plan: ChangePlan, _ workspace: Workspace, _ makeFile: @escaping () throws(LMDBError) -> SpillFile) {
        self.plan = plan
        self.workspace = workspace
        self.makeFile = makeFile
        arrivals = PlaceSort(makeFile)
    }

    /// Sees to it that each of them is free in time: notes the rows that have to leave one before, and gives a member
    /// the next free place where another one keeps the place or comes to it as well.
    ///
    /// - Parameter leaving: takes the rows that have to leave; nil where nobody asks.
    /// - Throws: `valueTooLarge` where a list has no place left at its end.
    /// - Complexity: O(n log n) of the members that change places.
    func settle(_ leaving: LeavingRows?) throws {
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
        try settleTaken()
    }

    /// Whether a row that has a place in a list has it no more in the end.
    private func leaves(_ holder: EntityKey, _ place: ReferencePlace, _ slot: Int) throws -> Bool {
        guard let row = try plan.rows.row(of: holder) else { return false }
        return try ReferencePlace(row.payload?.rowSlot(slot)) != place
    }

    /// Finds other places for members whose places others keep or come to as well.
    private func settleTaken() throws {
        if arrivals.isEmpty { return }
        var taken = TakenPlace(waiting: PackedList(makeFile))
        try unsafe arrivals.takeAll { key, value in
            var parser = unsafe KeyParser(key, skipping: 2)
            let list = ListKey(relation: unsafe Workspace.modelNumber(of: key), id: try parser.identifier())
            let orderKey = try parser.number()
            var reader = unsafe ByteReader(value)
            let arrival = try Arrival(decoding: &reader)
            if taken.list == list, taken.orderKey == orderKey {
                taken.others.append(arrival)
                return
            }
            try settle(&taken, before: taken.list == list ? orderKey : nil, isKept: arrival.isKept)
            (taken.list, taken.orderKey, taken.isKept) = (list, orderKey, arrival.isKept)
            if arrival.isKept { taken.others.append(arrival) }
        }
        try settle(&taken, before: nil, isKept: false)
    }

    /// Gives members that cannot have the places that they want the next free ones. Where there is no room for that,
    /// they wait for the next place.
    ///
    /// - Parameters:
    ///   - bound: the next place of the list to which a member comes; nil for none.
    ///   - isKept: whether another member keeps that place.
    private func settle(_ taken: inout TakenPlace, before bound: UInt64?, isKept: Bool) throws {
        // Each comes right behind the place that it wanted, as if one after the other came.
        for arrival in taken.others.reversed() { try taken.waiting.append(arrival) }
        taken.others = []
        guard !taken.waiting.isEmpty, let list = taken.list else { return }
        if taken.isKept, isKept, let bound, try workspace.nextPlace(of: list, behind: taken.orderKey) == bound {
            // Where members that stay follow one another, those that come to their places stand together behind the
            // last.
            return
        }
        let keys = try workspace.freePlaces(taken.waiting.count, of: list, behind: taken.orderKey, before: bound)
        guard let keys else { return }
        var places = keys.makeIterator()
        try taken.waiting.forEach { arrival in
            guard let key = places.next() else { return }
            try give(arrival, key, in: list)
        }
        taken.waiting = taken.waiting.emptyCopy()
    }

    /// Gives a member a place.
    private func give(_ arrival: Arrival, _ key: UInt64, in list: ListKey) throws {
        guard let row = try plan.rows.row(of: arrival.member), let payload = row.payload else { return }
        let bytes = ReferencePlace.bytes(key, list.id)
        let moved = try DeltaComposer.rewritten(payload, [SlotDelta(slot: arrival.slot, from: nil, to: bytes)])
        if case .update(let from, _) = row {
            try plan.rows.set(.update(from: from, to: moved), for: arrival.member)
        } else {
            try plan.rows.set(.insert(moved), for: arrival.member)
        }
    }
}

/// A place in a list, and members that cannot have the places that they want.
private struct TakenPlace {
    var list: ListKey?
    var orderKey: UInt64 = 0
    /// Whether another member keeps it.
    var isKept = false
    /// Those that want this one.
    var others: [Arrival] = []
    /// Those that wanted one before it.
    var waiting: PackedList<Arrival>
}

/// A member that comes to a place.
private struct Arrival: PackedElement {
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
        writer.counted(member.id)
    }

    init(decoding reader: inout ByteReader) throws {
        isKept = try reader.u8() == 1
        slot = Int(try reader.varint())
        let model = try reader.u16()
        member = try unsafe EntityKey(model: model, id: reader.bytes(try reader.count()))
    }
}
