internal import RepriseLMDB
internal import RepriseLog

/// The form in which a delta lies in a file of changes, version 1 (Specs/format/changes.md).
extension EntityDelta {
    private enum Kind: UInt8 {
        case same, inserted, updated, deleted
    }

    /// Set in the kind of a delta that other events have interrupted.
    private static let interrupted: UInt8 = 0x80

    /// How many bytes a delta may have, in a file of changes.
    static let byteCountMax = 512 << 20

    /// Writes the delta with the count of its bytes before it.
    ///
    /// - Parameter afterPiece: called now and then; may take away what was written.
    /// - Throws: `valueTooLarge` where it has more bytes than a file of changes takes.
    func writeCounted(to writer: inout ByteWriter, afterPiece: (inout ByteWriter) throws -> Void) throws {
        let packed = try entries.packed()
        var head = ByteWriter()
        var middle = ByteWriter(capacity: 16)
        writeRow(to: &head)
        head.varint(UInt64(packed.count))
        middle.varint(UInt64(neighbours.count))
        let byteCounts = packed.pieceByteCounts + neighbours.pieceByteCounts
        let byteCount = byteCounts.reduce(head.count + middle.count, +)
        guard byteCount <= Self.byteCountMax else {
            throw StoreError(
                .valueTooLarge,
                "The changes of \(entity.text) take \(byteCount) bytes, and a file of changes takes no more than "
                    + "\(Self.byteCountMax) for one entity.",
                advice: "Merge the stores themselves."
            )
        }
        writer.u32(UInt32(byteCount))
        unsafe writer.bytes(head.bytes)
        try packed.write(to: &writer, afterPiece: afterPiece)
        unsafe writer.bytes(middle.bytes)
        try neighbours.write(to: &writer, afterPiece: afterPiece)
    }

    func write(to writer: inout ByteWriter) throws {
        writeRow(to: &writer)
        writer.varint(UInt64(entries.count))
        try entries.packed().write(to: &writer)
        writer.varint(UInt64(neighbours.count))
        try neighbours.write(to: &writer)
    }

    /// Writes all but what becomes of entries.
    func writeRow(to writer: inout ByteWriter) {
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
    }

    /// - Parameter makeFile: makes the file for entries that do not fit into memory; nil where all are there anyway.
    init(decoding reader: inout ByteReader, _ makeFile: (() throws(LMDBError) -> SpillFile)? = nil) throws {
        try self.init(decodingRow: &reader)
        entries = EntryDeltas(try PackedList(count: reader.count(), decoding: &reader, makeFile))
        neighbours = try PackedList(count: reader.count(), decoding: &reader, makeFile)
    }

    /// Reads all but what becomes of entries.
    init(decodingRow reader: inout ByteReader) throws {
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
        entries = EntryDeltas()
    }
}

extension EntryDelta: PackedElement {
    func write(to writer: inout ByteWriter) {
        writer.varint(UInt64(relation))
        writer.varint(serial)
        writer.counted(target)
        writer.u8((from == nil ? 0 : 1) | (to == nil ? 0 : 2))
        if let from { writer.u64(from) }
        if let to { writer.u64(to) }
    }

    init(decoding reader: inout ByteReader) throws {
        relation = try reader.relation()
        serial = try reader.varint()
        target = try unsafe [UInt8](reader.bytes(try reader.count()))
        let flags = UInt8(try reader.count(atMost: 3))
        from = flags & 1 == 0 ? nil : try reader.u64()
        to = flags & 2 == 0 ? nil : try reader.u64()
    }
}

extension ByteWriter {
    fileprivate mutating func optional(_ bytes: [UInt8]?) {
        guard let bytes else { return varint(0) }
        varint(UInt64(bytes.count) + 1)
        unsafe bytes.withUnsafeBytes { unsafe self.bytes($0) }
    }
}
