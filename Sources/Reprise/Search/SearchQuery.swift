/// What a user typed, taken apart (SRC-10 to SRC-15).
struct SearchQuery: Sendable {
    struct Word: Sendable, Hashable {
        let bytes: [UInt8]
        /// Whether words that begin with it count too.
        var isPrefix: Bool
    }

    /// Words that follow each other in one attribute; mostly just one.
    struct Phrase: Sendable {
        var words: [Word]
        /// Whether rows with it are left out.
        let isExcluded: Bool
    }

    /// The most words of a query; more come from a program gone wrong, not from a person.
    static let wordCountMax = 64

    private(set) var required: [Phrase] = []
    private(set) var excluded: [Phrase] = []
    /// The words of what is required, which the ranking counts.
    private(set) var words: [Word] = []

    /// - Parameter completing: whether the last word may be the beginning of one, as when the user is still typing.
    init(_ text: String, completing: Bool = false) throws(StoreError) {
        let bytes = Self.bytes(of: text)
        var phrases = Self.phrases(of: bytes)
        if completing, let last = phrases.last, !last.isExcluded, let byte = bytes.last,
            byte != UInt8(ascii: "\""), !Self.isSpace(byte), !last.words.isEmpty
        {
            let index = phrases.count - 1
            phrases[index].words[last.words.count - 1].isPrefix = true
        }
        phrases.removeAll(where: \.words.isEmpty)
        required = phrases.filter { !$0.isExcluded }
        excluded = phrases.filter(\.isExcluded)
        words = required.flatMap(\.words)
        guard phrases.reduce(0, { $0 + $1.words.count }) <= Self.wordCountMax else {
            throw StoreError(
                .invalidQuery,
                "The search has more than \(Self.wordCountMax) words.",
                advice: "Search for fewer words."
            )
        }
    }

    /// The text with plain spaces for all white space, such as the wide one that comes between words in Japanese.
    private static func bytes(of text: String) -> [UInt8] {
        var scalars = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            scalars.append(scalar.properties.isWhitespace ? " " : scalar)
        }
        return Array(String(scalars).utf8)
    }

    private static func isSpace(_ byte: UInt8) -> Bool { byte <= 0x20 }

    /// Cuts at spaces outside quotation marks.
    private static func phrases(of text: [UInt8]) -> [Phrase] {
        var phrases: [Phrase] = []
        var offset = 0
        while offset < text.count {
            if isSpace(text[offset]) {
                offset += 1
                continue
            }
            let isExcluded = text[offset] == UInt8(ascii: "-")
            if isExcluded { offset += 1 }
            let isQuoted = offset < text.count && text[offset] == UInt8(ascii: "\"")
            if isQuoted { offset += 1 }
            let start = offset
            while offset < text.count,
                isQuoted
                    ? text[offset] != UInt8(ascii: "\"")
                    : !isSpace(text[offset]) && text[offset] != UInt8(ascii: "\"")
            {
                offset += 1
            }
            phrases.append(Phrase(words: words(of: text[start..<offset]), isExcluded: isExcluded))
            if isQuoted { offset += 1 }
        }
        return phrases
    }

    /// The words of a piece; the last one stands for all that begin with it when the piece ends with a star.
    private static func words(of text: ArraySlice<UInt8>) -> [Word] {
        var cutter = RowWords()
        unsafe text.withUnsafeBytes { unsafe cutter.add($0, field: 0, weight: 1) }
        var words = cutter.words.filter { !$0.isPart }.map {
            Word(bytes: Array(cutter.bytes(of: $0)), isPrefix: false)
        }
        if text.last == UInt8(ascii: "*"), !words.isEmpty {
            words[words.count - 1].isPrefix = true
        }
        return words
    }
}

extension SearchQuery.Word {
    /// Whether a word of a row is meant.
    func matches(_ word: UnsafeRawBufferPointer) -> Bool {
        unsafe bytes.withUnsafeBytes { bytes in
            if !isPrefix { return unsafe word.hasSameBytes(as: bytes) }
            guard word.count >= bytes.count else { return false }
            return unsafe UnsafeRawBufferPointer(rebasing: word[..<bytes.count])
                .hasSameBytes(as: bytes)
        }
    }
}
