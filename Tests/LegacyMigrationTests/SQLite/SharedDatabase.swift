import Foundation
import LegacyMigration
import TestSupport

extension Repository {
    /// A database of the files beside the repository, where they are present.
    static func sharedDatabase(_ name: String) -> String {
        root.appending(path: "../shared/fixtures/\(name)").standardized.path
    }

    static var hasDatabases: Bool {
        FileManager.default.fileExists(atPath: sharedDatabase("sqlite/synthetic_sqlitedata_10k.db"))
    }
}

/// A directory with a database in it.
struct DatabaseSandbox {
    let directory: TemporaryDirectory
    let path: String

    /// A database that statements make.
    init(_ sql: String, named name: String = "test.db") throws {
        directory = try TemporaryDirectory(named: "sqlite")
        path = directory.path(name)
        let database = try SQLiteScratch(at: path)
        try database.execute(sql)
        database.close()
    }

    /// A copy of a file, with its log.
    init(copyOf original: String) throws {
        directory = try TemporaryDirectory(named: "sqlite")
        let name = original.split(separator: "/").last.map(String.init) ?? "test.db"
        path = directory.path(name)
        for suffix in ["", "-wal"] where FileManager.default.fileExists(atPath: original + suffix) {
            try FileManager.default.copyItem(atPath: original + suffix, toPath: path + suffix)
            try FileManager.default.setAttributes(
                [.posixPermissions: 0o644],
                ofItemAtPath: path + suffix
            )
        }
    }

    /// The names and bytes of everything in the directory.
    var content: [String: Data] {
        get throws {
            var content: [String: Data] = [:]
            for name in try FileManager.default.subpathsOfDirectory(atPath: directory.path) {
                content[name] = FileManager.default.contents(atPath: directory.path(name)) ?? Data()
            }
            return content
        }
    }
}

extension Readout {
    /// The members of a list that came by itself.
    func members(_ className: String, _ key: String, _ name: String) -> [String]? {
        lists.first { $0.className == className && $0.key == key && $0.name == name }.map {
            Array($0.members)
        }
    }

    func kinds() -> Set<String> {
        Set(reading.warningCounts.keys.map(\.rawValue))
    }
}
