/// What stands for the raw values of one attribute that its enum does not have (VAL-32).
@safe
@usableFromInline
struct UnknownRawValue: Sendable {
    /// Puts the value into uninitialised memory.
    let fill: Field.Fill
    /// What is written for it; nil for nil.
    private let bytes: [UInt8]?
    private let isUnknown: @Sendable (UnsafeRawBufferPointer) -> Bool

    @usableFromInline
    init<V: StoredValue>(_ value: V) {
        unsafe fill = { unsafe $0.initializeMemory(as: V.self, to: value) }
        var writer = RowPayloadWriter(capacity: 64)
        if !value.isNil { value.write(to: &writer) }
        bytes = value.isNil ? nil : unsafe [UInt8](writer.bytes)
        unsafe isUnknown = { stored in
            do throws(ValueError) {
                _ = try unsafe V.read(stored)
                return false
            } catch {
                return error.code == .unknownRawValue
            }
        }
    }

    /// The value.
    func value<V: StoredValue>(as type: V.Type) -> V {
        unsafe withUnsafeTemporaryAllocation(of: V.self, capacity: 1) { place in
            let start = unsafe place.baseAddress.unsafelyUnwrapped
            unsafe fill(UnsafeMutableRawPointer(start))
            return unsafe start.move()
        }
    }

    /// Whether an update leaves the bytes that are stored: the enum does not have them, and the property is as it was
    /// read.
    ///
    /// - Parameters:
    ///   - written: what the property is now; nil for nil.
    ///   - stored: what the row has.
    func leaves(_ stored: UnsafeRawBufferPointer, for written: UnsafeRawBufferPointer?) -> Bool {
        let isAsRead = unsafe written.map { unsafe [UInt8]($0) } == bytes
        return unsafe isAsRead && isUnknown(stored)
    }
}
