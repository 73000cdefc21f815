/// Names of models, attributes and relationships as a store allows them: letters, digits and underscores of ASCII, at
/// most 64 bytes, not beginning with a digit.
///
/// What a name becomes does not depend on where it stands: a newer export in which columns change places keeps its
/// names.
enum StoredName {
    static let byteCountMax = 64
    private static let digestDigitCount = 8

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

    /// The nearest stored name, an underscore and eight digits that tell the name from every other one.
    ///
    /// - Parameter number: which of those with this very name it is, from 1.
    static func distinct(_ name: String, number: Int) -> String {
        let parts: [String?] = ["reprise name", name] + (number > 1 ? [String(number)] : [])
        let digits = ContentKey(parts).text.prefix(digestDigitCount)
        return nearest(to: name).prefix(byteCountMax - digestDigitCount - 1) + "_" + digits
    }

    /// The names of one scope, none of them used twice.
    struct Registry: Sendable {
        private let reserved: Set<String>
        /// Stored names that several of the scope's names would have.
        private let shared: Set<String>
        private var taken: Set<String>
        /// How often each name was claimed.
        private var counts: [ListMember: Int] = [:]

        /// - Parameters:
        ///   - reserved: what no name may become; such a name has `_2` after it.
        ///   - names: the names that will be claimed, as far as they are known: of those that would become the same,
        ///     none stays as it is.
        init(reserved: Set<String> = [], names: [String] = []) {
            self.reserved = reserved
            taken = reserved
            var found: Set<String> = []
            var shared: Set<String> = []
            for name in Set(names.map { ListMember($0) }) {
                guard let plain = Self.plain(name.text, reserved) else { continue }
                if !found.insert(plain).inserted { shared.insert(plain) }
            }
            self.shared = shared
        }

        /// The nearest stored name, or the distinct one where the nearest does not say the name well or is taken.
        mutating func claim(_ name: String) -> String {
            let number = counts[ListMember(name), default: 0] + 1
            counts[ListMember(name)] = number
            if number == 1, let plain = Self.plain(name, reserved), !shared.contains(plain),
                taken.insert(plain).inserted
            {
                return plain
            }
            var place = number
            while true {
                let other = StoredName.distinct(name, number: place)
                if taken.insert(other).inserted { return other }
                place += 1
            }
        }

        /// Whether a name would become its nearest one.
        func isFree(_ name: String) -> Bool {
            guard counts[ListMember(name)] == nil, let plain = Self.plain(name, reserved) else {
                return false
            }
            return !shared.contains(plain) && !taken.contains(plain)
        }

        /// The nearest name of one in ASCII that fits; nil for others, of which too much would be lost.
        private static func plain(_ name: String, _ reserved: Set<String>) -> String? {
            guard name.utf8.count <= byteCountMax, name.utf8.allSatisfy({ $0 < 0x80 }) else {
                return nil
            }
            let nearest = StoredName.nearest(to: name)
            return reserved.contains(nearest) ? nearest + "_2" : nearest
        }
    }
}
