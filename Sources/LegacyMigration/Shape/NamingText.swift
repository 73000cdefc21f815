/// What the texts say that the keys of records are made of (Specs/format/migration.md, "Another export").
enum NamingText {
    /// Whether a text is a whole number as records are counted with: at most seven decimal digits, zeros before them
    /// and a minus aside. So is none at all.
    static func isCount(_ text: String) -> Bool {
        var digits = text.utf8[...]
        if digits.first == UInt8(ascii: "-") { digits = digits.dropFirst() }
        digits = digits.drop { $0 == UInt8(ascii: "0") }
        return digits.count <= countDigits && digits.allSatisfy(isDigit)
    }

    /// Whether a number is one as things are counted with.
    static func isCount(_ number: Double) -> Bool { number.magnitude < countEnd && number == number.rounded() }

    /// Whether two keys are of one series: nothing but their digits differs.
    static func areOfOneSeries(_ parts: [Substring], _ others: [Substring]) -> Bool {
        parts.count == others.count && zip(parts, others).allSatisfy { areOfOneSeries($0, $1) }
    }

    /// Whether nothing but the digits of two texts differs.
    static func areOfOneSeries(_ text: Substring, _ other: Substring) -> Bool {
        bytes(text).lazy.filter { !isDigit($0) }.elementsEqual(bytes(other).lazy.filter { !isDigit($0) })
    }

    /// What looks as if it was drawn by chance: a UUID, or so many letters and digits as the shortest of those have
    /// that are, which take turns as they do in no words.
    static func drawn(in text: String) -> Substring? {
        let bytes = bytes(text[...])
        guard bytes.count >= drawnCount else { return nil }
        var start = bytes.startIndex
        while start < bytes.endIndex {
            let end = bytes[start...].firstIndex { !isDigit($0) && !isLetter($0) && $0 != hyphen } ?? bytes.endIndex
            let groups = bytes[start..<end].split(separator: hyphen, omittingEmptySubsequences: false)
            for (place, group) in groups.enumerated() {
                if isDrawn(group) { return text[group.startIndex..<group.endIndex] }
                guard group.count == uuidGroups[0] else { continue }
                let five = groups[place...].prefix(uuidGroups.count)
                if five.map(\.count) == uuidGroups, isDrawn(five.joined()), let last = five.last {
                    return text[group.startIndex..<last.endIndex]
                }
            }
            start = end == bytes.endIndex ? end : bytes.index(after: end)
        }
        return nil
    }

    private static func isDrawn(_ signs: some Sequence<UInt8>) -> Bool {
        var count = 0
        var turnCount = 0
        var endsWithDigit: Bool?
        for byte in signs {
            count += 1
            if let endsWithDigit, endsWithDigit != isDigit(byte) { turnCount += 1 }
            endsWithDigit = isDigit(byte)
        }
        return count >= drawnCount && turnCount * signsPerTurn >= count
    }

    /// RFC 9562, section 4.
    private static let uuidGroups = [8, 4, 4, 4, 12]

    private static func bytes(_ text: Substring) -> Substring.UTF8View { text.utf8.prefix(lookedAtCount) }

    /// What is looked at of a text, however long it is, in memory of its own.
    static func looked(at text: String) -> Substring {
        text.utf8.count <= lookedAtCount ? text[...] : String(decoding: bytes(text[...]), as: UTF8.self)[...]
    }

    private static let lookedAtCount = 1024
    /// As long as the shortest identifiers that are drawn by chance, which are those of iTunes.
    private static let drawnCount = 16
    /// Hexadecimal digits take turns every second time, letters of both cases and digits every fourth.
    private static let signsPerTurn = 4
    /// As many digits as records have that were counted; longer numbers are times, or identifiers.
    private static let countDigits = 7
    private static let countEnd = 10_000_000.0

    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

    private static func isLetter(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
    }

    private static let hyphen = UInt8(ascii: "-")
}
