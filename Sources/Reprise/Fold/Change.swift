internal import RepriseLog

/// What one event says, in place: the engine's closed set of changes. Bytes in Specs/format/events.md.
@safe
enum Change {
    case inserted(payload: UnsafeRawBufferPointer)
    case updated(SlotChanges)
    case deleted(DeletedImage)
    case linked(
        relation: UInt16,
        orderKey: UInt64,
        serial: UInt64,
        target: UnsafeRawBufferPointer
    )
    case unlinked(
        relation: UInt16,
        orderKey: UInt64,
        serial: UInt64,
        target: UnsafeRawBufferPointer
    )
    case moved(
        relation: UInt16,
        from: UInt64,
        to: UInt64,
        serial: UInt64,
        target: UnsafeRawBufferPointer
    )
    case schemaDeclared(UnsafeRawBufferPointer)
    case snapshotCreated(SnapshotContent)
    case snapshotDeleted(name: String)
    case rolledBack(to: UInt64)
    case annotated(name: String, key: String, payload: UnsafeRawBufferPointer)
    /// Something that this version does not know. It is kept, and views pass over it where that is right (HIS-45).
    case unknown

    /// What a deleted entity was: enough to bring it back.
    @safe
    struct DeletedImage {
        let created: UInt64
        let payload: UnsafeRawBufferPointer
        /// The entries of its lists.
        let entries: ImageEntries
    }

    struct SnapshotContent {
        let position: UInt64
        let digest: Digest256
        let name: String
    }

    static let currentVersion: UInt32 = 1
    /// The version of a `linked` event that says the serial of its entry: one that comes back, or is from elsewhere.
    static let linkedAgainVersion: UInt32 = 2

    private static func isKnown(_ type: EventType, _ version: UInt32) -> Bool {
        version == currentVersion || type == .linked && version == linkedAgainVersion
    }

    /// Refuses a change of a kind that this version knows, in a version that it does not: passing over it would make
    /// the views wrong (HIS-45).
    static func checkVersion(of event: borrowing EventView) throws(StoreError) {
        guard !isKnown(event.type, event.version), event.type.rawValue <= EventType.moved.rawValue
        else { return }
        throw StoreError(
            .newerFormat,
            "The event at position \(event.position) is of version \(event.version), which this version does not know.",
            advice: "Open the store with a newer version of Reprise."
        )
    }

    init(_ event: borrowing EventView) throws {
        try unsafe self.init(event.type, version: event.version, at: event.position, event.body)
    }

    /// Reads the body of an event.
    init(
        _ type: EventType,
        version: UInt32,
        at position: UInt64,
        _ body: UnsafeRawBufferPointer
    ) throws {
        guard Self.isKnown(type, version) else {
            self = .unknown
            return
        }
        var reader = unsafe ByteReader(body)
        switch type {
        case .inserted: unsafe self = .inserted(payload: body)
        case .updated: self = unsafe .updated(try SlotChanges(body))
        case .deleted:
            let created = position - (try reader.varint(in: 0...position))
            let payload = try unsafe reader.bytes(try reader.count())
            let entries = try unsafe ImageEntries(count: reader.count(), reader.rest())
            self = unsafe .deleted(
                DeletedImage(created: created, payload: payload, entries: entries)
            )
        case .linked:
            let relation = try reader.relation()
            let orderKey = try reader.u64()
            let isAgain = version == Self.linkedAgainVersion
            self = unsafe .linked(
                relation: relation,
                orderKey: orderKey,
                serial: isAgain ? try reader.varint(in: 1...UInt64.max) : position,
                target: reader.rest()
            )
        case .unlinked:
            self = unsafe .unlinked(
                relation: try reader.relation(),
                orderKey: try reader.u64(),
                serial: try reader.varint(),
                target: reader.rest()
            )
        case .moved:
            self = unsafe .moved(
                relation: try reader.relation(),
                from: try reader.u64(),
                to: try reader.u64(),
                serial: try reader.varint(),
                target: reader.rest()
            )
        case .schemaDeclared: unsafe self = .schemaDeclared(body)
        case .snapshotCreated:
            let position = try reader.varint()
            let digest = unsafe Digest256(bytes: try reader.bytes(32))
            self = unsafe .snapshotCreated(
                SnapshotContent(
                    position: position,
                    digest: digest,
                    name: String(decoding: reader.rest(), as: UTF8.self)
                )
            )
        case .snapshotDeleted:
            self = unsafe .snapshotDeleted(name: String(decoding: body, as: UTF8.self))
        case .rolledBack:
            self = .rolledBack(to: try reader.varint(in: 0...(position - 1)))
            try reader.requireEnd()
        case .annotated:
            let name = try unsafe String(decoding: reader.bytes(try reader.count()), as: UTF8.self)
            let key = try unsafe String(decoding: reader.bytes(try reader.count()), as: UTF8.self)
            self = unsafe .annotated(name: name, key: key, payload: reader.rest())
        default: self = .unknown
        }
    }
}

