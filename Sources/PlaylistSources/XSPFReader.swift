import ExportFormats
import Foundation
import LegacyRecords
import TableSources

#if canImport(FoundationXML)
    import FoundationXML
#endif

/// Reads the elements of an XSPF file, behind the same guard as a property list.
final class XSPFReader: NSObject, XMLParserDelegate {
    private static let depthMax = 64
    private static let textByteCountMax = 1 << 20
    private static let unknownCountMax = 100

    private let stream: CheckedStream
    private let parser: XMLParser
    private let records: PlaylistRecords
    private var failure: (any Error)?
    /// The names of the open elements; those of another namespace than the root's are called so that none means them.
    private var path: [String] = []
    private var scopes: [XMLScope] = []
    /// The text of each open element, without that of the elements in it; of those that only hold others nothing is
    /// kept.
    private var texts: [String] = []
    private var entry = PlaylistEntry()
    /// The names of the elements that the track, and the playlist, have had and which count once.
    private var trackElements: Set<String> = []
    private var playlistElements: Set<String> = []
    private var isComplete = false
    private var unknown: Set<String> = []
    /// The namespace of the playlist.
    private var rootNamespace = ""

    /// The playlist's name.
    private(set) var title: String?
    /// When it was made.
    private(set) var createdAt: LegacyValue?

    init(_ stream: CheckedStream, _ records: PlaylistRecords) {
        self.stream = stream
        self.records = records
        parser = XMLParser(stream: stream)
        super.init()
        parser.shouldResolveExternalEntities = false
        parser.externalEntityResolvingPolicy = .never
    }

    /// The line of the file that the parser has come to.
    private var line: Int { stream.skippedLineCount + parser.lineNumber }

    /// Reads to the end.
    func read() throws {
        parser.delegate = self
        defer {
            parser.delegate = nil
            stream.finish()
        }
        _ = parser.parse()
        if let failure { throw failure }
        if let failure = stream.failure {
            guard (failure as? LegacyError)?.code == .unknownFormat else { throw failure }
            throw LegacyError(
                .unknownFormat,
                "The file is not XML.",
                advice: "Name a playlist that ends in xspf."
            )
        }
        if isComplete, parser.parserError == nil || stream.isAtEnd { return }
        guard stream.bytesRead > 0 else {
            throw LegacyError(
                .empty,
                "The file is empty.",
                advice: "Export the playlist again."
            )
        }
        throw unfinished
    }

    // MARK: Elements

    func parser(
        _ parser: XMLParser,
        didStartElement name: String,
        namespaceURI: String?,
        qualifiedName: String?,
        attributes: [String: String]
    ) {
        guard failure == nil else { return }
        do { try begin(name, attributes) } catch { fail(error) }
    }

    func parser(
        _ parser: XMLParser,
        didEndElement name: String,
        namespaceURI: String?,
        qualifiedName: String?
    ) {
        guard failure == nil else { return }
        do { try end() } catch { fail(error) }
    }

    func parser(_ parser: XMLParser, foundCharacters string: String) {
        guard failure == nil else { return }
        do { try append(string) } catch { fail(error) }
    }

    func parser(_ parser: XMLParser, foundCDATA block: Data) {
        guard failure == nil else { return }
        do { try append(String(decoding: block, as: UTF8.self)) } catch { fail(error) }
    }

    func parser(_ parser: XMLParser, parseErrorOccurred error: any Error) {
        guard failure == nil, stream.failure == nil else { return }
        // The parser's codes come from libxml2: 4, 5 and 77 are an end that came too early.
        let isEnd = stream.endsInsideMarkup || [4, 5, 77].contains((error as NSError).code)
        fail(stream.isAtEnd && !isComplete && isEnd ? unfinished : malformed)
    }

    private func begin(_ qualifiedName: String, _ attributes: [String: String]) throws {
        guard !stream.isAtEnd || !stream.endsInsideMarkup else { throw unfinished }
        let scope = XMLScope(attributes, in: scopes.last)
        let (namespace, local) = scope.resolved(qualifiedName)
        rootNamespace = path.isEmpty ? namespace : rootNamespace
        let name = namespace == rootNamespace ? local : "\(local) of \(namespace)"
        if path.isEmpty, name != "playlist" {
            throw LegacyError(
                .notALibrary,
                "The file is XML, but no XSPF playlist: its root is \(name.prefix(40)).",
                advice: "Name a playlist that ends in xspf."
            )
        }
        guard path.count < Self.depthMax else {
            throw LegacyError(
                .limitExceeded,
                "The file nests its elements more than \(Self.depthMax) levels deep.",
                advice: "Export the playlist again; do not trust this file."
            )
        }
        path.append(name)
        scopes.append(scope)
        texts.append("")
        if path == ["playlist", "trackList", "track"] {
            entry = PlaylistEntry()
            trackElements = []
        }
    }

    /// The elements that hold others and no text.
    private static let containers = [
        ["playlist"], ["playlist", "trackList"], ["playlist", "trackList", "track"],
    ]

    private func append(_ piece: String) throws {
        guard !texts.isEmpty else { return }
        if path.count <= 3, Self.containers.contains(path) {
            if !Self.trimmed(piece).isEmpty { try leaveOut("text in \(path[path.count - 1])") }
            return
        }
        texts[texts.count - 1] += piece
        guard texts[texts.count - 1].utf8.count <= Self.textByteCountMax else {
            throw LegacyError(
                .limitExceeded,
                "A value in the file is longer than \(Self.textByteCountMax) bytes.",
                advice: "Export the playlist again; do not trust this file."
            )
        }
    }

