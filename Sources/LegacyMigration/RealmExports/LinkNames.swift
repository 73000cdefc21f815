/// Whether a property is called as a class, word by word from the end and whatever the case of the letters: `track` and
/// `currentTrack` as `Track` and `RealmTrack`, and lists `tracks` as well. What counts or numbers things is not called
/// as they are, such as `trackCount` and `numberOfTracks`.
enum LinkNames {
    /// What apps put before and after the names of classes.
    private static let wordsOfNoMeaning: Set<String> = [
        "realm", "rlm", "db", "object", "model", "entity",
    ]
    private static let countingWords: Set<String> = [
        "count", "id", "ids", "index", "no", "nr", "num", "number", "of", "per", "position", "total",
    ]
    /// No class has a name of more words.
    private static let wordCountMax = 8

    /// The name of a class, for comparison.
    static func name(ofClass name: String) -> String {
        let all = words(of: name)
        let own = all.filter { !wordsOfNoMeaning.contains($0) }
        return (own.isEmpty ? all : own).joined(separator: " ")
    }

    /// The names of the classes that a property may be called as, none twice.
    ///
    /// - Parameter isList: whether it may have the name in the plural.
    static func names(ofProperty name: String, isList: Bool) -> [String] {
        let words = words(of: name)
        guard !words.isEmpty, !words.contains(where: countingWords.contains) else { return [] }
        var names: Set<String> = []
        for count in 1...min(words.count, wordCountMax) {
            let (start, last) = (words.suffix(count).dropLast(), words[words.count - 1])
            for end in [last] + (isList ? singulars(of: last) : []) where !end.isEmpty {
                names.insert((start + [end]).joined(separator: " "))
            }
        }
        return names.sorted()
    }

    /// Whether a property is called as its own class and nothing more. Such a number says what the object is called by,
    /// `track` in `Track` which one it is on its record, rather than another one of its kind, as `nextTrack` does.
    static func isCalled(_ property: String, asItsClass className: String) -> Bool {
        words(of: property).joined(separator: " ") == name(ofClass: className)
    }

    private static func singulars(of word: String) -> [String] {
        var singulars: [String] = []
        if word.hasSuffix("s") { singulars.append(String(word.dropLast())) }
        if word.hasSuffix("es") { singulars.append(String(word.dropLast(2))) }
        if word.hasSuffix("ies") { singulars.append(word.dropLast(3) + "y") }
        return singulars
    }

    /// The words of a name in lower case: they begin with capitals, or with what is neither letter nor digit between.
    private static func words(of name: String) -> [String] {
        var words: [String] = []
        var word = ""
        var wasLower = false
        for character in name {
            let isPart = character.isLetter || character.isNumber
            if !isPart || character.isUppercase && wasLower {
                if !word.isEmpty { words.append(word) }
                word = ""
            }
            if isPart { word += character.lowercased() }
            wasLower = isPart && !character.isUppercase
        }
        if !word.isEmpty { words.append(word) }
        return words
    }
}
