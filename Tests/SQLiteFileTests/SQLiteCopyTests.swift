import Foundation
import SQLiteFile
import TestSupport
import Testing

@Suite struct SQLiteCopyTests {
    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory(named: "sqlite-copy")
    }

    private func database(_ name: String = "a.db", rowCount: Int = 100) throws -> String {
        let path = directory.path(name)
        let database = try SQLiteScratch(at: path)
        try database.execute(
            "CREATE TABLE t(a INTEGER PRIMARY KEY, b TEXT); WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 "
                + "FROM n WHERE i < \(rowCount)) INSERT INTO t SELECT i, hex(zeroblob(40)) || i FROM n"
        )
        database.close()
        return path
    }

    private func content() throws -> [String: Data] {
        var content: [String: Data] = [:]
        for name in try FileManager.default.subpathsOfDirectory(atPath: directory.path) {
            content[name] = FileManager.default.contents(atPath: directory.path(name)) ?? Data()
        }
        return content
    }

    @Test func `nothing is created or changed beside the original`() throws {
        let path = try database()
        let before = try content()
        let database = try SQLiteDatabase(SQLiteCopy(of: path))
        #expect(try database.check().isEmpty)
        #expect(try count(database, "SELECT count(*) FROM t") == 100)
        #expect(try content() == before)
    }

    @Test func `what is only in the write-ahead log is read, and the log stays`() throws {
        let path = directory.path("wal.db")
        let writer = try SQLiteScratch(at: path)
        try writer.execute(
            "PRAGMA journal_mode=WAL; PRAGMA wal_autocheckpoint=0; CREATE TABLE t(a)"
        )
        try writer.execute("INSERT INTO t VALUES(1), (2), (3)")
        let before = try content()
        #expect((before["wal.db-wal"]?.count ?? 0) > 32)
        let copy = try SQLiteCopy(of: path)
        #expect(copy.originals.map(\.byteCount).count == 2)
        #expect(try count(SQLiteDatabase(copy), "SELECT count(*) FROM t") == 3)
        #expect(try content() == before)
        writer.close()
    }

    @Test func `a transaction that was interrupted is undone in the copy alone`() throws {
        let path = try database(rowCount: 2000)
        let clean = try Data(contentsOf: URL(filePath: path))
        let writer = try SQLiteScratch(at: path)
        // The cache spills, so that the file has half of a transaction in it and the journal what was there before.
        try writer.execute(
            "PRAGMA cache_size=1; PRAGMA cache_spill=1; BEGIN; UPDATE t SET b = 'changed'"
        )
        let crashed = directory.path("crashed.db")
        for suffix in ["", "-journal"] {
            try FileManager.default.copyItem(atPath: path + suffix, toPath: crashed + suffix)
        }
        writer.close()
        #expect(try Data(contentsOf: URL(filePath: crashed)) != clean)
        let before = try content()
        let database = try SQLiteDatabase(SQLiteCopy(of: crashed))
        #expect(try count(database, "SELECT count(*) FROM t WHERE b = 'changed'") == 0)
        #expect(try count(database, "SELECT count(*) FROM t") == 2000)
        #expect(try content() == before)
    }

    @Test func `a journal that names another file is refused, and the other file stays`() throws {
        let path = try database()
        let victim = directory.path("victim.txt")
        try Data("precious".utf8).write(to: URL(filePath: victim))
        var journal =
            Data([0xD9, 0xD5, 0x05, 0xF9, 0x20, 0xA1, 0x63, 0xD7]) + Data(repeating: 0, count: 1016)
        let name = Data(victim.utf8)
        func big(_ number: Int) -> Data {
            Data((0..<4).map { UInt8(truncatingIfNeeded: number >> (24 - 8 * $0)) })
        }
        journal += big(1) + name + big(name.count) + big(name.reduce(0) { $0 + Int($1) })
        journal += [0xD9, 0xD5, 0x05, 0xF9, 0x20, 0xA1, 0x63, 0xD7]
        try journal.write(to: URL(filePath: path + "-journal"))
        #expect(code { _ = try SQLiteDatabase(SQLiteCopy(of: path)) } == .unsupportedContent)
        #expect(try Data(contentsOf: URL(filePath: victim)) == Data("precious".utf8))
    }

    @Test func `the private directory goes away with the value, and after a failure`() throws {
        let parent = ProcessInfo.processInfo.environment["TMPDIR"] ?? "/tmp"
        func privateCopies() throws -> Set<String> {
            Set(
                try FileManager.default.contentsOfDirectory(atPath: parent).filter {
                    $0.hasPrefix("reprise-sqlite-")
                }
            )
        }
        let path = try database("b.db")
        // Other tests have copies of their own: this one's are told by what is in them.
        func copies(of bytes: Data) throws -> Int {
            try privateCopies().filter { name in
                FileManager.default.contents(atPath: "\(parent)/\(name)/database") == bytes
            }.count
        }
        let bytes = try Data(contentsOf: URL(filePath: path))
        var copy: SQLiteCopy? = try SQLiteCopy(of: path)
        #expect(try copies(of: bytes) == 1)
        withExtendedLifetime(copy) {}
        copy = nil
        #expect(try copies(of: bytes) == 0)
        let broken = directory.path("broken.db")
        let rest = bytes + Data("a tail of its own".utf8)
        try rest.write(to: URL(filePath: broken))
        try Data("no log".utf8).write(to: URL(filePath: broken + "-wal"))
        #expect(code { _ = try SQLiteCopy(of: broken) } == .damaged)
        #expect(try copies(of: rest) == 0)
    }

    @Test func `a copy says how far it is, and leaves nothing when it is cancelled`() throws {
        let path = directory.path("large.db")
        let writer = try SQLiteScratch(at: path)
        let rows =
            "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2500) "
            + "INSERT INTO t SELECT randomblob(2000) FROM n"
        try writer.execute("CREATE TABLE t(a); \(rows)")
        try writer.execute("PRAGMA journal_mode=WAL; PRAGMA wal_autocheckpoint=0; \(rows)")
        defer { writer.close() }
        let head = try Data(contentsOf: URL(filePath: path)).prefix(100)
        let parent = FileManager.default.temporaryDirectory.path
        func copies() throws -> Int {
            try FileManager.default.contentsOfDirectory(atPath: parent).count { name in
                name.hasPrefix("reprise-sqlite-")
                    && FileManager.default.contents(atPath: "\(parent)/\(name)/database")?.prefix(
                        100
                    )
                        == head
            }
        }
        var steps: [UInt64] = []
        let copy = try SQLiteCopy(of: path) { byteCount in
            steps.append(byteCount)
            return true
        }
        let total = copy.originals.reduce(0) { $0 + $1.byteCount }
        #expect(try copies() == 1)
        #expect(steps == steps.sorted() && steps.count >= 3)
        // Of the database, of its log, and while that is looked at.
        #expect((steps.first ?? 0) < copy.originals[0].byteCount)
        #expect((steps.last ?? 0) > copy.originals[0].byteCount && (steps.last ?? 0) <= total)
        for place in steps.indices {
            var asked = 0
            let found = code {
                _ = try SQLiteCopy(of: path) { _ in
                    asked += 1
                    return asked <= place
                }
            }
            #expect(found == .cancelled && asked == place + 1)
            #expect(try copies() == 1)
        }
        withExtendedLifetime(copy) {}
    }

    @Test func `a symbolic link is followed, and the log is looked for beside what it leads to`()
        throws
    {
        let path = directory.path("real.db")
        let writer = try SQLiteScratch(at: path)
        try writer.execute("PRAGMA journal_mode=WAL; CREATE TABLE t(a); INSERT INTO t VALUES(1)")
        let link = directory.path("link.db")
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: path)
        try Data("not the log".utf8).write(to: URL(filePath: link + "-wal"))
        let copy = try SQLiteCopy(of: link)
        #expect(copy.originalPath.hasSuffix("/real.db"))
        #expect(try count(SQLiteDatabase(copy), "SELECT count(*) FROM t") == 1)
        writer.close()
    }

    @Test func `what is no file is refused at once`() throws {
        let pipe = directory.path("pipe")
        let made = unsafe mkfifo(pipe, 0o600)
        #expect(made == 0)
        #expect(code { _ = try SQLiteCopy(of: pipe) } == .notAFile)
        #expect(code { _ = try SQLiteCopy(of: directory.path) } == .notAFile)
        #expect(code { _ = try SQLiteCopy(of: "/dev/zero") } == .notAFile)
        #expect(code { _ = try SQLiteCopy(of: directory.path("absent")) } == .noSuchFile)
        try FileManager.default.createSymbolicLink(
            atPath: directory.path("circle"),
            withDestinationPath: directory.path("circle")
        )
        #expect(code { _ = try SQLiteCopy(of: directory.path("circle")) } != nil)
        // A log that is a pipe would be waited for.
        let path = try database("c.db")
        let madeLog = unsafe mkfifo(path + "-wal", 0o600)
        #expect(madeLog == 0)
        #expect(code { _ = try SQLiteCopy(of: path) } == .notAFile)
    }

    @Test func `other formats and encrypted databases are refused by their first bytes`() throws {
        let path = directory.path("x")
        for (bytes, expected) in [
            (Data(), SQLiteFileError.Code.empty), (Data("SQLite format 3\0".utf8), .truncated),
            (Data(repeating: 0xA7, count: 4096), .notADatabase),
            (Data("SQLite format 2\0".utf8), .notADatabase),
        ] {
            try bytes.write(to: URL(filePath: path))
            #expect(code { _ = try SQLiteDatabase(SQLiteCopy(of: path)) } == expected)
        }
    }

    @Test func `a write-ahead log that was cut within a frame is refused`() throws {
        let path = directory.path("wal.db")
        let writer = try SQLiteScratch(at: path)
        try writer.execute(
            "PRAGMA journal_mode=WAL; PRAGMA wal_autocheckpoint=0; CREATE TABLE t(a)"
        )
        try writer.execute("INSERT INTO t VALUES(zeroblob(20000))")
        let database = try Data(contentsOf: URL(filePath: path))
        var log = try Data(contentsOf: URL(filePath: path + "-wal"))
        writer.close()
        let torn = directory.path("torn.db")
        try database.write(to: URL(filePath: torn))
        #expect((log.count - 32) % 4120 == 0)
        try log.prefix(log.count - 1000).write(to: URL(filePath: torn + "-wal"))
        #expect(code { _ = try SQLiteCopy(of: torn) } == .truncated)
        // What an earlier use of the log left behind may be cut anywhere: it has other salts.
        log.append(Data(repeating: 7, count: 1000))
        try log.write(to: URL(filePath: torn + "-wal"))
        #expect(try count(SQLiteDatabase(SQLiteCopy(of: torn)), "SELECT count(*) FROM t") == 1)
    }

    @Test func `a database that keeps a log is told from one whose log is beside it`() throws {
        let plain = try database()
        #expect(try !SQLiteCopy(of: plain).lacksLog)
        let path = directory.path("wal.db")
        let writer = try SQLiteScratch(at: path)
        try writer.execute("PRAGMA journal_mode=WAL; CREATE TABLE t(a)")
        #expect(try !SQLiteCopy(of: path).lacksLog)
        writer.close()
        #expect(try SQLiteCopy(of: path).lacksLog)
        // One that was emptied lacks nothing.
        try Data().write(to: URL(filePath: path + "-wal"))
        #expect(try !SQLiteCopy(of: path).lacksLog)
    }

    @Test func `a write-ahead log that is none is refused`() throws {
        let path = try database()
        for bytes in [
            Data(repeating: 0x37, count: 4096), Data([0x37, 0x7F, 0x06, 0x82]),
            Data(repeating: 0, count: 32),
        ] {
            try bytes.write(to: URL(filePath: path + "-wal"))
            #expect(code { _ = try SQLiteCopy(of: path) } == .damaged)
        }
    }
}

/// The number that a statement answers with.
func count(_ database: SQLiteDatabase, _ sql: String) throws -> Int64? {
    let rows = try database.prepare(sql)
    guard try rows.step(), case .integer(let count) = rows.value(at: 0) else { return nil }
    return count
}

/// The code of the error that `body` throws.
func code(_ body: () throws -> Void) -> SQLiteFileError.Code? {
    do {
        try body()
        return nil
    } catch {
        return (error as? SQLiteFileError)?.code
    }
}
