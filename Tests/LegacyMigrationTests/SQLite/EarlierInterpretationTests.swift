import Foundation
import LegacyMigration
import Reprise
import TestSupport
import Testing

/// A newer export of a database is understood as the one before it, whatever its new rows would say by themselves
/// (Specs/format/migration.md, "Decisions").
@Suite struct EarlierInterpretationTests {
    @Test(arguments: [
        // Julian days, and a number that is none.
        ("DATETIME", "(1, 2460310.5), (2, 2460311.25)", "0"),
        ("REAL", "(1, 2460310.5), (2, 2460311.25)", "17.5"),
        ("DATETIME", "(1, 2460310.5), (2, 2460311.25)", "'some day'"),
        ("DATETIME", "(1, 2460310.5), (2, '2024-01-01')", "9"),
        // Dates, and what is none.
        ("DATETIME", "(1, '2024-01-01'), (2, 1700000000)", "'some day'"),
        ("DATETIME", "(1, '2024-01-01'), (2, 1700000000)", "1700000000000"),
        ("DATETIME", "(1, '2024-01-01'), (2, 1700000000)", "x'00'"),
        // Numbers, and what is none.
        ("INT", "(1, 7), (2, 8)", "'eight'"), ("INT", "(1, 7), (2, 8)", "x'08'"), ("REAL", "(1, 7), (2, 8)", "'eight'"),
        ("BOOLEAN", "(1, 0), (2, 1)", "2"), ("DECIMAL", "(1, 1.5), (2, 2)", "'much'"), ("INT", "(1, 7), (2, 8)", "8.5"),
    ])
    func `one value of another sort is left out and counted, and all others stay as they are`(
        _ type: String,
        _ rows: String,
        _ odd: String
    ) throws {
        let sequel = try DatabaseSequel(
            "CREATE TABLE t(id INTEGER PRIMARY KEY, release_date \(type)); INSERT INTO t VALUES\(rows);"
        )
        let before = try sequel.values("t", "release_date")
        #expect(before.count == 2 && !before.values.contains(.null))
        try sequel.change("INSERT INTO t VALUES(3, \(odd))")
        let report = try sequel.again()
        #expect(report.counts["t"]?.inserted == 1 && report.counts["t"]?.updated == 0)
        #expect(report.warningCounts[.unexpectedType] == 1)
        #expect(!report.isLossless)
        let after = try sequel.values("t", "release_date")
        #expect(after["1"] == before["1"] && after["2"] == before["2"] && after["3"] == .null)
    }

    @Test(arguments: [
        // What was kept as text or data goes on so, though all values have become numbers.
        ("v", "(1, 7), (2, 'x')", "UPDATE t SET v = 8 WHERE id = 2", Value.string("7"), Value.string("8")),
        (
            "v", "(1, 7), (2, x'01')", "UPDATE t SET v = 8 WHERE id = 2", Value.data(Data("7".utf8)),
            Value.data(Data("8".utf8))
        ),
        (
            "v DATETIME", "(1, 2460310.5), (2, 17)", "UPDATE t SET v = 18.5 WHERE id = 2",
            Value.date(Date(timeIntervalSince1970: 2_460_310.5)), Value.date(Date(timeIntervalSince1970: 18.5))
        ),
    ])
    func `a column goes on as it was understood though its values could be something else now`(
        _ column: String,
        _ rows: String,
        _ change: String,
        _ unchanged: Value,
        _ changed: Value
    ) throws {
        let sequel = try DatabaseSequel(
            "CREATE TABLE t(id INTEGER PRIMARY KEY, \(column)); INSERT INTO t VALUES\(rows);"
        )
        try sequel.change(change)
        let report = try sequel.again()
        #expect(report.counts["t"]?.updated == 1 && report.warningCounts[.unexpectedType] == nil)
        #expect(try sequel.values("t", "v") == ["1": unchanged, "2": changed])
    }

    // MARK: Lists

    private static let playlists = """
        CREATE TABLE playlist(id INTEGER PRIMARY KEY, name TEXT); CREATE TABLE track(id INTEGER PRIMARY KEY, name TEXT);
        CREATE TABLE playlist_track(id INTEGER PRIMARY KEY, playlist_id INT REFERENCES playlist(id),
            track_id INT REFERENCES track(id), rank INT);
        INSERT INTO playlist VALUES(1, 'p'); INSERT INTO track VALUES(1, 'a'), (2, 'b'), (3, 'c');
        INSERT INTO playlist_track VALUES(1, 1, 2, 1), (2, 1, 1, 2);

        """

