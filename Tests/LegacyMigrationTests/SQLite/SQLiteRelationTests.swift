import Foundation
import LegacyMigration
import Reprise
import Testing

/// What becomes of foreign keys and join tables.
@Suite struct SQLiteRelationTests {
    private func read(_ sql: String) throws -> (SQLiteDatabaseSource, Readout) {
        let sandbox = try DatabaseSandbox(sql)
        let source = try SQLiteDatabaseSource(path: sandbox.path)
        return (source, try Readout(source))
    }

    private func relation(_ source: SQLiteDatabaseSource, _ name: String) throws
        -> RelationDescription
    {
        try #require(source.schema.relations.first { $0.source.name == name })
    }

    @Test func `a foreign key becomes a to-one, with the rule of its deletion`() throws {
        let (source, readout) = try read(
            """
            CREATE TABLE child(id INTEGER PRIMARY KEY, a INT REFERENCES parent ON DELETE CASCADE,
                b INT REFERENCES parent(id) ON DELETE SET NULL, c TEXT REFERENCES parent(code),
                d INT NOT NULL REFERENCES parent(id) ON DELETE SET NULL);
            CREATE TABLE parent(id INTEGER PRIMARY KEY, code TEXT UNIQUE);
            INSERT INTO parent VALUES(1, 'one'), (2, 'two');
            INSERT INTO child VALUES(1, 1, 2, 'two', 1), (2, NULL, 1, NULL, 1);
            """
        )
        #expect(source.schema.models.map(\.name) == ["parent", "child"])
        #expect(try relation(source, "a").target.onDelete == .cascade)
        #expect(try relation(source, "b").target.onDelete == .nullify)
        #expect(try relation(source, "c").target.onDelete == .deny)
        // SQLite takes nothing out of a column that may not be NULL.
        #expect(try relation(source, "d").target.onDelete == .deny)
        #expect(try relation(source, "a").target.name == "child")
        let child = try #require(readout.record("child", "1"))
        #expect(
            child["a"] == .reference("1") && child["b"] == .reference("2")
                && child["c"] == .reference("2")
        )
        #expect(readout.record("child", "2")?["a"] == nil)
        // Two children have the parent 1 as their `d`, and nothing says in which order.
        #expect(readout.reading.warningCounts == [.orderUnknown: 1])
    }

    @Test func `what leads nowhere is left out and counted`() throws {
        let (_, readout) = try read(
            """
            CREATE TABLE p(id TEXT PRIMARY KEY); INSERT INTO p VALUES('a');
            CREATE TABLE c(p TEXT REFERENCES p(id)); INSERT INTO c VALUES('a'), ('b'), (NULL);
            CREATE TABLE pc(p TEXT REFERENCES p(id), c INT REFERENCES c2(id), position INT);
            CREATE TABLE c2(id INTEGER PRIMARY KEY); INSERT INTO c2 VALUES(7);
            INSERT INTO pc VALUES('a', 7, 0), ('a', 8, 1), ('z', 7, 2), ('a', NULL, 3);
            """
        )
        #expect(readout.count(.danglingReference) == 3)
        #expect(readout.count(.malformedEntry) == 1)
        #expect(readout.members("p", "a", "c2") == ["7"])
    }

    @Test func `the case of a UUID is ignored only where the exact one is missing`() throws {
        let upper = "ABCDEF00-0000-0000-0000-000000000001"
        let both = "ABCDEF00-0000-0000-0000-000000000002"
        let (_, readout) = try read(
            """
            CREATE TABLE p(id TEXT PRIMARY KEY, n INT);
            INSERT INTO p VALUES('\(upper)', 1), ('\(both)', 2), ('\(both.lowercased())', 3);
            CREATE TABLE c(p TEXT REFERENCES p(id));
            INSERT INTO c VALUES('\(upper.lowercased())'), ('\(both)'), ('\(both.lowercased())');
            CREATE TABLE m(id INTEGER PRIMARY KEY); INSERT INTO m VALUES(1), (2), (3);
            CREATE TABLE p_m(p TEXT REFERENCES p(id), m INT REFERENCES m(id), position INT);
            INSERT INTO p_m VALUES('\(upper.lowercased())', 1, 2), ('\(upper)', 2, 1), ('\(both)', 1, 1),
                ('\(both.lowercased())', 2, 2), ('\(both)', 3, 3);
            """
        )
        let targets = readout.records.filter { $0.className == "c" }.map { $0["p"] }
        #expect(targets == [.reference(upper), .reference(both), .reference(both.lowercased())])
        #expect(readout.members("p", upper, "m") == ["2", "1"])
        #expect(readout.members("p", both, "m") == ["1", "3"])
        #expect(readout.members("p", both.lowercased(), "m") == ["2"])
        #expect(readout.lists.count == 3)
    }

    @Test func `keys of several columns, and those without an index, stay plain values`() throws {
        let (source, readout) = try read(
            """
            CREATE TABLE p(a INT, b INT, loose TEXT, other TEXT, PRIMARY KEY(a, b));
            CREATE UNIQUE INDEX nocase ON p(other COLLATE NOCASE);
            CREATE TABLE c(a INT, b INT, loose TEXT REFERENCES p(loose), other TEXT REFERENCES p(other),
                gone TEXT REFERENCES nowhere(id), FOREIGN KEY(a, b) REFERENCES p(a, b));
            INSERT INTO c VALUES(1, 2, 'x', 'y', 'z');
            """
        )
        #expect(source.schema.relations.isEmpty)
        #expect(readout.count(.plainForeignKey) == 4)
        #expect(readout.record("c", "1")?["gone"] == .string("z"))
    }

    @Test(arguments: [
        ("playlistTracks", "playlists"), ("playlist_track", "playlists"),
        ("tracks_in_playlists", "tracks"),
        ("entries", "playlists"),
    ])
    func `a join table becomes a list of what it is named after`(_ table: String, _ owner: String)
        throws
    {
        let (source, readout) = try read(
            """
            CREATE TABLE playlists(id INTEGER PRIMARY KEY, name TEXT); INSERT INTO playlists VALUES(1, 'p');
            CREATE TABLE tracks(id INTEGER PRIMARY KEY, name TEXT); INSERT INTO tracks VALUES(5, 'a'), (6, 'b');
            CREATE TABLE "\(table)"(playlistID INT REFERENCES playlists(id), sortOrder INT,
                trackID INT REFERENCES tracks(id));
            INSERT INTO "\(table)" VALUES(1, 3, 5), (1, 1, 6), (1, 2, 5), (1, 3, 6);
            """
        )
        #expect(source.schema.models.map(\.name) == ["playlists", "tracks"])
        if owner == "playlists" {
            #expect(readout.members("playlists", "1", "tracks") == ["6", "5", "5", "6"])
        } else {
            #expect(readout.members("tracks", "5", "playlists") == ["1", "1"])
        }
        #expect(source.schema.relations.count == 1)
        // Two entries of the playlist have the same place; each track's playlists have not.
        let ties = owner == "playlists" ? 1 : 0
        #expect(readout.count(.joinTable) == 1 && readout.count(.orderUnknown) == ties)
    }

    @Test func `a list without a position stands in the order of the rows, with a warning`() throws
    {
        let (_, readout) = try read(
            """
            CREATE TABLE a(id INTEGER PRIMARY KEY); INSERT INTO a VALUES(1), (2);
            CREATE TABLE b(id INTEGER PRIMARY KEY); INSERT INTO b VALUES(1), (2), (3);
            CREATE TABLE a_b(a INT REFERENCES a(id), b INT REFERENCES b(id));
            INSERT INTO a_b VALUES(1, 3), (2, 1), (1, 1), (1, 2);
            """
        )
        #expect(readout.members("a", "1", "b") == ["3", "1", "2"])
        #expect(readout.count(.orderUnknown) == 1)
    }

    @Test func `a table that joins and says more is a model of its own`() throws {
        let (source, readout) = try read(
            """
            CREATE TABLE a(id INTEGER PRIMARY KEY); INSERT INTO a VALUES(1);
            CREATE TABLE a_a(one INT REFERENCES a(id), two INT REFERENCES a(id), addedAt DATE);
            INSERT INTO a_a VALUES(1, 1, '2020-01-01');
            """
        )
        #expect(source.schema.models.map(\.name) == ["a", "a_a"])
        #expect(readout.record("a_a", "1")?["two"] == .reference("1"))
    }

    private static let people = """
        CREATE TABLE people(id INTEGER PRIMARY KEY, name TEXT); INSERT INTO people VALUES(1, 'p'), (2, 'q');
        CREATE TABLE clubs(id INTEGER PRIMARY KEY, name TEXT); INSERT INTO clubs VALUES(5, 'c'), (6, 'd');

        """

    @Test(arguments: [
        // Its own key says something.
        ("memberships", "card_number TEXT PRIMARY KEY", "'M-1'", "'M-2'"),
        ("memberships", "invoice_no INTEGER PRIMARY KEY", "4711", "4712"),
        ("memberships", "id TEXT PRIMARY KEY", "'M-1'", "'M-2'"),
        ("memberships", "id BLOB PRIMARY KEY", "x'01'", "x'02'"),
        // A column is called after its rows, in whatever way.
        ("visit", "id INTEGER PRIMARY KEY", "7", "8"), ("visits", "id INTEGER PRIMARY KEY", "7", "8"),
        // Its numbers are those of something else.
        ("memberships", "\"order\" INTEGER", "815", "815"), ("memberships", "sequence INT", "3", "3"),
    ])
    func `a table that joins two others and has something of its own stays a table`(
        _ table: String,
        _ column: String,
        _ first: String,
        _ second: String
    ) throws {
        let (source, readout) = try read(
            Self.people + """
                CREATE TABLE \(table)(\(column), person_id INT REFERENCES people(id), club_id INT REFERENCES clubs(id));
                INSERT INTO \(table) VALUES(\(first), 1, 5), (\(second), 1, 6);
                CREATE TABLE note(id INTEGER PRIMARY KEY, visitID INT); INSERT INTO note VALUES(1, 8);
                """
        )
        #expect(source.schema.models.map(\.name).contains(table))
        let rows = readout.records.filter { $0.className == table }
        #expect(rows.count == 2 && readout.lists.isEmpty)
        #expect(rows.map { $0["club_id"] } == [.reference("5"), .reference("6")])
        #expect(readout.count(.joinTable) == 0)
    }

    @Test(arguments: [
        ("id INTEGER PRIMARY KEY", "1", "2"), ("membership_id INTEGER PRIMARY KEY", "1", "2"),
        ("membershipsId INT PRIMARY KEY", "1", "2"), ("Z_PK INTEGER PRIMARY KEY", "1", "2"),
        (
            "id TEXT PRIMARY KEY", "'ABCDEF00-0000-0000-0000-000000000001'",
            "'abcdef00-0000-0000-0000-000000000002'"
        ),
        ("id BLOB PRIMARY KEY", "x'00112233445566778899AABBCCDDEEFF'", "x'00112233445566778899AABBCCDDEEFE'"),
    ])
    func `a key that is only there because there has to be one makes no table of a list`(
        _ column: String,
        _ first: String,
        _ second: String
    ) throws {
        let (source, readout) = try read(
            Self.people + """
                CREATE TABLE memberships(\(column), person_id INT REFERENCES people(id),
                    club_id INT REFERENCES clubs(id), position INT);
                INSERT INTO memberships VALUES(\(first), 1, 5, 2), (\(second), 1, 6, 1);
                CREATE TABLE note(id INTEGER PRIMARY KEY, member_id INT, membership INT);
                """
        )
        #expect(source.schema.models.map(\.name) == ["people", "clubs", "note"])
        #expect(readout.lists.map { Array($0.members) } == [["6", "5"]])
        #expect(readout.reading.warningCounts == [.joinTable: 1])
    }

    private func memberships(_ key: String, _ rows: String, _ other: String) throws -> (Readout, isList: Bool) {
        let (source, readout) = try read(
            Self.people + """
                CREATE TABLE membership(id \(key) PRIMARY KEY, person_id INT REFERENCES people(id),
                    club_id INT REFERENCES clubs(id));
                INSERT INTO membership VALUES\(rows);
                \(other);
                """
        )
        return (readout, isList: !source.schema.models.map(\.name).contains("membership"))
    }

    @Test(arguments: [
        ("membership INTEGER", "70, 71"), ("memberships INT", "71, NULL"), ("membership TEXT", "'70', '71'"),
        ("membership_no", "70, 70"), ("membershipNumber INT", "71, 70"), ("fk_membership INT", "70, 99"),
        ("membership_ref TEXT", "70, 'x'"), ("membershipKey", "71, 3"), ("id_membership INT", "70, 71"),
        ("fk_membership_id INT", "NULL, NULL"),
    ])
    func `a table stays one where a column of another table leads to its rows`(
        _ column: String,
        _ values: String
    ) throws {
        let rows = values.split(separator: ",").map { "(\($0))" }.joined(separator: ", ")
        let (readout, isList) = try memberships(
            "INTEGER",
            "(70, 1, 5), (71, 2, 6)",
            "CREATE TABLE payment(\(column)); INSERT INTO payment VALUES\(rows)"
        )
        #expect(!isList && readout.keys("membership") == ["70", "71"])
        #expect(readout.count(.joinTable) == 0)
    }

    @Test func `a UUID leads to a row in either case of its letters`() throws {
        let (_, isList) = try memberships(
            "TEXT",
            "('ABCDEF00-0000-0000-0000-000000000001', 1, 5)",
            "CREATE TABLE payment(membership); INSERT INTO payment VALUES('abcdef00-0000-0000-0000-000000000001')"
        )
        #expect(!isList)
    }

    @Test(arguments: [
        ("membership TEXT", "'gold', 'silver'"), ("membership INTEGER", "70, 72"), ("membership_no TEXT", "'M-1', 70"),
        ("membership INTEGER", "NULL, NULL"), ("member INT", "70, 71"), ("membership_count INT", "70, 71"),
    ])
    func `a column that may be called after something else makes no table of a list`(
        _ column: String,
        _ values: String
    ) throws {
        let rows = values.split(separator: ",").map { "(\($0))" }.joined(separator: ", ")
        let (readout, isList) = try memberships(
            "INTEGER",
            "(70, 1, 5), (71, 2, 6)",
            "CREATE TABLE payment(\(column)); INSERT INTO payment VALUES\(rows)"
        )
        #expect(isList && readout.lists.count == 2)
    }

    @Test func `the sides of a list are called after its columns without what says that they refer`() throws {
        let (source, _) = try read(
            """
            CREATE TABLE a(id TEXT PRIMARY KEY);
            CREATE TABLE related(first_uuid TEXT REFERENCES a(id), second_uuid TEXT REFERENCES a(id));
            """
        )
        #expect(source.schema.relations.map(\.source.name) == ["second"])
        #expect(source.schema.relations.map(\.target.name) == ["first"])
    }

    @Test func `a foreign key of a column that is computed is no matter of its own`() throws {
        let (_, readout) = try read(
            """
            CREATE TABLE p(id INTEGER PRIMARY KEY); INSERT INTO p VALUES(1);
            CREATE TABLE c(id INTEGER PRIMARY KEY, a INT, p INT AS (a + 0) REFERENCES p(id));
            INSERT INTO c VALUES(1, 1);
            """
        )
        #expect(readout.reading.warningCounts == [.generatedColumn: 1])
    }

    @Test func `tables that refer to each other in a circle are read`() throws {
        let (source, readout) = try read(
            """
            CREATE TABLE a(id INTEGER PRIMARY KEY, b INT REFERENCES b(id), parent INT REFERENCES a(id));
            CREATE TABLE b(id INTEGER PRIMARY KEY, a INT REFERENCES a(id));
            INSERT INTO a VALUES(1, 1, 2), (2, 1, 1); INSERT INTO b VALUES(1, 2);
            """
        )
        #expect(source.schema.models.count == 2)
        #expect(readout.record("a", "1")?["parent"] == .reference("2"))
        #expect(readout.record("b", "1")?["a"] == .reference("2"))
    }

    @Test func `members of the other side come in the order that a column says`() throws {
        let (_, readout) = try read(
            """
            CREATE TABLE lists(id INTEGER PRIMARY KEY);
            INSERT INTO lists VALUES(1), (2);
            CREATE TABLE items(id INTEGER PRIMARY KEY, listID INT REFERENCES lists(id), position INT, title TEXT);
            INSERT INTO items VALUES(1, 1, 2, 'c'), (2, 1, 0, 'a'), (3, 2, 0, 'x'), (4, 1, 1, 'b');
            """
        )
        let items = readout.records.filter {
            $0.className == "items" && $0["listID"] == .reference("1")
        }
        #expect(items.map(\.key) == ["2", "4", "1"])
    }
}
