import Foundation
import LegacyMigration
import Reprise
import TestSupport
import Testing

@testable import LegacyExport

@Suite struct SQLiteExportTests {
    private let directory: TemporaryDirectory
    private var path: String { directory.path("out.sqlite") }

    init() throws {
        directory = try TemporaryDirectory(named: "export")
    }

    private func company() throws -> TemporaryLibrary {
        let library = try TemporaryLibrary(for: InventedCompany.example.source)
        _ = try Migrator(replacing: InventedCompany.example.source, store: library.store).run()
        return library
    }

    @discardableResult
    private func export(
        _ store: Store,
        pageCountMax: Int? = nil,
        progress: (ExportProgress) throws -> Void = { _ in }
    ) throws -> ExportReport {
        try store.read { state in
            try SQLiteExport(pageCountMax: pageCountMax).write(state, to: path, progress: progress)
        }
    }

    private var files: [String] {
        get throws { try FileManager.default.contentsOfDirectory(atPath: directory.path).sorted() }
    }

    // MARK: What is written

    @Test func `tables have types, references with their rules, join tables and positions`() throws
    {
        let library = try company()
        let report = try export(library.store)
        #expect(try files == ["out.sqlite"])
        let database = try SQLiteScratch(at: path)
        let declarations = try database.texts(
            "SELECT sql FROM sqlite_schema WHERE type = 'table' ORDER BY rowid"
        )
        #expect(
            declarations == [
                """
                CREATE TABLE "person" (
                  "id" TEXT PRIMARY KEY NOT NULL,
                  "name" TEXT NOT NULL,
                  "email" TEXT,
                  "age" INTEGER,
                  "pay" TEXT,
                  "tags" TEXT NOT NULL,
                  "department" TEXT REFERENCES "department"("id") ON DELETE RESTRICT DEFERRABLE INITIALLY DEFERRED,
                  "boss" TEXT REFERENCES "person"("id") ON DELETE SET NULL DEFERRABLE INITIALLY DEFERRED,
                  "department_position" INTEGER
                ) STRICT
                """,
                """
                CREATE TABLE "department" (
                  "id" TEXT PRIMARY KEY NOT NULL,
                  "name" TEXT NOT NULL,
                  "parent" TEXT REFERENCES "department"("id") ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
                  "parent_position" INTEGER
                ) STRICT
                """,
                """
                CREATE TABLE "team" (
                  "id" TEXT PRIMARY KEY NOT NULL,
                  "name" TEXT NOT NULL,
                  "lead" TEXT REFERENCES "person"("id") ON DELETE SET NULL DEFERRABLE INITIALLY DEFERRED,
                  "lead_position" INTEGER
                ) STRICT
                """,
                """
                CREATE TABLE "team_members" (
                  "id" INTEGER PRIMARY KEY,
                  "owner" TEXT NOT NULL REFERENCES "team"("id") ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
                  "target" TEXT NOT NULL REFERENCES "person"("id") ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
                  "position" INTEGER NOT NULL
                ) STRICT
                """,
            ]
        )
        let columns = [
            "id", "name", "age", "pay", "tags", "department", "boss", "department_position",
        ]
        .map { "ifnull(\($0), '')" }
        #expect(
            try database.texts("SELECT \(columns.joined(separator: " || '|' || ")) FROM person")
                == [#"p1|Ada "A"|36|4.5|["x","x",""]|d1|p1|0"#, "p2|Bob|||[]||p1|"]
        )
        #expect(
            try database.texts(
                "SELECT target || position FROM team_members WHERE owner = 't1' ORDER BY position"
            )
                == ["p20", "p11", "p22"]
        )
        #expect(try database.texts("PRAGMA integrity_check") == ["ok"])
        #expect(try database.texts("PRAGMA foreign_key_check").isEmpty)
        #expect(
            try database.texts("SELECT name FROM sqlite_schema WHERE sql LIKE 'CREATE UNIQUE%'")
                == ["person_email_index"]
        )
        #expect(report.counts.map(\.rowCount) == [2, 1, 1])
        #expect(report.warningCounts == [.collectionAsText: 1])
    }

    @Test func `deleting a row in the database follows the rules`() throws {
        let library = try company()
        try export(library.store)
        let database = try SQLiteScratch(at: path)
        try database.execute("PRAGMA foreign_keys=ON")
        #expect(throws: SQLiteScratch.Failure.self) {
            try database.execute("DELETE FROM department WHERE id = 'd1'")
        }
        try database.execute("DELETE FROM person WHERE id = 'p1'")
        #expect(try database.texts("SELECT boss FROM person") == ["NULL"])
        #expect(try database.texts("SELECT target FROM team_members") == ["p2", "p2"])
        try database.execute("DELETE FROM department WHERE id = 'd1'")
    }

    @Test func `names that differ only in case, or are SQLite's own, are told apart`() throws {
        var schema = RealmJSONExportTests.schema([
            ("Id", .int), ("x", .int), ("X", .string), ("from", .bool),
        ])
        schema.models[0].name = "sqlite_thing"
        let library = try TemporaryLibrary(schema: Schema(schema))
        _ = try library.store.write { transaction in
            try transaction.put(
                EntityReference(model: "sqlite_thing", id: "1"),
                values: ["Id": .int(7), "x": .int(8), "X": .string("y"), "from": .bool(true)]
            )
        }
        let report = try export(library.store)
        #expect(report.warningCounts == [.changedName: 3])
        let database = try SQLiteScratch(at: path)
        #expect(
            try database.texts(#"SELECT id || Id_2 || x || X_2 || "from" FROM _sqlite_thing"#) == [
                "178y1"
            ]
        )
    }

    @Test func `a list's table that has to be called otherwise is said`() throws {
        var schema = RealmJSONExportTests.schema([("a", .int)])
        schema.models[0].name = "team_members"
        let company = InventedCompany.example.source.schema
        schema.models[0].number = (company.models.map(\.number).max() ?? 0) + 1
        let models = company.models + schema.models
        schema = company
        schema.models = models
        let library = try TemporaryLibrary(schema: Schema(schema))
        let report = try export(library.store)
        let warning = try #require(report.warnings.first { $0.kind == .changedName })
        #expect(warning.message == "The table of team.members is called team_members_2.")
        let database = try SQLiteScratch(at: path)
        #expect(try database.texts("SELECT count(*) FROM team_members_2") == ["0"])
    }

    @Test func `dates have as many digits as tell them, and what is no number is NULL`() throws {
        let library = try TemporaryLibrary(
            schema: Schema(RealmJSONExportTests.schema([("date", .date), ("number", .double)]))
        )
        let dates: [(Double, String)] = [
            (0, "2001-01-01 00:00:00.000"), (-0.25, "2000-12-31 23:59:59.750"),
            (700_000_000.123456, "2023-03-08 20:26:40.123456"),
            (-63_114_076_800, "0000-12-30 00:00:00.000"), (.nan, "NULL"), (1e18, "NULL"),
            (300_000_000_000, "11507-08-17 05:20:00.000"),
        ]
        try library.store.write { transaction in
            for (place, date) in dates.enumerated() {
                try transaction.put(
                    EntityReference(model: "thing", id: String(place)),
                    values: [
                        "date": .date(Date(timeIntervalSinceReferenceDate: date.0)),
                        "number": .double([.nan, -.infinity, 0.1, -0.0][min(place, 3)]),
                    ]
                )
            }
        }
        let report = try export(library.store)
        let database = try SQLiteScratch(at: path)
        #expect(try database.texts("SELECT date FROM thing ORDER BY id") == dates.map(\.1))
        #expect(
            try database.texts("SELECT number FROM thing ORDER BY id").prefix(4) == [
                "NULL", "-Inf", "0.1", "0.0",
            ]
        )
        #expect(report.warningCounts == [.unusualDate: 3, .lostNaN: 1, .lostSign: 4])
    }

    @Test func `what is required is NOT NULL unless a row has no value that SQLite has`() throws {
        var schema = RealmJSONExportTests.schema([
            ("whole", .int), ("number", .double), ("odd", .double), ("date", .date),
            ("never", .date),
        ])
        for place in 0..<5 { schema.models[0].attributes[place].isOptional = false }
        let library = try TemporaryLibrary(schema: Schema(schema))
        try library.store.write { transaction in
            for id in ["1", "2"] {
                try transaction.put(
                    EntityReference(model: "thing", id: id),
                    values: [
                        "whole": .int(1), "number": .double(1),
                        "odd": .double(id == "2" ? .nan : 1),
                        "date": .date(Date(timeIntervalSinceReferenceDate: 0)),
                        "never": .date(Date(timeIntervalSinceReferenceDate: -.infinity)),
                    ]
                )
            }
        }
        try export(library.store)
        let database = try SQLiteScratch(at: path)
        #expect(
            try database.texts(#"SELECT name FROM pragma_table_info('thing') WHERE "notnull""#)
                == ["id", "whole", "number", "date"]
        )
        #expect(try database.texts("SELECT count(*) FROM thing") == ["2"])
    }

    // MARK: What is not

    @Test func `a file that is there is never replaced`() throws {
        try Data("mine".utf8).write(to: URL(filePath: path))
        let library = try company()
        let error = #expect(throws: ExportError.self) { try export(library.store) }
        #expect(error?.code == .fileExists)
        #expect(try files == ["out.sqlite"])
        #expect(FileManager.default.contents(atPath: path) == Data("mine".utf8))
        try FileManager.default.removeItem(atPath: path)
        // One that appears while the export runs, neither.
        let late = #expect(throws: ExportError.self) {
            try export(library.store) { _ in try Data("mine".utf8).write(to: URL(filePath: path)) }
        }
        #expect(late?.code == .fileExists)
        #expect(try files == ["out.sqlite"])
        #expect(FileManager.default.contents(atPath: path) == Data("mine".utf8))
    }

    @Test func `a full disk is an error that leaves nothing behind`() throws {
        let library = try company()
        for pages in [1, 3, 8] {
            let error = #expect(throws: ExportError.self) {
                try export(library.store, pageCountMax: pages)
            }
            #expect(error?.code == .noSpace, "\(pages)")
            #expect(try files.isEmpty)
        }
    }

    @Test func `an export that is stopped leaves nothing behind`() throws {
        struct Enough: Error {}
        let library = try company()
        #expect(throws: Enough.self) { try export(library.store) { _ in throw Enough() } }
        #expect(try files.isEmpty)
    }

    @Test func `a folder that is not there, or is a file, is an error`() throws {
        try Data().write(to: URL(filePath: path))
        let library = try company()
        for place in [directory.path("no/out"), path + "/out", directory.path + "/", ""] {
            let error = #expect(throws: ExportError.self) {
                try library.store.read { _ = try SQLiteExport().write($0, to: place) }
            }
            #expect(error?.code == .cannotCreate, "\(place)")
            #expect(try files == ["out.sqlite"])
        }
    }

    @Test(.enabled(if: geteuid() != 0, "root may write everywhere"))
    func `a folder that may not be written is an error`() throws {
        let folder = directory.path("locked")
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
        try FileManager.default.setAttributes([.posixPermissions: 0o555], ofItemAtPath: folder)
        let error = #expect(throws: ExportError.self) { try NewFile(path: folder + "/out") }
        #expect(error?.code == .cannotCreate)
    }
}
