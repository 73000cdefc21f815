internal import RepriseLMDB
internal import RepriseLog

/// Brings places in lists into order, list by list, outside of memory where they are many.
final class PlaceSort {
    private static let memoryByteCount = 24 << 20

    private let makeFile: () throws(LMDBError) -> SpillFile
    private var sort: ExternalSort
    private var key = KeyBuffer()

    init(_ makeFile: @escaping () throws(LMDBError) -> SpillFile) {
        self.makeFile = makeFile
        sort = ExternalSort(memoryByteCount: Self.memoryByteCount, makeFile: makeFile)
    }

    var isEmpty: Bool { sort.count == 0 }

    func add(_ list: ListKey, _ orderKey: UInt64, value: borrowing ByteWriter = ByteWriter(capacity: 0)) throws {
        key.setEdge(list, orderKey: orderKey)
        let room = try unsafe sort.add(key: key.bytes, valueByteCount: value.count)
        if let source = unsafe value.bytes.baseAddress { unsafe room.copyMemory(from: source, byteCount: value.count) }
    }

    /// Hands over all places in order, each as a key of the table `edges` and with its value. There are none then.
    func takeAll(_ body: (_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) throws -> Void) throws {
        var sorted = try takeSorted()
        while try sorted.next() { try unsafe body(sorted.key, sorted.value) }
    }

    /// All places in order. There are none then.
    func takeSorted() throws -> SortedRecords {
        var all = ExternalSort(memoryByteCount: Self.memoryByteCount, makeFile: makeFile)
        swap(&all, &sort)
        return try all.sorted()
    }
}
