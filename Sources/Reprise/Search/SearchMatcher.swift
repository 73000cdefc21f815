/// Tells of single rows whether a search finds them, by their words (SRC-11 to SRC-14). Needs no index.
///
/// Keeps its memory from row to row, so it is used by one thread at a time.
final class SearchMatcher {
    let query: SearchQuery
    private let search: SearchDescription
    /// The only attribute that counts, as an index into those of the search.
    private let field: Int?
    private let hasPhrases: Bool
    private var row = RowWords()
    /// How often each of the query's words occurs in the row matched last.
    private(set) var frequencies: [Int]

    init(_ query: SearchQuery, _ search: SearchDescription, field: Int? = nil) {
        self.query = query
        self.search = search
        self.field = field
        hasPhrases = query.required.contains { $0.words.count > 1 }
        frequencies = Array(repeating: 0, count: query.words.count)
    }

    /// The length of the row matched last.
    var length: Int { min(row.length, PostingValue.most) }

    /// Whether the row has all that is required and nothing that is excluded. O(bytes of the attributes).
    func matches(_ payload: RowPayload) -> Bool {
        read(payload)
        guard !query.words.isEmpty else { return false }
        // What has not all the words has not all the phrases.
        for index in query.words.indices {
            let frequency = row.frequency(of: query.words[index], field: field)
            if frequency == 0 { return false }
            frequencies[index] = min(frequency, PostingValue.most)
        }
        if hasPhrases {
            for phrase in query.required where phrase.words.count > 1 && !contains(phrase) {
                return false
            }
        }
        return query.excluded.isEmpty || !query.excluded.contains(where: contains)
    }

    /// Reads the words of a row.
    func read(_ payload: RowPayload) { row.read(payload, search) }

    /// How many different words of the row last read are meant by a word of the query: what the index has entries of.
    func postingCount(of word: SearchQuery.Word) -> Int {
        row.postings().count { posting in
            unsafe row.withBytes(of: posting) { unsafe word.matches($0) }
        }
    }

    private func contains(_ phrase: SearchQuery.Phrase) -> Bool {
        for index in row.words.indices where matches(phrase.words[0], row.words[index]) {
            if phrase.words.count == 1 || goesOn(phrase, at: index) { return true }
        }
        return false
    }

    /// Whether the words after the first one follow the word at `index`.
    private func goesOn(_ phrase: SearchQuery.Phrase, at index: Int) -> Bool {
        let first = row.words[index]
        var next = 1
        for candidate in row.words[index...] {
            guard candidate.field == first.field, candidate.position <= first.position + next else {
                return false
            }
            if candidate.position == first.position + next,
                matches(phrase.words[next], candidate)
            {
                next += 1
                if next == phrase.words.count { return true }
            }
        }
        return false
    }

    private func matches(_ word: SearchQuery.Word, _ candidate: RowWords.Word) -> Bool {
        if let field, candidate.field != field { return false }
        return unsafe row.bytes.withUnsafeBytes { bytes in
            unsafe word.matches(
                UnsafeRawBufferPointer(
                    rebasing: bytes[candidate.start..<(candidate.start + candidate.count)]
                )
            )
        }
    }
}
