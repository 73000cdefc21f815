import Foundation
import LegacyMigration
import Reprise
import TestSupport
import Testing

/// Bytes that Core Data keeps in the row or in a file, and what is taken for a relationship.
@Suite struct CoreDataValuesTests {
    private static let uuid = "0AB1C2D3-0000-4000-8000-00000000000F"
    private static let reference = "x'02" + hexadecimal(Data(uuid.utf8)) + "00'"

    private static func hexadecimal(_ data: Data) -> String {
        data.map { String(format: "%02x", $0) }.joined()
    }

    private func sandbox(_ sql: String, cache: [UInt8]? = nil) throws -> DatabaseSandbox {
        let model = cache.map {
            "CREATE TABLE Z_MODELCACHE(Z_CONTENT BLOB); "
                + "INSERT INTO Z_MODELCACHE VALUES(\(ModelArchive.hexadecimal($0)));"
        }
        return try DatabaseSandbox(
            """
            CREATE TABLE Z_METADATA(Z_VERSION INTEGER PRIMARY KEY, Z_UUID VARCHAR(255), Z_PLIST BLOB);
            INSERT INTO Z_METADATA VALUES(1, 'STORE', NULL);
            CREATE TABLE Z_PRIMARYKEY(Z_ENT INTEGER PRIMARY KEY, Z_NAME VARCHAR, Z_SUPER INTEGER, Z_MAX INTEGER);
            \(model ?? "")
            \(sql)
            """,
            named: "default.store"
        )
    }

    private func photos(_ rows: String, cache: [UInt8]? = nil, hasFile: Bool = true) throws
        -> DatabaseSandbox
    {
        let sandbox = try sandbox(
            """
            INSERT INTO Z_PRIMARYKEY VALUES(1, 'Photo', 0, 3);
            CREATE TABLE ZPHOTO(Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZDATA BLOB);
            INSERT INTO ZPHOTO(Z_PK, ZDATA) VALUES\(rows);
            """,
            cache: cache
        )
        if hasFile {
            let directory = sandbox.directory.path(".default_SUPPORT/_EXTERNAL_DATA")
            try FileManager.default.createDirectory(
                atPath: directory,
                withIntermediateDirectories: true
            )
            try Data("large".utf8).write(to: URL(filePath: "\(directory)/\(Self.uuid)"))
        }
        return sandbox
    }

    private func values(_ sandbox: DatabaseSandbox) throws -> (values: [Data?], readout: Readout) {
        let readout = try Readout(CoreDataSource(path: sandbox.path))
        let values = readout.records.map { record -> Data? in
            guard case .data(let data)? = record["data"] else { return nil }
            return data
        }
        return (values, readout)
    }

    // MARK: Marks

    @Test func `each value says itself whether there is a mark before it, where one is in a file`()
        throws
    {
        let sandbox = try photos(
            "(1, x'0168'), (2, \(Self.reference)), (3, x''), (4, x'0700'), (5, NULL)"
        )
        let (values, readout) = try values(sandbox)
        #expect(values == [Data([0x68]), Data("large".utf8), Data(), Data([7, 0]), nil])
        // The one that begins with something else.
        #expect(readout.reading.warningCounts[.ambiguousData] == 1)
    }

    @Test func `a text among the values is no reason to take the name of a file for data`() throws {
        let (values, _) = try values(photos("(1, 'word'), (2, \(Self.reference))"))
        #expect(values == [Data("word".utf8), Data("large".utf8)])
    }

    @Test
    func `without the model and without a file it is said that a mark may stand before each value`()
        throws
    {
        let (values, readout) = try values(photos("(1, x'0168'), (2, x'0169')"))
        #expect(values == [Data([1, 0x68]), Data([1, 0x69])])
        #expect(readout.count(.ambiguousData) == 1)
        let (_, plain) = try self.values(photos("(1, x'0168'), (2, x'69')"))
        #expect(plain.count(.ambiguousData) == 0)
    }

    @Test func `the model says which attributes have marks`() throws {
        for (flags, first) in [(4, Data([0x68])), (16, Data([1, 0x68])), (0, Data([1, 0x68]))] {
            let archive = ModelArchive([("Photo", [.attribute("data", 1000, flags: flags)])])
            let cache = ModelArchive.stored(archive.bytes)
            let (values, readout) = try values(
                photos("(1, x'0168'), (2, \(Self.reference))", cache: cache)
            )
            #expect(values == [first, Data("large".utf8)], "\(flags)")
            let (alone, _) = try self.values(photos("(1, x'0168')", cache: cache))
            #expect(alone == [first], "\(flags)")
            #expect(readout.count(.ambiguousData) == 0)
        }
    }

    // MARK: Files

    @Test func `a link in place of a file is not followed, and that is said`() throws {
        let sandbox = try photos("(1, x'0168'), (2, \(Self.reference))")
        let secret = sandbox.directory.path("secret")
        try Data("of another folder".utf8).write(to: URL(filePath: secret))
        let file = sandbox.directory.path(".default_SUPPORT/_EXTERNAL_DATA/\(Self.uuid)")
        try FileManager.default.removeItem(atPath: file)
        try FileManager.default.createSymbolicLink(atPath: file, withDestinationPath: secret)
        let (values, readout) = try values(sandbox)
        #expect(values == [Data([0x68]), nil])
        #expect(readout.count(.missingExternalData) == 1)
    }

