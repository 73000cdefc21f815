internal import RepriseLog

/// Changes in memory to the labels on the log: snapshots, annotations and rollbacks, by table key; nil is a deletion.
struct PendingLabels {
    var changes: [[UInt8]: [UInt8]?] = [:]

    var isEmpty: Bool { changes.isEmpty }

    mutating func removeAll() {
        changes.removeAll(keepingCapacity: true)
    }

    /// Folds what an event says about labels, which are no part of the state.
    mutating func fold(_ event: EventView, time: Int64) throws {
        guard event.type.rawValue >= EventType.schemaDeclared.rawValue else { return }
        switch try Change(event) {
        case .snapshotCreated(let content):
            let key = LabelKey.snapshot(content.name)
            changes[key] = .some(
                LabelValue.snapshot(content, at: event.position, time: time, key: key)
            )
        case .snapshotDeleted(let name):
            changes[LabelKey.snapshot(name)] = .some(nil)
        case .rolledBack(let target):
            let key = LabelKey.rollback(at: event.position)
            changes[key] = .some(LabelValue.rollback(to: target, key: key))
        case .annotated(let name, let annotationKey, let payload):
            let key = LabelKey.annotation(name, key: annotationKey)
            changes[key] = .some(
                unsafe LabelValue.annotation(payload, at: event.position, time: time, key: key)
            )
        default: break
        }
    }
}
