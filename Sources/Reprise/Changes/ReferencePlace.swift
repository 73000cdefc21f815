/// The bytes of a to-one, taken apart: where it leads, and its place in the list on the other side.
struct ReferencePlace: Equatable {
    let orderKey: UInt64
    let target: [UInt8]

    /// How many bytes the place takes; those of the target follow.
    static let keyByteCount = 8

    init?(_ slot: [UInt8]?) throws(StoreError) {
        guard let slot else { return nil }
        guard slot.count >= Self.keyByteCount else { throw .damage("A reference in a row is too short.") }
        orderKey = unsafe slot.withUnsafeBytes { unsafe UInt64(littleEndian: $0.loadUnaligned(as: UInt64.self)) }
        target = Array(slot.dropFirst(Self.keyByteCount))
    }

    /// A to-one slot that leads to a target, with a place.
    static func bytes(_ orderKey: UInt64, _ target: [UInt8]) -> [UInt8] {
        WriteSession.referenceBytes(orderKey, target)
    }
}

/// Reading the slots of a row that is at hand as a whole.
extension Array where Element == UInt8 {
    /// The bytes of a slot of a row's payload; nil where it has none.
    func rowSlot(_ slot: Int) throws -> [UInt8]? {
        try unsafe withUnsafeBytes { bytes in
            try unsafe RowPayload(trusting: bytes).slot(slot).map { unsafe [UInt8]($0) }
        }
    }
}