    @Test(arguments: [".default_SUPPORT", ".default_SUPPORT/_EXTERNAL_DATA"])
    func `a link in place of a folder of files is not followed`(folder: String) throws {
        let sandbox = try photos("(1, x'0168'), (2, \(Self.reference))")
        let manager = FileManager.default
        try manager.moveItem(
            atPath: sandbox.directory.path(folder),
            toPath: sandbox.directory.path("elsewhere")
        )
        try manager.createSymbolicLink(
            atPath: sandbox.directory.path(folder),
            withDestinationPath: sandbox.directory.path("elsewhere")
        )
        let source = try CoreDataSource(path: sandbox.path)
        #expect(try code { _ = try Readout(source) } == .notAFile)
        let readout = try Readout(CoreDataSource(path: sandbox.path, allowsMissingFiles: true))
        #expect(readout.record("Photo", "2")?["data"] == nil)
        #expect(readout.count(.missingExternalData) == 1)
    }

    @Test
    func `a store whose directory of large values is missing is not read unless that is allowed`()
        throws
    {
        let sandbox = try photos("(1, x'0168'), (2, \(Self.reference))", hasFile: false)
        let source = try CoreDataSource(path: sandbox.path)
        #expect(try code { _ = try Readout(source) } == .noSuchFile)
        let readout = try Readout(CoreDataSource(path: sandbox.path, allowsMissingFiles: true))
        #expect(readout.record("Photo", "1")?["data"] == .data(Data([0x68])))
        #expect(readout.record("Photo", "2")?["data"] == nil)
        #expect(readout.count(.missingExternalData) == 1)
        // One that has no such values needs none.
        let (values, _) = try values(photos("(1, x'0168')", hasFile: false))
        #expect(values == [Data([1, 0x68])])
    }

    // MARK: Names and relationships

    @Test func `an entity whose name is not ASCII is read`() throws {
        let sandbox = try sandbox(
            """
            INSERT INTO Z_PRIMARYKEY VALUES(1, 'Песня', 0, 1);
            CREATE TABLE "ZПЕСНЯ"(Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZTITLE VARCHAR);
            INSERT INTO "ZПЕСНЯ" VALUES(7, 1, 1, 'title');
            """
        )
        let readout = try Readout(CoreDataSource(path: sandbox.path))
        #expect(readout.records.map(\.key) == ["7"])
        #expect(readout.records.first?["title"] == .string("title"))
        #expect(readout.count(.skippedTable) == 0 && readout.count(.bookkeepingTable) == 0)
    }

    @Test
    func `a table of the app's own that is not read is a warning where there is something in it`()
        throws
    {
        let sandbox = try sandbox(
            """
            INSERT INTO Z_PRIMARYKEY VALUES(1, 'A', 0, 1);
            CREATE TABLE ZA(Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER);
            CREATE TABLE ZLOST(Z_PK INTEGER PRIMARY KEY, ZX INTEGER); INSERT INTO ZLOST VALUES(1, 2);
            CREATE TABLE ZEMPTY(Z_PK INTEGER PRIMARY KEY);
            CREATE TABLE ATRANSACTION(Z_PK INTEGER PRIMARY KEY); INSERT INTO ATRANSACTION VALUES(1);
            """
        )
        let readout = try Readout(CoreDataSource(path: sandbox.path))
        #expect(readout.count(.skippedTable) == 1 && readout.count(.bookkeepingTable) == 2)
    }

    @Test(arguments: [("NULL", "NULL"), ("1", "2"), ("1999", "2")])
    func `a column with an index is no relationship by its values alone`(
        _ first: String,
        _ second: String
    ) throws {
        let sandbox = try sandbox(
            """
            INSERT INTO Z_PRIMARYKEY VALUES(1, 'Song', 0, 2);
            CREATE TABLE ZSONG(Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZYEAR INTEGER);
            INSERT INTO ZSONG VALUES(1, 1, 1, \(first)), (2, 1, 1, \(second));
            CREATE INDEX ZSONG_ZYEAR_INDEX ON ZSONG(ZYEAR);
            """
        )
        let source = try CoreDataSource(path: sandbox.path)
        #expect(source.schema.relations.isEmpty)
        #expect(source.schema.models.first?.attributes.map(\.type) == [.int])
    }

    @Test func `a column that the model does not know is no relationship`() throws {
        let archive = ModelArchive([
            ("Song", [.attribute("title", 700)]), ("Other", [.attribute("x", 100)]),
        ])
        let sql = """
            INSERT INTO Z_PRIMARYKEY VALUES(1, 'Song', 0, 2), (2, 'Other', 0, 2);
            CREATE TABLE ZSONG(Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZYEAR INTEGER);
            INSERT INTO ZSONG VALUES(1, 1, 1, 70); CREATE INDEX ZSONG_ZYEAR_INDEX ON ZSONG(ZYEAR);
            CREATE TABLE ZOTHER(Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER); INSERT INTO ZOTHER VALUES(70, 2);
            """
        let knowing = try sandbox(sql, cache: ModelArchive.stored(archive.bytes))
        let known = try CoreDataSource(path: knowing.path)
        #expect(known.schema.relations.isEmpty)
        let guessing = try sandbox(sql)
        let unknown = try CoreDataSource(path: guessing.path)
        #expect(unknown.schema.relations.count == 1)
    }
}
