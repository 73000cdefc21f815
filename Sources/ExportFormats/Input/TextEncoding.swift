import Foundation

/// How the text of a playlist or a table is written.
package enum TextEncoding: String, Sendable {
    case utf8 = "UTF-8"
    case utf16LittleEndian = "UTF-16LE"
    case utf16BigEndian = "UTF-16BE"
    case windows1252 = "Windows-1252"
    case iso8859part15 = "ISO-8859-15"
    case windows1251 = "Windows-1251"
    case shiftJIS = "Shift_JIS"
    case gbk = "GBK"

    private static let marks: [(bytes: [UInt8], encoding: TextEncoding)] = [
        ([0xEF, 0xBB, 0xBF], .utf8), ([0xFF, 0xFE], .utf16LittleEndian),
        ([0xFE, 0xFF], .utf16BigEndian),
    ]

    /// What the byte order mark at the beginning of a text says, and how many bytes the mark has.
    static func marked(_ text: ArraySlice<UInt8>) -> (encoding: TextEncoding, byteCount: Int)? {
        marks.first { text.starts(with: $0.bytes) }.map { ($0.encoding, $0.bytes.count) }
    }

    /// The encoding that a file names, as `#EXTENC` does; nil for one that is not known.
    package init?(label: some StringProtocol) {
        switch label.lowercased().filter({ $0.isLetter || $0.isNumber }) {
        case "utf8": self = .utf8
        case "windows1252", "cp1252", "latin1", "iso88591": self = .windows1252
        case "iso885915", "latin9": self = .iso8859part15
        case "windows1251", "cp1251": self = .windows1251
        case "shiftjis", "sjis", "cp932", "windows31j": self = .shiftJIS
        case "gbk", "gb2312", "gb18030", "cp936": self = .gbk
        default: return nil
        }
    }

    /// Whether each character is one byte.
    var isOfBytes: Bool { [.windows1252, .iso8859part15, .windows1251].contains(self) }

    private var foundation: String.Encoding {
        switch self {
        case .utf8: .utf8
        case .utf16LittleEndian: .utf16LittleEndian
        case .utf16BigEndian: .utf16BigEndian
        case .windows1252: .windowsCP1252
        // The numbers of Core Foundation for what Foundation has no name for: ISO Latin 9 and GB 18030.
        case .iso8859part15: String.Encoding(rawValue: 0x8000_020F)
        case .windows1251: .windowsCP1251
        case .shiftJIS: .shiftJIS
        case .gbk: String.Encoding(rawValue: 0x8000_0632)
        }
    }

    /// The text of a line. U+FFFD stands in for what is none.
    func text(_ line: ArraySlice<UInt8>) -> String {
        switch self {
        case .utf8: return String(decoding: line, as: UTF8.self)
        case .utf16LittleEndian, .utf16BigEndian:
            var units: [UInt16] = []
            for place in stride(from: line.startIndex, to: line.endIndex - 1, by: 2) {
                let (first, second) = (UInt16(line[place]), UInt16(line[place + 1]))
                units.append(self == .utf16BigEndian ? first << 8 | second : second << 8 | first)
            }
            return String(decoding: units, as: UTF16.self)
        default:
            if let text = String(data: Data(line), encoding: foundation) { return text }
            // A byte that the encoding has no character for is a control character, as browsers read it.
            return line.reduce(into: "") { text, byte in
                text +=
                    byte < 0x80 || isOfBytes
                    ? String(data: Data([byte]), encoding: foundation)
                        ?? String(Unicode.Scalar(byte)) : "\u{FFFD}"
            }
        }
    }

    /// What is said of a file in this encoding; nil for UTF-8.
    ///
    /// - Parameter reason: why the file is taken to be in it.
    package func note(_ reason: String) -> EncodingNote? {
        guard self != .utf8 else { return nil }
        return EncodingNote(isMixed: false, message: "The file was read as \(rawValue), because \(reason).")
    }
}

/// What is said of a text that was not read as UTF-8 alone.
package struct EncodingNote: Sendable {
    /// Whether some lines of the text are UTF-8 and others are not.
    package let isMixed: Bool
    package let message: String
}