    private func end() throws {
        let place = path
        let base = scopes.popLast()?.base
        if !path.isEmpty { path.removeLast() }
        let value = Self.trimmed(texts.popLast() ?? "")
        let content = value.isEmpty ? nil : value
        switch place.count {
        case 1: isComplete = true
        case 2: try endPlaylistElement(place[1], content)
        case 3 where place[1] == "trackList" && place[2] == "track":
            try records.add(entry, line: line)
        case 4 where place[1] == "trackList" && place[2] == "track":
            try endTrackElement(place[3], content, base)
        case 3: try endFurtherElement(place, isIn: "playlist")
        case 5 where place[1] == "trackList" && place[2] == "track": try endFurtherElement(place, isIn: "track")
        default: break
        }
    }

    /// An element where none is expected. What is in one that was left out itself is not named.
    private func endFurtherElement(_ place: [String], isIn owner: String) throws {
        let holder = place[place.count - 2]
        let isKnown =
            owner == "playlist"
            ? ["trackList", "title", "date"].contains(holder)
            : holder == "location" || Self.trackElementNames.contains(holder)
        if isKnown { try leaveOut(holder == "trackList" ? holder : "\(owner).\(holder)", place[place.count - 1]) }
    }

    private func endPlaylistElement(_ name: String, _ value: String?) throws {
        if value != nil, name == "title" || name == "date", !playlistElements.insert(name).inserted {
            try warnOfRepeat("playlist", name)
        }
        switch name {
        case "title": title = value ?? title
        case "date":
            guard let value else { break }
            if let instant = ScalarText.instant(value) ?? DateText.instant(value) {
                createdAt = .date(instant.date)
                guard instant.isRounded else { break }
                try records.report.warn(.roundedDate) {
                    "The playlist's date was rounded; a Date does not hold so many digits."
                }
            } else {
                try records.report.warn(.malformedDate) {
                    "The playlist's date \(LibraryReport.quoted(value)) is none; it was left out."
                }
            }
        case "trackList": break
        default: try leaveOut("playlist", name)
        }
    }

    /// What a track says once; elements without content say nothing.
    private static let trackElementNames: Set<String> = ["title", "creator", "album", "trackNum", "duration"]

    private func endTrackElement(_ name: String, _ value: String?, _ base: String?) throws {
        if value != nil, Self.trackElementNames.contains(name), !trackElements.insert(name).inserted {
            try warnOfRepeat("track", name)
        }
        switch name {
        case "location":
            guard let value else { break }
            let uri = PlaylistLocation.joined(value, to: base)
            entry.locations.append(PlaylistLocation.unescaped(uri: uri))
        case "title": entry.title = value ?? entry.title
        case "creator": entry.artist = value ?? entry.artist
        case "album": entry.album = value ?? entry.album
        case "trackNum":
            guard let value else { break }
            entry.trackNumber = Int64(value)
            if entry.trackNumber == nil { try warnOfNumber(name, value) }
        case "duration":
            guard let value else { break }
            try readDuration(value)
        default: try leaveOut("track", name)
        }
    }

    /// Milliseconds; -1 of a duration that is unknown.
    private func readDuration(_ text: String) throws {
        guard let milliseconds = Int64(text) else { return try warnOfNumber("duration", text) }
        if milliseconds < -1 {
            try records.report.warn(.valueOutOfRange) {
                "The duration \(LibraryReport.quoted(text)) of a track is below zero; it was left out."
            }
        }
        guard milliseconds > 0 else { return }
        let seconds = Double(milliseconds) / 1000
        entry.duration = seconds
        if Int64(exactly: (seconds * 1000).rounded()) != milliseconds {
            try records.report.warn(.roundedNumber) {
                "The duration \(LibraryReport.quoted(text)) of a track was rounded; a number does not hold so many"
                    + " digits."
            }
        }
    }

    private func warnOfRepeat(_ owner: String, _ name: String) throws {
        try records.report.warn(.repeatedField) {
            "A \(owner) has a second \(name) up to line \(line); what it says later counts."
        }
    }

    private func warnOfNumber(_ name: String, _ value: String) throws {
        try records.report.warn(.malformedNumber) {
            "A track's \(name) \(LibraryReport.quoted(value)) is no whole number; it was left out."
        }
    }

    private func leaveOut(_ owner: String, _ name: String) throws { try leaveOut("\(owner).\(name)") }

    private func leaveOut(_ property: String) throws {
        guard unknown.count < Self.unknownCountMax, unknown.insert(property).inserted else {
            return
        }
        try records.report.warn(.unmappedProperty) {
            "The music library has no field for \(property.prefix(60)); it was left out."
        }
    }

    private static func trimmed(_ text: String) -> String {
        text.trimmingCharacters(in: .whitespacesAndNewlines)
    }

    // MARK: Errors

    private func fail(_ error: any Error) {
        guard failure == nil else { return }
        if let error = error as? LegacyError, error.line == nil {
            failure = error.at(line: line)
        } else {
            failure = error
        }
        parser.abortParsing()
    }

    private var unfinished: LegacyError {
        LegacyError(
            .truncated,
            "The file ends in the middle.",
            advice: "It was not copied or exported completely: export the playlist again.",
            byteOffset: stream.bytesRead,
            line: line
        )
    }

    private var malformed: LegacyError {
        LegacyError(
            .malformed,
            "The file is not well-formed XML.",
            advice: "It was damaged or edited: export the playlist again.",
            line: line
        )
    }
}