/// The changed slots of an `updated` event, with what was there before.
struct SlotChanges {
    @safe
    struct SlotChange {
        let slot: Int
        let from: UnsafeRawBufferPointer?
        let to: UnsafeRawBufferPointer?
    }

    let slots: [SlotChange]

    init(_ body: UnsafeRawBufferPointer) throws {
        var reader = unsafe ByteReader(body)
        let count = try reader.count(atMost: min(reader.remaining, RowPayload.slotCountMax))
        var slots: [SlotChange] = []
        slots.reserveCapacity(count)
        for _ in 0..<count {
            let slot = try reader.count(atMost: RowPayload.slotCountMax)
            unsafe slots.append(
                SlotChange(
                    slot: slot,
                    from: try reader.optionalBytes(),
                    to: try reader.optionalBytes()
                )
            )
        }
        try reader.requireEnd()
        self.slots = slots
    }

    init(_ slots: [SlotChange]) {
        self.slots = slots
    }

    /// The most bytes that ``write(to:)`` takes.
    var byteCountMax: Int {
        let numberByteCountMax = 10
        return slots.reduce(numberByteCountMax) { sum, change in
            unsafe sum + 3 * numberByteCountMax + (change.from?.count ?? 0)
                + (change.to?.count ?? 0)
        }
    }

    func write(to writer: inout ByteWriter) {
        writer.varint(UInt64(slots.count))
        for change in slots {
            writer.varint(UInt64(change.slot))
            unsafe writer.optionalBytes(change.from)
            unsafe writer.optionalBytes(change.to)
        }
    }
}

extension RowPayloadWriter {
    /// Writes `old` with the slots of an `updated` event changed.
    ///
    /// - Parameter bytes: what a slot shall hold: what it became, or what it was.
    mutating func rewrite(
        _ old: RowPayload,
        _ changes: SlotChanges,
        _ bytes: (SlotChanges.SlotChange) -> UnsafeRawBufferPointer?
    ) throws(ValueError) {
        let slotCount = (changes.slots.map { $0.slot + 1 }.max() ?? 0)
        unsafe try rewrite(old, slotCount: slotCount) { slot throws(ValueError) in
            guard let change = changes.slots.first(where: { $0.slot == slot }) else {
                return unsafe .keep
            }
            return unsafe bytes(change).map { unsafe .replace($0) } ?? .clear
        }
    }
}

extension ByteReader {
    /// A count of things that each take at least a byte of what is left: an absurd count is found before anything is
    /// allocated for it.
    mutating func count() throws(LogError) -> Int {
        try count(atMost: remaining)
    }

    mutating func count(atMost limit: Int) throws(LogError) -> Int {
        let count = try varint()
        guard count <= UInt64(limit) else {
            throw LogError(.corrupt, detail: "a count in an event is too large")
        }
        return Int(count)
    }

    /// Nothing may follow what was read.
    func requireEnd() throws(LogError) {
        guard isAtEnd else {
            throw LogError(.corrupt, detail: "an event is longer than what it holds")
        }
    }

    mutating func relation() throws(LogError) -> UInt16 {
        UInt16(try count(atMost: Int(UInt16.max)))
    }

    /// Bytes with their count + 1 in front; 0 is nil.
    mutating func optionalBytes() throws(LogError) -> UnsafeRawBufferPointer? {
        let count = try count(atMost: remaining + 1)
        return unsafe count == 0 ? nil : try bytes(count - 1)
    }
}

extension ByteWriter {
    mutating func optionalBytes(_ bytes: UnsafeRawBufferPointer?) {
        guard let bytes = unsafe bytes else { return varint(0) }
        varint(UInt64(bytes.count) + 1)
        unsafe self.bytes(bytes)
    }

    mutating func counted(_ bytes: [UInt8]) {
        varint(UInt64(bytes.count))
        unsafe bytes.withUnsafeBytes { unsafe self.bytes($0) }
    }
}
