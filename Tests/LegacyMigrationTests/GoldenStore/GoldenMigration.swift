import Foundation
import LegacyMigration
import Reprise
import Synchronization
import TestSupport

/// A store into which an export was migrated, whose rows were then changed, and into which a newer version of the
/// export was migrated.
enum GoldenMigration: String, CaseIterable {
    /// Decisions, and rows of which both sides have changed something.
    case database
    /// Decisions on what the store does not say itself, and the times of its history.
    case coreData = "core-data"
    /// Decisions of a file without a schema.
    case lines
    /// A row that the newer export lacks, and that stays because another one needs it.
    case needed

    /// What the export is called in the folder, and everywhere else: the name is the source's.
    var exportName: String {
        switch self {
        case .database: "music.db"
        case .coreData: "Items.store"
        case .lines: "plays.ndjson"
        case .needed: "books.db"
        }
    }

    func source(_ path: String) throws -> any LegacySource {
        switch self {
        case .database, .needed: try SQLiteDatabaseSource(path: path)
        case .coreData: try CoreDataSource(path: path)
        case .lines: try NDJSONSource(path: path)
        }
    }

    func migrator(of export: String, into store: Store) throws -> Migrator {
        let options = Migrator.Options(replacesEverything: true)
        return try Migrator(source: source(export), store: store, options: options)
    }

    /// Makes the store, and the export as it was when it was migrated last.
    func make(store path: String, export: String) throws {
        try write(firstExport, to: export)
        let clock = TickingClock()
        let store = try Store.open(
            at: path,
            schema: Schema(source(export).schema),
            configuration: Store.Configuration(actor: "golden", now: clock.now)
        )
        defer { store.close() }
        _ = try migrator(of: export, into: store).run()
        try store.write(CommitContext(intent: "edit")) { try edit(&$0) }
        try write(secondExport, to: export)
        _ = try migrator(of: export, into: store).run()
    }

    // MARK: The exports

    /// Statements that make a database, or the text of a file.
    private var firstExport: String {
        switch self {
        case .database: Self.musicDatabase
        case .coreData: Self.coreDataStore
        case .lines: Self.playLines
        case .needed: Self.bookDatabase
        }
    }

    /// Statements that change the database, or all of a newer file.
    private var secondExport: String {
        switch self {
        case .database: Self.musicChanges
        case .coreData: Self.coreDataChanges
        case .lines: Self.newerPlayLines
        case .needed: "DELETE FROM book; DELETE FROM author WHERE id < 3;"
        }
    }

    /// Statements that change the export once more, or lines to follow: two values that do not fit what the log says of
    /// them. By themselves they would be understood in another way, and so would be what stands beside them.
    var oddities: String {
        switch self {
        case .database:
            """
            INSERT INTO album VALUES(9, 'Odd', 17.5);
            INSERT INTO track VALUES(90, 'Odd', 'odd', 2, 1, NULL, 9);
            """
        case .coreData: "INSERT INTO ZITEM VALUES(9, 1, 1, 'odd', 'x'), (10, 1, 1, 'odd', 1.5);"
        case .lines: #"{"id":"p9","track":"seven","count":"07","at":"some day"}"#
        case .needed: "INSERT INTO author VALUES(9, 17.5);"
        }
    }

    private func write(_ text: String, to export: String) throws {
        guard self == .lines else { return try change(export, text) }
        try (text + "\n").write(toFile: export, atomically: false, encoding: .utf8)
    }

    /// Changes an export.
    func change(_ export: String, _ text: String) throws {
        guard self == .lines else {
            let database = try SQLiteScratch(at: export)
            try database.execute(text)
            return database.close()
        }
        let before = try String(contentsOfFile: export, encoding: .utf8)
        try (before + text + "\n").write(toFile: export, atomically: false, encoding: .utf8)
    }

