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
}
