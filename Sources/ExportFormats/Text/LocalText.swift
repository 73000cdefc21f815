/// Dates and numbers in local spelling. Only whether a text is one is found out, and not its value.
enum LocalText {
    /// `18.09.2017`, `3/1/25` or `2017/09/18`.
    static func isDate(_ text: String) -> Bool {
        let separators = Set(text.utf8).intersection(".-/".utf8)
        guard let separator = separators.first, separators.count == 1 else { return false }
        let parts = text.utf8.split(separator: separator, omittingEmptySubsequences: false)
        guard parts.count == 3, parts.allSatisfy({ !$0.isEmpty && $0.allSatisfy(isDigit) }) else { return false }
        let counts = parts.map(\.count)
        let isYearFirst = counts[0] == 4 && counts[1] <= 2 && counts[2] <= 2
        let isYearLast = counts[0] <= 2 && counts[1] <= 2 && (counts[2] == 2 || counts[2] == 4)
        return isYearFirst || isYearLast
    }

    /// `-33,87` or `1.234,56`.
    static func isNumber(_ text: String) -> Bool {
        let digits = text.utf8.first.map { "+-".utf8.contains($0) } == true ? text.utf8.dropFirst() : text.utf8[...]
        let parts = digits.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false)
        guard parts.count == 2, !parts[1].isEmpty, parts[1].allSatisfy(isDigit) else { return false }
        let groups = parts[0].split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard groups.allSatisfy({ !$0.isEmpty && $0.allSatisfy(isDigit) }) else { return false }
        return groups.count == 1 || groups[0].count <= 3 && groups.dropFirst().allSatisfy { $0.count == 3 }
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }
}
