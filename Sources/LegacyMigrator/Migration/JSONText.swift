import LegacyRecords

/// Writes one compact JSON object whose members come in the order in which they are given.
struct JSONText {
    private(set) var text = "{"

    /// The object as UTF-8.
    var bytes: [UInt8] { Array((text + "}").utf8) }

    mutating func member(_ name: String, _ value: String) {
        key(name)
        text += Self.quoted(value)
    }

    mutating func member(_ name: String, _ value: Bool) {
        key(name)
        text += value ? "true" : "false"
    }

    mutating func member(_ name: String, _ value: some BinaryInteger) {
        key(name)
        text += String(value)
    }

    /// An object of numbers, its members sorted by name.
    mutating func member(_ name: String, _ values: [String: Int]) {
        key(name)
        let members = values.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
        text += "{\(members.map { "\(Self.quoted($0.key)):\($0.value)" }.joined(separator: ","))}"
    }

    /// An object of arrays of texts, its members sorted by name.
    mutating func member(_ name: String, _ values: [String: [String]]) {
        key(name)
        let members = values.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
            .map { name, texts in
                let list = texts.map(Self.quoted).joined(separator: ",")
                return "\(Self.quoted(name)):[\(list)]"
            }
        text += "{\(members.joined(separator: ","))}"
    }

    /// An array of pairs: the ends of each range.
    mutating func member(_ name: String, _ ranges: [ClosedRange<UInt64>]) {
        key(name)
        let pairs = ranges.map { "[\($0.lowerBound),\($0.upperBound)]" }
        text += "[\(pairs.joined(separator: ","))]"
    }

    /// An array of what is JSON already.
    mutating func member(_ name: String, entries: [String]) {
        key(name)
        text += "[\(entries.joined(separator: ","))]"
    }

    private mutating func key(_ name: String) {
        if text != "{" { text += "," }
        text += Self.quoted(name) + ":"
    }

    static func quoted(_ value: String) -> String {
        var text = "\""
        for scalar in value.unicodeScalars {
            switch scalar {
            case "\"": text += "\\\""
            case "\\": text += "\\\\"
            case "\u{0}"..<"\u{20}":
                text += "\\u00" + Hexadecimal.lowercase([UInt8(scalar.value)])
            default: text.unicodeScalars.append(scalar)
            }
        }
        return text + "\""
    }
}
