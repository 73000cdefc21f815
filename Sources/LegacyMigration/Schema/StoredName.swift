/// Names of models, attributes and relationships as a store allows them: letters, digits and underscores of ASCII, at
/// most 64 bytes, not beginning with a digit.
enum StoredName {
    static let byteCountMax = 64

    /// The nearest stored name: what is not allowed becomes an underscore, one for each Unicode scalar.
    static func nearest(to name: String) -> String {
        var text: [UInt8] = []
        for scalar in name.unicodeScalars {
            guard text.count < byteCountMax else { break }
            switch scalar {
            case "a"..."z", "A"..."Z", "_": text.append(UInt8(scalar.value))
            case "0"..."9":
                if text.isEmpty { text.append(UInt8(ascii: "_")) }
                text.append(UInt8(scalar.value))
            default: text.append(UInt8(ascii: "_"))
            }
        }
        if text.isEmpty { text = [UInt8(ascii: "_")] }
        return String(decoding: text.prefix(byteCountMax), as: UTF8.self)
    }

    /// The names of one scope, none of them used twice.
    struct Registry: Sendable {
        private var taken: Set<String>

        init(reserved: Set<String>) {
            taken = reserved
        }

        /// The nearest stored name that is free: `name`, `name_2`, `name_3`, …
        mutating func claim(_ name: String) -> String {
            let nearest = StoredName.nearest(to: name)
            if taken.insert(nearest).inserted { return nearest }
            var number = 2
            while true {
                let suffix = "_\(number)"
                let other = nearest.prefix(StoredName.byteCountMax - suffix.utf8.count) + suffix
                if taken.insert(String(other)).inserted { return String(other) }
                number += 1
            }
        }
    }
}
