import Foundation
import LegacyMigration
import Reprise
import Testing

/// Whose list an entry belongs to, and where it stands.
@Suite struct SQLiteOrderTests {
    private func read(_ sql: String) throws -> (SQLiteDatabaseSource, Readout) {
        let sandbox = try DatabaseSandbox(sql)
        let source = try SQLiteDatabaseSource(path: sandbox.path)
        return (source, try Readout(source))
    }

    @Test func `entries that name their owner in several ways are one list`() throws {
        let (_, readout) = try read(
            """
            CREATE TABLE playlists(id TEXT PRIMARY KEY COLLATE NOCASE, name TEXT);
            INSERT INTO playlists VALUES('Abc', 'p'), ('other', 'q');
            CREATE TABLE tracks(id INTEGER PRIMARY KEY, name TEXT);
            INSERT INTO tracks VALUES(1, 'a'), (2, 'b'), (3, 'c');
            CREATE TABLE playlist_tracks(playlist_id TEXT REFERENCES playlists(id),
                track_id INT REFERENCES tracks(id), position INT);
            INSERT INTO playlist_tracks VALUES('Abc', 1, 3), ('OTHER', 2, 0), ('abc', 2, 1), ('ABC', 3, 2),
                ('other', 1, 1);
            """
        )
        #expect(readout.lists.count == 2)
        #expect(readout.members("playlists", "Abc", "tracks") == ["2", "3", "1"])
        #expect(readout.members("playlists", "other", "tracks") == ["2", "1"])
        #expect(readout.count(.danglingReference) == 0)
    }

    @Test(arguments: ["INTEGER", "TEXT", "REAL"])
    func `an owner is found whatever its number is stored as`(_ type: String) throws {
        let (_, readout) = try read(
            """
            CREATE TABLE a(k \(type) UNIQUE, name TEXT); INSERT INTO a VALUES(1, 'x'), (2, 'y');
            CREATE TABLE b(id INTEGER PRIMARY KEY); INSERT INTO b VALUES(1), (2), (3);
            CREATE TABLE a_b(a REFERENCES a(k), b INT REFERENCES b(id), position INT);
            INSERT INTO a_b VALUES(1, 1, 3), ('1', 2, 1), (2, 2, 1), (1, 3, 2), ('3', 1, 0);
            """
        )
        // What a text finds in a column of numbers is up to SQLite: the same for both.
        #expect(readout.lists.count == 2)
        #expect(readout.members("a", "1", "b") == ["2", "3", "1"])
        #expect(readout.members("a", "2", "b") == ["2"])
        #expect(readout.count(.danglingReference) == 1)
    }

    private static let order = """
        CREATE TABLE orders(id INTEGER PRIMARY KEY); INSERT INTO orders VALUES(1), (2);
        CREATE TABLE products(id INTEGER PRIMARY KEY); INSERT INTO products VALUES(1), (2);

        """

