internal import RepriseLMDB
internal import RepriseLog

extension TimeTravel {
    /// How much memory the identifiers on a way may take before they go through a file, in bytes.
    private static let countingByteCount = 16 << 20

    /// How many entities have an event on the way from the state at one position to that at another. They are sorted,
    /// in bounded memory.
    ///
    /// - Throws: `newerFormat` for an event of an unknown version.
    /// - Complexity: O(events on the way · log).
    func entityCount(
        from: UInt64,
        to: UInt64,
        makeFile: @escaping () throws(LMDBError) -> SpillFile
    ) throws -> Int {
        var sort = ExternalSort(memoryByteCount: Self.countingByteCount, makeFile: makeFile)
        var key = KeyBuffer()
        var last = KeyBuffer()
        try forEachStep(from: from, to: to) { event, _ in
            try Change.checkVersion(of: event)
            guard event.type.rawValue <= EventType.moved.rawValue else { return }
            unsafe key.setRow(model: event.model, id: event.id)
            // Events of one entity often follow each other.
            if unsafe key.bytes.hasSameBytes(as: last.bytes) { return }
            _ = try unsafe sort.add(key: key.bytes, valueByteCount: 0)
            swap(&key, &last)
        }
        var records = try sort.sorted()
        var count = 0
        last.removeAll()
        while try records.next() {
            if count > 0, unsafe records.key.hasSameBytes(as: last.bytes) { continue }
            count += 1
            last.removeAll()
            unsafe last.append(records.key)
        }
        return count
    }
}
