import Foundation
import LegacyMigration
import Reprise
import TestSupport
import Testing

/// Small stores in Core Data's form, without the model's copy: what is told by tables and names alone.
@Suite struct CoreDataTests {
    private static let head = """
        CREATE TABLE Z_METADATA(Z_VERSION INTEGER PRIMARY KEY, Z_UUID VARCHAR(255), Z_PLIST BLOB);
        INSERT INTO Z_METADATA VALUES(1, 'STORE-UUID', NULL);
        CREATE TABLE Z_PRIMARYKEY(Z_ENT INTEGER PRIMARY KEY, Z_NAME VARCHAR, Z_SUPER INTEGER, Z_MAX INTEGER);

        """

    private func sandbox(_ sql: String) throws -> DatabaseSandbox {
        try DatabaseSandbox(Self.head + sql, named: "default.store")
    }

    private func read(_ sql: String) throws -> (CoreDataSource, Readout) {
        let sandbox = try sandbox(sql)
        let before = try sandbox.content
        let source = try CoreDataSource(path: sandbox.path)
        let readout = try Readout(source)
        #expect(try sandbox.content == before)
        return (source, readout)
    }

    @Test func `entities that inherit are in the model of their root, told apart by an attribute`()
        throws
    {
        let (source, readout) = try read(
            """
            INSERT INTO Z_PRIMARYKEY VALUES(1, 'Item', 0, 3), (2, 'Song', 1, 0), (3, 'Live', 2, 0), (4, 'Box', 0, 1);
            CREATE TABLE ZITEM(Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZBOX INTEGER, ZNAME VARCHAR,
                ZDATE TIMESTAMP, ZPRICE DECIMAL, ZDATA BLOB);
            INSERT INTO ZITEM VALUES(1, 2, 1, 9, 'a', 0, 1.5, x'01'), (2, 3, 1, NULL, 'b', -1.25, NULL, NULL),
                (3, 1, 1, 8, NULL, NULL, 2, x'0203');
            CREATE INDEX ZITEM_ZBOX_INDEX ON ZITEM(ZBOX);
            CREATE TABLE ZBOX(Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER); INSERT INTO ZBOX VALUES(9, 4, 1);
            """
        )
        #expect(source.identity == SourceIdentity(kind: "coredata", name: "STORE-UUID"))
        #expect(source.schema.models.map(\.name) == ["Box", "Item"])
        let song = try #require(readout.record("Item", "1"))
        #expect(song["entity"] == .string("Song") && song["box"] == .reference("9"))
        #expect(song["date"] == .date(Date(timeIntervalSinceReferenceDate: 0)))
        #expect(
            song["price"] == .decimal(Decimal(string: "1.5") ?? 0)
                && song["data"] == .data(Data([1]))
        )
        #expect(readout.record("Item", "2")?["entity"] == .string("Live"))
        #expect(readout.record("Item", "3")?["entity"] == .string("Item"))
        #expect(
            readout.record("Item", "3")?["box"] == nil && readout.count(.danglingReference) == 1
        )
    }

    @Test func `an ordered to-many gives the order of the records`() throws {
        let (source, readout) = try read(
            """
            INSERT INTO Z_PRIMARYKEY VALUES(1, 'Album', 0, 2), (2, 'Track', 0, 4);
            CREATE TABLE ZALBUM(Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZTITLE VARCHAR);
            INSERT INTO ZALBUM VALUES(1, 1, 1, 'x'), (2, 1, 1, 'y');
            CREATE TABLE ZTRACK(Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZDISC INTEGER,
                Z_FOK_DISC INTEGER, Z1_DISC INTEGER);
            INSERT INTO ZTRACK VALUES(1, 2, 1, 1, 3072, 1), (2, 2, 1, 1, 20, 1), (3, 2, 1, 2, 1024, 1),
                (4, 2, 1, 1, 1024, 1);
            """
        )
        let tracks = readout.records.filter {
            $0.className == "Track" && $0["disc"] == .reference("1")
        }
        #expect(tracks.map(\.key) == ["2", "4", "1"])
        let relation = try #require(source.schema.relations.first)
        #expect(relation.source.name == "disc" && relation.target.name == "tracks")
    }

    @Test func `many-to-many tables become lists of the side that has an order`() throws {
        let (_, readout) = try read(
            """
            INSERT INTO Z_PRIMARYKEY VALUES(1, 'List', 0, 2), (2, 'Track', 0, 3);
            CREATE TABLE ZLIST(Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER);
            CREATE TABLE ZTRACK(Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER);
            INSERT INTO ZLIST VALUES(1, 1, 1), (2, 1, 1); INSERT INTO ZTRACK VALUES(1, 2, 1), (2, 2, 1), (3, 2, 1);
            CREATE TABLE Z_2LISTS(Z_2TRACKS INTEGER, Z_1LISTS INTEGER, Z_FOK_2TRACKS INTEGER,
                PRIMARY KEY(Z_2TRACKS, Z_1LISTS));
            INSERT INTO Z_2LISTS VALUES(1, 1, 2048), (2, 1, 75), (3, 1, 1024), (3, 2, 1), (9, 2, 2);
            CREATE TABLE Z_1LIKED(Z_1FANS INTEGER, Z_2LIKED INTEGER, PRIMARY KEY(Z_1FANS, Z_2LIKED));
            INSERT INTO Z_1LIKED VALUES(1, 3), (1, 1), (2, 2);
            CREATE TABLE Z_2SIMILAR(Z_2SIMILAR INTEGER, REFLEXIVE INTEGER, PRIMARY KEY(Z_2SIMILAR, REFLEXIVE));
            INSERT INTO Z_2SIMILAR VALUES(2, 1), (3, 1);
            """
        )
        #expect(readout.members("List", "1", "tracks") == ["2", "3", "1"])
        #expect(readout.members("List", "2", "tracks") == ["3"])
        #expect(readout.members("List", "1", "liked") == ["3", "1"])
        #expect(readout.members("Track", "1", "similar") == ["2", "3"])
        #expect(readout.count(.danglingReference) == 1)
        #expect(readout.count(.orderUnknown) == 2)
    }

    @Test func `large values are read from the files beside the store, and only from those`() throws
    {
        let uuid = "0AB1C2D3-0000-4000-8000-00000000000F"
        let hex = Data(uuid.utf8).map { String(format: "%02x", $0) }.joined()
        let other = Data("../../../../../../../../../../../etc/pass".prefix(36).utf8)
            .map { String(format: "%02x", $0) }.joined()
        let sandbox = try sandbox(
            """
            INSERT INTO Z_PRIMARYKEY VALUES(1, 'Art', 0, 3);
            CREATE TABLE ZART(Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZIMAGE BLOB, ZPLAIN BLOB);
            INSERT INTO ZART VALUES(1, 1, 1, x'02\(hex)00', x'01'), (2, 1, 1, x'0141', x'02'),
                (3, 1, 1, NULL, x'02\(other)00'),
                (4, 1, 1, x'02\(hex.replacingOccurrences(of: "46", with: "45"))00', NULL);
            """
        )
        let directory = sandbox.directory.path(".default_SUPPORT/_EXTERNAL_DATA")
        try FileManager.default.createDirectory(
            atPath: directory,
            withIntermediateDirectories: true
        )
        try Data("large".utf8).write(to: URL(filePath: "\(directory)/\(uuid)"))
        let readout = try Readout(CoreDataSource(path: sandbox.path))
        #expect(readout.record("Art", "1")?["image"] == .data(Data("large".utf8)))
        #expect(readout.record("Art", "2")?["image"] == .data(Data([0x41])))
        #expect(readout.record("Art", "4")?["image"] == nil)
        #expect(readout.count(.missingExternalData) == 1)
        // A column in which nothing has that form is left as it is.
        #expect(readout.record("Art", "1")?["plain"] == .data(Data([1])))
        guard case .data(let bytes)? = readout.record("Art", "3")?["plain"] else {
            Issue.record("no bytes")
            return
        }
        #expect(bytes.count == 38)
    }

    @Test
    func `where a relationship leads is told by its values only where one entity has them all`()
        throws
    {
        let (source, readout) = try read(
            """
            INSERT INTO Z_PRIMARYKEY VALUES(1, 'A', 0, 9), (2, 'B', 0, 9), (3, 'C', 0, 9);
            CREATE TABLE ZA(Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZOWNER INTEGER, ZKIND INTEGER,
                ZEITHER INTEGER);
            CREATE TABLE ZB(Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER);
            CREATE TABLE ZC(Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER);
            INSERT INTO ZA VALUES(1, 1, 1, 70, 70, 1); INSERT INTO ZB VALUES(70, 2, 1), (1, 2, 1);
            INSERT INTO ZC VALUES(1, 3, 1);
            CREATE INDEX ZA_ZOWNER_INDEX ON ZA(ZOWNER); CREATE INDEX ZA_ZEITHER_INDEX ON ZA(ZEITHER);
            """
        )
        let record = try #require(readout.record("A", "1"))
        #expect(record["owner"] == .reference("70"))
        #expect(record["kind"] == .integer(70))
        #expect(record["either"] == .integer(1))
        #expect(source.schema.relations.count == 1)
        #expect(readout.count(.guessedRelationship) == 2)
    }

    @Test(arguments: [
        "CREATE VIEW Z_PRIMARYKEY AS SELECT 1 AS Z_ENT, 'a' AS Z_NAME, 0 AS Z_SUPER; CREATE TABLE Z_METADATA(Z_UUID)",
        "CREATE TABLE Z_PRIMARYKEY(Z_ENT); CREATE TABLE Z_METADATA(Z_UUID)",
        "CREATE TABLE t(a)",
    ])
    func `a database of another form is no store`(_ sql: String) throws {
        let sandbox = try DatabaseSandbox(sql)
        #expect(try !SQLiteFormat.isCoreData(path: sandbox.path))
        #expect(try code { _ = try CoreDataSource(path: sandbox.path) } == .unknownFormat)
        _ = try Readout(SQLiteDatabaseSource(path: sandbox.path))
    }

    @Test func `entities that inherit from each other in a circle, or have no table, are left out`()
        throws
    {
        let (source, readout) = try read(
            """
            INSERT INTO Z_PRIMARYKEY VALUES(1, 'A', 2, 9), (2, 'B', 1, 9), (3, 'C', 0, 9), (4, 'D', 0, 0),
                (5, NULL, 0, 0), (6, 'A b"c', 0, 0);
            CREATE TABLE ZC(Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER); INSERT INTO ZC VALUES(1, 77), (2, 3);
            CREATE TABLE ZD(Z_PK TEXT, Z_ENT INTEGER);
            CREATE TABLE "ZA B""C"(Z_PK INTEGER PRIMARY KEY, "ZX""Y" INTEGER); INSERT INTO "ZA B""C" VALUES(1, 2);
            """
        )
        #expect(source.schema.models.map(\.name) == ["C", "A_b_c"])
        #expect(readout.record("A_b_c", "1")?["x_y"] == .integer(2))
        #expect(readout.keys("C") == ["1", "2"])
        #expect(readout.count(.skippedTable) + readout.count(.bookkeepingTable) == 2)
    }

    private static let history = """
        INSERT INTO Z_PRIMARYKEY VALUES(1, 'Item', 0, 9), (2, 'Song', 1, 0), (3, 'Box', 0, 9),
            (16001, 'CHANGE', 0, 9), (16002, 'TRANSACTION', 0, 9);
        CREATE TABLE ZITEM(Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZNAME VARCHAR);
        INSERT INTO ZITEM VALUES(1, 1, 1, 'a'), (2, 2, 1, 'b'), (3, 2, 1, 'c'), (4, 1, 1, 'd');
        CREATE TABLE ZBOX(Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZNAME VARCHAR);
        INSERT INTO ZBOX VALUES(1, 3, 1, 'box');
        CREATE TABLE ATRANSACTION(Z_PK INTEGER PRIMARY KEY, ZTIMESTAMP FLOAT);
        INSERT INTO ATRANSACTION VALUES(1, 593881375.201192), (2, 593881376), (3, 593881377.5), (4, 'x');
        CREATE TABLE ACHANGE(Z_PK INTEGER PRIMARY KEY, ZCHANGETYPE INTEGER, ZENTITY INTEGER, ZENTITYPK INTEGER,
            ZTRANSACTIONID INTEGER);
        INSERT INTO ACHANGE(ZCHANGETYPE, ZENTITY, ZENTITYPK, ZTRANSACTIONID) VALUES
            (0, 1, 1, 1), (1, 1, 1, 3), (1, 1, 1, 2), (1, 2, 2, 2), (2, 2, 5, 3), (0, 3, 1, 2), (0, 1, 4, 4);

        """

    @Test func `the history gives the times of the records, and no more than it knows`() throws {
        let (source, readout) = try read(Self.history)
        #expect(source.schema.models.map(\.name).sorted() == ["Box", "Item"])
        func date(_ seconds: Double) -> Date { Date(timeIntervalSinceReferenceDate: seconds) }
        func times(_ model: String, _ key: String) -> LegacyTimes? {
            readout.record(model, key)?.times
        }
        let first = LegacyTimes(created: date(593_881_375.201192), changed: date(593_881_377.5))
        #expect(times("Item", "1") == first)
        // Its insertion is no longer in the history.
        #expect(times("Item", "2") == LegacyTimes(created: nil, changed: date(593_881_376)))
        #expect(times("Item", "3") == nil)
        #expect(times("Item", "4") == nil)
        #expect(times("Box", "1")?.created == date(593_881_376))
        #expect(readout.records.count == 5)
    }

    @Test func `the times of the history are in the log, and an old one is not taken for a change`()
        throws
    {
        let sandbox = try sandbox(Self.history)
        let source = try CoreDataSource(path: sandbox.path)
        let library = try TemporaryLibrary(schema: Schema(source.schema))
        _ = try Migrator(replacing: source, store: library.store).run()
        func recorded(_ id: String) throws -> LegacyTimes? {
            let row = EntityReference(model: "Item", id: id)
            return try library.store.read { try LegacyTimes.recorded(of: row, in: $0) }
        }
        let times = try #require(try recorded("1"))
        let created = try #require(times.created).timeIntervalSinceReferenceDate
        #expect(abs(created - 593_881_375.201192) < 0.000001)
        #expect(times.changed == Date(timeIntervalSinceReferenceDate: 593_881_377.5))
        #expect(try recorded("3") == nil)
        // As the format page has it.
        let payload = try #require(
            try library.store.read {
                try $0.annotation(name: "migration.times", key: "coredata:STORE-UUID")?.payload
            }
        )
        let text = String(decoding: payload, as: UTF8.self)
        #expect(text.hasPrefix(#"{"migration":"m1","times":[["#) && text.hasSuffix("]]}"))
        #expect(text.contains(#"["Item","1",1572188575201192,1572188577500000]"#))
        #expect(text.contains(#"["Item","2",null,1572188576000000]"#))
        #expect(try Migrator(replacing: source, store: library.store).run().eventCount == 0)
        // What somebody changes here keeps the times that it came with.
        _ = try library.store.write {
            try $0.put(EntityReference(model: "Item", id: "1"), values: ["name": .string("mine")])
        }
        #expect(try recorded("1") == times)
        #expect(try recorded("nobody") == nil)
    }
}
