internal import RepriseLMDB
internal import RepriseLog

/// A row, and what it has to leave or has left.
struct LeftRow {
    let entity: EntityKey
    var slots: Set<Int> = []
    /// Lists that are empty, by the numbers of their relations.
    var lists: Set<Int> = []
    /// The position of its last event.
    var revision: UInt64 = 0

    /// A row without what the slots said.
    func left(_ payload: [UInt8]) throws -> [UInt8] {
        try DeltaComposer.rewritten(payload, slots.map { SlotDelta(slot: $0, from: nil, to: nil) })
    }
}

/// Rows that have left something, in the order of their keys, in a temporary file where there are any.
final class LeftRows {
    private let makeFile: () throws(LMDBError) -> SpillFile
    private(set) var file: SpillFile?
    private var writer = ByteWriter()

    init(_ makeFile: @escaping () throws(LMDBError) -> SpillFile) { self.makeFile = makeFile }

    func append(_ row: LeftRow, revision: UInt64) throws {
        let start = writer.count
        writer.u32(0)
        writer.u16(row.entity.model)
        writer.counted(row.entity.id)
        writer.varint(revision)
        for numbers in [row.slots, row.lists] {
            writer.varint(UInt64(numbers.count))
            for number in numbers { writer.varint(UInt64(number)) }
        }
        writer.patch(u32: UInt32(writer.count - start - 4), at: start)
        if writer.count >= 1 << 18 { try finish() }
    }

    func finish() throws {
        if writer.count == 0 { return }
        let file = try file ?? makeFile()
        self.file = file
        try unsafe file.append(writer.bytes)
        writer.removeAll()
    }
}

/// Goes through rows that have left something, together with something else that is in the order of their keys.
struct LeftRowCursor {
    private var records: SpillRecords?
    private var present: LeftRow?

    init(_ rows: LeftRows) throws {
        records = rows.file.map { SpillRecords($0) }
        try advance()
    }

    /// The row of an entity, if it has left something. It must not come before the one that was asked for last.
    mutating func row(of entity: EntityKey) throws -> LeftRow? {
        while let present, present.entity.precedes(entity) { try advance() }
        return present?.entity == entity ? present : nil
    }

    private mutating func advance() throws {
        present = try records?.next { reader in
            var row = LeftRow(entity: try ChangePlan.Row.key(&reader))
            row.revision = try reader.varint()
            row.slots = try Self.numbers(&reader)
            row.lists = try Self.numbers(&reader)
            return row
        }
    }

    private static func numbers(_ reader: inout ByteReader) throws -> Set<Int> {
        var numbers: Set<Int> = []
        for _ in 0..<(try reader.varint()) { numbers.insert(Int(try reader.varint())) }
        return numbers
    }
}
