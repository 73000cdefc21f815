import ExportFormats
import LegacyRecords
import Reprise

/// Records that were refused, to be tried again when others have been written, in the order of the export: as many in
/// memory as may wait there, the others in the temporary database of a ``RecordMemory``.
final class PostponedRecords {
    /// How many are kept in memory, and updated together at most; and about how much those may hold.
    struct Bounds {
        var countMax = 10_000
        var byteCountMax = 32 << 20
    }

    /// One of them.
    struct Waiting {
        let record: ShapedRecord
        /// The row that it is, or will be.
        let row: EntityReference
        /// The row that stands in its way; nil where that is not known.
        let holder: EntityReference?

        /// The place of its record in the export.
        var number: Int { record.number }
    }

    /// The bounds of migrations that begin within `$bounds.withValue`.
    @TaskLocal static var bounds = Bounds()

    let bounds: Bounds
    private let memory: RecordMemory
    private var kept: [Waiting] = []
    private var byteCount = 0
    /// Those that there was no room for: once there is none, all that come.
    private var table: ByteTable?
    private var tableCount = 0
    /// Their shapes, by ordinal.
    private var shapes: [Int: ClassShape] = [:]

    init(_ bounds: Bounds, in memory: RecordMemory) {
        self.bounds = bounds
        self.memory = memory
    }

    var count: Int { kept.count + tableCount }
    var isEmpty: Bool { count == 0 }

    /// Whether all of them are in memory, and may be updated together.
    var fitTogether: Bool { table == nil }

    /// Adds a record, without its lists: they are tried again by themselves (``PostponedLists``).
    ///
    /// - Throws: ``LegacyError`` with the code `inputOutput` where what does not fit into memory cannot be put aside.
    func append(
        _ record: ShapedRecord,
        _ row: EntityReference,
        holder: EntityReference?
    ) throws(LegacyError) {
        let byteCount = self.byteCount + record.heldByteCount
        let hasRoom = kept.count < bounds.countMax && byteCount <= bounds.byteCountMax
        if table == nil, hasRoom || kept.isEmpty {
            let record = record.lists.isEmpty ? record : ShapedRecord(withoutLists: record)
            // Nearly all come in order.
            kept.insert(
                Waiting(record: record, row: row, holder: holder),
                at: place(after: record.number)
            )
            self.byteCount = byteCount
            return
        }
        let table = try openTable()
        shapes[record.shape.ordinal] = record.shape
        try table.insert(try Self.bytes(of: record, row, holder), at: record.number)
        tableCount += 1
    }

    private func openTable() throws(LegacyError) -> ByteTable {
        if let table { return table }
        let made = try ByteTable(in: memory)
        table = made
        return made
    }

    /// Puts another one in the place of the one with its number.
    func replace(_ waiting: Waiting) throws(LegacyError) {
        let number = waiting.number
        let place = place(after: number - 1)
        if place < kept.count, kept[place].number == number {
            kept[place] = waiting
        } else if let table {
            let bytes = try Self.bytes(of: waiting.record, waiting.row, waiting.holder)
            try table.insert(bytes, at: number)
        }
    }

    // MARK: In order

    /// The first one that comes after a record in the export; nil at the end. O(log n).
    func first(after number: Int) throws(LegacyError) -> Waiting? {
        let next = place(after: number)
        let inMemory = next < kept.count ? kept[next] : nil
        guard let found = try table?.first(after: number),
            inMemory.map({ found < $0.number }) ?? true
        else { return inMemory }
        return try spilled(at: found)
    }

    /// One of them, by the place of its record in the export. O(log n).
    func waiting(at number: Int) throws(LegacyError) -> Waiting? {
        let place = place(after: number - 1)
        if place < kept.count, kept[place].number == number { return kept[place] }
        return try spilled(at: number)
    }

    private func place(after number: Int) -> Int {
        guard let last = kept.last, last.number > number else { return kept.count }
        var start = 0
        var end = kept.count
        while start < end {
            let middle = (start + end) / 2
            if kept[middle].number <= number { start = middle + 1 } else { end = middle }
        }
        return start
    }

    // MARK: On disk

    private func spilled(at number: Int) throws(LegacyError) -> Waiting? {
        guard let bytes = try table?.bytes(at: number) else { return nil }
        do {
            var reader = RecordBytes.Reader(bytes)
            guard let shape = shapes[try reader.index()] else { throw RecordBytes.Reader.Damaged() }
            let row = EntityReference(model: shape.model, id: try reader.text())
            let model = try reader.text()
            let id = try reader.text()
            return Waiting(
                record: try ShapedRecord(shape, number: number, from: &reader),
                row: row,
                holder: model.isEmpty ? nil : EntityReference(model: model, id: id)
            )
        } catch {
            throw Self.damaged
        }
    }

    private static func bytes(
        of record: ShapedRecord,
        _ row: EntityReference,
        _ holder: EntityReference?
    ) throws(LegacyError) -> [UInt8] {
        do {
            var bytes = RecordBytes()
            bytes.append(record.shape.ordinal)
            bytes.append(row.id)
            bytes.append(holder?.model ?? "")
            bytes.append(holder?.id ?? "")
            try record.write(to: &bytes)
            return bytes.bytes
        } catch {
            throw damaged
        }
    }

    private static var damaged: LegacyError {
        LegacyError(
            .inputOutput,
            "A record that waits for others could not be put aside, or not be read again.",
            advice: "Run the migration again; it goes on where it ended."
        )
    }
}
