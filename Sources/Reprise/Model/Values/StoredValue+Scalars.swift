#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif
#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Throws unless `bytes` has exactly `count` bytes.
@inlinable
@inline(__always)
func require(_ count: Int, _ bytes: UnsafeRawBufferPointer) throws(ValueError) {
    guard bytes.count == count else { throw ValueError(.wrongLength) }
}

/// Whether both have the same bytes. Not inlinable, so that the C library stays an internal import.
@usableFromInline
func areEqual(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Bool {
    guard left.count == right.count else { return false }
    guard let a = left.baseAddress, let b = right.baseAddress else { return true }
    return unsafe memcmp(a, b, left.count) == 0
}

/// Whether no byte has its highest bit set: then they are UTF-8 whatever they are. Eight at a time.
@inlinable
@inline(__always)
func isASCII(_ bytes: UnsafeRawBufferPointer) -> Bool {
    guard let start = bytes.baseAddress else { return true }
    let count = bytes.count
    guard count >= 8 else {
        var bits: UInt8 = 0
        for offset in 0..<count {
            bits |= unsafe start.load(fromByteOffset: offset, as: UInt8.self)
        }
        return bits < 0x80
    }
    // The last eight may overlap those before them.
    let last = count &- 8
    var bits = unsafe (start + last).loadUnaligned(as: UInt64.self)
    var offset = 0
    while offset < last {
        bits |= unsafe (start + offset).loadUnaligned(as: UInt64.self)
        offset &+= 8
    }
    return bits & 0x8080_8080_8080_8080 == 0
}

extension Bool: StoredValue {
    @inlinable public static var valueType: ValueType { .bool }

    @inlinable
    public func write(to writer: inout RowPayloadWriter) {
        writer.append(self ? 1 : 0 as UInt8)
    }

    @inlinable
    public static func read(_ bytes: UnsafeRawBufferPointer) throws(ValueError) -> Bool {
        unsafe try require(1, bytes)
        let byte = unsafe bytes[0]
        guard byte <= 1 else { throw ValueError(.notCanonical) }
        return byte == 1
    }
}

extension Int: StoredValue {
    @inlinable public static var valueType: ValueType { .int }

    @inlinable
    public func write(to writer: inout RowPayloadWriter) {
        writer.append(UInt64(bitPattern: Int64(self)))
    }

    @inlinable
    public static func read(_ bytes: UnsafeRawBufferPointer) throws(ValueError) -> Int {
        unsafe try require(8, bytes)
        // Every supported platform has 64-bit integers; `exactly` costs nothing there.
        guard
            let value = unsafe Int(
                exactly: Int64(littleEndian: bytes.loadUnaligned(as: Int64.self))
            )
        else { throw ValueError(.wrongLength) }
        return value
    }
}

extension Double: StoredValue {
    @inlinable public static var valueType: ValueType { .double }

    @inlinable
    public func write(to writer: inout RowPayloadWriter) {
        writer.append(bitPattern)
    }

    @inlinable
    public static func read(_ bytes: UnsafeRawBufferPointer) throws(ValueError) -> Double {
        unsafe try require(8, bytes)
        return unsafe Double(
            bitPattern: UInt64(littleEndian: bytes.loadUnaligned(as: UInt64.self))
        )
    }
}

extension Float: StoredValue {
    @inlinable public static var valueType: ValueType { .float }

    @inlinable
    public func write(to writer: inout RowPayloadWriter) {
        writer.append(bitPattern)
    }

    @inlinable
    public static func read(_ bytes: UnsafeRawBufferPointer) throws(ValueError) -> Float {
        unsafe try require(4, bytes)
        return unsafe Float(bitPattern: UInt32(littleEndian: bytes.loadUnaligned(as: UInt32.self)))
    }
}

extension String: StoredValue {
    @inlinable public static var valueType: ValueType { .string }

    @inlinable
    public func write(to writer: inout RowPayloadWriter) {
        let done: Void? = unsafe utf8.withContiguousStorageIfAvailable {
            unsafe writer.append(bytes: UnsafeRawBufferPointer($0))
        }
        if done == nil { writer.append(bridged: self) }
    }

    @inlinable
    public static func read(_ bytes: UnsafeRawBufferPointer) throws(ValueError) -> String {
        // Nearly all text is ASCII, which need not be looked at again.
        let isPlain = unsafe isASCII(bytes)
        if isPlain, #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) {
            return unsafe String(ascii: bytes)
        }
        // Decoding repairs what is not UTF-8 and comparing finds the repair: seven times as fast
        // as String(validating:as:) in Swift 6.3, which looks for type metadata at run time.
        var text = unsafe String(decoding: bytes, as: UTF8.self)
        if isPlain { return text }
        let isIntact = text.withUTF8 { unsafe areEqual(UnsafeRawBufferPointer($0), bytes) }
        guard isIntact else { throw ValueError(.invalidText) }
        return text
    }
}