    private static let moreInIt: [(String, Set<LegacyWarning.Kind>)] = [
        // What it was sorted by says something else now.
        ("INSERT INTO playlist_track VALUES(3, 1, 3, 2)", [.unmappedProperty]),
        ("INSERT INTO playlist_track VALUES(3, 1, 3, 'last')", [.unmappedProperty]),
        ("INSERT INTO playlist_track VALUES(3, 1, 3, 3)", []),
        (
            "ALTER TABLE playlist_track ADD COLUMN note TEXT; INSERT INTO playlist_track VALUES(3, 1, 3, 3, 'hm')",
            [.unmappedProperty]
        ),
        (
            "CREATE TABLE play(id INTEGER PRIMARY KEY, entry INT REFERENCES playlist_track(id)); "
                + "INSERT INTO play VALUES(1, 1); INSERT INTO playlist_track VALUES(3, 1, 3, 3)",
            [.unmappedProperty]
        ),
        (
            "ALTER TABLE track ADD COLUMN playlist_track_id INT; INSERT INTO playlist_track VALUES(3, 1, 3, 3)",
            []
        ),
    ]

    @Test(arguments: moreInIt)
    func `a list stays one, though its rows or other tables say that its table is more`(
        _ change: String,
        _ losses: Set<LegacyWarning.Kind>
    ) throws {
        let sequel = try DatabaseSequel(Self.playlists)
        #expect(try sequel.entries(of: "track", "playlist", "1") == ["2", "1"])
        try sequel.change(change)
        let report = try sequel.again()
        #expect(try sequel.entries(of: "track", "playlist", "1") == ["2", "1", "3"])
        #expect(report.warningCounts[.vanishedProperty] == nil)
        #expect(Set(report.warningCounts.keys.filter { !$0.isNote }) == losses)
    }

    @Test func `an entry of a list with a key that somebody made up is said to lose it`() throws {
        let tables = Self.playlists.replacingOccurrences(of: "_track(id INTEGER", with: "_track(id")
        let sequel = try DatabaseSequel(tables)
        try sequel.change("INSERT INTO playlist_track VALUES('mine', 1, 3, 3)")
        let report = try sequel.again()
        #expect(try sequel.entries(of: "track", "playlist", "1") == ["2", "1", "3"])
        #expect(report.warningCounts[.unmappedProperty] == 1)
    }

    @Test func `a table with records keeps them though it could be a list now`() throws {
        let sequel = try DatabaseSequel(Self.playlists + "INSERT INTO playlist_track VALUES(3, 1, 3, 2);")
        #expect(try sequel.library.store.schema.models.count == 3)
        try sequel.change("UPDATE playlist_track SET rank = 3 WHERE id = 3")
        let report = try sequel.again()
        #expect(report.counts["playlist_track"]?.updated == 1)
        #expect(report.isLossless)
    }

    @Test func `a column that says where entries stand puts a list in order, and without it rows do`() throws {
        let sequel = try DatabaseSequel(Self.playlists)
        try sequel.change("ALTER TABLE playlist_track DROP COLUMN rank; INSERT INTO playlist_track VALUES(3, 1, 3)")
        var report = try sequel.again()
        #expect(report.warningCounts[.orderUnknown] == 1)
        #expect(try sequel.entries(of: "track", "playlist", "1") == ["2", "1", "3"])
        try sequel.change(
            "ALTER TABLE playlist_track ADD COLUMN position INT; UPDATE playlist_track SET position = -id"
        )
        report = try sequel.again()
        #expect(try sequel.entries(of: "track", "playlist", "1") == ["3", "1", "2"])
        #expect(report.warningCounts[.unmappedProperty] == nil && report.warningCounts[.orderUnknown] == nil)
    }

    @Test func `a column that was a plain value stays one though it refers to rows now`() throws {
        let sequel = try DatabaseSequel(
            """
            CREATE TABLE album(id INTEGER PRIMARY KEY); CREATE TABLE track(id INTEGER PRIMARY KEY, album INT);
            INSERT INTO album VALUES(1), (2); INSERT INTO track VALUES(1, 2);
            """
        )
        try sequel.change(
            """
            ALTER TABLE track RENAME TO old; CREATE TABLE track(id INTEGER PRIMARY KEY, album INT REFERENCES album(id));
            INSERT INTO track SELECT * FROM old; DROP TABLE old; INSERT INTO track VALUES(2, 1);
            """
        )
        let report = try sequel.again()
        #expect(try sequel.values("track", "album") == ["1": .int(2), "2": .int(1)])
        #expect(report.warningCounts == [.plainForeignKey: 1])
    }

    // MARK: Keys

