/// A mistake in a text that a person wrote: where it is, and what would have been right.
struct TextMistake: Error, Equatable, Sendable {
    /// Where the mistake starts, in UTF-8 bytes from the beginning of the text.
    var byteOffset: Int
    /// What was expected there, as the object of "expected".
    var expected: String
    /// What is there instead, as a reader would call it.
    var found: String?
    /// A spelling that was probably meant.
    var suggestion: String?

    init(at byteOffset: Int, expected: String, found: String? = nil, suggestion: String? = nil) {
        self.byteOffset = byteOffset
        self.expected = expected
        self.found = found
        self.suggestion = suggestion
    }
}

extension TextMistake {
    /// The number of the character at which the mistake starts, from 1.
    ///
    /// An offset inside a character counts as that character; one behind the end is the place after
    /// the last character. Complexity: O(*n*) in the length of `text`.
    func column(in text: String) -> Int {
        var end = 0
        var column = 1
        for character in text {
            end += character.utf8.count
            if byteOffset < end { break }
            column += 1
        }
        return column
    }

    /// One sentence: place, what was expected, what was found.
    func sentence(in text: String, called name: String) -> String {
        var sentence = "\(name) is wrong at character \(column(in: text)): expected \(expected)"
        if let found { sentence += ", found \(found)" }
        if let suggestion { sentence += "; did you mean \(suggestion)?" } else { sentence += "." }
        return sentence
    }

    /// The text with a caret under the mistake, both indented by two columns; at most `width`
    /// columns of the text around the mistake are shown.
    func excerpt(of text: String, width: Int = 72) -> String {
        let characters = Array(text).map { DisplayWidth.visible($0) }
        let column = min(column(in: text) - 1, characters.count)
        let start = max(0, column - width * 2 / 3)
        let end = min(characters.count, start + width)
        let line = characters[start..<end].joined()
        let before = characters[start..<column].joined()
        return "  \(line)\n  \(String(repeating: " ", count: DisplayWidth.of(before)))^"
    }
}
