/// The attributes that stand between the duration of an `#EXTINF` and its title, or after `#EXTM3U`: names and values
/// with a sign `=` between, the values in quotation marks mostly.
enum M3UAttributes {
    /// The comma before the title. One in quotation marks belongs to an attribute, unless there is no other.
    static func end(in value: Substring) -> Substring.Index? {
        var isQuoted = false
        let comma = value.firstIndex { character in
            if character == "\"" { isQuoted.toggle() }
            return character == "," && !isQuoted
        }
        return comma ?? value.firstIndex(of: ",")
    }

    /// The names of those that say something, in order; nil for a word that is no attribute.
    static func names(in text: Substring) -> [String?] {
        var isQuoted = false
        let words = text.split { character in
            if character == "\"" { isQuoted.toggle() }
            return (character == " " || character == "\t") && !isQuoted
        }
        return words.compactMap { word -> String?? in
            guard let sign = word.firstIndex(of: "="), sign > word.startIndex else { return .some(nil) }
            let value = word[word.index(after: sign)...].filter { $0 != "\"" && $0 != " " && $0 != "\t" }
            return value.isEmpty ? nil : .some(String(word[..<sign]))
        }
    }
}
