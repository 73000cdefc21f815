import ExportFormats

/// Names of models, attributes and relationships as a store allows them: letters, digits and underscores of ASCII, at
/// most 64 bytes, not beginning with a digit. Letters of other alphabets become those of ASCII (``Transliteration``);
/// where they cannot, the name is `class` or `field` and a number made of it.
///
/// What a name becomes does not depend on where it stands: a newer export in which columns change places keeps its
/// names.
package enum StoredName {
    static let byteCountMax = 64
    private static let digestDigitCount = 8

    /// The nearest stored name: what is not allowed becomes an underscore, one for each Unicode scalar.
    package static func nearest(to name: String) -> String {
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

    /// The nearest stored name, an underscore and eight digits that tell the name from every other one.
    ///
    /// - Parameter number: which of those with this very name it is, from 1.
    static func distinct(_ name: String, number: Int) -> String {
        nearest(to: name).prefix(byteCountMax - digestDigitCount - 1) + "_" + digits(of: name, number)
    }

    private static func digits(of name: String, _ number: Int) -> Substring {
        let parts: [String?] = ["reprise name", name] + (number > 1 ? [String(number)] : [])
        return ContentKey(parts).text.prefix(digestDigitCount)
    }

    /// What names stand for.
    enum Kind: String {
        case model = "class"
        case property = "field"

        /// A name for one that cannot be typed: the kind and six digits made of the name.
        func numbered(_ name: String, number: Int) -> String {
            let digits = UInt64(StoredName.digits(of: name, number), radix: 16) ?? 0
            return "\(rawValue)_\(digits % 900_000 + 100_000)"
        }
    }

    /// The names of one scope, none of them used twice.
    struct Registry: Sendable {
        private let reserved: Set<String>
        /// Stored names that several of the scope's names would have.
        private let shared: Set<String>
        /// Stored names that several of the scope's names would have, and that only one in ASCII may.
        private let sharedByOthers: Set<String>
        private var taken: Set<String>
        /// How often each name was claimed.
        private var counts: [ExactText: Int] = [:]
        private let kind: Kind

        /// - Parameters:
        ///   - kind: what the names stand for.
        ///   - reserved: what no name may become; such a name has `_2` after it.
        ///   - names: the names that will be claimed, as far as they are known: of those that would become the same,
        ///     none stays as it is. Those of other alphabets make way for those in ASCII.
        init(_ kind: Kind, reserved: Set<String> = [], names: [String] = []) {
            self.kind = kind
            self.reserved = reserved
            taken = reserved
            var found: Set<String> = []
            var shared: Set<String> = []
            var sharedByOthers: Set<String> = []
            let names = Set(names.map { ExactText($0) })
            for name in names where Self.isASCII(name.text) {
                guard let plain = Self.plain(name.text, reserved) else { continue }
                if !found.insert(plain).inserted { shared.insert(plain) }
            }
            for name in names where !Self.isASCII(name.text) {
                guard let plain = Self.plain(name.text, reserved) else { continue }
                if !found.insert(plain).inserted { sharedByOthers.insert(plain) }
            }
            self.shared = shared
            self.sharedByOthers = sharedByOthers
        }

        /// The nearest stored name, or the distinct one where the nearest does not say the name well or is taken.
        ///
        /// - Returns: the name, and the one that builds before had for it.
        mutating func claim(_ name: String) -> (name: String, earlier: String?) {
            let number = counts[ExactText(name), default: 0] + 1
            counts[ExactText(name)] = number
            let earlier = Self.isASCII(name) ? nil : StoredName.distinct(name, number: number)
            if number == 1, let plain = Self.plain(name, reserved), !isShared(plain, by: name),
                taken.insert(plain).inserted
            {
                return (plain, earlier)
            }
            var place = number
            while true {
                let other = distinct(name, number: place)
                if taken.insert(other).inserted { return (other, earlier) }
                place += 1
            }
        }

        private func distinct(_ name: String, number: Int) -> String {
            if Self.isASCII(name) || name.utf8.count > byteCountMax { return StoredName.distinct(name, number: number) }
            guard let text = Transliteration.ascii(name) else { return kind.numbered(name, number: number) }
            let digits = StoredName.digits(of: name, number)
            return nearest(to: text).prefix(byteCountMax - digestDigitCount - 1) + "_" + digits
        }

        private func isShared(_ plain: String, by name: String) -> Bool {
            shared.contains(plain) || sharedByOthers.contains(plain) && !Self.isASCII(name)
        }

        /// Whether a name would become its nearest one.
        func isFree(_ name: String) -> Bool {
            guard counts[ExactText(name)] == nil, let plain = Self.plain(name, reserved) else {
                return false
            }
            return !isShared(plain, by: name) && !taken.contains(plain)
        }

        /// The nearest name of one that fits and can be written in ASCII; nil for others, of which too much would be
        /// lost.
        private static func plain(_ name: String, _ reserved: Set<String>) -> String? {
            guard name.utf8.count <= byteCountMax, let text = isASCII(name) ? name : Transliteration.ascii(name),
                text.utf8.count <= byteCountMax
            else { return nil }
            let nearest = StoredName.nearest(to: text)
            return reserved.contains(nearest) ? nearest + "_2" : nearest
        }

        private static func isASCII(_ name: String) -> Bool { name.utf8.allSatisfy { $0 < 0x80 } }
    }
}
