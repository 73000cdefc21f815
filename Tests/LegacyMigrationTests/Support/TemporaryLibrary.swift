import Foundation
import LegacyMigration
import MusicLibrary
import Reprise

/// A store of a music library in a directory of its own, removed in the end.
final class TemporaryLibrary {
    let path: String
    private(set) var store: Store
    private let schema: Schema

    convenience init() throws {
        try self.init(schema: MusicLibrary.schema)
    }

    init(schema: Schema) throws {
        path = FileManager.default.temporaryDirectory.appending(path: "\(UUID()).reprise").path
        self.schema = schema
        store = try Store.open(at: path, schema: schema)
    }

    /// A store for the records of a source.
    convenience init(for source: some LegacySource) throws {
        try self.init(schema: Schema(source.schema))
    }

    deinit {
        store.close()
        try? FileManager.default.removeItem(atPath: path)
    }

    /// Closes the store and opens it again, as after the end of the process.
    func reopen() throws {
        store.close()
        store = try Store.open(at: path, schema: schema)
    }

    @discardableResult
    func migrate(
        path: String,
        name: String? = nil,
        progress: (MigrationProgress) -> Bool = { _ in true }
    ) throws -> MigrationReport {
        let source = try ITunesLibrarySource(path: path, name: name)
        let options = Migrator.Options(replacesEverything: true)
        return try Migrator(source: source, store: store, options: options).run(progress: progress)
    }

    @discardableResult
    func migrate(
        _ bytes: [UInt8],
        name: String? = nil,
        progress: (MigrationProgress) -> Bool = { _ in true }
    ) throws -> MigrationReport {
        try TemporaryFile.with(bytes) {
            try migrate(path: $0, name: name, progress: progress)
        }
    }

    func plan(_ bytes: [UInt8], name: String? = nil) throws -> MigrationPlan {
        try TemporaryFile.with(bytes) {
            let source = try ITunesLibrarySource(path: $0, name: name)
            return try Migrator(replacing: source, store: store).plan()
        }
    }

    var digest: StateDigest { get throws { try store.read { $0.digest } } }
    var head: Position { get throws { try store.read { $0.head } } }

    /// Everything in the store, one line a record: values and lists, without order keys.
    var content: [String] {
        get throws {
            try store.read { state in
                try state.schema.models.flatMap { model in
                    try state.records(RecordQuery(model: model.name)).map { record in
                        let values = record.values.map { "\($0.name)=\($0.value)" }
                        let lists = record.lists.map { "\($0.name)=\($0.targets)" }
                        return "\(record.model) \(record.id) \(values) \(lists)"
                    }
                }
            }
        }
    }

    func titles(of playlist: Playlist.ID) throws -> [String] {
        try store.read { state in
            try state.entries(Playlist.tracks, of: playlist).map {
                try state.fetch(Track.self, id: $0.target)?.title ?? "?"
            }
        }
    }

    func entries(of playlist: Playlist.ID) throws -> [Entry<Track>] {
        try store.read { try $0.entries(Playlist.tracks, of: playlist) }
    }

    func tracks(of album: Album.ID) throws -> [String] {
        try store.read { try $0.entries(Album.tracks, of: album).map(\.target.rawValue) }
    }

    /// The values of an attribute by identifier; those that are nothing as well.
    func values(_ model: String, _ name: String) throws -> [String: Value] {
        var values: [String: Value] = [:]
        try store.read { state in
            try state.forEachRecord(RecordQuery(model: model), lists: false) { row in
                values[row.id] = row.values.first { $0.name == name }?.value ?? .null
                return true
            }
        }
        return values
    }

    /// What is in a list of a row, in its order.
    func entries(of list: String, _ model: String, _ id: String) throws -> [String] {
        var entries: [String] = []
        try store.read { state in
            try state.forEachEntry(of: list, model: model, id: id) { entry in
                entries.append(entry.target)
                return true
            }
        }
        return entries
    }
}
