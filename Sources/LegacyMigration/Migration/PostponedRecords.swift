/// Records that were refused, to be tried again when others have been written: the last ones, as many as may wait.
///
/// A hostile export may repeat what must be unique in all of its records, and each may hold as much as one can.
struct PostponedRecords {
    /// As many are kept where too many or too large ones wait; up to twice as much waits.
    struct Bounds {
        var countMax = 10_000
        var byteCountMax = 32 << 20
    }

    /// The bounds of migrations that begin within `$bounds.withValue`.
    @TaskLocal static var bounds = Bounds()

    let bounds: Bounds
    private var records: [ShapedRecord] = []
    private var byteCount = 0

    init(_ bounds: Bounds) {
        self.bounds = bounds
    }

    var count: Int { records.count }
    var isEmpty: Bool { records.isEmpty }

    /// Adds a record, without its lists: they are tried again by themselves (``PostponedLists``).
    ///
    /// - Returns: those that waited longest, where too many wait by now; they are given up.
    mutating func append(_ record: ShapedRecord) -> [ShapedRecord] {
        records.append(record.lists.isEmpty ? record : ShapedRecord(withoutLists: record))
        byteCount += record.heldByteCount
        guard records.count >= 2 * bounds.countMax || byteCount > 2 * bounds.byteCountMax else {
            return []
        }
        var next = 0
        while records.count - next > bounds.countMax
            || byteCount > bounds.byteCountMax && next < records.count - 1
        {
            byteCount -= records[next].heldByteCount
            next += 1
        }
        defer { records.removeFirst(next) }
        return Array(records.prefix(next))
    }

    /// All of them; none is left.
    mutating func takeAll() -> [ShapedRecord] {
        let all = records
        self = PostponedRecords(bounds)
        return all
    }
}