    private static let musicDatabase = """
        PRAGMA page_size=512; PRAGMA journal_mode=DELETE;
        CREATE TABLE album(id INTEGER PRIMARY KEY, title TEXT NOT NULL, released DATETIME);
        CREATE TABLE track(id INTEGER PRIMARY KEY, title TEXT, code TEXT UNIQUE, loved BOOLEAN, plays INTEGER,
            cover BLOB, album_id INTEGER REFERENCES album(id) ON DELETE CASCADE);
        CREATE TABLE playlist(name TEXT PRIMARY KEY NOT NULL);
        CREATE TABLE playlist_track(playlist TEXT REFERENCES playlist(name) ON DELETE CASCADE,
            track_id INTEGER REFERENCES track(id) ON DELETE CASCADE, position INTEGER);
        CREATE TABLE setting(name TEXT, value);
        INSERT INTO album VALUES(1, 'Grüße', 2460310.5), (2, 'Zwei', 2460311.25);
        INSERT INTO track VALUES(1, 'a', 'c1', 0, 10, x'00ff', 1), (2, 'b', 'c2', 1, 20, NULL, 1),
            (3, 'c', 'c3', 0, 30, NULL, 2), (4, 'd', 'c4', 0, 40, NULL, NULL), (5, 'e', 'c5', NULL, 50, NULL, 2);
        INSERT INTO playlist VALUES('long'), ('"quoted"');
        INSERT INTO playlist_track VALUES('long', 3, 1), ('long', 1, 2), ('long', 3, 3), ('"quoted"', 5, 1);
        INSERT INTO setting VALUES('volume', 7), ('theme', 'dark');
        """

    /// Values of unique columns go round, and a new row wants the one of a row that goes.
    private static let musicChanges = """
        UPDATE track SET code = 't' WHERE id = 1; UPDATE track SET code = 'c1' WHERE id = 2;
        UPDATE track SET code = 'c2' WHERE id = 3; UPDATE track SET code = 'c3' WHERE id = 1;
        DELETE FROM track WHERE id = 4; INSERT INTO track VALUES(0, 'new', 'c4', 1, 5, NULL, 2);
        UPDATE track SET plays = 51 WHERE id = 5; UPDATE album SET released = 2460312.5 WHERE id = 2;
        INSERT INTO playlist_track VALUES('long', 0, 4); DELETE FROM playlist_track WHERE track_id = 5;
        """

    private static let bookDatabase = """
        PRAGMA page_size=512; PRAGMA journal_mode=DELETE;
        CREATE TABLE author(id INTEGER PRIMARY KEY, born INTEGER);
        CREATE TABLE book(id INTEGER PRIMARY KEY, title TEXT NOT NULL,
            author_id INTEGER NOT NULL REFERENCES author(id));
        INSERT INTO author VALUES(1, 1775), (2, 1797), (3, 1816);
        INSERT INTO book VALUES(10, 'Emma', 1), (20, 'Frankenstein', 2);
        """

    private static let coreDataStore =
        "PRAGMA page_size=512; PRAGMA journal_mode=DELETE;"
        + CoreDataTables.sql(
            "(1, 'Item', 0, 9), (3, 'Box', 0, 9), (16001, 'CHANGE', 0, 9), (16002, 'TRANSACTION', 0, 9)"
        ) + """
            CREATE TABLE ZITEM(Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZNAME VARCHAR, ZLEVEL INTEGER);
            INSERT INTO ZITEM VALUES(1, 1, 1, 'a', 1), (2, 1, 1, 'b', 2), (3, 1, 1, 'c', 3), (4, 1, 1, 'd', 4);
            CREATE TABLE ZBOX(Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZNAME VARCHAR, ZITEM INTEGER);
            INSERT INTO ZBOX VALUES(1, 3, 1, 'box', 2);
            CREATE TABLE ATRANSACTION(Z_PK INTEGER PRIMARY KEY, ZTIMESTAMP FLOAT);
            INSERT INTO ATRANSACTION VALUES(1, 593881375.201192), (2, 593881376), (3, 593881377.5);
            CREATE TABLE ACHANGE(Z_PK INTEGER PRIMARY KEY, ZCHANGETYPE INTEGER, ZENTITY INTEGER, ZENTITYPK INTEGER,
                ZTRANSACTIONID INTEGER);
            INSERT INTO ACHANGE(ZCHANGETYPE, ZENTITY, ZENTITYPK, ZTRANSACTIONID) VALUES
                (0, 1, 1, 1), (1, 1, 1, 3), (1, 1, 1, 2), (1, 1, 2, 2), (0, 3, 1, 2);
            """

