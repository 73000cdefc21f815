import Foundation
import LegacyMigration
import Reprise
import TestSupport
import Testing

@testable import RepriseCLI

/// Databases as users have them: copied without their log, with dates that nobody declares, with lists in an order.
@Suite struct DatabaseCaseTests {
    /// A file beside those of a case.
    private func database(_ sql: String, _ name: String, _ files: UserFiles) throws {
        let database = try SQLiteScratch(at: files.path(name))
        try database.execute(sql)
        database.close()
    }

    private func date(_ text: String) throws -> Value {
        .date(try Date(text, strategy: Date.ISO8601FormatStyle(includingFractionalSeconds: text.contains("."))))
    }

    private func rules(_ json: String, _ files: UserFiles) throws -> String {
        let path = files.path("rules.json")
        try json.write(toFile: path, atomically: true, encoding: .utf8)
        return path
    }

    // MARK: Copies without their log

    @Test func `a first copy without its log says that the newest changes may be missing`() throws {
        let files = try UserFiles("01-copy-without-wal")
        let strict = files.migrate("nowal/app.sqlite", "--strict")
        #expect(strict.outcome == .badData && strict.diagnostics.contains("app.sqlite-wal"), "\(strict.diagnostics)")
        let answer = files.migrate("nowal/app.sqlite")
        #expect(answer.outcome == .done)
        #expect(answer.output.contains("warning    missingLog: 1"), "\(answer.output)")
        #expect(answer.output.contains("app.sqlite-wal, and that file is not beside it"), "\(answer.output)")
        let verified = files.verify("nowal/app.sqlite")
        #expect(verified.outcome == .done)
        #expect(verified.output.contains("nobody can know whether it says all"), "\(verified.output)")
        #expect(files.verify("nowal/app.sqlite", "--strict").outcome == .no)
    }

    @Test func `a copy without its log takes nothing back that came with the log`() throws {
        let files = try UserFiles("01-copy-without-wal")
        #expect(files.migrate("full/app.sqlite", "--strict").outcome == .done)
        let head = try files.head()
        for options in [[], ["--strict"], ["--dry-run"]] {
            let answer = files.reprise(["migrate", files.path("nowal/app.sqlite"), "--into", files.store] + options)
            #expect(answer.outcome == .badData)
            #expect(answer.diagnostics.contains("it would delete 20 rows and change 1 row."), "\(answer.diagnostics)")
            #expect(answer.diagnostics.contains("--replace-all"), "\(answer.diagnostics)")
        }
        #expect(try files.head() == head)
        // Rows that are new are no reason to refuse it.
        try FileManager.default.copyItem(atPath: files.path("full"), toPath: files.path("quit"))
        try database("INSERT INTO note(id, body) VALUES(900, 'new')", "quit/app.sqlite", files)
        #expect(!FileManager.default.fileExists(atPath: files.path("quit/app.sqlite-wal")))
        let newer = files.migrate("quit/app.sqlite")
        #expect(newer.outcome == .done, "\(newer.diagnostics)")
        #expect(files.migrate("nowal/app.sqlite").outcome == .badData)
        #expect(files.migrate("nowal/app.sqlite", "--replace-all").outcome == .done)
    }

    // MARK: Types

    @Test func `what numbers of dates count is told by all of them`() throws {
        let files = try UserFiles("13-dates-since-2001")
        let answer = files.migrate("app.sqlite")
        #expect(answer.output.contains("seconds since 2001: 2024-01-01 to 2025-01-01."), "\(answer.output)")
        #expect(answer.output.contains("milliseconds since 1970: 2025-10-18."), "\(answer.output)")
        let entries = try files.rows("entry")
        #expect(entries["1"]?["at"] == (try date("2024-01-01T00:00:00.500Z")))
        #expect(entries["2"]?["at"] == (try date("2025-01-01T00:00:00Z")))
        #expect(try files.rows("session")["a"]?["created_at"] == (try date("2025-10-18T12:23:33.941Z")))
        #expect(files.migrate("app.sqlite").output.contains("events     0"))
        #expect(files.verify("app.sqlite").outcome == .done)
    }

