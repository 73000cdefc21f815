import LegacyMigration
import Reprise

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// What the records of an export become.
enum ExportMapping: Equatable, Sendable {
    /// The music library where the export has tracks, otherwise what the export itself says.
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
    func applied(to source: any LegacySource) throws -> any LegacySource {
        switch self {
        case .own: return source
        case .automatic:
            let mapped = try MappedSource(source, RecordMapping(target: .music))
            return mapped.hasRecords(of: "track") ? mapped : source
        case .music:
            let mapped = try MappedSource(source, RecordMapping(target: .music))
            guard mapped.hasRecords(of: "track") else { throw Self.noTracks(source) }
            return mapped
        case .file(let path): return try MappedSource(source, Self.rules(path))
        }
    }

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

/// An export that a command names by its path, and what the options say of it.
struct ExportLocation: Equatable, Sendable {
    let path: String
    /// The name of a format; nil to tell by the content.
    var format: String?
    /// The file that holds the key of an encrypted export.
    var keyFile: String?
    /// A name that takes the place of the export's own identity.
    var name: String?
    /// What the records become.
    var mapping: ExportMapping = .automatic

    /// The formats that `--as` understands.
    static let formats = [
        CoreDataSource.kind, ITunesLibrarySource.kind, RealmLibrarySource.kind,
        SQLiteDatabaseSource.kind,
    ]

    /// The source for the export: what `--as` says, or what its content tells, with the mapping applied.
    func source() throws -> any LegacySource {
        let key = try keyFile.map(RealmLocation.key)
        let format = try format ?? formatByContent()
        if key != nil, format != RealmLibrarySource.kind {
            throw CommandFailure(
                .usage,
                "--key-file is for encrypted Realm files, and this export is \(DisplayWidth.visible(format)).",
                advice: "Leave it out."
            )
        }
        switch format {
        case RealmLibrarySource.kind: return try realm(key)
        case ITunesLibrarySource.kind:
            let library = try ITunesLibrarySource(path: path, name: name)
            if case .file = mapping { return try mapping.applied(to: library) }
            return library
        case CoreDataSource.kind:
            return try mapping.applied(to: CoreDataSource(path: path, name: name))
        case SQLiteDatabaseSource.kind:
            return try mapping.applied(to: SQLiteDatabaseSource(path: path, name: name))
        case let other:
            throw CommandFailure(
                .usage,
                "The format \"\(DisplayWidth.visible(other))\" is not known.",
                advice: "Use --as \(Self.formats.joined(separator: ", ")), or leave it out and let the content tell."
            )
        }
    }

    /// The file of a music app by the reader made for it, any other with its own schema.
    private func realm(_ key: [UInt8]?) throws -> any LegacySource {
        switch mapping {
        case .automatic, .music:
            let library = try RealmLibrarySource(path: path, key: key, name: name)
            if library.isMusicLibrary { return library }
        case .own, .file: break
        }
        return try mapping.applied(to: RealmStoreSource(path: path, key: key, name: name))
    }

    /// What the beginning of the export says. Encrypted files say nothing: the key tells.
    private func formatByContent() throws -> String {
        let prefix = try LegacyFormat.prefix(of: path)
        if RealmLibrarySource.canRead(prefix: prefix) { return RealmLibrarySource.kind }
        if keyFile != nil { return RealmLibrarySource.kind }
        if SQLiteDatabaseSource.canRead(prefix: prefix) {
            return try SQLiteFormat.isCoreData(path: path)
                ? CoreDataSource.kind : SQLiteDatabaseSource.kind
        }
        return ITunesLibrarySource.kind
    }
}
