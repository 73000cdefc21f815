import Reprise

/// Writes rows of separated values (RFC 4180): commas, lines that end with CR LF, and quotation marks around a field
/// that needs them.
///
/// A field without a value is empty, an empty text is `""`: a reader can tell them apart, and `reprise migrate`
/// does (CLI-16).
struct CSVWriter {
    /// The text so far, UTF-8.
    private(set) var bytes: [UInt8] = []
    private var isFirst = true
    private var json = JSONWriter()

    /// Forgets the text and keeps the memory.
    mutating func removeAll() {
        bytes.removeAll(keepingCapacity: true)
    }

    /// A field of text; nil has no value.
    mutating func field(_ text: String?) {
        if !isFirst { bytes.append(UInt8(ascii: ",")) }
        isFirst = false
        guard let text else { return }
        if text.isEmpty || text.utf8.contains(where: Self.needsQuotes) || text.first == " " || text.last == " " {
            bytes.append(UInt8(ascii: "\""))
            for byte in text.utf8 {
                if byte == UInt8(ascii: "\"") { bytes.append(byte) }
                bytes.append(byte)
            }
            bytes.append(UInt8(ascii: "\""))
        } else {
            bytes.append(contentsOf: text.utf8)
        }
    }

    /// A value as `reprise put` reads it: containers are JSON.
    mutating func field(_ value: Value) {
        switch value {
        case .null: field(nil)
        case .string(let text), .reference(let text): field(text)
        default:
            json.removeAll()
            json.value(value)
            let text = String(decoding: json.bytes, as: UTF8.self)
            field(text.first == "\"" ? String(text.dropFirst().dropLast()) : text)
        }
    }

    /// A list of identifiers, as JSON.
    mutating func field(_ targets: [String]) {
        field(.list(targets.map(Value.string)))
    }

    mutating func endRow() {
        bytes.append(contentsOf: [0x0D, 0x0A])
        isFirst = true
    }

    private static func needsQuotes(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: ",") || byte == UInt8(ascii: "\"") || byte == 0x0D || byte == 0x0A
    }
}
