/// Names in letters of other alphabets, in those of ASCII, so that they can be typed.
///
/// The table is this build's own and never changes: what a name becomes stays in stores for ever.
enum Transliteration {
    /// The name in ASCII, with an underscore for what is no letter; nil where a letter is not in the table, or nothing
    /// that can be typed would be left.
    static func ascii(_ name: String) -> String? {
        var text = ""
        for scalar in name.unicodeScalars {
            if scalar.isASCII {
                text.unicodeScalars.append(scalar)
            } else if let mark = marks[scalar] {
                // What a mark makes of the letter before it, which it follows.
                if let letter = text.last, mark.letters.contains(letter) { text += mark.text }
            } else if let letters = letters[scalar] {
                text += letters
            } else if scalar.properties.generalCategory == .nonspacingMark {
                continue
            } else if scalar.properties.isAlphabetic || scalar.properties.numericType != nil {
                return nil
            } else {
                text += "_"
            }
        }
        return text.utf8.contains { $0 != UInt8(ascii: "_") } ? text : nil
    }

    /// Marks that follow their letter and say more than an accent: of `ä` and `å` where they are two characters.
    private static let marks: [Unicode.Scalar: (letters: String, text: String)] = [
        "\u{308}": ("aouAOU", "e"), "\u{30A}": ("aA", "a"),
    ]

    private static let letters: [Unicode.Scalar: String] = {
        var letters: [Unicode.Scalar: String] = [:]
        for (ascii, others) in table {
            for scalar in others.unicodeScalars {
                letters[scalar] = ascii
                let upper = Array(scalar.properties.uppercaseMapping.unicodeScalars)
                if upper.count == 1, upper[0] != scalar {
                    letters[upper[0]] = ascii.prefix(1).uppercased() + ascii.dropFirst()
                }
            }
        }
        return letters
    }()

    /// Latin, Cyrillic and Greek letters in small, by what they become.
    private static let table: [(String, String)] = [
        ("a", "àáâãāăąạảấầẩẫậắằẳẵặаαάªǎ"), ("ae", "äæ"), ("aa", "å"), ("b", "б"), ("c", "çćĉċčћ"), ("d", "ďđðдδ"),
        ("e", "èéêëēĕėęěẹẻẽếềểễệеэεέ"), ("f", "фƒ"), ("g", "ĝğġģгґγ"), ("h", "ĥħх"),
        ("i", "ìíîïĩīĭįıịỉиіιίϊΐηή"), ("j", "ĵј"), ("k", "ķкκ"), ("l", "ĺļľŀłлλ"), ("m", "мμµ"), ("n", "ñńņňŋнν"),
        ("o", "òóôõōŏọỏốồổỗộớờởỡợоοόωώơº"), ("oe", "öœő"), ("o", "ø"), ("p", "пπ"), ("r", "ŕŗřрρ"), ("s", "śŝşšșсσς"),
        ("ss", "ß"), ("t", "ţťŧțтτ"), ("th", "þθ"), ("u", "ùúûũūŭůųụủứừửữựуўư"), ("ue", "üű"), ("v", "вβ"), ("w", "ŵ"),
        ("x", "ξ"), ("y", "ýÿŷỳỵỷỹйыυύϋΰ"), ("z", "źżžзζ"), ("yo", "ё"), ("zh", "ж"), ("ts", "ц"), ("ch", "чχ"),
        ("sh", "ш"), ("shch", "щ"), ("yu", "ю"), ("ya", "я"), ("yi", "ї"), ("ye", "є"), ("ps", "ψ"), ("lj", "љ"),
        ("nj", "њ"), ("dj", "ђ"), ("dz", "џ"), ("", "ъь"),
    ]
}
