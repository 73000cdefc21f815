internal import RepriseLMDB
internal import RepriseLog

/// Where an entry that a merge brings stands in the list of the other store: behind which place, and before which.
struct ListNeighbours: Equatable {
    let list: ListKey
    let orderKey: UInt64
    /// The place of the entry before it; nil for the first of the list.
    let before: UInt64?
    /// The place of the entry behind it; nil for the last of the list.
    let behind: UInt64?
}

extension ListNeighbours: PackedElement {
    func write(to writer: inout ByteWriter) {
        writer.varint(UInt64(list.relation))
        writer.counted(list.id)
        writer.u64(orderKey)
        writer.u8((before == nil ? 0 : 1) | (behind == nil ? 0 : 2))
        if let before { writer.u64(before) }
        if let behind { writer.u64(behind) }
    }

    init(decoding reader: inout ByteReader) throws {
        let relation = try reader.relation()
        list = try unsafe ListKey(relation: relation, id: [UInt8](reader.bytes(try reader.count())))
        orderKey = try reader.u64()
        let flags = UInt8(try reader.count(atMost: 3))
        before = flags & 1 == 0 ? nil : try reader.u64()
        behind = flags & 2 == 0 ? nil : try reader.u64()
    }
}

extension EntityDelta {
    /// Notes the neighbours of all places in lists that it brings.
    ///
    /// - Parameters:
    ///   - theirs: the state of another store in which the places are.
    ///   - match: what is the same in both stores.
    ///   - makeFile: makes the file for neighbours that do not fit into memory.
    mutating func findNeighbours(
        in theirs: Workspace,
        _ match: SchemaMatch,
        _ makeFile: @escaping () throws(LMDBError) -> SpillFile
    ) throws {
        guard let model = try? match.theirs.model(entity.model) else { return }
        neighbours = PackedList(makeFile)
        try entries.forEach { entry in
            guard let to = entry.to else { return }
            let list = ListKey(relation: entry.relation, id: entity.id)
            try neighbours.append(theirs.neighbours(in: list, of: to, match.numbers))
        }
        for reference in model.references {
            let slot: [UInt8]?
            switch row {
            case .inserted(let payload): slot = try payload.rowSlot(reference.slot)
            case .updated(let slots): slot = slots.first { $0.slot == reference.slot }?.to
            case .same, .deleted: slot = nil
            }
            guard let place = try ReferencePlace(slot) else { continue }
            let list = ListKey(relation: reference.relation.number, id: place.target)
            try neighbours.append(theirs.neighbours(in: list, of: place.orderKey, match.numbers))
        }
    }
}

extension Workspace {
    /// The places before and behind one in a list. O(log n), and O(what is pending of the list).
    ///
    /// - Parameters:
    ///   - list: the list, with the number that its relationship has in the store that is compared with this one.
    ///   - numbers: what those of this store are in that one.
    fileprivate func neighbours(
        in list: ListKey,
        of orderKey: UInt64,
        _ numbers: Renumbering?
    ) throws -> ListNeighbours {
        let own = ListKey(relation: numbers?.theirRelation(list.relation) ?? list.relation, id: list.id)
        var behind: UInt64?
        try forEachEntry(of: own, behind: orderKey) {
            behind = $0.orderKey
            return false
        }
        return ListNeighbours(
            list: list,
            orderKey: orderKey,
            before: try lastOrderKey(of: own, before: orderKey),
            behind: behind
        )
    }
}
