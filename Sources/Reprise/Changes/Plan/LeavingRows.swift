internal import RepriseLMDB
internal import RepriseLog

/// Rows that have to leave something before a plan is carried out: where they lead, or their place in a list.
final class LeavingRows {
    private static let memoryByteCount = 8 << 20

    private let makeFile: () throws(LMDBError) -> SpillFile
    private var sort: ExternalSort
    private var key = KeyBuffer()

    init(_ makeFile: @escaping () throws(LMDBError) -> SpillFile) {
        self.makeFile = makeFile
        sort = ExternalSort(memoryByteCount: Self.memoryByteCount, makeFile: makeFile)
    }

    /// Notes that a row has to leave what one of its slots leads to.
    func add(_ entity: EntityKey, slot: Int) throws { try add(entity, isList: false, number: slot) }

    /// Notes that the entries of one of its lists have to leave.
    func add(_ entity: EntityKey, list relation: UInt16) throws {
        try add(entity, isList: true, number: Int(relation))
    }

    private func add(_ entity: EntityKey, isList: Bool, number: Int) throws {
        key.setRow(entity)
        let value = UInt32(number) << 1 | (isList ? 1 : 0)
        let room = try unsafe sort.add(key: key.bytes, valueByteCount: MemoryLayout<UInt32>.size)
        unsafe room.storeBytes(of: value, as: UInt32.self)
    }

    /// Hands over the rows in the order of their keys, each with all that it has to leave. There are none then.
    ///
    /// - Parameter body: leaves it, and returns the position of the last event of the row.
    /// - Returns: the rows as they are then.
    func takeAll(_ body: (LeftRow) throws -> UInt64) throws -> LeftRows {
        let left = LeftRows(makeFile)
        var all = ExternalSort(memoryByteCount: Self.memoryByteCount, makeFile: makeFile)
        swap(&all, &sort)
        if all.count == 0 { return left }
        var sorted = try all.sorted()
        var row: LeftRow?
        while try sorted.next() {
            let bytes = unsafe sorted.key
            let entity = unsafe EntityKey(
                model: Workspace.modelNumber(of: bytes),
                id: UnsafeRawBufferPointer(rebasing: bytes[2...])
            )
            if row?.entity != entity {
                if let row { try left.append(row, revision: body(row)) }
                row = LeftRow(entity: entity)
            }
            let value = unsafe sorted.value.loadUnaligned(as: UInt32.self)
            let number = Int(value >> 1)
            if value & 1 == 0 { row?.slots.insert(number) } else { row?.lists.insert(number) }
        }
        if let row { try left.append(row, revision: body(row)) }
        try left.finish()
        return left
    }
}

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
