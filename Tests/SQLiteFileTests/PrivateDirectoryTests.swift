import Foundation
import TestSupport
import Testing

@testable import SQLiteFile

/// Where private copies are, and when they go.
@Suite struct PrivateDirectoryTests {
    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory(named: "sqlite-private")
    }

    private var names: [String] {
        get throws { try FileManager.default.contentsOfDirectory(atPath: directory.path).sorted() }
    }

    private func exists(_ path: String) -> Bool { FileManager.default.fileExists(atPath: path) }

    private func leaveBehind(_ name: String, mode: Int = 0o700) throws -> String {
        let path = directory.path(name)
        try FileManager.default.createDirectory(
            atPath: path,
            withIntermediateDirectories: false,
            attributes: [.posixPermissions: mode]
        )
        try Data("secret".utf8).write(to: URL(filePath: path + "/database"))
        return path
    }

    @Test(arguments: ["DELETE", "WAL"])
    func `the copy has no name any more once it is open, and is read all the same`(
        mode: String
    ) throws {
        let path = directory.path("a.db")
        let writer = try SQLiteScratch(at: path)
        try writer.execute(
            "PRAGMA journal_mode=\(mode); CREATE TABLE t(a); "
                + "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 50000) "
                + "INSERT INTO t SELECT hex(randomblob(50)) FROM n"
        )
        let copy = try SQLiteCopy(of: path)
        let folder = String(copy.path.dropLast("/database".count))
        #expect(exists(copy.path))
        let database = try SQLiteDatabase(copy)
        #expect(!exists(folder))
        // More than the cache holds, and a sort that does not fit memory.
        let sorted = "SELECT count(*) FROM (SELECT a FROM t ORDER BY a DESC)"
        #expect(try count(database, sorted) == 50_000)
        #expect(try count(database, "SELECT count(DISTINCT a) FROM t") == 50_000)
        #expect(try database.check().isEmpty)
        writer.close()
    }

    @Test func `a copy that cannot be opened has no name any more either`() throws {
        let path = directory.path("a.db")
        let writer = try SQLiteScratch(at: path)
        try writer.execute("CREATE TABLE t(a); INSERT INTO t VALUES(1)")
        writer.close()
        var bytes = try Data(contentsOf: URL(filePath: path))
        // The first page of the schema is of no sort that there is.
        bytes[100] = 0x77
        try bytes.write(to: URL(filePath: path))
        let copy = try SQLiteCopy(of: path)
        #expect(code { _ = try SQLiteDatabase(copy) } == .damaged)
        #expect(!exists(copy.path))
    }

    @Test func `what a killed process left behind is removed, and nothing else`() throws {
        let dead = try leaveBehind("reprise-sqlite-dead00")
        let other = try leaveBehind("other-sqlite-dead00")
        let open = try leaveBehind("reprise-sqlite-open00", mode: 0o755)
        let alive = try PrivateDirectory(in: directory.path)
        try Data("secret".utf8).write(to: URL(filePath: alive.databasePath))
        try FileManager.default.createSymbolicLink(
            atPath: directory.path("reprise-sqlite-link00"),
            withDestinationPath: other
        )
        PrivateDirectory.removeLeftBehind(in: directory.path)
        #expect(!exists(dead))
        #expect(exists(other + "/database") && exists(open + "/database"))
        #expect(exists(alive.databasePath))
        alive.remove()
        #expect(!exists(alive.path))
        #expect(
            try names == ["other-sqlite-dead00", "reprise-sqlite-link00", "reprise-sqlite-open00"]
        )
    }
}