extension String {
    /// The text of bytes that are known to be ASCII.
    @available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *)
    @inlinable
    @inline(__always)
    init(ascii bytes: UnsafeRawBufferPointer) {
        let units = unsafe bytes.assumingMemoryBound(to: UInt8.self)
        self.init(copying: unsafe UTF8Span(unchecked: units.span, isKnownASCII: true))
    }
}

extension Data: StoredValue {
    @inlinable public static var valueType: ValueType { .data }

    @inlinable
    public func write(to writer: inout RowPayloadWriter) {
        unsafe withUnsafeBytes { unsafe writer.append(bytes: $0) }
    }

    @inlinable
    public static func read(_ bytes: UnsafeRawBufferPointer) throws(ValueError) -> Data {
        unsafe Data(bytes)
    }
}

/// Seconds since 2001-01-01T00:00:00Z, so that a date survives bit for bit.
extension Date: StoredValue {
    @inlinable public static var valueType: ValueType { .date }

    @inlinable
    public func write(to writer: inout RowPayloadWriter) {
        timeIntervalSinceReferenceDate.write(to: &writer)
    }

    @inlinable
    public static func read(_ bytes: UnsafeRawBufferPointer) throws(ValueError) -> Date {
        unsafe Date(timeIntervalSinceReferenceDate: try Double.read(bytes))
    }
}

extension UUID: StoredValue {
    @inlinable public static var valueType: ValueType { .uuid }

    @inlinable
    public func write(to writer: inout RowPayloadWriter) {
        unsafe withUnsafeBytes(of: uuid) { unsafe writer.append(bytes: $0) }
    }

    @inlinable
    public static func read(_ bytes: UnsafeRawBufferPointer) throws(ValueError) -> UUID {
        unsafe try require(16, bytes)
        return unsafe UUID(uuid: bytes.loadUnaligned(as: uuid_t.self))
    }
}

extension Decimal: StoredValue {
    public static var valueType: ValueType { .decimal }

    public func write(to writer: inout RowPayloadWriter) {
        DecimalParts(self).write(to: &writer)
    }

    public static func read(_ bytes: UnsafeRawBufferPointer) throws(ValueError) -> Decimal {
        unsafe try DecimalParts(reading: bytes).decimal
    }
}

/// The slot of a to-one relationship. The order key in front belongs to the engine: encoding
/// writes zero there, decoding passes over it.
extension Identifier: StoredValue {
    @inlinable public static var valueType: ValueType { .reference }

    @inlinable
    public func write(to writer: inout RowPayloadWriter) {
        writer.append(0 as UInt64)
        rawValue.write(to: &writer)
    }

    @inlinable
    public static func read(_ bytes: UnsafeRawBufferPointer) throws(ValueError) -> Self {
        guard bytes.count >= 8 else { throw ValueError(.wrongLength) }
        return unsafe Self(try String.read(UnsafeRawBufferPointer(rebasing: bytes[8...])))
    }
}
