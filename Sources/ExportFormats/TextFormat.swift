/// The text formats, told apart by how a file begins.
///
/// Exact rules, of which at most one holds for a file:
/// * ``m3u``: the first line is `#EXTM3U`.
/// * ``xspf``: XML whose root is `playlist` in the namespace `http://xspf.org/ns/0/`, with a prefix or without.
/// * ``realm2json``: begins with `filter` and a quotation mark, or an object of arrays of objects laid out as
///   realm-core does it (`{`, the end of the line, and a name without space before it), or one in which an object has
///   `_key` or a wrapper such as `$numberLong`; or an array of such objects.
/// * ``realmstudio``: another object of arrays of objects; or an array whose first element is an object that names
///   array places as texts in decimal digits, and whose second one is no object (Flatted).
/// * ``ndjson``: an object with anything else in it, closed on its line and followed by nothing or by another object;
///   or another array whose first element is an object.
/// * ``csv``: other text, in which each row has as many fields as the first one, two or more, and the fields of that
///   are not empty and differ, as titles do. Rows that are places of files are none in a file that is called `.m3u`.
/// * ``csv`` with one column or uneven rows, and ``m3u`` without its first line: by the file's extension alone.
public enum TextFormat: String, Sendable {
    case realm2json, realmstudio, ndjson, csv, m3u, xspf

    /// Which format a file is in, or nil when it is in none of these.
    ///
    /// - Parameters:
    ///   - prefix: how the file begins; four kilobytes are enough.
    ///   - fileName: its name, for formats that cannot be told by their content; nil for content alone.
    /// - Complexity: O(prefix), of which at most 64 kilobytes are looked at.
    public static func detect(prefix: some Sequence<UInt8>, fileName: String?) -> TextFormat? {
        var bytes = Array(prefix.prefix(1 << 16))
        let mark = TextEncoding.marked(bytes[...])
        bytes.removeFirst(mark?.byteCount ?? 0)
        // Letters of other encodings make no difference to a format.
        bytes = Array((mark?.encoding ?? .utf8).text(bytes[...]).utf8)
        let isSpace = { (byte: UInt8) in byte == 0x20 || (0x09...0x0D).contains(byte) }
        let text = bytes.drop(while: isSpace)
        switch text.first {
        case UInt8(ascii: "#") where startsWithLine("#EXTM3U", text): return .m3u
        case UInt8(ascii: "<"):
            if isPlaylist(text) { return .xspf }
            // Another XML file is none of these, whatever it is called.
            if isMarkup(text) { return nil }
        case UInt8(ascii: "{"), UInt8(ascii: "["):
            if let format = JSONLayout(text).format { return format }
        case UInt8(ascii: "f") where FilterLine.begins(text): return .realm2json
        default:
            let isList = fileName.flatMap(byExtension) == .m3u && arePlaces(in: text)
            if !isList, CSVReader.isTable(text) { return .csv }
        }
        return fileName.flatMap(byExtension)
    }

    private static func isMarkup(_ text: ArraySlice<UInt8>) -> Bool {
        ["<?xml", "<!DOCTYPE", "<plist"].contains { text.starts(with: $0.utf8) }
    }

    private static func byExtension(_ fileName: String) -> TextFormat? {
        let name = fileName.lowercased()
        if [".csv", ".tsv"].contains(where: name.hasSuffix) { return .csv }
        if [".m3u", ".m3u8"].contains(where: name.hasSuffix) { return .m3u }
        if [".ndjson", ".jsonl"].contains(where: name.hasSuffix) { return .ndjson }
        return nil
    }

    /// Whether each line of a text but comments can be the place of a file: it has a slash of either sort, or ends like
    /// the name of a file.
    private static func arePlaces(in text: ArraySlice<UInt8>) -> Bool {
        text.split { $0 == 0x0A || $0 == 0x0D }
            .filter { $0.first != UInt8(ascii: "#") }
            .allSatisfy { line in
                line.contains { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "\\") }
                    || endsLikeFileName(line)
            }
    }

    private static func endsLikeFileName(_ line: ArraySlice<UInt8>) -> Bool {
        guard let dot = line.lastIndex(of: UInt8(ascii: ".")) else { return false }
        let suffix = String(decoding: line[(dot + 1)...], as: UTF8.self)
        return (2...5).contains(suffix.utf8.count)
            && suffix.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber) }
    }

    private static func startsWithLine(_ line: String, _ text: ArraySlice<UInt8>) -> Bool {
        guard text.starts(with: line.utf8) else { return false }
        let next = text.dropFirst(line.utf8.count).first
        return next == nil || next.map { $0 == 0x20 || (0x09...0x0D).contains($0) } == true
    }

    /// Whether the first element is `playlist` of XSPF's namespace, with a prefix or without.
    private static func isPlaylist(_ text: ArraySlice<UInt8>) -> Bool {
        var rest = String(decoding: text, as: UTF8.self)[...]
        while let (start, end) = beforeRoot.first(where: { rest.hasPrefix($0.start) }) {
            guard let end = rest.dropFirst(start.count).firstRange(of: end) else { return false }
            rest = rest[end.upperBound...].drop(while: \.isWhitespace)
        }
        guard rest.hasPrefix("<") else { return false }
        let tag = rest.dropFirst().prefix { $0 != ">" }
        let names = tag.prefix { !$0.isWhitespace && $0 != "/" }
            .split(separator: ":", omittingEmptySubsequences: false)
        guard names.count <= 2, names.last == "playlist" else { return false }
        let declaration = names.count == 1 ? "xmlns" : "xmlns:\(names[0])"
        return tag.split(whereSeparator: \.isWhitespace).joined(separator: " ")
            .replacing(" =", with: "=").replacing("= ", with: "=").replacing("'", with: "\"")
            .contains(" \(declaration)=\"http://xspf.org/ns/0/\"")
    }

    /// What may stand before the root of XML.
    private static let beforeRoot = [
        (start: "<?", end: "?>"), (start: "<!--", end: "-->"), (start: "<!", end: ">"),
    ]
}

