internal import RepriseLog

/// One event of an entity on its way through a sort: what is needed to fold it, beside the entity's key.
///
/// The content of the event either stays where it is in the mapped log, and only its address is sorted, or it is
/// copied: addresses are faster while the log fits into memory, copies are read in order when it does not.
@safe
struct GatheredEvent {
    let position: UInt64
    let type: EventType
    /// Whether the content lies in the mapped log, and stays there.
    let isInPlace: Bool
    let body: UnsafeRawBufferPointer

    private static let headerByteCount = 16
    private static let addressByteCount = 16

    init(position: UInt64, type: EventType, body: UnsafeRawBufferPointer) {
        self.position = position
        self.type = type
        isInPlace = true
        unsafe self.body = body
    }

    static func byteCount(of event: borrowing EventView, inPlace: Bool) -> Int {
        unsafe headerByteCount + (inPlace ? addressByteCount : event.body.count)
    }

    /// Writes what is needed of `event` into `room`, which has `byteCount(of:inPlace:)` bytes.
    static func write(
        _ event: borrowing EventView,
        inPlace: Bool,
        into room: UnsafeMutableRawPointer
    ) {
        unsafe room.storeBytes(of: event.position, as: UInt64.self)
        unsafe room.storeBytes(
            of: UInt64(event.type.rawValue) | (inPlace ? 1 << 8 : 0),
            toByteOffset: 8,
            as: UInt64.self
        )
        let content = unsafe room + headerByteCount
        if inPlace {
            unsafe content.storeBytes(of: UInt(bitPattern: event.body.baseAddress), as: UInt.self)
            unsafe content.storeBytes(of: event.body.count, toByteOffset: 8, as: Int.self)
        } else if let source = unsafe event.body.baseAddress {
            unsafe content.copyMemory(from: source, byteCount: event.body.count)
        }
    }

    /// Reads what ``write(_:inPlace:into:)`` wrote.
    init(_ bytes: UnsafeRawBufferPointer) {
        position = unsafe bytes.loadUnaligned(as: UInt64.self)
        let word = unsafe bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self)
        type = EventType(rawValue: UInt8(truncatingIfNeeded: word))
        let content = unsafe UnsafeRawBufferPointer(rebasing: bytes[Self.headerByteCount...])
        isInPlace = word & 1 << 8 != 0
        if isInPlace {
            unsafe body = UnsafeRawBufferPointer(
                start: UnsafeRawPointer(bitPattern: content.loadUnaligned(as: UInt.self)),
                count: content.loadUnaligned(fromByteOffset: 8, as: Int.self)
            )
        } else {
            unsafe body = content
        }
    }
}
