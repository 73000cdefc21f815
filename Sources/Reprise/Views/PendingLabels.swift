internal import RepriseLog

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

    /// Folds what an event says about labels, which are no part of the state.
    mutating func fold(_ event: EventView, time: Int64) throws {
        guard event.type.rawValue >= EventType.schemaDeclared.rawValue else { return }
        switch try Change(event) {
        case .snapshotCreated(let content):
            let key = LabelKey.snapshot(content.name)
            set(key, to: LabelValue.snapshot(content, at: event.position, time: time, key: key))
        case .snapshotDeleted(let name):
            set(LabelKey.snapshot(name), to: nil)
        case .rolledBack(let target):
            let key = LabelKey.rollback(at: event.position)
            set(key, to: LabelValue.rollback(to: target, key: key))
        case .annotated(let name, let annotationKey, let payload):
            let key = LabelKey.annotation(name, key: annotationKey)
            set(
                key,
                to: unsafe LabelValue.annotation(payload, at: event.position, time: time, key: key)
            )
        default: break
        }
    }
}
