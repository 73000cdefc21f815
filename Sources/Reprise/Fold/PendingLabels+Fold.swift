internal import RepriseLog

extension PendingLabels {
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

extension LabelValue {
    static func snapshot(
        _ content: Change.SnapshotContent,
        at position: UInt64,
        time: Int64,
        key: [UInt8]
    ) -> [UInt8] {
        var writer = ByteWriter()
        writer.u64(position)
        writer.u64(UInt64(bitPattern: time))
        writer.u64(content.position)
        writer.digest(content.digest)
        return seal(unsafe [UInt8](writer.bytes), key: key)
    }

    static func rollback(to position: UInt64, key: [UInt8]) -> [UInt8] {
        unsafe seal(withUnsafeBytes(of: position.littleEndian) { unsafe Array($0) }, key: key)
    }

    static func annotation(
        _ payload: UnsafeRawBufferPointer,
        at position: UInt64,
        time: Int64,
        key: [UInt8]
    ) -> [UInt8] {
        var writer = ByteWriter()
        writer.u64(position)
        writer.u64(UInt64(bitPattern: time))
        unsafe writer.bytes(payload)
        return seal(unsafe [UInt8](writer.bytes), key: key)
    }
}
