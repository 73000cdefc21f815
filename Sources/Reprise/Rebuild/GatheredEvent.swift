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

    /// Position, type and whether the content is in place, in 56 + 7 + 1 bits.
    private static let headerByteCount = 8
    /// The address and a 32-bit count of bytes.
    private static let addressByteCount = 12

    init(position: UInt64, type: EventType, body: UnsafeRawBufferPointer) {
        self.position = position
        self.type = type
        isInPlace = true
        unsafe self.body = body
    }

    /// What is sorted of an event's content.
    enum Content {
        case none, address, copy
    }

    static func byteCount(of event: borrowing EventView, _ content: Content) -> Int {
        switch content {
        case .none: headerByteCount
        case .address: headerByteCount + addressByteCount
        case .copy: unsafe headerByteCount + event.body.count
        }
    }

    /// Writes what is needed of `event` into `room`, which has `byteCount(of:_:)` bytes.
    static func write(
        _ event: borrowing EventView,
        _ content: Content,
        into room: UnsafeMutableRawPointer
    ) {
        let header =
            event.position << 8 | UInt64(event.type.rawValue & 0x7F) << 1
            | (content == .address ? 1 : 0)
        unsafe room.storeBytes(of: header, as: UInt64.self)
        let place = unsafe room + headerByteCount
        switch content {
        case .none: break
        case .address:
            unsafe place.storeBytes(of: UInt(bitPattern: event.body.baseAddress), as: UInt.self)
            unsafe place.storeBytes(
                of: UInt32(event.body.count),
                toByteOffset: 8,
                as: UInt32.self
            )
        case .copy:
            guard let source = unsafe event.body.baseAddress else { return }
            unsafe place.copyMemory(from: source, byteCount: event.body.count)
        }
    }

    /// The first byte of the content, for bringing it into the processor's cache before it is needed.
    static func firstByte(_ bytes: UnsafeRawBufferPointer) -> UInt8 {
        let event = unsafe GatheredEvent(bytes)
        return unsafe event.body.isEmpty ? 0 : event.body[0]
    }

    /// Reads what ``write(_:_:into:)`` wrote.
    init(_ bytes: UnsafeRawBufferPointer) {
        let header = unsafe bytes.loadUnaligned(as: UInt64.self)
        position = header >> 8
        type = EventType(rawValue: UInt8(header >> 1 & 0x7F))
        isInPlace = header & 1 != 0
        let content = unsafe UnsafeRawBufferPointer(rebasing: bytes[Self.headerByteCount...])
        if isInPlace {
            unsafe body = UnsafeRawBufferPointer(
                start: UnsafeRawPointer(bitPattern: content.loadUnaligned(as: UInt.self)),
                count: Int(content.loadUnaligned(fromByteOffset: 8, as: UInt32.self))
            )
        } else {
            unsafe body = content
        }
    }
}
