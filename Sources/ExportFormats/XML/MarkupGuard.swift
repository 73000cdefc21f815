/// Looks over the bytes of an XML property list before an XML parser sees them, and lets only the
/// markup through that such a list can consist of: one XML declaration at the start, one DOCTYPE
/// without an internal subset, comments, CDATA sections and tags of moderate length.
///
/// Two reasons. Entities multiply, and FoundationXML on Linux neither reports their declarations
/// nor lets them be refused. And its SAX bridge ends the process on input that libxml2 merely
/// reports: a processing instruction without data (`<?x?>`), declarations in an internal subset,
/// and names, comments and references that are no UTF-8. What can be written without these never
/// reaches the bridge's weak spots. Before the first tag processing instructions with data are let
/// through, for style sheets; nothing is done about them.
///
/// The guard and the parser agree on where each piece of markup ends up to the first error the
/// parser sees, and at that error the reading ends.
struct MarkupGuard {
    static let declarationByteCountMax = 256
    static let instructionByteCountMax = 4096
    static let documentTypeByteCountMax = 1024
    static let tagByteCountMax = 4096
    static let commentByteCountMax = 1 << 20

    private enum State {
        case text
        /// After `<`.
        case opened
        /// After `<!`, with what followed so far in `pending`.
        case exclamation
        case declaration
        case documentType
        case tag
        case comment
        case characterData
    }

    private var state = State.text
    /// The bytes of the markup so far, where they matter; elsewhere only `length` counts them.
    private var pending: [UInt8] = []
    private var length = 0
    /// How many bytes of the closing `-->` or `]]>` have been met, and the open quote in a DOCTYPE.
    private var closing = 0
    private var quote: UInt8 = 0
    private var markupStart: UInt64 = 0
    private var sawDocumentType = false
    private var sawTag = false

    /// Whether the bytes so far end inside a tag, a comment or the like.
    var isInsideMarkup: Bool { state != .text }

    /// Looks over the next piece.
    ///
    /// - Parameters:
    ///   - bytes: the piece.
    ///   - base: its offset in the file, without a byte order mark.
    /// - Throws: `.forbiddenDeclaration`, `.unsupportedEncoding`, `.limitExceeded`.
    /// - Complexity: O(bytes).
    mutating func check(
        _ bytes: UnsafeRawBufferPointer,
        at base: UInt64
    ) throws(LegacyError) {
        var offset = 0
        let count = bytes.count
        while offset < count {
            if state == .text {
                while offset < count, unsafe bytes[offset] != UInt8(ascii: "<") { offset += 1 }
                guard offset < count else { return }
                markupStart = base + UInt64(offset)
                state = .opened
                length = 1
                offset += 1
                continue
            }
            if state == .tag {
                let start = offset
                while offset < count, unsafe bytes[offset] != UInt8(ascii: ">") { offset += 1 }
                length += offset - start
                guard length <= Self.tagByteCountMax else { throw tooLong("tag") }
                if offset < count {
                    state = .text
                    offset += 1
                }
                continue
            }
            let byte = unsafe bytes[offset]
            try step(byte)
            offset += 1
        }
    }

    private mutating func step(_ byte: UInt8) throws(LegacyError) {
        length += 1
        switch state {
        case .text, .tag: break
        case .opened: try open(byte)
        case .exclamation: try declare(byte)
        case .declaration: try continueDeclaration(byte)
        case .documentType: try continueDocumentType(byte)
        case .comment:
            guard length <= Self.commentByteCountMax else { throw tooLong("comment") }
            close(byte, with: UInt8(ascii: "-"))
        case .characterData: close(byte, with: UInt8(ascii: "]"))
        }
    }

    private mutating func open(_ byte: UInt8) throws(LegacyError) {
        pending.removeAll(keepingCapacity: true)
        switch byte {
        case UInt8(ascii: "!"):
            state = .exclamation
        case UInt8(ascii: "?"):
            guard !sawTag else { throw forbidden("a processing instruction") }
            state = .declaration
        case UInt8(ascii: ">"):
            state = .text
        default:
            sawTag = true
            state = .tag
        }
    }

    private mutating func declare(_ byte: UInt8) throws(LegacyError) {
        pending.append(byte)
        if pending == Self.commentStart {
            state = .comment
            closing = 0
        } else if pending == Self.characterDataStart {
            state = .characterData
            closing = 0
        } else if pending == Self.documentTypeStart, !sawDocumentType, !sawTag {
            sawDocumentType = true
            state = .documentType
            quote = 0
        } else if !Self.commentStart.starts(with: pending),
            !Self.characterDataStart.starts(with: pending),
            !Self.documentTypeStart.starts(with: pending) || sawDocumentType || sawTag
        {
            throw forbidden("a declaration")
        }
    }

