/// A value as SQLite stores it.
public enum SQLiteValue: Sendable, Hashable {
    /// No value.
    case null
    /// A whole number.
    case integer(Int64)
    /// A floating-point number; infinite perhaps, but always a number.
    case real(Double)
    /// Well-formed text; it may contain NUL.
    case text(String)
    /// The bytes of text that is no UTF-8.
    case invalidText([UInt8])
    /// Bytes.
    case blob([UInt8])

    /// How a value is stored, whatever its column was declared as (https://www.sqlite.org/datatype3.html).
    public enum StorageClass: Int, Sendable, Hashable, CaseIterable {
        case null, integer, real, text, blob
    }

    /// How the value is stored.
    public var storageClass: StorageClass {
        switch self {
        case .null: .null
        case .integer: .integer
        case .real: .real
        case .text, .invalidText: .text
        case .blob: .blob
        }
    }
}

/// SQL's way of writing names.
public enum SQLiteName {
    /// A name within double quotes, whatever it contains.
    public static func quoted(_ name: String) -> String {
        var text = "\""
        for scalar in name.unicodeScalars {
            if scalar == "\"" { text.unicodeScalars.append("\"") }
            text.unicodeScalars.append(scalar)
        }
        return text + "\""
    }

    /// Whether two names are the same to SQLite, which ignores the case of ASCII letters only, and tells apart texts
    /// of the same characters in different bytes.
    public static func areSame(_ left: String, _ right: String) -> Bool {
        folded(left).utf8.elementsEqual(folded(right).utf8)
    }

    /// The bytes by which SQLite tells names apart: the key of a dictionary or a set of names.
    public static func bytes(_ name: String) -> [UInt8] {
        Array(folded(name).utf8)
    }

    /// The name with the capital letters of ASCII as small ones.
    public static func folded(_ name: String) -> String {
        String(
            decoding: name.utf8.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 },
            as: UTF8.self
        )
    }
}
