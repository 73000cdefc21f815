import ExportFormats

/// Finds the directives of an album that a file has once, before its first entry: they are said of all entries.
struct M3USurvey {
    private var counts: [String: Int] = [:]
    private var early: Set<String> = []
    private var hasEntry = false

    /// What was found.
    var common: Set<String> { early.filter { counts[$0] == 1 } }

    /// What `#EXTENC` says at the beginning of a file.
    static func encoding(_ start: ArraySlice<UInt8>) -> TextEncoding? {
        let lines = start.prefix(1 << 12).split { $0 == 0x0A || $0 == 0x0D }
        let line = lines.first { $0.starts(with: "#EXTENC:".utf8) }
        return line.flatMap {
            TextEncoding(label: String(decoding: $0.dropFirst(8), as: UTF8.self))
        }
    }

    mutating func read(_ line: some Collection<UInt8>) {
        let text = line.drop { $0 == 0x20 || $0 == 0x09 }
        guard text.first == UInt8(ascii: "#") else {
            if !text.isEmpty { hasEntry = true }
            return
        }
        for directive in ["#EXTALB", "#EXTART", "#EXTGENRE"]
        where text.starts(with: (directive + ":").utf8) {
            counts[directive, default: 0] += 1
            if !hasEntry { early.insert(directive) }
        }
        if text.starts(with: "#EXTINF".utf8) { hasEntry = true }
    }
}

/// Understands the lines of an M3U file one after the other.
struct M3UParser {
    enum Meaning: Equatable {
        case entry(PlaylistEntry)
        /// A directive or an attribute that was met for the first time and has no meaning here.
        case unknown(String)
        /// What stands in the place of a duration and is no number.
        case malformedDuration(String)
        /// What stands in the place of a duration has more digits than a number holds.
        case shortenedDuration(String)
        /// What stands in the place of a duration is less than nothing, and not the -1 of one that is unknown.
        case negativeDuration(String)
        /// A directive that was met before for the same thing; the later one counts.
        case repeated(String)
        /// A directive of an entry that never comes.
        case missingEntry(String)
        /// An `#EXTINF` before, with no location after it.
        case missingLocation
    }

    private static let unknownCountMax = 100

    private(set) var name: String?
    /// The directives that are said of all entries.
    private let common: Set<String>
    private let encoding: TextEncoding
    /// What they say.
    private var commonEntry = PlaylistEntry()
    private var entry = PlaylistEntry()
    /// Whether an `#EXTINF` waits for its location.
    private var hasInformation = false
    private var unknown: Set<String> = []
    /// The directives that wait for their entry, in the order of the file.
    private var waiting: [String] = []

    /// - Parameter encoding: how the file is read.
    init(common: Set<String>, encoding: TextEncoding) {
        self.common = common
        self.encoding = encoding
    }

    /// What the next line means; mostly one thing or nothing.
    mutating func read(_ given: String) -> [Meaning] {
        let line = Self.trimmed(given[...])
        guard !line.isEmpty else { return [] }
        guard line.hasPrefix("#") else {
            var complete = entry
            complete.locations = [String(line)]
            entry = commonEntry
            hasInformation = false
            waiting = []
            return [.entry(complete)]
        }
        guard ["#EXT", "#PLAYLIST", "#KODIPROP:"].contains(where: line.hasPrefix) else { return [] }
        if line.hasPrefix("#EXTM3U ") || line.hasPrefix("#EXTM3U\t") {
            return M3UAttributes.names(in: line.dropFirst(7)).flatMap { leaveOut("#EXTM3U", attribute: $0) }
        }
        let directive = String(line.prefix { $0 != ":" })
        let value = Self.trimmed(line.dropFirst(directive.count + 1))
        let text = value.isEmpty ? nil : String(value)
        switch directive {
        case "#EXTM3U" where text == nil: break
        // Named where the file is read in another one.
        case "#EXTENC" where TextEncoding(label: value) == encoding: break
        case "#EXTINF": return finish() + readInformation(value)
        case "#PLAYLIST":
            let before = name
            name = text ?? name
            return before != nil && before != name ? [.repeated(directive)] : []
        case "#EXTALB": return set(\.album, to: text, directive)
        case "#EXTART": return set(\.albumArtist, to: text, directive)
        case "#EXTGENRE": return set(\.genre, to: text, directive)
        default: return leaveOut(directive)
        }
        return []
    }

    /// What is left at the end of the file.
    mutating func end() -> [Meaning] { finish() + waiting.map { .missingEntry($0) } }

    /// What is left when no location comes any more for the `#EXTINF` before.
    private mutating func finish() -> [Meaning] {
        guard hasInformation else { return [] }
        hasInformation = false
        (entry.title, entry.artist, entry.duration, entry.isDivided) = (nil, nil, nil, false)
        return [.missingLocation]
    }

    /// Names, the first time, what has no meaning here.
    private mutating func leaveOut(_ property: String) -> [Meaning] {
        guard unknown.count < Self.unknownCountMax, unknown.insert(property).inserted else { return [] }
        return [.unknown(property)]
    }

    /// - Parameter attribute: nil for a word that is none.
    private mutating func leaveOut(_ directive: String, attribute: String?) -> [Meaning] {
        leaveOut(attribute.map { "\(directive) \($0)" } ?? "a word without a value in \(directive)")
    }

    private mutating func set(
        _ field: WritableKeyPath<PlaylistEntry, String?>,
        to text: String?,
        _ directive: String
    ) -> [Meaning] {
        let isRepeated = waiting.contains(directive) && entry[keyPath: field] != text
        entry[keyPath: field] = text
        if common.contains(directive) {
            commonEntry[keyPath: field] = text
        } else if !waiting.contains(directive) {
            waiting.append(directive)
        }
        return isRepeated ? [.repeated(directive)] : []
    }

    private mutating func readInformation(_ value: Substring) -> [Meaning] {
        hasInformation = true
        let number = value.prefix { $0 != "," && $0 != " " && $0 != "\t" }
        let comma = M3UAttributes.end(in: value)
        if let comma { readTitle(Self.trimmed(value[value.index(after: comma)...])) }
        let meanings = M3UAttributes.names(in: value[number.endIndex..<(comma ?? value.endIndex)])
            .flatMap { leaveOut("#EXTINF", attribute: $0) }
        guard !number.isEmpty else { return meanings }
        guard let (seconds, isShortened) = CustomaryText.double(String(number)) else {
            return meanings + [.malformedDuration(String(number))]
        }
        if seconds > 0 {
            entry.duration = seconds
            return meanings + (isShortened ? [.shortenedDuration(String(number))] : [])
        }
        return meanings + (seconds < 0 && seconds != -1 ? [.negativeDuration(String(number))] : [])
    }

    private mutating func readTitle(_ text: Substring) {
        guard !text.isEmpty else { return }
        if let dash = text.firstRange(of: " - "), dash.lowerBound > text.startIndex,
            dash.upperBound < text.endIndex
        {
            entry.artist = String(Self.trimmed(text[..<dash.lowerBound]))
            entry.title = String(Self.trimmed(text[dash.upperBound...]))
            entry.isDivided = true
        } else {
            entry.title = String(text)
        }
    }

    private static func trimmed(_ text: Substring) -> Substring {
        var rest = text
        while let first = rest.first, first == " " || first == "\t" { rest.removeFirst() }
        while let last = rest.last, last == " " || last == "\t" { rest.removeLast() }
        return rest
    }
}
