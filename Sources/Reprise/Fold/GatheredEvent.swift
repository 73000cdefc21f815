internal import RepriseLog

/// One event of an entity on its way through a sort: what is needed to fold it, beside the entity's key.
@safe
struct GatheredEvent {
    let position: UInt64
    let type: EventType
    let body: UnsafeRawBufferPointer

    /// Position and type, in 56 + 8 bits.
    private static let headerByteCount = 8

    init(position: UInt64, type: EventType, body: UnsafeRawBufferPointer) {
        self.position = position
        self.type = type
        unsafe self.body = body
    }

    /// An event where it lies in the log.
    init(_ event: borrowing EventView) {
        unsafe self.init(position: event.position, type: event.type, body: event.body)
    }

    /// - Parameter withBody: deletions and events about list entries are known by their position alone.
    static func byteCount(of event: borrowing EventView, withBody: Bool) -> Int {
        unsafe headerByteCount + (withBody ? event.body.count : 0)
    }

    /// Writes what is needed of `event` into `room`, which has `byteCount(of:withBody:)` bytes.
    static func write(
        _ event: borrowing EventView,
        withBody: Bool,
        into room: UnsafeMutableRawPointer
    ) {
        let header = event.position << 8 | UInt64(event.type.rawValue)
        unsafe room.storeBytes(of: header, as: UInt64.self)
        guard withBody, let source = unsafe event.body.baseAddress else { return }
        unsafe (room + headerByteCount).copyMemory(from: source, byteCount: event.body.count)
    }

    /// Reads what ``write(_:withBody:into:)`` wrote.
    init(_ bytes: UnsafeRawBufferPointer) {
        let header = unsafe bytes.loadUnaligned(as: UInt64.self)
        position = header >> 8
        type = EventType(rawValue: UInt8(truncatingIfNeeded: header))
        unsafe body = UnsafeRawBufferPointer(rebasing: bytes[Self.headerByteCount...])
    }
}
