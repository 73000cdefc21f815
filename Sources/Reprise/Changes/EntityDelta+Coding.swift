internal import RepriseLog

/// The form in which a delta lies in memory, in a temporary file, and in a file of changes, version 1
/// (Specs/format/changes.md).
extension EntityDelta {
    private enum Kind: UInt8 {
        case same, inserted, updated, deleted
    }

    /// Set in the kind of a delta that other events have interrupted.
    private static let interrupted: UInt8 = 0x80

    func write(to writer: inout ByteWriter) {
        writer.varint(UInt64(entity.model))
        writer.counted(entity.id)
        let flag = isInterrupted ? Self.interrupted : 0
        switch row {
        case .same: writer.u8(Kind.same.rawValue | flag)
        case .inserted(let payload):
            writer.u8(Kind.inserted.rawValue | flag)
            writer.counted(payload)
        case .updated(let slots):
            writer.u8(Kind.updated.rawValue | flag)
            writer.varint(UInt64(slots.count))
            for slot in slots {
                writer.varint(UInt64(slot.slot) << 1 | (slot.isInterrupted ? 1 : 0))
                writer.optional(slot.from)
                writer.optional(slot.to)
            }
        case .deleted(let payload):
            writer.u8(Kind.deleted.rawValue | flag)
            writer.counted(payload)
        }
        writer.varint(UInt64(entries.count))
        for entry in entries {
            writer.varint(UInt64(entry.relation))
            writer.varint(entry.serial)
            writer.counted(entry.target)
            writer.u8((entry.from == nil ? 0 : 1) | (entry.to == nil ? 0 : 2))
            if let from = entry.from { writer.u64(from) }
            if let to = entry.to { writer.u64(to) }
        }
        writer.varint(UInt64(neighbours.count))
        for place in neighbours { place.write(to: &writer) }
    }

    init(decoding reader: inout ByteReader) throws {
        let model = try reader.relation()
        entity = try unsafe EntityKey(model: model, id: [UInt8](reader.bytes(try reader.count())))
        let kind = try reader.u8()
        isInterrupted = kind & Self.interrupted != 0
        switch Kind(rawValue: kind & ~Self.interrupted) {
        case .same: row = .same
        case .inserted: row = try unsafe .inserted([UInt8](reader.bytes(try reader.count())))
        case .updated:
            var slots: [SlotDelta] = []
            for _ in 0..<(try reader.count()) {
                let packed = try reader.varint(in: 0...UInt64(RowPayload.slotCountMax) << 1 | 1)
                let from = try unsafe reader.optionalBytes().map { unsafe [UInt8]($0) }
                let to = try unsafe reader.optionalBytes().map { unsafe [UInt8]($0) }
                slots.append(SlotDelta(slot: Int(packed >> 1), from: from, to: to, isInterrupted: packed & 1 == 1))
            }
            row = .updated(slots)
        case .deleted: row = try unsafe .deleted([UInt8](reader.bytes(try reader.count())))
        case nil: throw LogError(.corrupt, detail: "a change is of an unknown kind")
        }
        entries = []
        for _ in 0..<(try reader.count()) {
            let relation = try reader.relation()
            let serial = try reader.varint()
            let target = try unsafe [UInt8](reader.bytes(try reader.count()))
            let flags = UInt8(try reader.count(atMost: 3))
            let from = flags & 1 == 0 ? nil : try reader.u64()
            let to = flags & 2 == 0 ? nil : try reader.u64()
            entries.append(EntryDelta(relation: relation, serial: serial, target: target, from: from, to: to))
        }
        neighbours = []
        for _ in 0..<(try reader.count()) { neighbours.append(try ListNeighbours(decoding: &reader)) }
    }
}

extension ByteWriter {
    fileprivate mutating func optional(_ bytes: [UInt8]?) {
        guard let bytes else { return varint(0) }
        varint(UInt64(bytes.count) + 1)
        unsafe bytes.withUnsafeBytes { unsafe self.bytes($0) }
    }
}