/// How a JSON text is laid out, as far as it is there.
private struct JSONLayout {
    private(set) var format: TextFormat?

    init(_ text: ArraySlice<UInt8>) {
        var facts = Facts()
        let reader = JSONReader(
            MemoryInput(text),
            options: JSONReader.Options(isLenient: true, isSequence: true)
        )
        // What is cut off, or is no JSON, has been looked at as far as it goes.
        do { try facts.read(reader) } catch {}
        format = facts.format(isRealmLayout: Self.isRealmLayout(text))
    }

    /// `{`, the end of the line and a name, as realm-core begins.
    private static func isRealmLayout(_ text: ArraySlice<UInt8>) -> Bool {
        let rest = text.dropFirst().drop { $0 == 0x0D }
        return text.first == UInt8(ascii: "{") && rest.first == UInt8(ascii: "\n")
            && (rest.dropFirst().first == UInt8(ascii: "\"")
                || rest.dropFirst().first == UInt8(ascii: "}"))
    }

    private struct Facts {
        var isArray = false
        var rootMembers = 0
        var arraysOfObjects = 0
        var otherMembers = 0
        var hasRealmNames = false
        var isFlatted = false
        var hasFirstRoot = false
        var isOneLine = false
        var isSequence = false
        var hasElement = false

        mutating func read(_ reader: JSONReader) throws {
            switch try reader.next() {
            case .beginArray:
                isArray = true
                try readArray(reader)
            case .beginObject:
                while case .name = try reader.next() {
                    rootMembers += 1
                    let token = try reader.next()
                    guard token == .beginArray else {
                        otherMembers += 1
                        try reader.skip(from: token)
                        continue
                    }
                    try readClass(reader)
                }
            default: otherMembers += 1
            }
            hasFirstRoot = true
            isOneLine = reader.line == 1
            if case .beginObject = try reader.next() { isSequence = true }
        }

        private mutating func readClass(_ reader: JSONReader) throws {
            let first = try reader.next()
            arraysOfObjects += first == .beginObject || first == .endArray ? 1 : 0
            otherMembers += first == .beginObject || first == .endArray ? 0 : 1
            var token = first
            while token != .endArray {
                if token == .beginObject {
                    try readObject(reader)
                } else {
                    try reader.skip(from: token)
                }
                token = try reader.next()
            }
        }

        /// The rest of an object, at any depth.
        private mutating func readObject(_ reader: JSONReader) throws {
            let outside = reader.depth - 1
            while reader.depth > outside {
                guard case .name(let name) = try reader.next() else { continue }
                if Self.realmNames.contains(name) { hasRealmNames = true }
            }
        }

        private static let realmNames: Set<String> = [
            "_key", "$numberLong", "$numberDouble", "$numberDecimal", "$date", "$oid", "$binary",
            "$link", "$embedded", "$set", "$dictionary",
        ]

        private mutating func readArray(_ reader: JSONReader) throws {
            var token = try reader.next()
            if token == .beginObject {
                hasElement = true
                var isIndex = true
                let outside = reader.depth - 1
                while reader.depth > outside {
                    switch try reader.next() {
                    case .name(let name): if Self.realmNames.contains(name) { hasRealmNames = true }
                    case .string(let text):
                        if text.isEmpty || !text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) {
                            isIndex = false
                        }
                    case .endObject: break
                    default: isIndex = false
                    }
                }
                token = try reader.next()
                isFlatted = isIndex && token != .beginObject
            }
            while token != .endArray {
                try reader.skip(from: token)
                token = try reader.next()
            }
        }

        func format(isRealmLayout: Bool) -> TextFormat? {
            if isArray {
                if isFlatted { return .realmstudio }
                guard hasElement else { return nil }
                return hasRealmNames ? .realm2json : .ndjson
            }
            if rootMembers > 0, otherMembers == 0, arraysOfObjects > 0, !isSequence {
                return isRealmLayout || hasRealmNames ? .realm2json : .realmstudio
            }
            if rootMembers == 0 { return isRealmLayout && hasFirstRoot ? .realm2json : nil }
            guard otherMembers > 0 else { return nil }
            return hasFirstRoot && isOneLine ? .ndjson : nil
        }
    }
}
