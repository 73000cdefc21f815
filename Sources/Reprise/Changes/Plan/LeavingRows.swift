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