    @Test(arguments: [
        // From row numbers to a key, and to another unique column.
        ("name TEXT, v INT", "name TEXT NOT NULL UNIQUE, v INT"), ("name TEXT, v INT", "name TEXT PRIMARY KEY, v INT"),
        ("name TEXT NOT NULL UNIQUE, v INT", "name TEXT, v INT"),
        ("name TEXT NOT NULL UNIQUE, v INT", "name TEXT NOT NULL, v INTEGER PRIMARY KEY"),
        ("name TEXT NOT NULL, v INT NOT NULL, UNIQUE(name, v)", "name TEXT NOT NULL UNIQUE, v INT"),
    ])
    func `rows stay the same where a table gains another key and still has the one before`(
        _ before: String,
        _ after: String
    ) throws {
        let sequel = try DatabaseSequel("CREATE TABLE t(\(before)); INSERT INTO t VALUES('a', 1), ('b', 2), ('c', 3);")
        try sequel.change(
            "ALTER TABLE t RENAME TO old; CREATE TABLE t(\(after)); INSERT INTO t SELECT * FROM old; DROP TABLE old; "
                + "INSERT INTO t VALUES('d', 4)"
        )
        let report = try sequel.again()
        let counts = try #require(report.counts["t"])
        #expect(counts.inserted == 1 && counts.deleted == 0 && counts.updated == 0)
        #expect(report.warningCounts[.changedKey] == nil)
    }

    @Test func `where the columns that told rows apart are gone, that is a loss, and equal keys are the same`() throws {
        let sequel = try DatabaseSequel(
            """
            CREATE TABLE t(name TEXT NOT NULL UNIQUE, v INT); INSERT INTO t VALUES('a', 1), ('b', 2);
            CREATE TABLE u(id TEXT PRIMARY KEY, v INT); INSERT INTO u VALUES('a', 1), ('b', 2);
            """
        )
        #expect(sequel.first.isLossless)
        try sequel.change("ALTER TABLE t RENAME COLUMN name TO title; ALTER TABLE u RENAME COLUMN id TO uid")
        let source = try SQLiteFormat.source(path: sequel.sandbox.path)
        let report = try Migrator(replacing: source, store: sequel.library.store).run()
        #expect(report.warningCounts[.changedKey] == 2 && !LegacyWarning.Kind.changedKey.isNote)
        for model in ["t", "u"] {
            let counts = try #require(report.counts[model])
            #expect(counts.inserted == 0 && counts.deleted == 0)
        }
        // From then on they are told apart by these.
        let next = try Migrator(replacing: source, store: sequel.library.store).run()
        #expect(next.eventCount == 0 || next.warningCounts[.changedKey] == nil)
    }

    @Test func `an identifier of another sort changes nothing for the others`() throws {
        let sequel = try DatabaseSequel(
            "CREATE TABLE t(id PRIMARY KEY, v INT); INSERT INTO t VALUES('a', 1), ('b', 2);"
        )
        try sequel.change("INSERT INTO t VALUES(7, 3)")
        let report = try sequel.again()
        #expect(report.counts["t"]?.inserted == 1 && report.warningCounts == [:])
        #expect(try Set(sequel.values("t", "v").keys) == ["7", "a", "b"])
    }

    // MARK: Everything else

    @Test func `an app of Core Data goes on as before where its store does not say what columns are`() throws {
        let sequel = try DatabaseSequel(
            """
            \(CoreDataTables.sql("(1, 'Song', 0, 2), (2, 'Disc', 0, 2), (3, 'Label', 0, 2)"))
            CREATE TABLE ZSONG(Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZALBUM INTEGER, ZRATING INTEGER,
                ZFILE BLOB);
            CREATE INDEX ZSONG_ZALBUM_INDEX ON ZSONG(ZALBUM);
            CREATE TABLE ZDISC(Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER);
            CREATE TABLE ZLABEL(Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER);
            INSERT INTO ZSONG VALUES(1, 1, 1, 8, 3, x'02'), (2, 1, 1, 9, 4, x'0203');
            INSERT INTO ZDISC VALUES(8, 2, 1), (9, 2, 1); INSERT INTO ZLABEL VALUES(8, 3, 1), (7, 3, 1);
            """,
            named: "default.store"
        )
        #expect(try sequel.values("Song", "album")["1"] == .reference("8"))
        // Now either fits, and a number and some bytes have become texts.
        try sequel.change(
            """
            UPDATE ZSONG SET ZALBUM = 8; UPDATE ZSONG SET ZRATING = 'four', ZFILE = 'none' WHERE Z_PK = 2;
            """
        )
        let report = try sequel.again()
        #expect(try sequel.values("Song", "album") == ["1": .reference("8"), "2": .reference("8")])
        #expect(try sequel.values("Song", "rating") == ["1": .int(3), "2": .null])
        #expect(report.warningCounts[.unexpectedType] == 1)
    }

