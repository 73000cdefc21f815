#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Writes JSON text (RFC 8259) into a growing buffer, keys in the order in which they are given.
///
/// One value at a time and no tree in between, so that an export costs no allocation per row. Calls must
/// nest: inside an object a ``key(_:)`` before every value. Integers are written with all their 64 bits;
/// a reader that knows only doubles must take care above 2^53.
struct JSONWriter {
    /// The text so far, UTF-8.
    private(set) var bytes: [UInt8] = []
    private var needsComma = false

    /// Forgets the text and keeps the memory.
    mutating func removeAll() {
        bytes.removeAll(keepingCapacity: true)
        needsComma = false
    }

    /// Hands over a long text and forgets it, in the middle of a value.
    mutating func pass<Failure>(to sink: ([UInt8]) throws(Failure) -> Void) throws(Failure) {
        guard bytes.count >= Self.passedByteCountMin else { return }
        try sink(bytes)
        bytes.removeAll(keepingCapacity: true)
    }

    private static let passedByteCountMin = 1 << 16

    /// Ends a line of newline-delimited JSON; the next value is one of its own.
    mutating func endLine() {
        bytes.append(UInt8(ascii: "\n"))
        needsComma = false
    }
}

/// Structure.
extension JSONWriter {
    mutating func object<Failure>(
        _ members: (inout JSONWriter) throws(Failure) -> Void
    ) throws(Failure) {
        open("{")
        try members(&self)
        close("}")
    }

    mutating func array<Failure>(
        _ elements: (inout JSONWriter) throws(Failure) -> Void
    ) throws(Failure) {
        open("[")
        try elements(&self)
        close("]")
    }

    /// An array with an object for each element.
    mutating func objects<Element, Failure>(
        _ elements: some Sequence<Element>,
        _ members: (Element, inout JSONWriter) throws(Failure) -> Void
    ) throws(Failure) {
        try array { writer throws(Failure) in
            for element in elements {
                try writer.object { writer throws(Failure) in try members(element, &writer) }
            }
        }
    }

    mutating func key(_ name: String) {
        string(name)
        bytes.append(UInt8(ascii: ":"))
        needsComma = false
    }

    private mutating func open(_ bracket: Unicode.Scalar) {
        separate()
        bytes.append(UInt8(ascii: bracket))
        needsComma = false
    }

    private mutating func close(_ bracket: Unicode.Scalar) {
        bytes.append(UInt8(ascii: bracket))
        needsComma = true
    }

    private mutating func separate() {
        if needsComma { bytes.append(UInt8(ascii: ",")) }
        needsComma = true
    }
}

/// Scalars.
extension JSONWriter {
    mutating func null() {
        separate()
        bytes.append(contentsOf: "null".utf8)
    }

    mutating func value(_ value: Bool) {
        separate()
        bytes.append(contentsOf: (value ? "true" : "false").utf8)
    }

    mutating func value(_ value: some FixedWidthInteger) {
        separate()
        bytes.append(contentsOf: String(value).utf8)
    }

    /// The shortest digits that read back as the same number; `"nan"`, `"inf"` or `"-inf"` where JSON has
    /// no number.
    mutating func value(_ value: some BinaryFloatingPoint & LosslessStringConvertible) {
        if value.isFinite {
            separate()
            bytes.append(contentsOf: value.description.utf8)
        } else {
            string(value.isNaN ? "nan" : value < 0 ? "-inf" : "inf")
        }
    }

    /// A number whose digits are written already.
    mutating func value(numberText text: String) {
        separate()
        bytes.append(contentsOf: text.utf8)
    }

    /// ISO 8601 in UTC, with the shortest fraction that reads back as the same date.
    mutating func value(_ value: Date) {
        string(Timestamp.text(value))
    }

    /// Base64 (RFC 4648, section 4), with padding.
    mutating func value(_ value: Data) {
        separate()
        bytes.append(UInt8(ascii: "\""))
        bytes.append(contentsOf: value.base64EncodedData())
        bytes.append(UInt8(ascii: "\""))
    }

    mutating func value(_ value: String) {
        string(value)
    }

    private mutating func string(_ text: String) {
        separate()
        bytes.append(UInt8(ascii: "\""))
        if text.utf8.contains(where: Self.needsEscape) {
            for byte in text.utf8 { appendEscaped(byte) }
        } else {
            bytes.append(contentsOf: text.utf8)
        }
        bytes.append(UInt8(ascii: "\""))
    }

    private static func needsEscape(_ byte: UInt8) -> Bool {
        byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
    }

    private mutating func appendEscaped(_ byte: UInt8) {
        guard Self.needsEscape(byte) else { return bytes.append(byte) }
        bytes.append(UInt8(ascii: "\\"))
        switch byte {
        case 0x08: bytes.append(UInt8(ascii: "b"))
        case 0x09: bytes.append(UInt8(ascii: "t"))
        case 0x0A: bytes.append(UInt8(ascii: "n"))
        case 0x0C: bytes.append(UInt8(ascii: "f"))
        case 0x0D: bytes.append(UInt8(ascii: "r"))
        case 0..<0x20:
            let hex = String(byte, radix: 16)
            bytes.append(contentsOf: (hex.utf8.count == 1 ? "u000" : "u00").utf8)
            bytes.append(contentsOf: hex.utf8)
        default: bytes.append(byte)
        }
    }
}

/// Members: a key with its value.
extension JSONWriter {
    mutating func member(_ name: String, _ content: Bool) {
        key(name)
        value(content)
    }

    mutating func member(_ name: String, _ content: some FixedWidthInteger) {
        key(name)
        value(content)
    }

    mutating func member(_ name: String, _ content: Double) {
        key(name)
        value(content)
    }

    mutating func member(_ name: String, _ content: String) {
        key(name)
        value(content)
    }

    /// A member that is always there: `null` where there is no content.
    mutating func member(_ name: String, _ content: String?) {
        key(name)
        if let content { value(content) } else { null() }
    }

    mutating func member(_ name: String, _ content: Date) {
        key(name)
        value(content)
    }
}
