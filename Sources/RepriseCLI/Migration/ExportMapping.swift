import LegacyMigration
import MusicLibrary
import Reprise

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// What the records of an export become.
enum ExportMapping: Equatable, Sendable {
    /// The music library where the export is surely music, otherwise what the export itself says.
    case automatic
    /// The music library.
    case music
    /// Models with the export's own classes and properties.
    case own
    /// What the rules in a file say.
    case file(String)

    /// `music`, `own` or the path of a file.
    init(_ text: String) {
        switch text {
        case "music": self = .music
        case "own": self = .own
        default: self = .file(text)
        }
    }

    /// The source with the mapping applied.
    ///
    /// - Parameter isMusicStore: whether it goes into a music library that is there already, and stays one then.
    func applied(to source: any LegacySource, isMusicStore: Bool = false) throws -> any LegacySource {
        switch self {
        case .own: return source
        case .automatic:
            let mapped = try MappedSource(source, RecordMapping(target: .music))
            return mapped.isSurelyMusic || isMusicStore && mapped.hasMusic ? mapped : source
        case .music:
            let mapped = try MappedSource(source, RecordMapping(target: .music))
            guard mapped.hasRecords(of: "track") else { throw Self.noTracks(source) }
            return mapped
        case .file(let path): return try MappedSource(source, Self.rules(path))
        }
    }

    /// What is to be known of an export that has music, and was taken for no music library though nobody said so.
    func notice(of source: any LegacySource) -> String? {
        guard self == .automatic, !(source is MappedSource), source.schema != MusicLibrary.schema.description,
            let music = try? MappedSource(source, RecordMapping(target: .music)), music.hasMusic, !music.isSurelyMusic
        else { return nil }
        let classes = music.unmappedClasses
        let more = classes.count > Self.shownClassCountMax ? ", …" : ""
        let shown = classes.prefix(Self.shownClassCountMax).joined(separator: ", ") + more
        return "The export has music, and more than a music library has a place for"
            + (classes.isEmpty ? "" : " (\(DisplayWidth.visible(shown)))")
            + ": it becomes a store of its own classes. Use --mapping music for the music alone."
    }

    private static let shownClassCountMax = 12

    private static func rules(_ path: String) throws -> RecordMapping {
        guard let data = FileManager.default.contents(atPath: path) else {
            throw CommandFailure(
                .noInput,
                "The mapping \"\(DisplayWidth.visible(path))\" cannot be read.",
                advice: "Give --mapping music, own or the path of a file with rules."
            )
        }
        return try RecordMapping(json: Array(data))
    }

    private static func noTracks(_ source: any LegacySource) -> CommandFailure {
        let names = source.schema.models.prefix(12).map(\.name).joined(separator: ", ")
        return CommandFailure(
            .badData,
            "The export has nothing that is a track by its name; it has \(names.isEmpty ? "nothing" : names).",
            advice: "Use --mapping own, or say in a mapping file which class is the track."
        )
    }
}
