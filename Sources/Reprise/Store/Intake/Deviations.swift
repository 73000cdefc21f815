internal import RepriseLog

/// What a store has otherwise than the last export of a source said it, because the store keeps what was changed in it.
///
/// A later export is compared with that: one that says the same again has nothing new to say. Of values only checksums
/// are kept.
package struct Deviations: Equatable, Sendable {
    struct Row: Equatable {
        /// Of values that were changed here: what the export says, by slot.
        var slots: [Int: UInt64] = [:]
        /// Of to-ones that are empty because what the export names was deleted here: what it says, by slot.
        var lost: [Int: UInt64] = [:]
        /// Whether the row was deleted here; `slots` has all that the export says of it.
        var isDeleted = false
        /// Whether the row stays, because it was changed here, though the export has it no more.
        var isReleased = false
        /// Whether the row stays, because something that stays needs it, though the export has it no more.
        var isNeeded = false
    }

    var rows: [EntityKey: Row] = [:]
    /// The members that the export says of lists that were changed here, in order.
    var lists: [ListKey: [[UInt8]]] = [:]

    package init() {}

    package var isEmpty: Bool { rows.isEmpty && lists.isEmpty }

    /// Version 2 knows rows that are needed.
    private static let versions: ClosedRange<UInt8> = 1...2

    /// - Throws: `newerFormat`, `corrupted`.
    package init(decoding bytes: [UInt8]) throws {
        do {
            try unsafe bytes.withUnsafeBytes { bytes in
                var reader = unsafe ByteReader(bytes)
                let version = try reader.u8()
                guard version > 0 else { throw LogError(.corrupt, detail: "a record of a migration has no version") }
                guard Self.versions.contains(version) else {
                    throw StoreError(
                        .newerFormat,
                        "The log has a record of a migration in a newer form.",
                        advice: "Use the version of the program that wrote it."
                    )
                }
                for _ in 0..<(try reader.count()) {
                    let model = try reader.relation()
                    let entity = EntityKey(model: model, id: try Self.identifier(&reader))
                    var row = Row()
                    let flags = try reader.u8()
                    guard flags < (version == 1 ? 4 : 8) else {
                        throw LogError(.corrupt, detail: "a record of a migration has wrong flags")
                    }
                    row.isReleased = flags & 1 != 0
                    row.isDeleted = flags & 2 != 0
                    row.isNeeded = flags & 4 != 0
                    for _ in 0..<(try reader.count()) {
                        let (slot, hash) = (Int(try reader.relation()), try reader.u64())
                        row.slots[slot] = hash
                    }
                    for _ in 0..<(try reader.count()) {
                        let (slot, hash) = (Int(try reader.relation()), try reader.u64())
                        row.lost[slot] = hash
                    }
                    rows[entity] = row
                }
                for _ in 0..<(try reader.count()) {
                    let relation = try reader.relation()
                    let list = ListKey(relation: relation, id: try Self.identifier(&reader))
                    lists[list] = try (0..<(try reader.count())).map { _ in
                        try unsafe [UInt8](reader.bytes(try reader.count()))
                    }
                }
                try reader.requireEnd()
            }
        } catch {
            throw StoreError.wrapping(error)
        }
    }

    private static func identifier(_ reader: inout ByteReader) throws -> [UInt8] {
        try unsafe [UInt8](reader.bytes(try reader.count(atMost: identifierByteCountMax)))
    }

    /// What ``init(decoding:)`` reads: the same bytes for the same deviations.
    package var bytes: [UInt8] {
        var writer = ByteWriter()
        writer.u8(rows.values.contains(where: \.isNeeded) ? 2 : 1)
        writer.varint(UInt64(rows.count))
        for (entity, row) in rows.sorted(by: { $0.key.precedes($1.key) }) {
            writer.varint(UInt64(entity.model))
            writer.counted(entity.id)
            writer.u8((row.isReleased ? 1 : 0) | (row.isDeleted ? 2 : 0) | (row.isNeeded ? 4 : 0))
            for slots in [row.slots, row.lost] {
                writer.varint(UInt64(slots.count))
                for (slot, hash) in slots.sorted(by: { $0.key < $1.key }) {
                    writer.varint(UInt64(slot))
                    writer.u64(hash)
                }
            }
        }
        writer.varint(UInt64(lists.count))
        for (list, members) in lists.sorted(by: { $0.key.precedes($1.key) }) {
            writer.varint(UInt64(list.relation))
            writer.counted(list.id)
            writer.varint(UInt64(members.count))
            for member in members { writer.counted(member) }
        }
        return unsafe [UInt8](writer.bytes)
    }
}
