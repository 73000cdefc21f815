/// Tells the encoding of a text by the letters that its bytes give.
///
/// What is UTF-8 is read as UTF-8. Otherwise the lines that are not UTF-8 tell: letters with accents stand alone among
/// plain letters in Windows-1252 and ISO-8859-15; letters that stand beside each other are those of the encoding in
/// which most of them are common: Shift-JIS, GBK or Windows-1251.
package struct EncodingSurvey {
    /// Characters of two bytes, as an encoding has them.
    private struct Pairs {
        private let isLead: (UInt8) -> Bool
        /// Whether a character is common, or nil where it is a mark.
        private let isCommon: (UInt8, UInt8) -> Bool?
        private(set) var lead: UInt8?
        private var isValid = true
        private(set) var count = 0
        private var commonCount = 0

        init(isLead: @escaping (UInt8) -> Bool, isCommon: @escaping (UInt8, UInt8) -> Bool?) {
            (self.isLead, self.isCommon) = (isLead, isCommon)
        }

        mutating func add(_ byte: UInt8) {
            if let lead {
                self.lead = nil
                guard byte >= 0x40, byte != 0x7F, byte != 0xFF else {
                    isValid = false
                    return
                }
                guard let isCommon = isCommon(lead, byte) else { return }
                count += 1
                if isCommon { commonCount += 1 }
            } else if isLead(byte) {
                lead = byte
            } else if byte >= 0x80 {
                // Half-width letters of Shift-JIS are one byte; GBK has none.
                count += 1
                if byte == 0x80 || byte == 0xFF { isValid = false }
            }
        }

        var share: Double {
            isValid && lead == nil && count > 0 ? Double(commonCount) / Double(count) : 0
        }
    }

    private var shiftJIS = Pairs(
        isLead: { (0x81...0x9F).contains($0) || (0xE0...0xFC).contains($0) },
        isCommon: { lead, trail in
            lead == 0x81
                ? nil
                : lead == 0x82 && trail >= 0x9F || lead == 0x83 || (0x88...0x98).contains(lead)
        }
    )
    private var kanaCount = 0
    private var gbk = Pairs(
        isLead: { (0x81...0xFE).contains($0) },
        isCommon: { lead, trail in
            (0xA1...0xA3).contains(lead) ? nil : (0xB0...0xD7).contains(lead) && trail >= 0xA1
        }
    )
    /// The line that is being read, and how many lines with bytes beyond ASCII are UTF-8, and are not.
    private var line: [UInt8] = []
    private var (utf8LineCount, otherLineCount) = (0, 0)
    /// Bytes beyond ASCII: all, those behind another one, and those that are letters in Windows-1251.
    private var (highCount, behindCount, cyrillicCount) = (0, 0, 0)
    private var hasMarks = false
    private var hasPart15 = false

    /// A line is cut off after as many bytes.
    private static let lineByteCountMax = 64 << 20

    mutating func add(_ bytes: ArraySlice<UInt8>) {
        // Most text is ASCII, which is the same in all of them.
        if line.isEmpty, bytes.allSatisfy({ $0 < 0x80 }) { return }
        var rest = bytes
        while let end = rest.firstIndex(of: 0x0A) {
            line += rest[..<end]
            endLine()
            rest = rest[(end + 1)...]
        }
        line += rest
        if line.count > Self.lineByteCountMax { endLine() }
    }

    /// Looks at a line that is not ASCII: of those that are UTF-8 nothing is to be told.
    private mutating func endLine() {
        defer { line.removeAll(keepingCapacity: true) }
        guard line.contains(where: { $0 >= 0x80 }) else { return }
        if String(validating: line, as: UTF8.self) != nil {
            utf8LineCount += 1
            return
        }
        otherLineCount += 1
        var previous: UInt8 = 0
        for byte in line {
            if shiftJIS.lead == 0x82 && byte >= 0x9F || shiftJIS.lead == 0x83 { kanaCount += 1 }
            shiftJIS.add(byte)
            gbk.add(byte)
            if byte >= 0x80 {
                highCount += 1
                if previous >= 0x80 { behindCount += 1 }
                if byte >= 0xC0 || byte == 0xA8 || byte == 0xB8 { cyrillicCount += 1 }
                if byte < 0xA0 { hasMarks = true }
                // Of the places in which the two differ, € and the letters that stand behind others.
                let isBehindLetter = (0x61...0x7A).contains(previous | 0x20)
                if byte == 0xA4 || isBehindLetter && [0xA6, 0xA8, 0xBC, 0xBD, 0xBE].contains(byte) { hasPart15 = true }
            }
            previous = byte
        }
        // No character goes on in the next line.
        shiftJIS.add(0x0A)
        gbk.add(0x0A)
    }

    /// The encoding, when everything has been added.
    mutating func encoding() -> TextEncoding {
        endLine()
        guard otherLineCount > 0 else { return .utf8 }
        let latin = hasPart15 && !hasMarks ? TextEncoding.iso8859part15 : .windows1252
        // A text in UTF-8 of which some lines are damaged, or were written by another program.
        guard utf8LineCount < otherLineCount else { return latin }
        // Of kana in Shift-JIS one byte may be a plain letter, so that they seem to stand alone.
        if shiftJIS.share >= 0.8, kanaCount * 10 > shiftJIS.count { return .shiftJIS }
        guard behindCount * 3 > highCount else { return latin }
        let cyrillic = Double(cyrillicCount) / Double(highCount)
        let shares = [(cyrillic, TextEncoding.windows1251), (gbk.share, .gbk), (shiftJIS.share, .shiftJIS)]
        // Of those with the greatest share the first one counts.
        let best = shares.reduce(shares[0]) { $1.0 > $0.0 ? $1 : $0 }
        return best.0 > 0.75 ? best.1 : latin
    }

    /// Reads a text once to find its encoding.
    ///
    /// - Parameter declared: what the file says; it counts where it is known and the text is no UTF-8.
    /// - Returns: the encoding, and what is to be said of it; nothing of UTF-8.
    package static func find(
        _ input: any ByteInput,
        declared: (ArraySlice<UInt8>) -> TextEncoding? = { _ in nil }
    ) throws -> (encoding: TextEncoding, note: EncodingNote?) {
        var buffer = [UInt8](repeating: 0, count: InputPiece.byteCount)
        var survey = EncodingSurvey()
        var (marked, named): (TextEncoding?, TextEncoding?)
        var isAtStart = true
        while case let count = try input.fill(&buffer), count > 0 {
            if isAtStart {
                marked = TextEncoding.marked(buffer[..<count])?.encoding
                named = declared(buffer[..<count])
            }
            isAtStart = false
            if marked == nil || marked == .utf8 { survey.add(buffer[..<count]) }
        }
        if let marked, marked != .utf8 { return (marked, marked.note("its byte order mark says so")) }
        let told = survey.encoding()
        if told == .utf8 { return (.utf8, nil) }
        if let named, named != .utf8 { return (named, named.note("the file says so")) }
        guard survey.utf8LineCount == 0 else {
            let message = "Some lines are UTF-8 and others are not; the others were read as \(told.rawValue)."
            return (told, EncodingNote(isMixed: true, message: message))
        }
        return (told, told.note("the file is not UTF-8 and its bytes give letters of that encoding"))
    }
}
