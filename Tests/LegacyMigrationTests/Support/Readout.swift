import Foundation
import LegacyMigration

/// Everything a source hands on, gathered.
struct Readout {
    var identity: SourceIdentity
    var records: [LegacyRecord] = []
    var lists: [LegacyList] = []
    var warnings: [LegacyWarning] = []
    var progress: [LegacyProgress] = []
    var reading: LegacyReading

    /// Reads an iTunes library to its end.
    init(path: String, name: String? = nil, takesBuiltInPlaylists: Bool = false) throws {
        try self.init(
            ITunesLibrarySource(path: path, name: name, takesBuiltInPlaylists: takesBuiltInPlaylists)
        )
    }

    /// Reads any source to its end.
    init(_ source: some LegacySource) throws {
        identity = source.identity
        var records: [LegacyRecord] = []
        var lists: [LegacyList] = []
        var warnings: [LegacyWarning] = []
        var progress: [LegacyProgress] = []
        reading = try source.read { event in
            switch event {
            case .record(let record): records.append(record)
            case .list(let list): lists.append(list)
            case .warning(let warning): warnings.append(warning)
            case .progress(let step): progress.append(step)
            }
        }
        self.records = records
        self.lists = lists
        self.warnings = warnings
        self.progress = progress
    }

    /// Reads `bytes` as a file of its own.
    init(_ bytes: some Sequence<UInt8>, name: String? = nil, takesBuiltInPlaylists: Bool = false) throws {
        self = try TemporaryFile.with(bytes) {
            try Readout(path: $0, name: name, takesBuiltInPlaylists: takesBuiltInPlaylists)
        }
    }

    func keys(_ className: String) -> [String] {
        records.filter { $0.className == className }.map(\.key)
    }

    func record(_ className: String, _ key: String) -> LegacyRecord? {
        records.first { $0.className == className && $0.key == key }
    }

    /// The tracks of a playlist.
    func entries(_ playlist: String) -> [String]? {
        guard case .references(let keys)? = record("playlist", playlist)?["tracks"] else {
            return nil
        }
        return Array(keys)
    }

    func count(_ kind: LegacyWarning.Kind) -> Int {
        reading.warningCounts[kind, default: 0]
    }

    /// References to records that did not come before.
    var brokenReferences: [String] {
        var seen: Set<String> = []
        var broken: [String] = []
        for record in records {
            for field in record.fields {
                switch (field.name, field.value) {
                case ("album", .reference(let key)) where !seen.contains("album/\(key)"),
                    ("parent", .reference(let key)) where !seen.contains("playlist/\(key)"):
                    broken.append(key)
                case (_, .references(let keys)):
                    broken += keys.filter { !seen.contains("track/\($0)") }
                default: break
                }
            }
            if !seen.insert("\(record.className)/\(record.key)").inserted {
                broken.append(record.key)
            }
        }
        return broken
    }
}

/// A file that exists while a closure runs.
enum TemporaryFile {
    /// - Parameter name: what the file is called, where that matters.
    static func with<R>(
        _ bytes: some Sequence<UInt8>,
        named name: String? = nil,
        _ body: (String) throws -> R
    ) throws -> R {
        let folder = FileManager.default.temporaryDirectory.appending(path: "\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(at: folder) }
        let url = folder.appending(path: name ?? "\(folder.lastPathComponent).xml")
        try Data(bytes).write(to: url)
        return try body(url.path)
    }
}

/// The code of the error that `body` throws, or nil when it throws none.
func code(of body: () throws -> Void) throws -> LegacyError.Code? {
    do {
        try body()
        return nil
    } catch let error as LegacyError {
        return error.code
    }
}
