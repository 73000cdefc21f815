import Foundation
import LegacyMigration
import TestSupport
import Testing

/// Stores with more orders than records or lists can have.
@Suite struct CoreDataOrderTests {
    private func read(_ sql: String) throws -> Readout {
        let sandbox = try DatabaseSandbox(
            """
            CREATE TABLE Z_METADATA(Z_VERSION INTEGER PRIMARY KEY, Z_UUID VARCHAR(255), Z_PLIST BLOB);
            INSERT INTO Z_METADATA VALUES(1, 'STORE-UUID', NULL);
            CREATE TABLE Z_PRIMARYKEY(Z_ENT INTEGER PRIMARY KEY, Z_NAME VARCHAR, Z_SUPER INTEGER, Z_MAX INTEGER);
            INSERT INTO Z_PRIMARYKEY VALUES(1, 'Album', 0, 1), (2, 'Shelf', 0, 1), (3, 'Song', 0, 3);
            CREATE TABLE ZALBUM(Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER);
            INSERT INTO ZALBUM VALUES(1, 1, 1);
            CREATE TABLE ZSHELF(Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER);
            INSERT INTO ZSHELF VALUES(2, 2, 1), (10, 2, 1);

            """ + sql,
            named: "default.store"
        )
        return try Readout(CoreDataSource(path: sandbox.path))
    }

    private static let songs = """
        CREATE TABLE ZSONG(Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZALBUM INTEGER,
            Z_FOK_ALBUM INTEGER, ZSHELF INTEGER, Z_FOK_SHELF INTEGER);
        INSERT INTO ZSONG VALUES
        """

    @Test(arguments: [
        // The order of the shelf is another one.
        ("(1, 3, 1, 1, 1, 2, 30), (2, 3, 1, 1, 2, 2, 20), (3, 3, 1, 1, 3, 2, 10)", "1 2 3", 1, 0),
        ("(1, 3, 1, 1, 1, 2, 30), (2, 3, 1, 1, 2, 2, NULL), (3, 3, 1, 1, 3, 2, 10)", "1 2 3", 1, 0),
        // It is the same, or there is only one of them for each row.
        ("(1, 3, 1, 1, 3, 2, 30), (2, 3, 1, 1, 2, 2, 20), (3, 3, 1, 1, 1, 10, 99)", "3 2 1", 0, 0),
        ("(1, 3, 1, NULL, NULL, 2, 30), (2, 3, 1, NULL, NULL, 2, 20), (3, 3, 1, 1, 1, NULL, NULL)", "2 1 3", 0, 0),
        ("(1, 3, 1, 1, NULL, 2, 30), (2, 3, 1, 1, NULL, 2, 20), (3, 3, 1, 1, NULL, 2, 10)", "3 2 1", 0, 1),
        ("(1, 3, 1, NULL, NULL, 2, 3), (2, 3, 1, NULL, NULL, 2, 2)", "2 1", 0, 0),
    ])
    func `an order of a second to-one is a loss only where it is another one`(
        _ rows: String,
        _ keys: String,
        _ lossCount: Int,
        _ unknownCount: Int
    ) throws {
        let readout = try read(Self.songs + rows + ";")
        #expect(readout.keys("Song").joined(separator: " ") == keys)
        #expect(readout.count(.lostOrder) == lossCount)
        // Nothing says where the songs of an album stand when no song has a place.
        #expect(readout.count(.orderUnknown) == unknownCount)
        #expect(lossCount == 0 || readout.warnings.contains { $0.message.contains("for shelf besides that of album") })
    }

    @Test(arguments: [
        // By the other side: in an order of its own, and as its own identifiers stand: 10 before 2.
        ("(1, 2, 5, 2), (1, 10, 5, 1), (3, 2, 6, 1)", 0), ("(1, 2, 5, 1), (1, 10, 5, 2), (3, 2, 6, 1)", 1),
        ("(1, 2, 5, 1), (2, 2, 1, 1), (3, 10, 6, 1)", 0),
    ])
    func `an order of the other side of a many-to-many is a loss only where it is another one`(
        _ rows: String,
        _ lossCount: Int
    ) throws {
        let readout = try read(
            Self.songs + """
                (1, 3, 1, 1, 1, NULL, NULL), (2, 3, 1, 1, 2, NULL, NULL), (3, 3, 1, 1, 3, NULL, NULL);
                CREATE TABLE Z_2SONGS(Z_3SONGS INTEGER, Z_2SHELVES INTEGER, Z_FOK_3SONGS INTEGER,
                    Z_FOK_2SHELVES INTEGER, PRIMARY KEY(Z_3SONGS, Z_2SHELVES));
                INSERT INTO Z_2SONGS VALUES\(rows);
                """
        )
        #expect(readout.lists.count == 2 && readout.lists.allSatisfy { $0.className == "Shelf" })
        #expect(readout.count(.lostOrder) == lossCount)
        #expect(readout.count(.orderUnknown) == 0)
    }

    @Test func `a second order among rows of one entity is a loss too, and one without a target`() throws {
        let readout = try read(
            Self.songs + """
                (1, 3, 1, 1, 1, NULL, NULL), (2, 3, 1, 1, 2, NULL, NULL);
                CREATE TABLE Z_3SIMILAR(Z_3SIMILAR INTEGER, REFLEXIVE INTEGER, Z_FOK_3SIMILAR INTEGER,
                    Z_FOK_REFLEXIVE INTEGER, PRIMARY KEY(Z_3SIMILAR, REFLEXIVE));
                INSERT INTO Z_3SIMILAR VALUES(1, 1, 2, 2), (1, 2, 1, 1);
                INSERT INTO Z_PRIMARYKEY VALUES(4, 'Note', 0, 3);
                CREATE TABLE ZNOTE(Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZTHING INTEGER,
                    Z_FOK_THING INTEGER);
                INSERT INTO ZNOTE VALUES(1, 4, 1, 77, 2), (2, 4, 1, 77, 1);
                """
        )
        #expect(readout.members("Song", "1", "similar") == ["1"])
        let losses = readout.warnings.filter { $0.kind == .lostOrder }.map(\.message)
        #expect(losses.count == 2)
        #expect(losses.contains { $0.contains("Z_FOK_REFLEXIVE") })
        #expect(losses.contains { $0.contains("Note has an order for thing") })
    }
}
