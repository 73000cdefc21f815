internal import RepriseLMDB

/// Changes in memory to the labels on the log: snapshots, annotations and rollbacks, by table key; nil is a deletion.
struct PendingLabels {
    private(set) var changes: [[UInt8]: [UInt8]?] = [:]
    /// Roughly the memory that they take; of a label that is changed again, both contents.
    private(set) var byteCount = 0

    var isEmpty: Bool { changes.isEmpty }

    mutating func removeAll() {
        changes.removeAll(keepingCapacity: true)
        byteCount = 0
    }

    /// Notes what a label holds now; nil takes it away.
    mutating func set(_ key: [UInt8], to value: [UInt8]?) {
        changes[key] = .some(value)
        byteCount += key.count + (value?.count ?? 0) + 100
    }

    /// Writes them to a table.
    func write(to table: Table, in base: TableReader) throws {
        if isEmpty { return }
        var run = SortedRun()
        for (key, value) in changes {
            unsafe key.withUnsafeBytes { key in
                if let value {
                    unsafe value.withUnsafeBytes { unsafe run.put(key: key, value: $0) }
                } else {
                    unsafe run.delete(key: key)
                }
            }
        }
        try run.apply(to: table, in: base)
    }
}
