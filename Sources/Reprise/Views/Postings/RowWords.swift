/// The words of a row's searchable attributes, or of a query: folded, cut, counted (SRC-01 to SRC-05).
///
/// Used again for row after row, so that nothing is allocated once it has grown.
struct RowWords {
    /// One word where it stands.
    struct Word {
        /// Where the folded word is in ``bytes``.
        let start: Int
        let count: Int
        /// Which attribute, and the number of the word in it; parts of a word have the number of the whole.
        let field: Int
        let position: Int
        /// Whether it is what stands between two apostrophes of a word.
        let isPart: Bool
        let weight: Int
    }

    /// A word of the row with all its occurrences.
    struct Posting {
        let start: Int
        let count: Int
        let frequency: Int
    }

    /// The most bytes of a word; what is longer is cut (SRC-05).
    static let wordByteCountMax = 64

    private(set) var bytes: [UInt8] = []
    private(set) var words: [Word] = []
    /// The number of words, parts not counted, each with its weight.
    private(set) var length = 0
    private var gathered: [Posting] = []

    mutating func removeAll() {
        bytes.removeAll(keepingCapacity: true)
        words.removeAll(keepingCapacity: true)
        length = 0
    }

    /// Reads the words of a row.
    mutating func read(_ payload: RowPayload, _ search: SearchDescription) {
        removeAll()
        for index in search.fields.indices {
            let field = search.fields[index]
            guard let text = unsafe payload.slot(field.slot) else { continue }
            unsafe add(text, field: index, weight: Int(field.weight))
        }
    }

    /// Folds text and cuts it into words.
    mutating func add(_ text: UnsafeRawBufferPointer, field: Int, weight: Int) {
        let from = bytes.count
        unsafe TextFolding.ignoresBoth.append(text, to: &bytes)
        cut(from..<bytes.count, field, weight)
    }

    /// The words of the row, each once, in the order of their bytes. O(words · log words).
    mutating func postings() -> [Posting] {
        gathered.removeAll(keepingCapacity: true)
        for word in words {
            gathered.append(Posting(start: word.start, count: word.count, frequency: word.weight))
        }
        unsafe bytes.withUnsafeBytes { bytes in
            gathered.sort { left, right in
                unsafe Self.slice(bytes, left).precedes(Self.slice(bytes, right))
            }
            var last = -1
            for index in gathered.indices {
                let next = gathered[index]
                if last >= 0,
                    unsafe Self.slice(bytes, gathered[last]).hasSameBytes(
                        as: Self.slice(bytes, next)
                    )
                {
                    gathered[last] = Posting(
                        start: next.start,
                        count: next.count,
                        frequency: gathered[last].frequency + next.frequency
                    )
                } else {
                    last += 1
                    gathered[last] = next
                }
            }
            gathered.removeLast(gathered.count - last - 1)
        }
        return gathered
    }

    @inline(__always)
    private static func slice(
        _ bytes: UnsafeRawBufferPointer,
        _ posting: Posting
    ) -> UnsafeRawBufferPointer {
        unsafe UnsafeRawBufferPointer(
            rebasing: bytes[posting.start..<(posting.start + posting.count)]
        )
    }

    func withBytes<R>(of posting: Posting, _ body: (UnsafeRawBufferPointer) -> R) -> R {
        unsafe bytes.withUnsafeBytes { unsafe body(Self.slice($0, posting)) }
    }

    /// The bytes of a word.
    func bytes(of word: Word) -> ArraySlice<UInt8> {
        bytes[word.start..<(word.start + word.count)]
    }
}

// MARK: - Cutting

extension RowWords {
    private mutating func cut(_ range: Range<Int>, _ field: Int, _ weight: Int) {
        var offset = range.lowerBound
        var position = 0
        while offset < range.upperBound {
            let (kind, next) = character(at: offset, range.upperBound)
            switch kind {
            case .nothing, .mark: offset = next
            case .word:
                let end = endOfMarks(next, range.upperBound)
                add(offset..<end, field, position, false, weight)
                length += weight
                position += 1
                offset = end
            case .letter:
                let (end, joints) = endOfWord(next, range.upperBound)
                if joints.isEmpty {
                    add(offset..<end, field, position, false, weight)
                } else {
                    addJoined(offset..<end, joints, field, position, weight)
                }
                length += weight
                position += 1
                offset = end
            }
        }
    }

    private func character(at offset: Int, _ end: Int) -> (kind: WordClass, next: Int) {
        let byte = bytes[offset]
        if byte < 0x80 {
            return (WordClass.of(ScalarReader(code: UInt32(byte), byteCount: 1)), offset + 1)
        }
        return unsafe bytes.withUnsafeBytes { bytes in
            let text = unsafe UnsafeRawBufferPointer(rebasing: bytes[..<end])
            let scalar = unsafe ScalarReader.scalar(of: text, at: offset)
            return (WordClass.of(scalar), offset + scalar.byteCount)
        }
    }

    private func endOfMarks(_ start: Int, _ end: Int) -> Int {
        var offset = start
        while offset < end {
            let (kind, next) = character(at: offset, end)
            guard kind == .mark else { break }
            offset = next
        }
        return offset
    }

    /// Where a word that has begun ends, and where the apostrophes within it are.
    private func endOfWord(_ start: Int, _ end: Int) -> (end: Int, joints: [Range<Int>]) {
        var offset = start
        var joints: [Range<Int>] = []
        while offset < end {
            let (kind, next) = character(at: offset, end)
            if kind == .letter || kind == .mark {
                offset = next
                continue
            }
            guard let after = endOfApostrophe(offset, end), after < end else { break }
            let (following, behind) = character(at: after, end)
            guard following == .letter else { break }
            joints.append(offset..<after)
            offset = behind
        }
        return (offset, joints)
    }

    /// Where the apostrophe at `offset` ends, if there is one: U+0027 or U+2019.
    private func endOfApostrophe(_ offset: Int, _ end: Int) -> Int? {
        if bytes[offset] == 0x27 { return offset + 1 }
        guard offset + 3 <= end, bytes[offset] == 0xE2, bytes[offset + 1] == 0x80,
            bytes[offset + 2] == 0x99
        else { return nil }
        return offset + 3
    }

    /// A word with apostrophes: the whole without them, and the parts of more than one character (SRC-03).
    private mutating func addJoined(
        _ range: Range<Int>,
        _ joints: [Range<Int>],
        _ field: Int,
        _ position: Int,
        _ weight: Int
    ) {
        var parts: [Range<Int>] = []
        var start = range.lowerBound
        for joint in joints {
            parts.append(start..<joint.lowerBound)
            start = joint.upperBound
        }
        parts.append(start..<range.upperBound)
        let whole = bytes.count
        for part in parts { for index in part { bytes.append(bytes[index]) } }
        add(whole..<bytes.count, field, position, false, weight)
        for part in parts
        where character(at: part.lowerBound, part.upperBound).next < part.upperBound {
            add(part, field, position, true, weight)
        }
    }

    private mutating func add(
        _ range: Range<Int>,
        _ field: Int,
        _ position: Int,
        _ isPart: Bool,
        _ weight: Int
    ) {
        var count = range.count
        if count > Self.wordByteCountMax {
            count = Self.wordByteCountMax
            while count > 0, bytes[range.lowerBound + count] & 0xC0 == 0x80 { count -= 1 }
        }
        words.append(
            Word(
                start: range.lowerBound,
                count: count,
                field: field,
                position: position,
                isPart: isPart,
                weight: weight
            )
        )
    }
}
