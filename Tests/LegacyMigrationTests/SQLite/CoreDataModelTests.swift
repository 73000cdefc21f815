import Foundation
import LegacyMigration
import Reprise
import TestSupport
import Testing

/// Stores that hold their own model.
@Suite struct CoreDataModelTests {
    private static let uuid = UUID(uuidString: "00112233-4455-6677-8899-AABBCCDDEEFF") ?? UUID()

    private static let archive = ModelArchive([
        (
            "Album",
            [
                .attribute("releaseDate", 900), .attribute("albumID", 1100),
                .relationship(
                    "allTracks",
                    to: "Track",
                    inverse: "onAlbum",
                    isToMany: true,
                    deleteRule: 2
                ),
            ]
        ),
        (
            "Track",
            [
                .attribute("isLoved", 800), .attribute("playCount", 300),
                .attribute("rawValue", 1000),
                .relationship("onAlbum", to: "Album", inverse: "allTracks"),
                .relationship("twin", to: "Track", inverse: "twin"),
                .relationship("inLists", to: "List", inverse: "theTracks", isToMany: true),
            ]
        ),
        (
            "List",
            [
                .relationship(
                    "theTracks",
                    to: "Track",
                    inverse: "inLists",
                    isToMany: true,
                    deleteRule: 3
                )
            ]
        ),
    ])

    private static func store(_ cache: [UInt8]) -> String {
        """
        CREATE TABLE Z_METADATA(Z_VERSION INTEGER PRIMARY KEY, Z_UUID VARCHAR(255), Z_PLIST BLOB);
        INSERT INTO Z_METADATA VALUES(1, 'STORE', NULL);
        CREATE TABLE Z_MODELCACHE(Z_CONTENT BLOB);
        INSERT INTO Z_MODELCACHE VALUES(\(ModelArchive.hexadecimal(cache)));
        CREATE TABLE Z_PRIMARYKEY(Z_ENT INTEGER PRIMARY KEY, Z_NAME VARCHAR, Z_SUPER INTEGER, Z_MAX INTEGER);
        INSERT INTO Z_PRIMARYKEY VALUES(1, 'Album', 0, 1), (2, 'List', 0, 1), (3, 'Track', 0, 2);
        CREATE TABLE ZALBUM(Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZRELEASEDATE TIMESTAMP,
            ZALBUMID BLOB);
        INSERT INTO ZALBUM VALUES(1, 1, 1, 10, x'00112233445566778899AABBCCDDEEFF');
        CREATE TABLE ZTRACK(Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZISLOVED INTEGER,
            ZPLAYCOUNT INTEGER, ZONALBUM INTEGER, ZTWIN INTEGER, ZRAWVALUE BLOB, ZLATER INTEGER);
        INSERT INTO ZTRACK VALUES(1, 3, 1, 1, 1, 1, 2, x'00', 5), (2, 3, 1, 0, 0, NULL, 1, NULL, NULL);
        CREATE TABLE ZLIST(Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER); INSERT INTO ZLIST VALUES(1, 2, 1);
        CREATE TABLE Z_2THETRACKS(Z_2INLISTS INTEGER, Z_3THETRACKS INTEGER, PRIMARY KEY(Z_2INLISTS, Z_3THETRACKS));
        INSERT INTO Z_2THETRACKS VALUES(1, 2), (1, 1);
        """
    }

