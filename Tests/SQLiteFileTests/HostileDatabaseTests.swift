import Foundation
import SQLiteFile
import TestSupport
import Testing

/// Files that are damaged on purpose are read to their end or refused with an error of our own; nothing else happens.
@Suite struct HostileDatabaseTests {
    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory(named: "sqlite-hostile")
    }

    private func sound() throws -> Data {
        let path = directory.path("sound.db")
        let database = try SQLiteScratch(at: path)
        try database.execute(
            """
            PRAGMA page_size=512; PRAGMA auto_vacuum=2;
            CREATE TABLE a(id INTEGER PRIMARY KEY, t TEXT UNIQUE, r REAL, b BLOB);
            CREATE TABLE c(k TEXT PRIMARY KEY, a INT REFERENCES a(id) ON DELETE CASCADE) WITHOUT ROWID;
            CREATE INDEX i ON a(r);
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 60)
                INSERT INTO a SELECT i, 'text ' || i, i / 3.0, zeroblob(i * 20) FROM n;
            INSERT INTO c SELECT t, id FROM a;
            """
        )
        database.close()
        return try Data(contentsOf: URL(filePath: path))
    }

    /// Everything that can be asked of a database. Whatever goes wrong has to be an error of ours.
    private func readAll(_ bytes: Data, _ name: String) throws -> SQLiteFileError? {
        let path = directory.path(name)
        try bytes.write(to: URL(filePath: path))
        do throws(SQLiteFileError) {
            let database = try SQLiteDatabase(SQLiteCopy(of: path))
            _ = try? database.check()
            for table in try database.tables() where table.kind == .table {
                let columns = table.columns.map { SQLiteName.quoted($0.name) }.joined(
                    separator: ","
                )
                let rows = try database.prepare(
                    "SELECT \(columns) FROM \(SQLiteName.quoted(table.name))"
                )
                while try rows.step() {
                    for place in 0..<rows.columnCount { _ = rows.value(at: place) }
                }
            }
            return nil
        } catch {
            return error
        }
    }

    @Test func `a file that ends at any page is refused`() throws {
        let bytes = try sound()
        #expect(try readAll(bytes, "whole.db") == nil)
        let pageCount = bytes.count / 512
        #expect(pageCount > 60)
        for page in 1..<pageCount {
            let path = directory.path("cut.db")
            try bytes.prefix(page * 512).write(to: URL(filePath: path))
            #expect(throws: SQLiteFileError.self, "\(page) pages") {
                let database = try SQLiteDatabase(SQLiteCopy(of: path))
                _ = try database.check()
            }
        }
        for count in [1, 15, 16, 99, 100, 101, 511, 513, bytes.count - 1] {
            let path = directory.path("cut.db")
            try bytes.prefix(count).write(to: URL(filePath: path))
            #expect(throws: SQLiteFileError.self, "\(count) bytes") {
                let database = try SQLiteDatabase(SQLiteCopy(of: path))
                _ = try database.check()
            }
        }
    }

    @Test func `flipped bytes never do anything but change what is read, or end it`() throws {
        let bytes = try sound()
        var refused = 0
        try seeded(20_261_122) { random in
            for _ in 0..<3000 {
                var mutant = bytes
                for _ in 0...random.below(4) {
                    // Often where the structure is: at the beginnings of pages.
                    let page = random.below(bytes.count / 512)
                    let place =
                        page * 512 + (random.once(in: 2) ? random.below(16) : random.below(512))
                    mutant[place] = UInt8(truncatingIfNeeded: random.next())
                }
                if try readAll(mutant, "mutant.db") != nil { refused += 1 }
            }
        }
        #expect(refused > 300)
    }

    @Test(arguments: [
        "CREATE TABLE nonsense", "garbage", "CREATE TABLE t(a, a)", "CREATE VIEW t AS SELECT",
        "CREATE INDEX i ON t(a",
        "CREATE TABLE t(a AS (load_extension('x')))",
        "CREATE TRIGGER t AFTER DELETE ON x BEGIN DELETE FROM x; END",
    ])
    func `nonsense in the schema is an error`(_ sql: String) throws {
        let path = directory.path("schema.db")
        let database = try SQLiteScratch(at: path)
        try database.execute("CREATE TABLE t(x); INSERT INTO t VALUES(1)")
        try database.execute("PRAGMA writable_schema=ON")
        try database.execute("UPDATE sqlite_schema SET sql = '\(sql.replacing("'", with: "''"))'")
        database.close()
        let error = try readAll(try Data(contentsOf: URL(filePath: path)), "nonsense.db")
        #expect(error != nil)
    }

    @Test func `a value that claims to be huge is refused before there is memory for it`() throws {
        let path = directory.path("huge.db")
        let database = try SQLiteScratch(at: path)
        try database.execute("CREATE TABLE t(a); INSERT INTO t VALUES(zeroblob(2000))")
        database.close()
        var bytes = try Data(contentsOf: URL(filePath: path))
        // The row is the only cell of the second page: the payload's size comes first, then the rowid, then the header
        // with the type of the blob, 12 + 2 × its size.
        let cell = 4096 + Int(bytes[4096 + 8]) << 8 + Int(bytes[4096 + 9])
        for offset in 0..<2 { bytes[cell + offset] = offset == 0 ? 0xFF : 0x7F }
        let error = try readAll(bytes, "huge2.db")
        #expect(error != nil)
        let most = directory.path("most.db")
        let big = try SQLiteScratch(at: most)
        try big.execute(
            "CREATE TABLE t(a); INSERT INTO t VALUES(zeroblob(\(SQLiteDatabase.valueByteCountMax + 1)))"
        )
        big.close()
        #expect(
            code {
                let rows = try SQLiteDatabase(SQLiteCopy(of: most)).prepare("SELECT a FROM t")
                while try rows.step() { _ = rows.value(at: 0) }
            } == .limitExceeded
        )
    }
}