    @Test func `a rule of the mapping says what a column is`() throws {
        let files = try UserFiles("13-dates-since-2001")
        let rules = try rules(
            """
            {"classes": {"entry": {"fields": {"at": {"type": "date(unix)"}}},
                         "session": {"fields": {"created_at": {"type": "int"}}}}}
            """,
            files
        )
        let answer = files.migrate("app.sqlite", "--mapping", rules)
        #expect(answer.outcome == .done && !answer.output.contains("guessedDate"), "\(answer.output)")
        #expect(try files.rows("entry")["1"]?["at"] == (try date("1992-12-31T00:00:00.500Z")))
        #expect(try files.rows("session")["a"]?["created_at"] == .int(1_760_790_213_941))
        #expect(files.migrate("app.sqlite", "--mapping", rules).output.contains("events     0"))
        #expect(files.verify("app.sqlite", "--mapping", rules).outcome == .done)
    }

    @Test func `a rule says it of tables of text and lines of JSON too`() throws {
        let files = try UserFiles("13-dates-since-2001")
        try "id,day,apple,flag,price\n1,2460310.5,725760000,1,1.50\n"
            .write(toFile: files.path("rows.csv"), atomically: true, encoding: .utf8)
        try "{\"id\":\"1\",\"at\":1704067200000,\"ref\":\"00112233-4455-6677-8899-AABBCCDDEEFF\"}\n"
            .write(toFile: files.path("lines.ndjson"), atomically: true, encoding: .utf8)
        let table = try rules(
            """
            {"classes": {"rows": {"fields": {"day": {"type": "date(julian)"}, "apple": {"type": "date(apple)"},
                "flag": {"type": "bool"}, "price": {"type": "decimal"}}}}}
            """,
            files
        )
        #expect(files.migrate("rows.csv", "--mapping", table).outcome == .done)
        let row = try #require(try files.rows("rows")["1"])
        let day = try date("2024-01-01T00:00:00Z")
        #expect(row["day"] == day && row["apple"] == day && row["flag"] == .bool(true))
        #expect(row["price"] == .decimal(Decimal(string: "1.5") ?? 0))
        let other = try UserFiles("13-dates-since-2001")
        try FileManager.default.copyItem(atPath: files.path("lines.ndjson"), toPath: other.path("lines.ndjson"))
        let lines = try rules(
            """
            {"classes": {"lines": {"fields": {"at": {"type": "date(unixMilliseconds)"}, "ref": {"type": "uuid"}}}}}
            """,
            other
        )
        let answer = other.migrate("lines.ndjson", "--mapping", lines)
        #expect(answer.outcome == .done, "\(answer.diagnostics)")
        let line = try #require(try other.rows("lines")["1"])
        #expect(line["at"] == day)
        #expect(line["ref"] == .uuid(try #require(UUID(uuidString: "00112233-4455-6677-8899-AABBCCDDEEFF"))))
    }

    @Test func `texts that are all dates and flags of 0 and 1 become dates and yes or no`() throws {
        let files = try UserFiles("21-sqlitedata-types")
        let answer = files.migrate("todo.sqlite")
        #expect(answer.output.contains("reminders.dueDate has only texts that are dates"), "\(answer.output)")
        #expect(answer.output.contains("2024-02-02 to 2024-12-24."), "\(answer.output)")
        #expect(answer.output.contains("reminders.isFlagged has only 0 and 1"), "\(answer.output)")
        let rows = try files.rows("reminders")
        let second = try #require(rows["00000000-0000-0000-0000-0000000003e9"])
        #expect(second["dueDate"] == (try date("2024-02-02T09:00:00Z")))
        #expect(rows.values.count { $0["isFlagged"] == .bool(true) } == 14)
        // A status is none, though all there are is 0 and 1.
        #expect(second["status"] == .int(1))
        let other = try UserFiles("21-sqlitedata-types")
        let rules = try rules(
            "{\"classes\": {\"reminders\": {\"fields\": {\"isFlagged\": {\"type\": \"int\"}}}}}",
            other
        )
        #expect(other.migrate("todo.sqlite", "--mapping", rules).outcome == .done)
        #expect(try other.rows("reminders")["00000000-0000-0000-0000-0000000003e9"]?["isFlagged"] == .int(0))
    }