    private static let coreDataChanges = """
        UPDATE ZITEM SET ZNAME = 'bee' WHERE Z_PK = 2; UPDATE ZITEM SET ZNAME = 'see' WHERE Z_PK = 3;
        DELETE FROM ZITEM WHERE Z_PK = 4;
        INSERT INTO ZITEM VALUES(5, 1, 1, 'e', 5), (6, 1, 1, 'f', 6), (7, 1, 1, 'g', 7);
        INSERT INTO ATRANSACTION VALUES(4, 593881378);
        INSERT INTO ACHANGE(ZCHANGETYPE, ZENTITY, ZENTITYPK, ZTRANSACTIONID) VALUES(1, 1, 2, 4), (0, 1, 5, 4);
        """

    private static let playLines = """
        {"id":"p1","track":7,"count":1,"at":"2024-01-01T00:00:00Z","tags":["x","y"],"where":{"lat":1.5,"name":"home"}}
        {"id":"p2","track":8,"count":2,"at":"2024-01-02T00:00:00Z","tags":[]}
        {"id":"p3","track":7,"count":3,"at":"2024-01-03T00:00:00Z","tags":["z",null]}
        {"id":"p4","track":9,"count":4,"at":"2024-01-04T00:00:00.5Z"}
        """

    private static let newerPlayLines = """
        {"id":"p0","track":1,"count":9,"at":"2024-01-05T00:00:00Z"}
        {"id":"p1","track":7,"count":11,"at":"2024-01-01T00:00:00Z","tags":["y"],"where":{"lat":2.5,"name":"away"}}
        {"id":"p2","track":8,"count":2,"at":"2024-01-02T00:00:00Z","tags":[]}
        {"id":"p3","track":7,"count":33,"at":"2024-01-03T00:00:00Z","tags":["z",null]}
        {"id":"p5","track":9,"count":5,"at":"2024-01-04T00:00:00.5Z"}
        {"id":"p6","track":9,"count":6,"at":"2024-01-04T00:00:00.5Z"}
        """

    // MARK: What was changed in the store in between

    private func edit(_ transaction: inout WriteTransaction) throws {
        switch self {
        case .database:
            // What the newer export says as well, what it has not changed, and what it has.
            try transaction.put(EntityReference(model: "track", id: "5"), values: ["plays": .int(51)])
            try transaction.put(EntityReference(model: "album", id: "1"), values: ["title": .string("Mine")])
            try transaction.put(
                EntityReference(model: "track", id: "mine"),
                values: ["title": .string("mine"), "album_id": .reference("2")]
            )
        case .coreData:
            try transaction.put(EntityReference(model: "Item", id: "2"), values: ["name": .string("bee")])
            try transaction.put(EntityReference(model: "Item", id: "1"), values: ["level": .int(-1)])
        case .lines:
            try transaction.put(EntityReference(model: "plays", id: "p2"), values: ["count": .int(22)])
        case .needed:
            try transaction.put(
                EntityReference(model: "book", id: "mine"),
                values: ["title": .string("Persuasion"), "author_id": .reference("1")]
            )
        }
    }
}

/// A clock that ticks once a second from 2023-11-14T22:13:20Z.
private final class TickingClock: Sendable {
    private let ticks = Mutex(0.0)

    func now() -> Date {
        ticks.withLock { ticks in
            defer { ticks += 1 }
            return Date(timeIntervalSince1970: 1_700_000_000 + ticks)
        }
    }
}