    @Test(arguments: [
        ("ordered_quantity", "(1, 1, 500), (1, 2, 3)"), ("rank", "(1, 1, 5), (1, 2, 5)"),
        ("purchaseOrder", "(1, 1, 9), (1, 2, 9)"), ("indexed", "(1, 1, 1), (1, 2, 2)"),
        ("position", "(1, 1, 'front'), (1, 2, 2)"),
    ])
    func `a column that only sounds like a position is kept`(_ column: String, _ rows: String)
        throws
    {
        let (source, readout) = try read(
            Self.order + """
                CREATE TABLE order_products(o INT REFERENCES orders(id), p INT REFERENCES products(id),
                    \(column) INT NOT NULL);
                INSERT INTO order_products VALUES\(rows);
                """
        )
        #expect(source.schema.models.map(\.name).contains("order_products"))
        #expect(readout.keys("order_products").count == 2 && readout.lists.isEmpty)
        #expect(
            readout.records.filter { $0.className == "order_products" }.allSatisfy {
                $0[column] != nil
            }
        )
    }

    @Test(arguments: [
        "position", "sortOrder", "sort_order", "trackIndex", "order_key", "positionInOrder", "RANK",
    ])
    func `a column that says the position becomes the order, which is said`(_ column: String) throws
    {
        let (_, readout) = try read(
            Self.order + """
                CREATE TABLE order_products(o INT REFERENCES orders(id), p INT REFERENCES products(id), \(column) INT);
                INSERT INTO order_products VALUES(1, 1, 20), (1, 2, 10), (2, 1, 20);
                """
        )
        #expect(readout.members("orders", "1", "products") == ["2", "1"])
        #expect(readout.reading.warningCounts == [.joinTable: 1])
        #expect(readout.warnings.first?.message.contains(column) == true)
    }

    @Test(arguments: [
        ("al TEXT REFERENCES al(id), al_position INT, pl TEXT REFERENCES pl(id), pl_position INT", true),
        ("al TEXT REFERENCES al(id), al_position INT, pl TEXT REFERENCES pl(id), other INT", false),
        ("al TEXT REFERENCES al(id), alOrder INT, pl TEXT REFERENCES pl(id), plIndex INT", true),
        ("al TEXT REFERENCES al(id), title INT, pl TEXT REFERENCES pl(id), pl_position INT", false),
    ])
    func `an order of a second to-one, which records cannot have as well, is said`(
        _ columns: String,
        _ isSaid: Bool
    ) throws {
        let (_, readout) = try read(
            """
            CREATE TABLE al(id TEXT PRIMARY KEY); INSERT INTO al VALUES('A');
            CREATE TABLE pl(id TEXT PRIMARY KEY); INSERT INTO pl VALUES('P');
            CREATE TABLE tr(id TEXT PRIMARY KEY, \(columns), title2 TEXT);
            INSERT INTO tr VALUES('t1', 'A', 1, 'P', 3, 'x'), ('t2', 'A', 2, 'P', 2, 'y'), ('t3', 'A', 3, 'P', 1, 'z');
            """
        )
        #expect(readout.count(.lostOrder) == (isSaid ? 1 : 0))
        #expect(!isSaid || readout.warnings.contains { $0.message.contains("for pl (pl") })
        #expect(!LegacyWarning.Kind.lostOrder.isNote)
    }

    @Test func `an order of a second to-one that is as that of the first loses nothing`() throws {
        let (_, readout) = try read(
            """
            CREATE TABLE al(id TEXT PRIMARY KEY); INSERT INTO al VALUES('A'), ('B');
            CREATE TABLE pl(id TEXT PRIMARY KEY); INSERT INTO pl VALUES('P'), ('Q');
            CREATE TABLE tr(id TEXT PRIMARY KEY, al TEXT REFERENCES al(id), al_position INT,
                pl TEXT REFERENCES pl(id), pl_position INT, t TEXT);
            INSERT INTO tr VALUES('t1', 'A', 1, 'P', 5, 'x'), ('t2', 'A', 2, 'Q', 0, 'y'),
                ('t3', 'B', 3, 'P', 6.5, 'z'),
                ('t4', 'B', 4, 'Q', 1, 'z'), ('t5', 'B', 5, NULL, 0, 'z');
            """
        )
        #expect(readout.count(.lostOrder) == 0)
    }

    @Test(arguments: [("3, NULL, 1", 1), ("1, NULL, 3", 0), ("NULL, 2, 2", 0), ("3, 'x', 1", 1), ("2, NULL, 1.5", 1)])
    func `rows without a place hide no difference between two orders`(_ places: String, _ lossCount: Int) throws {
        let place = places.split(separator: ",")
        let (_, readout) = try read(
            """
            CREATE TABLE album(id INTEGER PRIMARY KEY); INSERT INTO album VALUES(1);
            CREATE TABLE playlist(id INTEGER PRIMARY KEY); INSERT INTO playlist VALUES(1), (2);
            CREATE TABLE track(id INTEGER PRIMARY KEY, album INT REFERENCES album(id), album_position INT,
                playlist INT REFERENCES playlist(id), playlist_position INT, t TEXT);
            INSERT INTO track VALUES(1, 1, 1, 1, \(place[0]), 'x'), (2, 1, 2, 1, \(place[1]), 'y'),
                (3, 1, 3, 1, \(place[2]), 'z'), (4, 1, 4, 2, 0, 'z');
            """
        )
        #expect(readout.keys("track") == ["1", "2", "3", "4"])
        #expect(readout.count(.lostOrder) == lossCount)
    }

    @Test func `rows without a place for the first to-one stand in the order of the second`() throws {
        let (_, readout) = try read(
            """
            CREATE TABLE al(id TEXT PRIMARY KEY); CREATE TABLE pl(id TEXT PRIMARY KEY); INSERT INTO pl VALUES('P');
            INSERT INTO al VALUES('A');
            CREATE TABLE tr(id TEXT PRIMARY KEY, al TEXT REFERENCES al(id), al_position INT,
                pl TEXT REFERENCES pl(id), pl_position INT, t TEXT);
            INSERT INTO tr VALUES('t1', 'A', 1, 'P', 3, 'x'), ('t2', NULL, NULL, 'P', 2, 'y'),
                ('t3', NULL, NULL, 'P', 1, 'z');
            """
        )
        #expect(readout.keys("tr") == ["t3", "t2", "t1"])
        #expect(readout.count(.lostOrder) == 0)
    }

    @Test func `a to-one that no row has takes no order from another one`() throws {
        let (_, readout) = try read(
            """
            CREATE TABLE al(id TEXT PRIMARY KEY); CREATE TABLE pl(id TEXT PRIMARY KEY); INSERT INTO pl VALUES('P');
            CREATE TABLE tr(id TEXT PRIMARY KEY, al TEXT REFERENCES al(id), al_position INT,
                pl TEXT REFERENCES pl(id), pl_position INT, t TEXT);
            INSERT INTO tr VALUES('t1', NULL, 0, 'P', 3, 'x'), ('t2', NULL, 0, 'P', 2, 'y'),
                ('t3', NULL, 0, 'P', 1, 'z');
            """
        )
        #expect(readout.keys("tr") == ["t3", "t2", "t1"])
        #expect(readout.count(.lostOrder) == 0)
    }

    @Test(arguments: [
        ("position INT, albumRank INT, album_position INT", "t3 t1 t2", 0),
        ("album_position INT, position INT, album_position_2 INT", "t3 t1 t2", 0),
        ("position INT, albumTotalRank INT, albumRank INT", "t3 t1 t2", 0),
        ("albumOrder INT, trackOrder INT, albumRank INT", "t2 t1 t3", 1),
    ])
    func `of several columns the one that is called after the reference is the order`(
        _ columns: String,
        _ expected: String,
        _ noteCount: Int
    ) throws {
        let (_, readout) = try read(
            """
            CREATE TABLE albums(id TEXT PRIMARY KEY); INSERT INTO albums VALUES('A');
            CREATE TABLE tracks(id TEXT PRIMARY KEY, album TEXT REFERENCES albums(id), \(columns));
            INSERT INTO tracks VALUES('t1', 'A', 2, 3, 1), ('t2', 'A', 1, 1, 2), ('t3', 'A', 3, 2, 0);
            """
        )
        #expect(readout.keys("tracks").joined(separator: " ") == expected)
        #expect(readout.count(.orderUnknown) == noteCount)
    }
}
