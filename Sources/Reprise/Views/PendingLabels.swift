/// Changes in memory to the labels on the log: snapshots, annotations and rollbacks, by table key; nil is a deletion.
struct PendingLabels {
    var changes: [[UInt8]: [UInt8]?] = [:]

    var isEmpty: Bool { changes.isEmpty }

    mutating func removeAll() {
        changes.removeAll(keepingCapacity: true)
    }
}
