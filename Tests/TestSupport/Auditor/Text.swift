/// A string as its UTF-8 bytes.
///
/// Swift calls two strings equal when they are canonically equivalent ("é" as one scalar and as two). The store does
/// not: ids and values are bytes. The auditor would hide that difference if it used `String` as a key.
package struct Text: Hashable, Comparable, Sendable, CustomStringConvertible,
    ExpressibleByStringLiteral
{
    /// One scalar below U+0100 for each byte. No two such strings are canonically equivalent and their order is that
    /// of the bytes; comparing and hashing them is the standard library's compiled code, many times faster in a debug
    /// build than an array.
    private let scalars: String

    package init(_ string: String) {
        if string.utf8.allSatisfy({ $0 < 0x80 }) {
            scalars = string
        } else {
            var view = String.UnicodeScalarView()
            for byte in string.utf8 { view.append(Unicode.Scalar(byte)) }
            scalars = String(view)
        }
    }

    package init(stringLiteral value: String) {
        self.init(value)
    }

    package var bytes: [UInt8] {
        scalars.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) }
    }

    package var string: String {
        let isASCII = scalars.utf8.count == scalars.unicodeScalars.count
        return isASCII ? scalars : String(decoding: bytes, as: UTF8.self)
    }

    package static func < (left: Text, right: Text) -> Bool {
        left.scalars < right.scalars
    }

    /// Printable and short: every scalar outside ASCII escaped, the middle of a long text left out.
    package var description: String {
        let escaped = string.unicodeScalars.map { $0.escaped(asASCII: true) }
        guard escaped.count > 32 else { return "\"\(escaped.joined())\"" }
        let head = escaped.prefix(12).joined()
        return "\"\(head)…\(escaped.suffix(6).joined())\"(\(bytes.count) bytes)"
    }
}

/// The name of an entity: the model's name and the id.
package struct Entity: Hashable, Comparable, Sendable, CustomStringConvertible {
    package let model: String
    package let id: Text

    package init(_ model: String, _ id: Text) {
        self.model = model
        self.id = id
    }

    package static func < (left: Entity, right: Entity) -> Bool {
        left.model == right.model ? left.id < right.id : left.model < right.model
    }

    package var description: String {
        "\(model) \(id)"
    }
}