    private mutating func continueDocumentType(_ byte: UInt8) throws(LegacyError) {
        guard length <= Self.documentTypeByteCountMax else { throw tooLong("DOCTYPE") }
        if quote != 0 {
            if byte == quote { quote = 0 }
            return
        }
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "'"): quote = byte
        case UInt8(ascii: "["), UInt8(ascii: "<"), UInt8(ascii: "%"):
            throw forbidden("a DOCTYPE with declarations of its own")
        case UInt8(ascii: ">"): state = .text
        default: break
        }
    }

    private mutating func continueDeclaration(_ byte: UInt8) throws(LegacyError) {
        guard length <= Self.instructionByteCountMax else {
            throw tooLong("processing instruction")
        }
        guard byte == UInt8(ascii: ">"), pending.last == UInt8(ascii: "?") else {
            pending.append(byte)
            return
        }
        state = .text
        let text = String(decoding: pending, as: UTF8.self)
        guard markupStart == 0, text.hasPrefix("xml"),
            text.utf8.dropFirst(3).first.map(Self.isSpace) ?? false
        else {
            guard Self.isHarmlessInstruction(pending.dropLast()) else {
                throw forbidden("a processing instruction")
            }
            return
        }
        guard length <= Self.declarationByteCountMax else { throw tooLong("XML declaration") }
        guard let encoding = Self.encoding(in: text) else { return }
        guard ["utf-8", "us-ascii", "ascii"].contains(encoding.lowercased()) else {
            throw LegacyError(
                .unsupportedEncoding,
                "The file declares the encoding \(encoding), but an export is written in UTF-8.",
                advice: "Export the library again, or convert the file to UTF-8.",
                byteOffset: markupStart
            )
        }
    }

    /// Whether an instruction is a plain name other than `xml`, a space, and something after it.
    private static func isHarmlessInstruction(_ bytes: ArraySlice<UInt8>) -> Bool {
        let isLetter = { (byte: UInt8) in (0x61...0x7A).contains(byte | 32) || byte == 0x5F }
        let name = bytes.prefix {
            isLetter($0) || (0x30...0x39).contains($0) || $0 == 0x2D || $0 == 0x2E
        }
        let rest = bytes.dropFirst(name.count)
        return name.first.map(isLetter) ?? false
            && String(decoding: name, as: UTF8.self).lowercased() != "xml"
            && rest.first.map(isSpace) ?? false && rest.contains { !isSpace($0) }
    }

    /// The quoted value after `encoding` and an equals sign; nil when there is none, as in most
    /// files made by hand.
    private static func encoding(in declaration: String) -> String? {
        let name = Array("encoding".utf8)
        let bytes = Array(declaration.utf8)
        guard bytes.count >= name.count else { return nil }
        for start in 0...(bytes.count - name.count)
        where bytes[start...].starts(with: name) {
            let rest = bytes[(start + name.count)...].drop(while: isSpace)
            guard rest.first == UInt8(ascii: "=") else { continue }
            let value = rest.dropFirst().drop(while: isSpace)
            guard let quote = value.first else { return "" }
            return String(decoding: value.dropFirst().prefix { $0 != quote }, as: UTF8.self)
        }
        return nil
    }

    /// Ends a comment or a CDATA section at two of `mark` and a `>`.
    private mutating func close(_ byte: UInt8, with mark: UInt8) {
        if byte == mark {
            closing += 1
        } else if byte == UInt8(ascii: ">"), closing >= 2 {
            state = .text
        } else {
            closing = 0
        }
    }

    private static let commentStart = Array("--".utf8)
    private static let characterDataStart = Array("[CDATA[".utf8)
    private static let documentTypeStart = Array("DOCTYPE".utf8)

    private static func isSpace(_ byte: UInt8) -> Bool {
        byte == 0x20 || (0x09...0x0D).contains(byte)
    }

    private func forbidden(_ what: String) -> LegacyError {
        LegacyError(
            .forbiddenDeclaration,
            "The file contains \(what), which no music library does.",
            advice: "Export the library again; do not trust this file.",
            byteOffset: markupStart
        )
    }

    private func tooLong(_ what: String) -> LegacyError {
        LegacyError(
            .limitExceeded,
            "The file contains a \(what) that is longer than any export writes.",
            advice: "Export the library again; do not trust this file.",
            byteOffset: markupStart
        )
    }
}
