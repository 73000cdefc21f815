import Foundation
import LegacyMigration
import MusicLibrary
import Reprise
import TestSupport
import Testing

/// What a key says of the record that has it, where two exports have nothing but the name of their files in common.
@Suite struct TellingKeyTests {
    private let exports: ExportsOfOneName

    init() throws {
        exports = try ExportsOfOneName()
    }

    /// Lines with keys and titles.
    private func titled(_ keys: [String], _ word: String) -> String {
        keys.enumerated().map { #"{"id":"\#($0.element)","t":"\#(word)\#($0.offset)"}"# + "\n" }.joined()
    }

    @Test(arguments: ["T00", "com.app.song.000", "2024-11-", "/Volumes/Music/Track "])
    func `keys that differ in nothing but their digits only count, long as they may be`(beginning: String) throws {
        let keys = (10...40).map { "\(beginning)\($0)" }
        try exports.migrate(
            exports.lines(titled(keys, "x"), in: "a"),
            related: exports.lines(titled(keys.dropLast(), "x"), in: "b"),
            other: exports.lines(titled(keys.dropLast(), "y"), in: "c")
        )
    }

    /// A table of entries of one list, whose key is that and a place.
    private func entries(_ numbers: ClosedRange<Int>, of list: String = "queue", _ word: String) -> String {
        "CREATE TABLE entry(list TEXT, place INT, title TEXT, PRIMARY KEY(list, place));"
            + numbers.map { "INSERT INTO entry VALUES('\(list)', \($0), '\(word)\($0)');" }.joined()
    }

    @Test func `so do several columns of which one is a word and the other counts`() throws {
        try exports.migrate(
            exports.database(entries(1...30, "x"), in: "a"),
            related: exports.database(entries(1...29, "x"), in: "b"),
            other: exports.database(entries(1...29, "y"), in: "c")
        )
    }

    @Test func `what several columns are is no value that is the same`() throws {
        func entries(_ numbers: ClosedRange<Int>, _ word: String) -> String {
            "CREATE TABLE entry(list TEXT, kind TEXT, place INT, title TEXT, PRIMARY KEY(list, kind, place));"
                + numbers.map { "INSERT INTO entry VALUES('queue', 'song', \($0), '\(word)\($0)');" }.joined()
        }
        try exports.migrate(
            exports.database(entries(1...30, "x"), in: "a"),
            related: exports.database(entries(2...30, "x"), in: "b"),
            other: exports.database(entries(2...30, "y"), in: "c")
        )
    }

    @Test(arguments: [
        ("day DATE PRIMARY KEY NOT NULL", "date('2023-01-01', '+%d days')"),
        ("day DATETIME PRIMARY KEY NOT NULL", "1700000000 + 86400 * %d"),
        ("id DECIMAL(20) PRIMARY KEY", "10000000 + %d"),
        ("day DATE, kind TEXT DEFAULT 'a', PRIMARY KEY(day, kind)", "date('2023-01-01', '+%d days')"),
    ])
    func `nor is what a key is in other words`(key: String, value: String) throws {
        let column = key.prefix { $0 != " " }
        func rows(_ numbers: ClosedRange<Int>, _ word: String) -> String {
            // A primary key of several columns stands behind the others.
            let parts = key.split(separator: ", PRIMARY", maxSplits: 1)
            let end = parts.count == 2 ? ", PRIMARY\(parts[1])" : ""
            return "CREATE TABLE entry(\(parts[0]), title TEXT\(end));"
                + numbers.map { number in
                    let key = value.replacing("%d", with: "\(number)")
                    return "INSERT INTO entry(\(column), title) VALUES(\(key), '\(word)\(number)');"
                }.joined()
        }
        try exports.migrate(
            exports.database(rows(1...30, "x"), in: "a"),
            related: exports.database(rows(2...30, "x"), in: "b"),
            other: exports.database(rows(2...30, "y"), in: "c")
        )
    }

    @Test func `nor is the row of another table that a key names`() throws {
        func rows(_ word: String) -> String {
            """
            CREATE TABLE song(id INTEGER PRIMARY KEY, title TEXT);
            CREATE TABLE state(song INTEGER PRIMARY KEY REFERENCES song(id), plays INT);
            CREATE TABLE mark(song INTEGER REFERENCES song(id), kind INT, plays INT, PRIMARY KEY(song, kind));
            """
                + (1...60).map { number in
                    """
                    INSERT INTO song VALUES(\(number), '\(word)\(number)');
                    INSERT INTO state VALUES(\(number), 0);
                    INSERT INTO mark VALUES(\(number), 1, 0), (\(number), 2, 0);
                    """
                }.joined()
        }
        try exports.migrate(
            exports.database(rows("x"), in: "a"),
            related: exports.database(rows("x") + "DELETE FROM mark WHERE song = 7;", in: "b"),
            other: exports.database(rows("y"), in: "c")
        )
    }

    @Test func `keys of a class that shares its model with another one are what they were`() throws {
        let rule = #"{"model":"track","fields":{"title":"title"}}"#
        let json = #"{"target":"music","classes":{"a":\#(rule),"b":\#(rule)}}"#
        func mapped(_ numbers: ClosedRange<Int>, _ word: String, in folder: String) throws -> MappedSource {
            let tables = ["a", "b"].map { table in
                "CREATE TABLE \(table)(id INTEGER PRIMARY KEY, title TEXT);"
                    + numbers.map { "INSERT INTO \(table) VALUES(\($0), '\(word)\($0)');" }.joined()
            }
            return try MappedSource(
                exports.database(tables.joined(), in: folder),
                RecordMapping(json: Array(json.utf8))
            )
        }
        try exports.migrate(
            mapped(1...30, "x", in: "a"),
            related: mapped(1...29, "x", in: "b"),
            other: mapped(1...29, "y", in: "c")
        )
    }

    /// Two letters, which are others for each of 36 numbers that follow one another.
    private static func letters(_ number: Int) -> String {
        let letters = ["a", "b", "c", "d", "e", "f"]
        return letters[number % 6] + letters[number / 6 % 6]
    }

    private static let drawn: [@Sendable (Int) -> String] = [
        { "0b9a4a52-6f8c-4e0a-9f29-3c1d5a77e\($0)" }, { "2F\($0)C4BE1A98D4D57" }, { "01ARZ\($0)NDEKTSV4RRFFQ69G5FAV" },
        { "507f1f77bc\($0)f86cd799439011" }, { "spotify:track:4uLU6hMCjMI75\($0)A2tKUQC" },
        { "track-0b9a4a52-6f8c-4e0a-9f29-3c1d5a77e\($0)" },
    ]

    @Test(arguments: 0..<drawn.count)
    func `keys that were drawn by chance make rows the same of which all the rest has changed`(place: Int) throws {
        // Letters differ as well as digits.
        func key(_ number: Int) -> String { Self.drawn[place](number).dropLast(2) + Self.letters(number) }
        try exports.migrate(
            exports.lines(titled((100...135).map(key), "x"), in: "a"),
            related: exports.lines(titled((101...140).map(key), "y"), in: "b"),
            other: exports.lines(titled((200...235).map { key($0).replacing("4", with: "7") }, "x"), in: "c")
        )
    }

    @Test(arguments: ["theme", "notificationsEnabled", "com.app.library.", "Bohemian Rhapsody "])
    func `those that are words do not`(beginning: String) throws {
        let keys = (0..<36).map { beginning + Self.letters($0) }
        try exports.migrate(
            exports.lines(titled(keys, "x"), in: "a"),
            related: exports.lines(titled(keys.dropLast(), "x"), in: "b"),
            other: exports.lines(titled(keys.dropLast(), "y"), in: "c")
        )
    }

    @Test(arguments: ["f47ac10b-58cc-4372-a567-0000000000", "x7k2b9d4f1a8c3e5000"])
    func `nor do drawn ones of which each counts on from the one before`(beginning: String) throws {
        let keys = (10...60).map { "\(beginning)\($0)" }
        try exports.migrate(
            exports.lines(titled(keys, "x"), in: "a"),
            related: exports.lines(titled(keys.dropLast(), "x"), in: "b"),
            other: exports.lines(titled(keys.dropLast(), "y"), in: "c")
        )
    }

    @Test func `nor does a drawn one that all rows have`() throws {
        let list = "0b9a4a52-6f8c-4e0a-9f29-3c1d5a77e6b1"
        try exports.migrate(
            exports.database(entries(1...30, of: list, "x"), in: "a"),
            related: exports.database(entries(1...29, of: list, "x"), in: "b"),
            other: exports.database(entries(1...29, of: list, "y"), in: "c")
        )
    }

    @Test func `nor do numbers of many digits`() throws {
        func keys(_ numbers: ClosedRange<Int>) -> [String] { numbers.map { "\(12_345_600 + $0)" } }
        try exports.migrate(
            exports.lines(titled(keys(1...30), "x"), in: "a"),
            related: exports.lines(titled(keys(1...29), "x"), in: "b"),
            other: exports.lines(titled(keys(1...29), "y"), in: "c")
        )
    }

    @Test func `what names the records of one class is compared in another that becomes the same model`() throws {
        let json = #"{"target":"music","classes":{"song":{"model":"track"},"book":{"model":"track"}}}"#
        func mapped(_ numbers: ClosedRange<Int>, _ word: String, in folder: String) throws -> MappedSource {
            let tables =
                "CREATE TABLE song(id INTEGER PRIMARY KEY, title TEXT);"
                + "CREATE TABLE book(title TEXT PRIMARY KEY NOT NULL, size INT); INSERT INTO book VALUES('b', 1);"
            let rows = numbers.map { "INSERT INTO song VALUES(\($0), '\(word)\($0)');" }
            return try MappedSource(
                exports.database(tables + rows.joined(), in: folder),
                RecordMapping(json: Array(json.utf8))
            )
        }
        try exports.migrate(
            mapped(1...60, "x", in: "a"),
            related: mapped(1...59, "x", in: "b"),
            other: mapped(1...60, "y", in: "c")
        )
    }

    @Test func `nor does what names those of the one prove anything for these`() throws {
        let json = #"{"target":"music","classes":{"diary":{"model":"track","fields":{"day":"releaseDate"}},"#
            + #""note":{"model":"track"}}}"#
        func mapped(_ numbers: Range<Int>, _ word: String, in folder: String) throws -> MappedSource {
            let tables =
                "CREATE TABLE diary(day DATETIME PRIMARY KEY NOT NULL, title TEXT);"
                + "DROP TABLE note; CREATE TABLE note(id INTEGER PRIMARY KEY, title TEXT);"
                + "INSERT INTO note VALUES(1, '\(word)');"
            let rows = numbers.map { "INSERT INTO diary VALUES(\(1_700_000_000 + 86_400 * $0), '\(word)\($0)');" }
            return try MappedSource(
                exports.database(tables + rows.joined(), in: folder),
                RecordMapping(json: Array(json.utf8))
            )
        }
        try exports.migrate(
            mapped(0..<60, "x", in: "a"),
            related: mapped(0..<59, "x", in: "b"),
            other: mapped(0..<59, "y", in: "c")
        )
    }

    @Test func `it makes no difference how an export is sorted`() throws {
        func text(_ numbers: [Int], _ plays: Int) -> String {
            numbers.map {
                #"{"id":\#($0),"genre":"g\#($0 % 10)","plays":\#($0 % 5 < 2 ? plays : 1)}"# + "\n"
            }.joined()
        }
        let sorted = (1...199).sorted { ($0 % 10, $0) < ($1 % 10, $1) }
        let library = try TemporaryLibrary(for: exports.lines(text(Array(1...200), 1), in: "a"))
        _ = try Migrator(source: exports.lines(text(Array(1...200), 1), in: "a"), store: library.store).run()
        let newer = try exports.lines(text(sorted, 9), in: "b")
        let counts = try Migrator(source: newer, store: library.store).run().counts["n"]
        #expect(counts?.deleted == 1 && counts?.updated == 79)
    }

    @Test func `rows that say nothing but that they are there are the same where nothing contradicts`() throws {
        func rows(_ numbers: ClosedRange<Int>) -> String {
            "CREATE TABLE favourite(id INTEGER PRIMARY KEY);"
                + numbers.map { "INSERT INTO favourite VALUES(\($0));" }.joined()
        }
        try exports.migrate(
            exports.database(rows(1...50), in: "a"),
            related: exports.database(rows(1...49), in: "b"),
            other: exports.database(rows(101...150), in: "c")
        )
    }

    @Test func `beside rows that say something they are not`() throws {
        func rows(_ numbers: ClosedRange<Int>, _ word: String) -> String {
            "CREATE TABLE song(id INTEGER PRIMARY KEY, title TEXT);"
                + numbers.map { number in
                    let title = number.isMultiple(of: 4) ? "'\(word)\(number)'" : "NULL"
                    return "INSERT INTO song VALUES(\(number), \(title));"
                }.joined()
        }
        try exports.migrate(
            exports.database(rows(1...100, "x"), in: "a"),
            related: exports.database(rows(1...99, "x"), in: "b"),
            other: exports.database(rows(1...99, "y"), in: "c")
        )
    }

    @Test func `a column that becomes another one in all rows makes none of them another one`() throws {
        let keys = (0..<36).map { "0b9a4a52-6f8c-4e0a-9f29-3c1d5a77e6" + Self.letters($0) }
        func text(_ title: String, _ state: String) -> String {
            keys.enumerated().map {
                #"{"id":"\#($0.element)","t":"\#(title)\#($0.offset)","s":"\#(state)"}"# + "\n"
            }.joined()
        }
        let first = try exports.lines(text("x", "new"), in: "a")
        let library = try TemporaryLibrary(for: first)
        _ = try Migrator(source: first, store: library.store).run()
        let newer = try exports.lines(text("y", "old"), in: "b")
        #expect(try Migrator(source: newer, store: library.store).run().counts["n"]?.updated == 36)
    }

    @Test(arguments: 0..<4 as Range<UInt64>)
    func `paths that count are keys of which a few plays more make no other rows, however sorted`(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        func rows(_ count: Int, _ plays: (Int) -> Int) -> String {
            let numbers = seed == 0 ? Array(0..<count) : (0..<count).shuffled(using: &random)
            return "CREATE TABLE play(path TEXT PRIMARY KEY NOT NULL, plays INT, rating INT);"
                + numbers.map { number in
                    let path = "/Music/\(["Ada", "Bea", "Cleo", "Dora", "Eva", "Fay"][number / 20])/0\(number % 20).mp3"
                    return "INSERT INTO play VALUES('\(path)', \(plays(number)), \(1 + number % 5));"
                }.joined()
        }
        let first = try exports.database(rows(120) { 1 + $0 % 9 }, in: "a")
        let library = try TemporaryLibrary(for: first)
        _ = try Migrator(source: first, store: library.store).run()
        let newer = try exports.database(rows(119) { 1 + $0 % 9 + ($0 % 2) }, in: "b")
        #expect(try Migrator(source: newer, store: library.store).run().counts["play"]?.updated == 59)
    }

    @Test func `a row that an interrupted replacement has written is no proof when it is changed here`() throws {
        func text(_ numbers: ClosedRange<Int>, _ word: String) -> String {
            numbers.map {
                #"{"id":\#($0),"t":"\#(word)\#($0)","a":"a\#(word)\#($0)","b":"b\#(word)\#($0)"}"# + "\n"
            }.joined()
        }
        let first = try exports.lines(text(101...140, "x"), in: "a")
        let library = try TemporaryLibrary(for: first)
        _ = try Migrator(source: first, store: library.store).run()
        let other = try exports.lines(text(1...30, "y"), in: "b")
        let options = Migrator.Options(batchRecordCount: 5, replacesEverything: true)
        #expect(throws: MigrationError.self) {
            try Migrator(source: other, store: library.store, options: options).run { $0.recordsWritten < 25 }
        }
        for number in 1...20 {
            _ = try library.store.write {
                try $0.put(EntityReference(model: "n", id: "\(number)"), values: ["t": .string("mine")])
            }
        }
        let error = #expect(throws: MigrationError.self) { try Migrator(source: other, store: library.store).run() }
        #expect(error?.code == .unrelatedExport)
        #expect(try Migrator(source: other, store: library.store, options: options).run().isResumed)
    }
}
