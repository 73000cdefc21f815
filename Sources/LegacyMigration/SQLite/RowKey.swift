import SQLiteFile

/// How the key of a record is made of a row.
struct RowKey: Sendable, Equatable {
    enum Form: Sendable, Equatable {
        /// A number in decimal.
        case integer
        /// Text as it is.
        case text
        /// Sixteen bytes as the text of a UUID in lower case.
        case uuid
        /// Bytes in hexadecimal.
        case hexadecimal
        /// Anything else: made from all of it.
        case content
    }

    /// The table, which is part of a key that is made.
    let table: String
    /// The columns, or the name of the rowid.
    let columns: [String]
    let form: Form

    /// The key of a row with these values in its columns, and whether it had to be made.
    func key(_ values: [SQLiteValue]) -> (text: String, isMade: Bool) {
        if values.count == 1 {
            switch (form, values[0]) {
            case (.integer, .integer(let number)): return (String(number), false)
            case (.text, .text(let text)) where KeyRegistry.isUsable(text): return (text, false)
            case (.uuid, .blob(let bytes)) where bytes.count == 16: return (Self.uuid(bytes), false)
            case (.hexadecimal, .blob(let bytes)) where (1...100).contains(bytes.count):
                return (Hexadecimal.lowercase(bytes), false)
            default: break
            }
        }
        let parts = values.map { value -> String? in
            switch value {
            case .null: nil
            case .integer(let number): "i\(number)"
            case .real(let number): "r\(number)"
            case .text(let text): "t" + text
            case .invalidText(let bytes): "x" + Hexadecimal.lowercase(bytes)
            case .blob(let bytes): "b" + Hexadecimal.lowercase(bytes)
            }
        }
        return (ContentKey(["reprise row", table] + parts).text, form != .content)
    }

    /// The text of a UUID in lower case.
    static func uuid(_ bytes: [UInt8]) -> String {
        let digits = Array(Hexadecimal.lowercase(bytes).utf8)
        var text: [UInt8] = []
        for (place, digit) in digits.enumerated() {
            if [8, 12, 16, 20].contains(place) { text.append(UInt8(ascii: "-")) }
            text.append(digit)
        }
        return String(decoding: text, as: UTF8.self)
    }
}