    @Test func `a mapping and a closure change nothing about it`() throws {
        let sandbox = try DatabaseSandbox(
            "CREATE TABLE t(id INTEGER PRIMARY KEY, day DATETIME); INSERT INTO t VALUES(1, 2460310.5);"
        )
        func source() throws -> MappedSource {
            let mapping = try RecordMapping(json: Array(#"{"classes":{"t":{"fields":{"day":"when"}}}}"#.utf8))
            return try MappedSource(SQLiteDatabaseSource(path: sandbox.path), mapping) { $0 }
        }
        let library = try TemporaryLibrary(for: source())
        _ = try Migrator(replacing: source(), store: library.store).run()
        let database = try SQLiteScratch(at: sandbox.path)
        try database.execute("INSERT INTO t VALUES(2, 3)")
        database.close()
        let report = try Migrator(replacing: source(), store: library.store).run()
        #expect(report.counts["t"]?.updated == 0 && report.warningCounts[.unexpectedType] == 1)
    }

    @Test func `looking at the values once more can be cancelled, and nothing is written then`() throws {
        let rows = (1...3000).map { "(\($0), 2460000.5)" }.joined(separator: ", ")
        let sequel = try DatabaseSequel(
            "CREATE TABLE t(id INTEGER PRIMARY KEY, day DATETIME); INSERT INTO t VALUES\(rows);"
        )
        try sequel.change("INSERT INTO t VALUES(9000, 5)")
        let source = try SQLiteDatabaseSource(path: sequel.sandbox.path)
        let digest = try sequel.library.store.read { $0.digest }
        #expect { try Migrator(replacing: source, store: sequel.library.store).run { _ in false } } throws: {
            ($0 as? MigrationError)?.code == .cancelled
        }
        #expect { try MigrationVerifier(source: source, store: sequel.library.store).run { _ in false } } throws: {
            ($0 as? MigrationError)?.code == .cancelled
        }
        #expect(try sequel.library.store.read { $0.digest } == digest)
    }

    @Test func `the log has these very words for it`() throws {
        let sequel = try DatabaseSequel(
            """
            CREATE TABLE Album(id TEXT PRIMARY KEY, day REAL, "a""b" BLOB, none INT, n); CREATE TABLE track(v INT);
            INSERT INTO Album VALUES('x', 2460310.5, x'00', NULL, 1.5); INSERT INTO track VALUES(1);
            CREATE TABLE pair(a TEXT REFERENCES Album(id), b TEXT REFERENCES Album(id), position INT);
            INSERT INTO pair VALUES('x', 'x', 1);
            CREATE TABLE two(a INT, b INT, c TEXT REFERENCES Album(id), PRIMARY KEY(a, b));
            INSERT INTO two VALUES(1, 2, 'x');
            CREATE TABLE days(id INTEGER PRIMARY KEY, t DATE, s DATE, j DATE);
            INSERT INTO days VALUES(1, '2024-01-01', 1, 2460310.5);
            """
        )
        let payload = try sequel.library.store.read { state in
            try state.annotation(name: "migration.understood", key: "sqlite:test.db")?.payload
        }
        let text = String(decoding: try #require(payload), as: UTF8.self)
        let expected = [
            #""form \"album\".\"a\"\"b\"","data""#, #""form \"album\".\"day\"","double""#,
            #""form \"album\".\"id\"","identifier""#, #""form \"album\".\"n\"","double""#,
            #""form \"album\".\"none\"","int""#, #""form \"days\".\"id\"","int""#,
            #""form \"days\".\"j\"","date","julianDays""#, #""form \"days\".\"s\"","date","seconds""#,
            #""form \"days\".\"t\"","date""#, #""form \"track\".\"v\"","int""#, #""form \"two\".\"a\"","int""#,
            #""form \"two\".\"b\"","int""#, #""form \"two\".\"c\"","reference""#, #""key \"album\"","columns","id""#,
            #""key \"days\"","columns","id""#, #""key \"pair\"","rowid""#, #""key \"track\"","rowid""#,
            #""key \"two\"","made","a","b""#, #""list \"album\"","table""#, #""list \"days\"","table""#,
            #""list \"pair\"","list","a","b","position""#, #""list \"track\"","table""#, #""list \"two\"","table""#,
            #""sorts \"album\"","text""#, #""sorts \"days\"","integer""#, #""sorts \"pair\"""#,
            #""sorts \"track\"""#, #""sorts \"two\"","integer","integer""#,
        ]
        #expect(text == #"{"migration":"m1","choices":[["# + expected.joined(separator: "],[") + "]]}")
    }
}
