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

    /// Whether a damaged Realm file is taken as far as it is provably whole.
    var salvages = false
    /// The schema that `realm2json --schema` printed beside the export.
    var schemaFile: String?

    /// The formats that `--as` understands.
    static let formats = [
        CSVSource.kind, CoreDataSource.kind, ITunesLibrarySource.kind, M3USource.kind,
        NDJSONSource.kind, RealmLibrarySource.kind, Realm2JSONSource.kind,
        RealmStudioJSONSource.kind, SQLiteDatabaseSource.kind, XSPFSource.kind,
    ]

    /// The source for the export: what `--as` says, or what its content tells, with the mapping applied.
    ///
    /// - Parameter store: where it goes, for playlists of what is there already.
    func source(into store: String) throws -> any LegacySource {
        let key = try keyFile.map(RealmLocation.key)
        let format = try format ?? formatByContent()
        try checkOptions(format)
        switch format {
        case RealmLibrarySource.kind: return try realm(key)
        case ITunesLibrarySource.kind:
            return try rules(over: ITunesLibrarySource(path: path, name: name))
        case M3USource.kind:
            let bare = try M3USource(path: path, name: name)
            guard let locations = try locations(in: store, for: bare) else { return try rules(over: bare) }
            return try rules(
                over: M3USource(path: path, name: name) { locations.track(at: $0) }
            )
        case XSPFSource.kind:
            let bare = try XSPFSource(path: path, name: name)
            guard let locations = try locations(in: store, for: bare) else { return try rules(over: bare) }
            return try rules(
                over: XSPFSource(path: path, name: name) { locations.track(at: $0) }
            )
        case CoreDataSource.kind:
            return try mapping.applied(to: CoreDataSource(path: path, name: name))
        case SQLiteDatabaseSource.kind:
            return try mapping.applied(to: SQLiteDatabaseSource(path: path, name: name))
        case CSVSource.kind: return try mapping.applied(to: CSVSource(path: path, name: name))
        case NDJSONSource.kind: return try mapping.applied(to: NDJSONSource(path: path, name: name))
        case Realm2JSONSource.kind:
            return try mapping.applied(
                to: Realm2JSONSource(path: path, schemaPath: schemaFile, name: name)
            )
        case RealmStudioJSONSource.kind:
            return try mapping.applied(
                to: RealmStudioJSONSource(path: path, schemaPath: schemaFile, name: name)
            )
        case let other:
            throw CommandFailure(
                .usage,
                "The format \"\(DisplayWidth.visible(other))\" is not known.",
                advice: "Use --as \(Self.formats.joined(separator: ", ")), or leave it out and let the content tell."
            )
        }
    }

    private func checkOptions(_ format: String) throws(CommandFailure) {
        if keyFile != nil, format != RealmLibrarySource.kind {
            throw CommandFailure(
                .usage,
                "--key-file is for encrypted Realm files, and this export is \(DisplayWidth.visible(format)).",
                advice: "Leave it out."
            )
        }
        if salvages, format != RealmLibrarySource.kind {
            throw CommandFailure(
                .usage,
                "--salvage is for damaged Realm files, and this export is \(DisplayWidth.visible(format)).",
                advice: "Leave it out."
            )
        }
        if schemaFile != nil, format != Realm2JSONSource.kind, format != RealmStudioJSONSource.kind {
            throw CommandFailure(
                .usage,
                "--schema-file is for JSON of Realm files, and this export is \(DisplayWidth.visible(format)).",
                advice: "Leave it out."
            )
        }
    }

    /// What gives the music library itself needs a mapping only for its rules.
    private func rules(over library: some LegacySource) throws -> any LegacySource {
        if case .file = mapping { return try mapping.applied(to: library) }
        return library
    }

    /// The tracks that are in the store already, by the places of their files; nil where there is no store.
    private func locations(
        in path: String,
        for source: some LegacySource
    ) throws -> LibraryLocations? {
        guard FileManager.default.fileExists(atPath: path) else { return nil }
        let store = try Store.open(existing: path)
        defer { store.close() }
        return try LibraryLocations(in: store, except: source.identity)
    }

    /// The file of a music app by the reader made for it, any other with its own schema.
    private func realm(_ key: [UInt8]?) throws -> any LegacySource {
        switch mapping {
        case .automatic, .music:
            let library = try RealmLibrarySource(
                path: path,
                key: key,
                name: name,
                salvages: salvages
            )
            if library.isMusicLibrary { return library }
        case .own, .file: break
        }
        return try mapping.applied(
            to: RealmStoreSource(path: path, key: key, name: name, salvages: salvages)
        )
    }

    /// What the beginning of the export says, and its name where that says nothing. Encrypted files say nothing: the
    /// key tells.
    private func formatByContent() throws -> String {
        let prefix = try LegacyFormat.prefix(of: path)
        if RealmLibrarySource.canRead(prefix: prefix) { return RealmLibrarySource.kind }
        if keyFile != nil { return RealmLibrarySource.kind }
        if SQLiteDatabaseSource.canRead(prefix: prefix) {
            return try SQLiteFormat.isCoreData(path: path)
                ? CoreDataSource.kind : SQLiteDatabaseSource.kind
        }
        let name = path.split(separator: "/").last.map(String.init)
        if let format = TextFormat.detect(prefix: prefix, fileName: name) { return format.rawValue }
        return ITunesLibrarySource.kind
    }
}
