/// Makes of the bytes of an XML file what an XML parser takes.
///
/// U+FFFD stands in for each byte that is no UTF-8, and for each character that XML forbids (XML 1.0, production 2),
/// whether it is written as it is or as a reference. References to a pair of surrogates are the character that the pair
/// means in UTF-16. A byte order mark and white space before the first markup are left out.
struct MendedText {
    /// The longest reference that is looked at, in bytes.
    private static let referenceByteCountMax = 12
    /// How far a byte's meaning depends on those after it: two references.
    private static let lookaheadByteCount = 2 * referenceByteCountMax
    private static let replacement: [UInt8] = [0xEF, 0xBF, 0xBD]

    /// How many bytes, and how many lines, were left out at the start.
    private(set) var skipped = (byteCount: UInt64(0), lineCount: 0)
    /// Whether anything was replaced.
    private(set) var hasReplaced = false
    private var line = 1
    private var lastReplacedLine = 0
    private var isAtStart = true
    /// Inside `<![CDATA[`, where references are plain text.
    private var isLiteral = false

    /// Mends what can be decided of a piece.
    ///
    /// - Parameters:
    ///   - piece: what an earlier call has left, and what comes after it.
    ///   - isLast: whether nothing comes after it.
    ///   - onReplacement: called once for each line in which something was replaced.
    /// - Returns: the text, and how many bytes of the piece it stands for.
    /// - Complexity: O(piece).
    mutating func mend(
        _ piece: [UInt8],
        isLast: Bool,
        _ onReplacement: (Int) throws -> Void
    ) rethrows -> (text: [UInt8], byteCount: Int) {
        var text: [UInt8] = []
        text.reserveCapacity(piece.count)
        var place = 0
        while place < piece.count, isLast || piece.count - place >= Self.lookaheadByteCount {
            let rest = piece[place...]
            if isAtStart, skipsStart(rest, &place) { continue }
            isAtStart = false
            let byte = piece[place]
            switch byte {
            case 0x0A:
                line += 1
                text.append(byte)
                place += 1
            case UInt8(ascii: "&") where !isLiteral:
                place += try reference(rest, &text, onReplacement)
            case UInt8(ascii: "<"), UInt8(ascii: "]"):
                if rest.starts(with: "<![CDATA[".utf8) { isLiteral = true }
                if rest.starts(with: "]]>".utf8) { isLiteral = false }
                text.append(byte)
                place += 1
            case 0x20..<0x80, 0x09, 0x0D:
                text.append(byte)
                place += 1
            default:
                let isNone =
                    rest.starts(with: [0xEF, 0xBF, 0xBE]) || rest.starts(with: [0xEF, 0xBF, 0xBF])
                if let count = UTF8Validation.byteCount(rest), byte >= 0x80, !isNone {
                    text += rest.prefix(count)
                    place += count
                } else {
                    try replace(&text, onReplacement)
                    place += isNone ? 3 : 1
                }
            }
        }
        return (text, place)
    }

    private mutating func skipsStart(_ rest: ArraySlice<UInt8>, _ place: inout Int) -> Bool {
        let isMark = skipped.byteCount == 0 && rest.starts(with: FilePrefix.byteOrderMark)
        guard isMark || rest.first == 0x20 || (0x09...0x0D).contains(rest.first ?? 0) else {
            return false
        }
        if rest.first == 0x0A {
            line += 1
            skipped.lineCount += 1
        }
        place += isMark ? 3 : 1
        skipped.byteCount += isMark ? 3 : 1
        return true
    }

    /// What begins with `&`; returns how many bytes of it were taken.
    private mutating func reference(
        _ rest: ArraySlice<UInt8>,
        _ text: inout [UInt8],
        _ onReplacement: (Int) throws -> Void
    ) rethrows -> Int {
        guard let (code, count) = Self.number(rest), !Self.isAllowed(code) else {
            text.append(UInt8(ascii: "&"))
            return 1
        }
        if (0xD800...0xDBFF).contains(code),
            let (low, lowCount) = Self.number(rest.dropFirst(count)),
            (0xDC00...0xDFFF).contains(low),
            let scalar = Unicode.Scalar(0x10000 + (code - 0xD800) << 10 + (low - 0xDC00))
        {
            text += String(scalar).utf8
            return count + lowCount
        }
        try replace(&text, onReplacement)
        return count
    }

    private mutating func replace(_ text: inout [UInt8], _ onReplacement: (Int) throws -> Void)
        rethrows
    {
        text += Self.replacement
        hasReplaced = true
        guard lastReplacedLine != line else { return }
        lastReplacedLine = line
        try onReplacement(line)
    }

    /// The number that a reference such as `&#8;` or `&#x1F;` names, and how long the reference is.
    private static func number(_ rest: ArraySlice<UInt8>) -> (code: UInt32, byteCount: Int)? {
        guard rest.starts(with: "&#".utf8),
            let end = rest.prefix(referenceByteCountMax).firstIndex(of: UInt8(ascii: ";"))
        else { return nil }
        let digits = rest[(rest.startIndex + 2)..<end]
        let isHexadecimal = digits.first == UInt8(ascii: "x")
        let text = String(decoding: isHexadecimal ? digits.dropFirst() : digits, as: UTF8.self)
        guard let code = UInt32(text, radix: isHexadecimal ? 16 : 10) else { return nil }
        return (code, end + 1 - rest.startIndex)
    }

    private static func isAllowed(_ code: UInt32) -> Bool {
        switch code {
        case 0x09, 0x0A, 0x0D, 0x20...0xD7FF, 0xE000...0xFFFD, 0x10000...0x10FFFF: true
        default: false
        }
    }
}