    @Test func `the model gives names, types, relationships and rules`() throws {
        let sandbox = try DatabaseSandbox(Self.store(ModelArchive.stored(Self.archive.bytes)))
        let source = try CoreDataSource(path: sandbox.path)
        let readout = try Readout(source)
        let album = try #require(readout.record("Album", "1"))
        #expect(album["albumID"] == .uuid(Self.uuid))
        #expect(album["releaseDate"] == .date(Date(timeIntervalSinceReferenceDate: 10)))
        let track = try #require(readout.record("Track", "1"))
        #expect(track["isLoved"] == .bool(true) && track["playCount"] == .integer(1))
        #expect(track["onAlbum"] == .reference("1") && track["twin"] == .reference("2"))
        // A column that the model does not know, as after a migration.
        #expect(track["later"] == .integer(5))
        #expect(readout.members("List", "1", "theTracks") == ["2", "1"])
        let onAlbum = try #require(source.schema.relations.first { $0.source.name == "onAlbum" })
        #expect(onAlbum.target.name == "allTracks" && onAlbum.target.onDelete == .cascade)
        #expect(source.schema.relations.first { $0.source.name == "twin" }?.target.name == nil)
        let list = try #require(source.schema.relations.first { $0.source.name == "theTracks" })
        #expect(list.target.name == "inLists" && list.source.onDelete == .deny)
        #expect(readout.count(.guessedRelationship) == 0)
    }

    @Test func `a list without an inverse has the name and the rule of the app`() throws {
        let archive = ModelArchive([
            (
                "Cocktail",
                [
                    .attribute("name", 700),
                    .relationship("spec", to: "Ingredient", inverse: nil, isToMany: true, deleteRule: 2),
                    .relationship("garnish", to: "Ingredient", inverse: nil, isToMany: true),
                ]
            ),
            ("Ingredient", [.attribute("value", 500)]),
        ])
        let sandbox = try DatabaseSandbox(
            """
            CREATE TABLE Z_METADATA(Z_VERSION INTEGER PRIMARY KEY, Z_UUID VARCHAR(255), Z_PLIST BLOB);
            INSERT INTO Z_METADATA VALUES(1, 'STORE', NULL);
            CREATE TABLE Z_MODELCACHE(Z_CONTENT BLOB);
            INSERT INTO Z_MODELCACHE VALUES(\(ModelArchive.hexadecimal(ModelArchive.stored(archive.bytes))));
            CREATE TABLE Z_PRIMARYKEY(Z_ENT INTEGER PRIMARY KEY, Z_NAME VARCHAR, Z_SUPER INTEGER, Z_MAX INTEGER);
            INSERT INTO Z_PRIMARYKEY VALUES(1, 'Cocktail', 0, 1), (2, 'Ingredient', 0, 3);
            CREATE TABLE ZCOCKTAIL(Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZNAME VARCHAR);
            INSERT INTO ZCOCKTAIL VALUES(1, 1, 1, 'Negroni');
            CREATE TABLE ZINGREDIENT(Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, Z1SPEC INTEGER,
                Z1GARNISH INTEGER, ZVALUE FLOAT);
            INSERT INTO ZINGREDIENT VALUES(1, 2, 1, 1, NULL, 1.5), (2, 2, 1, NULL, 1, 2), (3, 2, 1, 1, NULL, 3);
            """
        )
        let source = try CoreDataSource(path: sandbox.path)
        let store = try Store.temporary(Schema(source.schema))
        #expect(try Migrator(source: source, store: store).run().isLossless)
        try store.read { state in
            let cocktail = try #require(try state.record(model: "Cocktail", id: "1"))
            #expect(cocktail.lists.first { $0.name == "spec" }?.targets == ["1", "3"])
            #expect(cocktail.lists.first { $0.name == "garnish" }?.targets == ["2"])
        }
        try store.write { _ = try $0.delete(EntityReference(model: "Cocktail", id: "1")) }
        // The rule of `spec` is cascade, that of `garnish` is not.
        #expect(try store.read { try $0.fetchIDs(RecordQuery(model: "Ingredient")) } == ["2"])
    }

