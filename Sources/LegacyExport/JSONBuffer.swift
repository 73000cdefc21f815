#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// JSON text that grows, and is handed on in pieces.
struct JSONBuffer {
    /// How many bytes are gathered before they are handed on.
    static let pieceByteCount = 1 << 16

    private(set) var bytes: [UInt8] = []

    /// Appends text as it is.
    mutating func append(_ text: StaticString) {
        bytes.append(contentsOf: text.description.utf8)
    }

    /// Appends text as it is.
    mutating func append(raw text: String) {
        bytes.append(contentsOf: text.utf8)
    }

    /// Appends a string in quotes. Control characters are escaped (RFC 8259, section 7), unlike `realm2json` does it.
    mutating func append(quoted text: String) {
        bytes.append(UInt8(ascii: "\""))
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"):
                bytes.append(UInt8(ascii: "\\"))
                bytes.append(byte)
            case 0x08: append("\\b")
            case 0x09: append("\\t")
            case 0x0A: append("\\n")
            case 0x0C: append("\\f")
            case 0x0D: append("\\r")
            case 0..<0x20:
                append(byte < 0x10 ? "\\u000" : "\\u001")
                bytes.append(Self.digits[Int(byte & 15)])
            default: bytes.append(byte)
            }
        }
        bytes.append(UInt8(ascii: "\""))
    }

    private static let digits = Array("0123456789abcdef".utf8)

    /// Appends bytes as Base64 in quotes.
    mutating func append(_ data: Data) {
        bytes.append(UInt8(ascii: "\""))
        bytes.append(contentsOf: data.base64EncodedData())
        bytes.append(UInt8(ascii: "\""))
    }

    /// Hands on what there is if it is a piece.
    mutating func flush(
        to sink: ([UInt8]) throws -> Void,
        atLeast byteCount: Int = pieceByteCount
    ) throws {
        guard !bytes.isEmpty, bytes.count >= byteCount else { return }
        try sink(bytes)
        bytes.removeAll(keepingCapacity: bytes.capacity <= 4 * Self.pieceByteCount)
    }

    /// The text so far; nothing is left.
    mutating func take() -> String {
        defer { bytes.removeAll(keepingCapacity: true) }
        return String(decoding: bytes, as: UTF8.self)
    }
}
