/// Integers of every size that 64 bits hold with their sign are stored alike, so an attribute can change from one to
/// another of these types. A stored number that the type does not hold is an error of its row (VAL-21).
extension StoredValue where Self: FixedWidthInteger {
    /// A signed integer of 64 bits.
    @inlinable public static var valueType: ValueType { .int }

    /// Appends the number as 64 bits.
    @inlinable
    public func write(to writer: inout RowPayloadWriter) {
        writer.append(UInt64(bitPattern: Int64(truncatingIfNeeded: self)))
    }

    /// Reads a number from 64 bits; throws `outOfRange` where this type does not hold it.
    @inlinable
    public static func read(_ bytes: UnsafeRawBufferPointer) throws(ValueError) -> Self {
        let number = unsafe try Int.read(bytes)
        guard let value = Self(exactly: number) else { throw ValueError(.outOfRange) }
        return value
    }
}

extension Int64: StoredValue {}
extension Int32: StoredValue {}
extension Int16: StoredValue {}
extension Int8: StoredValue {}
extension UInt32: StoredValue {}
extension UInt16: StoredValue {}
extension UInt8: StoredValue {}