    @Test func `a value that is not of the type of its attribute is left out, and no other`() throws
    {
        let rows = """
            INSERT INTO ZALBUM VALUES(2, 1, 1, 'abc', x'00'), (3, 1, 1, 20.5, 'x'), (4, 1, 1, x'01', NULL),
                (5, 1, 1, 9e999, NULL);
            INSERT INTO ZTRACK VALUES(3, 3, 1, 2, 'many', NULL, NULL, 'text', 5);
            """
        let sandbox = try DatabaseSandbox(
            Self.store(ModelArchive.stored(Self.archive.bytes)) + rows
        )
        let source = try CoreDataSource(path: sandbox.path)
        let readout = try Readout(source)
        let types = source.schema.model(named: "Album")?.attributes.map(\.type)
        #expect(types == [.date, .uuid])
        #expect(
            readout.record("Album", "1")?["releaseDate"]
                == .date(Date(timeIntervalSinceReferenceDate: 10))
        )
        #expect(
            readout.record("Album", "3")?["releaseDate"]
                == .date(Date(timeIntervalSinceReferenceDate: 20.5))
        )
        #expect(readout.record("Album", "1")?["albumID"] == .uuid(Self.uuid))
        for key in ["2", "4", "5"] { #expect(readout.record("Album", key)?["releaseDate"] == nil) }
        for key in ["2", "3"] { #expect(readout.record("Album", key)?["albumID"] == nil) }
        let track = try #require(readout.record("Track", "3"))
        #expect(track["isLoved"] == nil && track["playCount"] == nil && track["rawValue"] == nil)
        #expect(readout.record("Track", "1")?["isLoved"] == .bool(true))
        #expect(readout.count(.unexpectedType) == 8 && readout.count(.mixedTypes) == 0)
        #expect(readout.warnings.contains { $0.message.contains("ZRELEASEDATE") })
    }

    @Test func `without the model a column of dates stays one of dates`() throws {
        let sandbox = try DatabaseSandbox(
            Self.store([]) + "INSERT INTO ZALBUM VALUES(2, 1, 1, 'abc', NULL);"
        )
        let readout = try Readout(CoreDataSource(path: sandbox.path))
        #expect(
            readout.record("Album", "1")?["releasedate"]
                == .date(Date(timeIntervalSinceReferenceDate: 10))
        )
        #expect(readout.record("Album", "2")?["releasedate"] == nil)
        #expect(readout.count(.unexpectedType) == 1)
    }

    @Test func `a model that cannot be read is no reason to refuse the store`() throws {
        for cache in [
            [], [0xFF], Array("bplist00".utf8), ModelArchive.stored(Array("bplist00nonsense".utf8)),
        ] {
            let sandbox = try DatabaseSandbox(Self.store(cache))
            let readout = try Readout(CoreDataSource(path: sandbox.path))
            #expect(readout.record("Track", "1")?["isloved"] == .integer(1))
            #expect(readout.members("List", "1", "thetracks") == ["2", "1"])
            #expect(readout.count(.guessedRelationship) == 1)
        }
    }

    @Test func `a model that expands without end, or says the same over and over, is given up`()
        throws
    {
        var bomb: [UInt8] = []
        for _ in 0..<60 {
            bomb += [0, 0x60, 0xEA, 0x9F, 0x15] + [UInt8](repeating: 0, count: 60_000)
        }
        let properties = (0..<2500).map { ModelArchive.Property.attribute("p\($0)", 100) }
        let names = (0..<2500).map { "e\($0)" }
        let repeated = ModelArchive(names.map { ($0, properties) }, sharesProperties: true)
        for cache in [bomb, ModelArchive.stored(repeated.bytes)] {
            let sandbox = try DatabaseSandbox(Self.store(cache))
            let readout = try Readout(CoreDataSource(path: sandbox.path))
            #expect(readout.count(.guessedRelationship) == 1 && readout.records.count == 4)
        }
    }

    @Test func `flipped bytes in the model change names at most`() throws {
        let sound = Self.archive.bytes
        try seeded(7) { random in
            for _ in 0..<400 {
                var mutant = sound
                for _ in 0...random.below(3) {
                    mutant[random.below(mutant.count)] = UInt8(truncatingIfNeeded: random.next())
                }
                var stored = ModelArchive.stored(mutant)
                if random.once(in: 10) { stored[random.below(5)] ^= 1 << UInt8(random.below(8)) }
                let sandbox = try DatabaseSandbox(Self.store(stored))
                let readout = try Readout(CoreDataSource(path: sandbox.path))
                #expect(readout.records.count == 4)
            }
        }
    }
}
