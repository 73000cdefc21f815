import LegacyMigration
import MusicLibrary
import Reprise

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

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
    /// Whether the lists of an iTunes library are taken that iTunes fills with a choice of its own.
    var takesBuiltInPlaylists = false

    /// The formats that `--as` understands.
    static let formats = [
        CSVSource.kind, CoreDataSource.kind, ITunesLibrarySource.kind, M3USource.kind,
        NDJSONSource.kind, RealmLibrarySource.kind, Realm2JSONSource.kind,
        RealmStudioJSONSource.kind, TrackListSource.kind, SQLiteDatabaseSource.kind,
        XSPFSource.kind,
    ]

    /// The source for the export: what `--as` says, or what its content tells, with the mapping applied.
    ///
    /// Shows how far the reading of it is that comes before the records, and stops that where the user wants so.
    ///
    /// - Parameters:
    ///   - store: where it goes, for playlists of what is there already.
    ///   - console: who is shown that.
    func source(into store: String, in console: borrowing Console) throws -> any LegacySource {
        let meter = console.progress("Reading", unit: "byte")
        defer { meter.finish() }
        let interruption = console.interruption
        return try advising {
            try source(into: store) { step in
                meter.update(done: step.bytesRead, total: step.byteCount)
                return !interruption.isRequested()
            }
        }
    }

    private func source(
        into store: String,
        _ progress: (LegacyProgress) -> Bool
    ) throws -> any LegacySource {
        /// What a store knows of the source comes before the mapping, whose rules name what is there.
        func mapped(_ source: any LegacySource) throws -> any LegacySource {
            try mapping.applied(to: understood(source, in: store, progress), isMusicStore: isMusicStore(store))
        }
        let key = try keyFile.map(RealmLocation.key)
        FaultSignal.isReading(export: DisplayWidth.visible(path), andStore: true)
        let format = try format ?? formatByContent()
        try checkOptions(format)
        switch format {
        case RealmLibrarySource.kind: return try realm(key, isMusicStore: isMusicStore(store), progress)
        case ITunesLibrarySource.kind:
            return try rules(
                over: ITunesLibrarySource(
                    path: path,
                    name: name,
                    takesBuiltInPlaylists: takesBuiltInPlaylists,
                    progress: progress
                )
            )
        case M3USource.kind:
            let playlist = try M3USource(path: path, name: name, progress: progress)
            return try rules(over: named(playlist, byTracksIn: store, progress))
        case XSPFSource.kind:
            return try rules(over: named(XSPFSource(path: path, name: name), byTracksIn: store, progress))
        case CoreDataSource.kind:
            return try mapped(CoreDataSource(path: path, name: name, progress: progress))
        case SQLiteDatabaseSource.kind where self.format == nil:
            return try mapped(SQLiteFormat.source(path: path, name: name, progress: progress))
        case SQLiteDatabaseSource.kind:
            return try mapped(SQLiteDatabaseSource(path: path, name: name, progress: progress))
        case CSVSource.kind:
            let table = try understood(
                CSVSource(path: path, name: name, progress: progress),
                in: store,
                progress
            )
            guard mapping == .automatic || mapping == .music,
                let list = (table as? CSVSource).flatMap(TrackListSource.init)
            else { return try mapping.applied(to: table) }
            return try named(list, byTracksIn: store, progress)
        case TrackListSource.kind:
            return try rules(
                over: named(TrackListSource(path: path, name: name), byTracksIn: store, progress)
            )
        case NDJSONSource.kind:
            return try mapped(NDJSONSource(path: path, name: name, progress: progress))
        case Realm2JSONSource.kind:
            return try mapped(
                Realm2JSONSource(
                    path: path,
                    schemaPath: schemaFile,
                    name: name,
                    progress: progress
                )
            )
        case RealmStudioJSONSource.kind:
            return try mapped(
                RealmStudioJSONSource(
                    path: path,
                    schemaPath: schemaFile,
                    name: name,
                    progress: progress
                )
            )
        case let other:
            throw CommandFailure(
                .usage,
                "The format \"\(DisplayWidth.visible(other))\" is not known.",
                advice:
                    "Use --as \(Self.formats.joined(separator: ", ")), or leave it out and let the content tell."
            )
        }
    }

    /// The export as the store has understood the one before it; as it is where there is no store that can be read, of
    /// which is said more when it is to be written.
    private func understood(
        _ source: any LegacySource,
        in path: String,
        _ progress: (LegacyProgress) -> Bool
    ) throws -> any LegacySource {
        guard let store = try? Store.open(existing: path) else { return source }
        defer { store.close() }
        return try store.understood(source, progress: progress)
    }

    /// Whether there is a store at a path that has a place for all of the music library: what was taken for music goes
    /// on as music.
    private func isMusicStore(_ path: String) throws -> Bool {
        guard mapping == .automatic, let store = try? Store.open(existing: path) else { return false }
        defer { store.close() }
        let schema = try store.schema
        return MusicLibrary.schema.description.models.allSatisfy { model in
            let names = schema.model(named: model.name)?.attributes.map(\.name) ?? []
            return Set(model.attributes.map(\.name)).isSubset(of: names)
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
        if takesBuiltInPlaylists, format != ITunesLibrarySource.kind {
            throw CommandFailure(
                .usage,
                "--built-in-playlists is for iTunes libraries, and this export is \(DisplayWidth.visible(format)).",
                advice: "Leave it out."
            )
        }
        if schemaFile != nil, format != Realm2JSONSource.kind, format != RealmStudioJSONSource.kind
        {
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

    /// A playlist whose entries are the tracks that a store has already, where there is a store.
    private func named<Playlist: PlaylistSource>(
        _ playlist: Playlist,
        byTracksIn path: String,
        _ progress: (LegacyProgress) -> Bool
    ) throws -> Playlist {
        let store: Store
        do {
            store = try Store.open(existing: path)
        } catch let error as StoreError where error.code == .storeNotFound {
            return playlist
        }
        defer { store.close() }
        // The playlist itself has been read by now.
        let done = LegacyProgress(bytesRead: playlist.byteCount, byteCount: playlist.byteCount)
        return try playlist.naming(LibraryLocations(in: store, of: playlist) { _ in progress(done) })
    }

    /// The file of a music app by the reader made for it, any other with its own schema.
    private func realm(
        _ key: [UInt8]?,
        isMusicStore: Bool,
        _ progress: (LegacyProgress) -> Bool
    ) throws -> any LegacySource {
        let library = try RealmLibrarySource(
            path: path,
            key: key,
            name: name,
            salvages: salvages,
            progress: progress
        )
        switch mapping {
        case .automatic where library.isSurelyMusic || isMusicStore && library.hasMusic,
            .music where library.isMusicLibrary:
            return library
        case .automatic, .music, .own, .file: break
        }
        return try mapping.applied(to: RealmStoreSource(library))
    }
}
