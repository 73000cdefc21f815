internal import RepriseLMDB
internal import RepriseLog

/// Where an entry that a merge brings stands in the list of the other store: between which entries that both stores
/// have at the same place.
struct ListNeighbours: Equatable {
    let list: ListKey
    let orderKey: UInt64
    /// The place of the shared entry before it; nil where there is none.
    let before: UInt64?
    /// The place of the shared entry behind it; nil where there is none.
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
    ///   - gaps: finds between which shared entries a place lies.
    ///   - schema: that of the other store, with the numbers of this one.
    ///   - makeFile: makes the file for neighbours that do not fit into memory.
    mutating func findNeighbours(
        _ gaps: inout SharedGaps,
        _ schema: CompiledSchema,
        _ makeFile: @escaping () throws(LMDBError) -> SpillFile
    ) throws {
        guard let model = try? schema.model(entity.model) else { return }
        neighbours = PackedList(makeFile)
        var cursor = entries.makeCursor()
        while let entry = try cursor.next() {
            guard let to = entry.to else { continue }
            let list = ListKey(relation: entry.relation, id: entity.id)
            try neighbours.append(gaps.neighbours(of: to, in: list))
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
            try neighbours.append(gaps.neighbours(of: place.orderKey, in: list))
        }
    }
}
