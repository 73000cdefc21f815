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

    /// What is left of another store at this moment: as if its process had been killed.
    init(remainsOf other: TemporaryLibrary) throws {
        path = other.path + ".\(UUID())"
        schema = other.schema
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        let copied = path + "/data.mdb"
        // The reading side tells of its progress while the writing one commits. What was copied while a commit ended
        // is no moment that there ever was.
        while true {
            let metaPages = try Self.metaPages(of: other)
            try FileManager.default.copyItem(atPath: other.path + "/data.mdb", toPath: copied)
            if try Self.metaPages(of: other) == metaPages { break }
            try FileManager.default.removeItem(atPath: copied)
        }
        store = try Store.open(at: path, schema: schema)
    }

    /// The two pages at the start of the data file, one of which every commit writes over.
    private static func metaPages(of library: TemporaryLibrary) throws -> Data? {
        let file = try FileHandle(forReadingFrom: URL(filePath: library.path + "/data.mdb"))
        defer { try? file.close() }
        return try file.read(upToCount: 2 * 4096)
    }

    /// What is left of the store after each batch of a migration.
    ///
    /// - Parameter migrate: runs it, with the progress callback that it is given.
    func remainsOfEachBatch(
        _ migrate: ((MigrationProgress) -> Bool) throws -> MigrationReport
    ) throws -> (report: MigrationReport, remains: [TemporaryLibrary]) {
        var remains: [TemporaryLibrary] = []
        var failure: (any Error)?
        let report = try migrate { step in
            guard step.phase != .comparing else { return true }
            do {
                remains.append(try TemporaryLibrary(remainsOf: self))
            } catch {
                failure = error
            }
            return true
        }
        if let failure { throw failure }
        return (report, remains)
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
        batch: Int = 5000,
        progress: (MigrationProgress) -> Bool = { _ in true }
    ) throws -> MigrationReport {
        let source = try ITunesLibrarySource(path: path, name: name)
        let options = Migrator.Options(batchRecordCount: batch, replacesEverything: true)
        return try Migrator(source: source, store: store, options: options).run(progress: progress)
    }

    @discardableResult
    func migrate(
        _ bytes: [UInt8],
        name: String? = nil,
        batch: Int = 5000,
        progress: (MigrationProgress) -> Bool = { _ in true }
    ) throws -> MigrationReport {
        try TemporaryFile.with(bytes) {
            try migrate(path: $0, name: name, batch: batch, progress: progress)
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
