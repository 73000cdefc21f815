/// How many columns of a terminal a text takes.
///
/// Source: Unicode Standard Annex #11 (East Asian Width), wide and fullwidth ranges of Unicode 16 with
/// the gaps between neighbours closed, and emoji presentation from the standard library. Terminals
/// disagree about rare cases; being one column off there costs alignment, nothing else.
enum DisplayWidth {
    /// The columns of a text without line breaks.
    static func of(_ text: some StringProtocol) -> Int {
        text.reduce(0) { $0 + of($1) }
    }

    /// 0, 1 or 2.
    static func of(_ character: Character) -> Int {
        guard let first = character.unicodeScalars.first else { return 0 }
        if first.value < 0x300 { return isControl(first) ? 0 : 1 }
        if character.unicodeScalars.contains(where: { $0.value == 0xFE0F }) { return 2 }
        if first.properties.isEmojiPresentation || isWide(first.value) { return 2 }
        switch first.properties.generalCategory {
        case .nonspacingMark, .enclosingMark, .format: return 0
        default: return 1
        }
    }

    /// The text as one line that cannot steer a terminal: control characters and direction overrides
    /// are replaced by visible signs.
    static func visible(_ text: some StringProtocol) -> String {
        guard text.unicodeScalars.contains(where: isHarmful) else { return String(text) }
        var result = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            switch scalar.value {
            case 0..<0x20: result.append(Unicode.Scalar(0x2400 + scalar.value) ?? "\u{FFFD}")
            case 0x7F: result.append("\u{2421}")
            default: result.append(isHarmful(scalar) ? "\u{FFFD}" : scalar)
            }
        }
        return String(result)
    }

    static func visible(_ character: Character) -> String {
        visible(String(character))
    }

    /// The beginning of a text that fits into `width` columns, ending in `…` when something is cut off.
    static func truncated(_ text: String, to width: Int) -> String {
        // Bytes bound columns from above: short cells need no walk over their characters.
        if text.utf8.count <= width || of(text) <= width { return text }
        var result = ""
        var used = 1
        for character in text {
            used += of(character)
            if used > width { break }
            result.append(character)
        }
        return width > 0 ? result + "…" : ""
    }

    private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        scalar.value < 0x20 || (0x7F..<0xA0).contains(scalar.value)
    }

    private static func isHarmful(_ scalar: Unicode.Scalar) -> Bool {
        isControl(scalar) || (0x2028...0x202E).contains(scalar.value)
            || (0x2066...0x2069).contains(scalar.value)
    }

    private static func isWide(_ value: UInt32) -> Bool {
        wideRanges.contains { $0.contains(value) }
    }

    private static let wideRanges: [ClosedRange<UInt32>] = [
        0x1100...0x115F, 0x2329...0x232A, 0x2E80...0x303E, 0x3041...0x3247, 0x3250...0xA4CF,
        0xA960...0xA97C, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE10...0xFE19, 0xFE30...0xFE6B,
        0xFF01...0xFF60, 0xFFE0...0xFFE6, 0x16FE0...0x18DFF, 0x1AFF0...0x1B2FF, 0x1F200...0x1F265,
        0x20000...0x3FFFD,
    ]
}
