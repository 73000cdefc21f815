import Foundation
import LegacyMigration
import TestSupport
import Testing

/// A kind of source that reads its file when it is opened: how a file of some megabytes is made, and opened.
struct OpeningCase: Sendable, CustomTestStringConvertible {
    /// What `open` takes to say how far it is.
    typealias Progress = (LegacyProgress) -> Bool

    let testDescription: String
    let fileName: String
    let write: @Sendable (String) throws -> Void
    let open: @Sendable (String, Progress) throws -> Void

    private init(
        _ name: String,
        _ fileName: String,
        _ write: @escaping @Sendable (String) throws -> Void,
        open: @escaping @Sendable (String, Progress) throws -> Void
    ) {
        testDescription = name
        self.fileName = fileName
        self.write = write
        self.open = open
    }

    /// Those whose file is text or a database.
    static let large: [OpeningCase] = [
        OpeningCase(
            "CSV",
            "a.csv",
            text {
                "\($0),\($1)\n"
            } _: {
                "id,text\n" + $0
            }
        ) {
            _ = try CSVSource(path: $0, progress: $1)
        },
        OpeningCase(
            "lines of JSON",
            "a.ndjson",
            text {
                "\(object($0, $1))\n"
            } _: {
                $0
            }
        ) {
            _ = try NDJSONSource(path: $0, progress: $1)
        },
        OpeningCase(
            "JSON of realm2json",
            "a.json",
            text {
                ($0 == 0 ? "" : ",") + object($0, $1)
            } _: {
                "{\"Track\":[\($0)]}"
            }
        ) { _ = try Realm2JSONSource(path: $0, progress: $1) },
        OpeningCase(
            "JSON of Realm Studio",
            "a.json",
            text {
                ($0 == 0 ? "" : ",") + object($0, $1)
            } _: {
                "{\"Track\":[\($0)]}"
            }
        ) { _ = try RealmStudioJSONSource(path: $0, progress: $1) },
        OpeningCase("Flatted", "a.json", writeFlatted) {
            _ = try RealmStudioJSONSource(path: $0, progress: $1)
        },
        OpeningCase(
            "M3U",
            "a.m3u",
            text {
                "/\($0)/\($1).mp3\n"
            } _: {
                "#EXTM3U\n" + $0
            }
        ) {
            _ = try M3USource(path: $0, progress: $1)
        },
        OpeningCase(
            "an iTunes library without an identity",
            "a.xml",
            text {
                LibraryText.track($0 + 1, nil, name: $1)
            } _: {
                String(decoding: LibraryText.library([$0], id: nil), as: UTF8.self)
            }
        ) { _ = try ITunesLibrarySource(path: $0, progress: $1) },
        OpeningCase("SQLite", "a.db", { try writeDatabase($0, "") }) {
            _ = try SQLiteDatabaseSource(path: $0, progress: $1)
        },
        OpeningCase("Core Data", "a.store", { try writeDatabase($0, coreData) }) {
            _ = try CoreDataSource(path: $0, progress: $1)
        },
        OpeningCase("SQLite of any sort", "a.store", { try writeDatabase($0, coreData) }) {
            _ = try SQLiteFormat.source(path: $0, progress: $1)
        },
        OpeningCase("the sort of a database", "a.db", { try writeDatabase($0, "") }) {
            _ = try SQLiteFormat.isCoreData(path: $0, progress: $1)
        },
    ]

    /// Those of Realm files, of which there are only small ones here.
    static let realm: [OpeningCase] = [
        OpeningCase("an encrypted Realm file", "a.realm", copy("music_100_encrypted")) {
            _ = try RealmLibrarySource(path: $0, key: realmKey, progress: $1)
        },
        OpeningCase(
            "an encrypted Realm file, its own schema",
            "a.realm",
            copy("music_100_encrypted")
        ) {
            _ = try RealmStoreSource(path: $0, key: realmKey, progress: $1)
        },
        OpeningCase("a Realm file to be salvaged", "a.realm", copy("music_100")) {
            _ = try RealmLibrarySource(path: $0, salvages: true, progress: $1)
        },
        OpeningCase(
            "an encrypted Realm file to be salvaged",
            "a.realm",
            copy("music_100_encrypted")
        ) {
            _ = try RealmStoreSource(path: $0, key: realmKey, salvages: true, progress: $1)
        },
        OpeningCase("a Realm file", "a.realm", copy("music_100")) {
            _ = try RealmLibrarySource(path: $0, progress: $1)
        },
    ]

    // MARK: Files

    private static let longText = String(repeating: "x", count: 4000)
    private static let recordCount = 1400

    private static func object(_ number: Int, _ text: String) -> String {
        "{\"id\":\"\(number)\",\"text\":\"\(text)\"}"
    }

    private static func text(
        _ record: @escaping @Sendable (Int, String) -> String,
        _ whole: @escaping @Sendable (String) -> String
    ) -> @Sendable (String) throws -> Void {
        { path in
            let records = (0..<recordCount).map { record($0, longText) }.joined()
            try Data(whole(records).utf8).write(to: URL(filePath: path))
        }
    }

    @Sendable private static func writeFlatted(_ path: String) throws {
        let objects = (0..<recordCount).map { number in
            Graph.Value.object(
                Graph.Object([("id", .text("\(number)")), ("text", .text("\(number) " + longText))])
            )
        }
        let root = Graph.Object([("Track", .array(objects))])
        try Data(Graph.flatted(root).utf8).write(to: URL(filePath: path))
    }

    private static let coreData = """
        CREATE TABLE Z_METADATA(Z_VERSION INTEGER PRIMARY KEY, Z_UUID VARCHAR(255), Z_PLIST BLOB);
        INSERT INTO Z_METADATA VALUES(1, 'STORE-UUID', NULL);
        CREATE TABLE Z_PRIMARYKEY(Z_ENT INTEGER PRIMARY KEY, Z_NAME VARCHAR, Z_SUPER INTEGER, Z_MAX INTEGER);
        INSERT INTO Z_PRIMARYKEY VALUES(1, 'Track', 0, 20000);
        """

    /// A database that no other one begins like.
    private static func writeDatabase(_ path: String, _ more: String) throws {
        let database = try SQLiteScratch(at: path)
        try database.execute(
            """
            PRAGMA user_version=\(Int32.random(in: 1 ... .max));
            \(more)
            CREATE TABLE ZTRACK(Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZTITLE VARCHAR);
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000)
                INSERT INTO ZTRACK SELECT i, 1, 1, hex(zeroblob(140)) || i FROM n;
            """
        )
        database.close()
    }

    private static func copy(_ name: String) -> @Sendable (String) throws -> Void {
        { path in
            let bytes = try Data(contentsOf: URL(filePath: Repository.realm("\(name).realm")))
            try bytes.write(to: URL(filePath: path))
        }
    }

    private static var realmKey: [UInt8] {
        get throws {
            [UInt8](try Data(contentsOf: URL(filePath: Repository.realm("encrypted.key"))))
        }
    }
}