    // MARK: Orders

    @Test func `a customary name gives the order of a list in a store of SwiftData`() throws {
        let files = try UserFiles("18-swiftdata-orderindex")
        let answer = files.migrate("trips.store")
        #expect(try files.members("stops", of: "Trip", "2") == ["2", "1"])
        #expect(answer.output.contains("does not say the order of Person.trips;"), "\(answer.output)")
        #expect(!answer.output.contains("the order of Trip.stops"), "\(answer.output)")
    }

    @Test(arguments: [
        ("position", true), ("sortOrder", true), ("order_index", true), ("idx", true), ("seq", true),
        ("display_order", true), ("weight", false),
    ])
    func `a customary name gives the order of a list, and where there is none that is said`(
        _ column: String,
        _ isOrder: Bool
    ) throws {
        let files = try UserFiles("18-swiftdata-orderindex")
        try database(
            """
            CREATE TABLE trip(id INTEGER PRIMARY KEY, name TEXT); INSERT INTO trip VALUES(1, 'Oslo');
            CREATE TABLE stop(id INTEGER PRIMARY KEY, name TEXT, tripId INTEGER REFERENCES trip(id), \(column) INTEGER);
            INSERT INTO stop VALUES(1, 'Hotel', 1, 5), (2, 'Airport', 1, 3);
            """,
            "plan.sqlite",
            files
        )
        let answer = files.migrate("plan.sqlite")
        #expect(try files.members("stop", of: "trip", "1") == (isOrder ? ["2", "1"] : ["1", "2"]))
        #expect(answer.output.contains("does not say the order of trip.stop;") != isOrder, "\(answer.output)")
    }

    // MARK: Music

    @Test func `tables of artists and genres are followed, and playlists have entries`() throws {
        let files = try UserFiles("05-music-guess-chinook")
        let answer = files.migrate("app.sqlite", "--strict")
        #expect(answer.outcome == .done, "\(answer.diagnostics)")
        let tracks = try files.rows("track")
        #expect(tracks["1"]?["artist"] == .string("Ann") && tracks["1"]?["genre"] == .string("Folk"))
        #expect(tracks["1"]?["duration"] == .double(215) && tracks["2"]?["duration"] == .double(60.5))
        #expect(try files.rows("album")["1"]?["artist"] == .string("Ann"))
        #expect(try files.members("tracks", of: "playlist", "1") == ["2", "1"])
        #expect(files.migrate("app.sqlite").output.contains("events     0"))
        #expect(files.verify("app.sqlite").outcome == .done)
        try database("UPDATE Artist SET Name = 'Bea'", "app.sqlite", files)
        #expect(files.migrate("app.sqlite", "--replace-all").outcome == .done)
        #expect(try files.rows("track")["1"]?["artist"] == .string("Bea"))
    }

    @Test func `an app that has more than music keeps all of it, and a line says how to have the music alone`() throws {
        let files = try UserFiles("05-music-guess-chinook")
        try database(
            """
            CREATE TABLE Invoice(InvoiceId INTEGER PRIMARY KEY, Total REAL, TrackId INTEGER REFERENCES Track(TrackId));
            INSERT INTO Invoice VALUES(1, 0.99, 1);
            """,
            "app.sqlite",
            files
        )
        let answer = files.migrate("app.sqlite")
        #expect(answer.outcome == .done)
        #expect(try files.rows("Invoice").count == 1 && files.rows("Artist").count == 1)
        let notice = ExportMapping.automatic.notice(of: try SQLiteDatabaseSource(path: files.path("app.sqlite")))
        #expect(notice?.contains("Use --mapping music for the music alone.") == true)
        let music = files.reprise(
            "migrate", files.path("app.sqlite"), "--into", files.path("m.reprise"), "--mapping", "music"
        )
        #expect(music.output.contains("2 tracks, 1 album, 1 playlist"), "\(music.output)")
        #expect(music.output.contains("There is no model for Invoice"), "\(music.output)")
    }

