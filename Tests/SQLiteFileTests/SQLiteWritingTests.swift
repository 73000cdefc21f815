import Foundation
import SQLiteFile
import TestSupport
import Testing

@Suite struct SQLiteWritingTests {
    private let directory: TemporaryDirectory
    private var path: String { directory.path("new.db") }

    init() throws {
        directory = try TemporaryDirectory(named: "sqlite-writing")
        try Data().write(to: URL(filePath: directory.path("new.db")))
    }

    @Test func `values of every kind are read back as they were bound`() throws {
        let values: [SQLiteValue] = [
            .null, .integer(.min), .real(.infinity), .real(0.1), .text(""), .text("a\u{0}b"),
            .text("'; DROP"),
            .blob([]), .blob([0, 255]), .invalidText([0xFF]),
        ]
        let database = try SQLiteNewDatabase(path: path)
        try database.execute("CREATE TABLE \(SQLiteName.quoted("a\"b"))(n INTEGER PRIMARY KEY, v)")
        let insertion = try database.prepare(
            "INSERT INTO \(SQLiteName.quoted("a\"b"))(v) VALUES (?1)"
        )
        for value in values { try insertion.run([value]) }
        // What was bound before is forgotten.
        try insertion.run([])
        database.close()
        let read = try SQLiteDatabase(SQLiteCopy(of: path))
        let rows = try read.prepare("SELECT v FROM \(SQLiteName.quoted("a\"b")) ORDER BY n")
        var found: [SQLiteValue] = []
        while try rows.step() { found.append(rows.value(at: 0)) }
        #expect(found == values + [.null])
    }

    @Test func `a broken rule and a full file are errors, and the command can be run again`() throws
    {
        let database = try SQLiteNewDatabase(path: path, pageCountMax: 4)
        try database.execute(
            "CREATE TABLE t(id INTEGER PRIMARY KEY, v TEXT NOT NULL, p REFERENCES t(id))"
        )
        let insertion = try database.prepare("INSERT INTO t VALUES (?1, ?2, ?3)")
        for broken: [SQLiteValue] in [[.integer(1)], [.integer(1), .text("x"), .integer(9)]] {
            let error = #expect(throws: SQLiteFileError.self) { try insertion.run(broken) }
            #expect(error?.code == .unsupportedContent)
        }
        try insertion.run([.integer(1), .text("x")])
        let full = #expect(throws: SQLiteFileError.self) {
            for number in 2...100 {
                try insertion.run([
                    .integer(Int64(number)), .text(String(repeating: "y", count: 1000)),
                ])
            }
        }
        #expect(full?.code == .noSpace)
        database.close()
    }

    private func familyDatabase() throws -> SQLiteNewDatabase {
        let database = try SQLiteNewDatabase(path: path)
        try database.execute("CREATE TABLE parent(id INTEGER PRIMARY KEY)")
        try database.execute(
            "CREATE TABLE child(p REFERENCES parent(id) DEFERRABLE INITIALLY DEFERRED)"
        )
        return database
    }

    @Test func `rows that come before what they refer to cost no more than others`() throws {
        var times: [String: Double] = [:]
        for order in [["parent", "child"], ["child", "parent"], ["parent", "child"], ["child", "parent"]] {
            try Data().write(to: URL(filePath: path))
            let database = try familyDatabase()
            let counts = ["parent": 40_000, "child": 200_000]
            let time = try ThreadClock.measure {
                try database.checkingReferencesAfterwards {
                    try database.execute("BEGIN")
                    for table in order {
                        let insertion = try database.prepare("INSERT INTO \(table) VALUES (?1)")
                        for number in 0..<(counts[table] ?? 0) {
                            try insertion.run([.integer(Int64(number % 40_000))])
                        }
                    }
                    try database.execute("COMMIT")
                }
            }
            times[order[0]] = min(time, times[order[0]] ?? time)
            // Afterwards each command is looked at again.
            let error = #expect(throws: SQLiteFileError.self) {
                try database.execute("INSERT INTO child VALUES (-1)")
            }
            #expect(error?.code == .unsupportedContent)
            database.close()
        }
        // One by one, each parent would look through all children.
        let (usual, early) = try (#require(times["parent"]), #require(times["child"]))
        #expect(early < 4 * usual)
    }

    @Test func `a reference that leads nowhere is found afterwards`() throws {
        let database = try familyDatabase()
        let error = #expect(throws: SQLiteFileError.self) {
            try database.checkingReferencesAfterwards {
                try database.execute("INSERT INTO child VALUES (7)")
            }
        }
        #expect(error?.code == .unsupportedContent)
        #expect(error?.message.contains("child") == true)
        database.close()
    }

    @Test func `a file that is not there or no database is refused`() throws {
        #expect(throws: SQLiteFileError.self) {
            try SQLiteNewDatabase(path: directory.path("none"))
        }
        try Data("This is no database, but long enough to be looked at.".utf8).write(
            to: URL(filePath: path)
        )
        let error = #expect(throws: SQLiteFileError.self) {
            try SQLiteNewDatabase(path: path).execute("CREATE TABLE t(x)")
        }
        #expect(error?.code == .notADatabase)
    }

    @Test func `a command after the end of its connection is an error`() throws {
        let database = try SQLiteNewDatabase(path: path)
        try database.execute("CREATE TABLE t(x)")
        database.close()
        database.close()
        #expect(throws: SQLiteFileError.self) { try database.execute("INSERT INTO t VALUES (1)") }
    }
}