    // MARK: Full-text tables

    @Test func `full-text tables with rows of their own become classes, and others are left out`() throws {
        let files = try UserFiles("21-sqlitedata-types")
        try database(
            """
            CREATE TABLE note(id INTEGER PRIMARY KEY, body TEXT); INSERT INTO note VALUES(1, 'x');
            CREATE VIRTUAL TABLE help USING fts4(title, body, tokenize=porter);
            INSERT INTO help(docid, title, body) VALUES(7, 'A', 'b c');
            CREATE VIRTUAL TABLE page USING fts5("the title", body UNINDEXED, tokenize = 'trigram');
            INSERT INTO page(rowid, "the title", body) VALUES(3, 'T', 'B');
            CREATE VIRTUAL TABLE note_search USING fts5(body, content='note', content_rowid='id');
            """,
            "search.sqlite",
            files
        )
        let answer = files.migrate("search.sqlite", "--strict")
        #expect(answer.outcome == .done, "\(answer.diagnostics)")
        #expect(try files.schema().models.map(\.name) == ["note", "help", "page"])
        let help = try #require(try files.rows("help")["7"])
        #expect(help["title"] == .string("A") && help["body"] == .string("b c"))
        #expect(try files.rows("page")["3"]?["the_title"] == .string("T"))
        #expect(
            answer.output.contains("note_search is a full-text index of rows that other tables have; it was left out."),
            "\(answer.output)"
        )
        #expect(files.verify("search.sqlite").outcome == .done)
    }

    // MARK: Names

    @Test func `names in other letters can be typed, and the report says what they were`() throws {
        let files = try UserFiles("21-sqlitedata-types")
        try database(
            """
            CREATE TABLE "Müsli"(id INTEGER PRIMARY KEY, "Größe" TEXT, "Groesse_2" TEXT);
            CREATE TABLE "Заметка"(id INTEGER PRIMARY KEY, "текст" TEXT);
            CREATE TABLE "音楽"(id INTEGER PRIMARY KEY, "題名" TEXT);
            INSERT INTO "Müsli" VALUES(1, 'L', 'x');
            """,
            "names.sqlite",
            files
        )
        let answer = files.migrate("names.sqlite")
        let models = try files.schema().models
        #expect(models.map(\.name).prefix(2) == ["Muesli", "Zametka"])
        #expect(models[0].attributes.map(\.name) == ["id_2", "Groesse", "Groesse_2"])
        #expect(models[2].name.hasPrefix("class_") && models[2].name.count == 12)
        #expect(models[2].attributes[1].name.hasPrefix("field_"))
        #expect(answer.output.contains("The class \"Müsli\" is called Muesli here."), "\(answer.output)")
        #expect(files.migrate("names.sqlite").output.contains("events     0"))
        #expect(files.verify("names.sqlite").outcome == .done)
    }

    @Test func `a store with the names that builds before gave keeps them`() throws {
        let files = try UserFiles("21-sqlitedata-types")
        try database(
            """
            CREATE TABLE "Müsli"(id INTEGER PRIMARY KEY, "Größe" TEXT); INSERT INTO "Müsli" VALUES(1, 'L');
            """,
            "names.sqlite",
            files
        )
        let old = try rules(
            """
            {"classes": {"Muesli": {"model": "M_sli_49d1fa1b", "fields": {"Groesse": "Gr__e_22b631d8"}}}}
            """,
            files
        )
        #expect(files.migrate("names.sqlite", "--mapping", old).outcome == .done)
        #expect(files.migrate("names.sqlite").output.contains("events     0"))
        try database("INSERT INTO \"Müsli\" VALUES(2, 'XL')", "names.sqlite", files)
        #expect(files.migrate("names.sqlite").outcome == .done)
        #expect(try files.schema().models.map(\.name) == ["M_sli_49d1fa1b"])
        #expect(try files.rows("M_sli_49d1fa1b")["2"]?["Gr__e_22b631d8"] == .string("XL"))
        #expect(files.verify("names.sqlite").outcome == .done)
    }
}
