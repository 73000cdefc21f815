import Foundation
import LegacyMigration
import MusicLibrary
import Reprise
import TestSupport
import Testing

/// Exports with nothing but the names of their files in common, in which records are told apart by where they stand, or
/// by numbers: each has a first one.
@Suite struct NamedByPlaceTests {
    private let exports: ExportsOfOneName

    init() throws {
        exports = try ExportsOfOneName()
    }

    @Test func `a line without a key is no other file's though it stands at its place`() throws {
        try exports.migrate(
            exports.lines(#"{"id":"2f0c4be1a98d4d57","t":1}\#n{"id":"ax","t":1}\#n{"t":7}\#n"#, in: "a"),
            related: exports.lines(#"{"id":"2f0c4be1a98d4d57","t":2}\#n{"id":"ay","t":1}\#n{"t":8}\#n"#, in: "b"),
            other: exports.lines(#"{"id":"z","t":1}\#n{"id":"zx","t":1}\#n{"t":9}\#n"#, in: "c")
        )
    }

    @Test func `nor are lines of which none has one, unless one of them is the same`() throws {
        try exports.migrate(
            exports.lines(#"{"t":"x"}\#n{"t":"y"}\#n{"t":"z"}\#n"#, in: "a"),
            related: exports.lines(#"{"t":"v"}\#n{"t":"y"}\#n"#, in: "b"),
            other: exports.lines(#"{"t":"y"}\#n{"t":"x"}\#n"#, in: "c")
        )
    }

    @Test func `lines that were deleted here, and are what they were, say whose they are`() throws {
        let first = try exports.lines(#"{"t":1}\#n{"t":2}\#n{"t":3}\#n"#, in: "a")
        let library = try TemporaryLibrary(for: first)
        _ = try Migrator(source: first, store: library.store).run()
        for (id, value) in try library.values("n", "t") where value != .int(3) {
            _ = try library.store.write { try $0.delete(EntityReference(model: "n", id: id)) }
        }
        let newer = try exports.lines(#"{"t":1}\#n{"t":2}\#n"#, in: "b")
        #expect(try Migrator(source: newer, store: library.store).run().counts["n"]?.deleted == 1)
        #expect(try library.ids(of: "n").isEmpty)
    }

    @Test func `a key that was deleted here says it whatever has become of the rest`() throws {
        let first = try exports.lines(#"{"id":"a","t":1}\#n{"id":"b","t":2}\#n{"id":"c","t":3}\#n"#, in: "a")
        let library = try TemporaryLibrary(for: first)
        _ = try Migrator(source: first, store: library.store).run()
        for id in ["a", "b"] {
            _ = try library.store.write { try $0.delete(EntityReference(model: "n", id: id)) }
        }
        let newer = try exports.lines(#"{"id":"a","t":11}\#n{"id":"b","t":12}\#n"#, in: "b")
        _ = try Migrator(source: newer, store: library.store).run()
        #expect(try library.ids(of: "n") == ["a", "b"])
    }

    @Test func `a row that was deleted here says it by what the export says of it`() throws {
        let first = try exports.lines(
            #"{"id":"a","t":"x","n":1}\#n{"id":"b","t":"y","n":2}\#n{"id":"c","t":"z","n":3}\#n"#,
            in: "a"
        )
        let library = try TemporaryLibrary(for: first)
        _ = try Migrator(source: first, store: library.store).run()
        for id in ["a", "b"] {
            _ = try library.store.write { try $0.delete(EntityReference(model: "n", id: id)) }
        }
        let newer = try exports.lines(#"{"id":"a","t":"x","n":1}\#n{"id":"b","t":"y","n":2}\#n"#, in: "b")
        _ = try Migrator(source: newer, store: library.store).run()
        #expect(try library.ids(of: "n").isEmpty)
    }

    @Test func `a table whose rows have numbers is no other database's`() throws {
        let first = "INSERT INTO setting VALUES('a', 1), ('b', 2); INSERT INTO note VALUES('n1', 'x');"
        try exports.migrate(
            exports.database(first, in: "a"),
            related: exports.database("INSERT INTO setting VALUES('a', 1), ('b', 3);", in: "b"),
            other: exports.database("INSERT INTO setting VALUES('c', 2); INSERT INTO note VALUES('n2', 'x');", in: "c")
        )
        try exports.migrate(
            exports.database(first, in: "d"),
            related: exports.database("INSERT INTO note VALUES('n1', 'x'), ('n3', 'y');", in: "e"),
            other: exports.database("INSERT INTO note VALUES('n2', 'x');", in: "f")
        )
    }

    @Test func `nor is one whose keys are numbers that only count`() throws {
        let table = "CREATE TABLE song(id INTEGER PRIMARY KEY, title TEXT, plays INT); INSERT INTO song VALUES"
        try exports.migrate(
            exports.database(table + "(1, 'x', 0), (2, 'y', 0), (3, 'z', 0);", in: "a"),
            related: exports.database(table + "(1, 'v', 7), (3, 'z', 0);", in: "b"),
            other: exports.database(table + "(1, 'z', 0), (3, 'y', 0);", in: "c")
        )
    }

    @Test func `nor where several of them are one key`() throws {
        let table = "CREATE TABLE tag(song INT, place INT, word TEXT, PRIMARY KEY(song, place)); INSERT INTO tag VALUES"
        try exports.migrate(
            exports.database(table + "(1, 1, 'x'), (1, 2, 'y'), (2, 1, 'z');", in: "a"),
            related: exports.database(table + "(1, 1, 'x'), (1, 2, 'v');", in: "b"),
            other: exports.database(table + "(1, 1, 'y'), (1, 2, 'x');", in: "c")
        )
    }

    @Test func `nor where a mapping makes them one`() throws {
        let json = #"{"classes":{"n":{"id":["disc","number"]}}}"#
        func mapped(_ text: String, in folder: String) throws -> MappedSource {
            try MappedSource(exports.lines(text, in: folder), RecordMapping(json: Array(json.utf8)))
        }
        try exports.migrate(
            mapped(#"{"disc":1,"number":1,"t":"x"}\#n{"disc":1,"number":2,"t":"y"}\#n"#, in: "a"),
            related: mapped(#"{"disc":1,"number":1,"t":"x"}\#n{"disc":2,"number":1,"t":"y"}\#n"#, in: "b"),
            other: mapped(#"{"disc":1,"number":1,"t":"y"}\#n"#, in: "c")
        )
    }

    @Test func `what was empty, and is given now, makes a row no other one`() throws {
        try exports.migrate(
            exports.lines(#"{"id":1,"t":"x","n":null}\#n{"id":2,"t":"y","n":3}\#n"#, in: "a"),
            related: exports.lines(#"{"id":1,"t":"x","n":9}\#n"#, in: "b"),
            other: exports.lines(#"{"id":1,"t":null,"n":9}\#n"#, in: "c")
        )
    }

    @Test func `rows of nothing but small numbers are the same ones only where none is another`() throws {
        try exports.migrate(
            exports.lines(#"{"id":1,"n":10}\#n{"id":2,"n":20}\#n{"id":3,"n":30}\#n"#, in: "a"),
            related: exports.lines(#"{"id":1,"n":10}\#n{"id":3,"n":30}\#n"#, in: "b"),
            other: exports.lines(#"{"id":1,"n":10}\#n{"id":3,"n":31}\#n"#, in: "c")
        )
    }

    @Test func `sixteen rows that are all others are those of another one, though none goes`() throws {
        func text(_ count: Int, _ word: String) -> String {
            (1...count).map { #"{"id":\#($0),"t":"\#(word)\#($0)"}"# + "\n" }.joined()
        }
        try exports.migrate(
            exports.lines(text(15, "x"), in: "a"),
            related: exports.lines(text(15, "y"), in: "b"),
            other: exports.lines(text(14, "y"), in: "c")
        )
        try exports.migrate(
            exports.lines(text(16, "x"), in: "d"),
            related: exports.lines(text(17, "y").replacing("y16", with: "x16"), in: "e"),
            other: exports.lines(text(17, "y"), in: "f")
        )
    }

    @Test func `where all that is known is a row of nothing, or has nothing in common, it is another one`() throws {
        let table = "CREATE TABLE song(id INTEGER PRIMARY KEY, title TEXT, plays INT); INSERT INTO song VALUES"
        try exports.migrate(
            exports.database(table + "(1, 'x', 1), (2, 'y', 2), (3, NULL, NULL);", in: "a"),
            related: exports.database(table + "(1, 'x', 1);", in: "b"),
            other: exports.database(table + "(1, 'v', 3), (3, 'z', 9);", in: "c")
        )
        try exports.migrate(
            exports.database(table + "(1, 'x', 1), (2, 'y', 2);", in: "d"),
            related: exports.database(table + "(1, 'x', 9), (2, 'v', 8);", in: "e"),
            other: exports.database(
                table.replacing("title", with: "a").replacing("plays", with: "b") + "(1, 'u', 3);",
                in: "f"
            )
        )
    }

    @Test func `what every copy of an app has says little of what is in it`() throws {
        let tables = """
            CREATE TABLE song(id INTEGER PRIMARY KEY, title TEXT);
            CREATE TABLE pref(name TEXT PRIMARY KEY NOT NULL, value TEXT); INSERT INTO pref VALUES('theme', 'dark');
            """
        func songs(_ numbers: ClosedRange<Int>, _ word: String) -> String {
            tables + numbers.map { "INSERT INTO song VALUES(\($0), '\(word)\($0)');" }.joined()
        }
        try exports.migrate(
            exports.database(songs(1...40, "x"), in: "a"),
            related: exports.database(songs(1...39, "x"), in: "b"),
            other: exports.database(songs(1...30, "y"), in: "c")
        )
        try exports.migrate(
            exports.database(songs(1...40, "x"), in: "d"),
            related: exports.database(songs(3...60, "x"), in: "e"),
            other: exports.database(songs(101...130, "x"), in: "f")
        )
    }

    @Test(arguments: ["-1", "00000017", "0"])
    func `a number below zero, or with zeros before it, counts as well`(number: String) throws {
        let table = "CREATE TABLE song(id TEXT PRIMARY KEY NOT NULL, title TEXT); INSERT INTO song VALUES"
        try exports.migrate(
            exports.database(table + "('\(number)', 'x'), ('2', 'y');", in: "a"),
            related: exports.database(table + "('\(number)', 'x');", in: "b"),
            other: exports.database(table + "('\(number)', 'y');", in: "c")
        )
    }

    @Test func `a column that is gone, or given up, makes no row another one`() throws {
        func text(_ count: Int, _ rest: String) -> String {
            (1...count).map { #"{"id":\#($0),"t":"x\#($0)"\#(rest)}"# + "\n" }.joined()
        }
        for rest in ["", #","genre":null"#, #","genre":"""#] {
            let first = try exports.lines(text(40, #","genre":"rock""#), in: "a")
            let library = try TemporaryLibrary(for: first)
            _ = try Migrator(source: first, store: library.store).run()
            let newer = try exports.lines(text(39, rest), in: "b")
            #expect(try Migrator(source: newer, store: library.store).run().counts["n"]?.deleted == 1, "\(rest)")
        }
    }

    @Test func `a corrected export takes up a first migration whose rows it says otherwise`() throws {
        func text(_ word: String) -> String {
            (1...40).map { #"{"id":\#($0),"t":"\#(word)\#($0)"}"# + "\n" }.joined()
        }
        let library = try TemporaryLibrary(for: exports.lines(text("x"), in: "a"))
        let first = try exports.lines(text("x"), in: "a")
        #expect(throws: MigrationError.self) {
            try Migrator(source: first, store: library.store, options: .init(batchRecordCount: 5)).run {
                $0.recordsWritten < 20
            }
        }
        #expect(try library.ids(of: "n").count >= 20)
        let report = try Migrator(source: exports.lines(text("y"), in: "b"), store: library.store).run()
        #expect(report.isResumed && report.counts["n"]?.read == 40)
        #expect(try library.values("n", "t")["1"] == .string("y1"))
    }

    @Test func `what is new is counted alike before a run and in a plan, though others have its values`() throws {
        func songs(_ numbers: ClosedRange<Int>, in folder: String) throws -> SQLiteDatabaseSource {
            let rows = numbers.map { "INSERT INTO song VALUES(\($0), 'x\($0)', \($0 % 100));" }.joined()
            let tables = "CREATE TABLE song(id INTEGER PRIMARY KEY, title TEXT, place INT NOT NULL UNIQUE);"
            return try exports.database("INSERT INTO note VALUES('theme', 'dark');" + tables + rows, in: folder)
        }
        let first = try songs(1...40, in: "a")
        let library = try TemporaryLibrary(for: first)
        _ = try Migrator(source: first, store: library.store).run()
        let other = try songs(101...140, in: "b")
        let planned = #expect(throws: MigrationError.self) { try Migrator(source: other, store: library.store).plan() }
        let error = #expect(throws: MigrationError.self) { try Migrator(source: other, store: library.store).run() }
        #expect(planned?.code == .unrelatedExport && error?.code == .unrelatedExport)
        #expect(try library.ids(of: "song").count == 40)
    }

    @Test(arguments: [0, 100])
    func `what an interrupted replacement has written is no proof for it`(offset: Int) throws {
        func text(_ numbers: ClosedRange<Int>, _ word: String) -> String {
            #"{"id":"theme","t":"dark"}"# + "\n"
                + numbers.map { #"{"id":\#($0),"t":"\#(word)\#($0)"}"# + "\n" }.joined()
        }
        let first = try exports.lines(text(1...40, "x"), in: "a")
        let library = try TemporaryLibrary(for: first)
        _ = try Migrator(source: first, store: library.store).run()
        let other = try exports.lines(text(1 + offset...29 + offset, "y"), in: "b")
        let options = Migrator.Options(batchRecordCount: 5, replacesEverything: true)
        #expect(throws: MigrationError.self) {
            try Migrator(source: other, store: library.store, options: options).run { $0.recordsWritten < 25 }
        }
        let error = #expect(throws: MigrationError.self) { try Migrator(source: other, store: library.store).run() }
        #expect(error?.code == .unrelatedExport)
        #expect(try Migrator(source: other, store: library.store, options: options).run().isResumed)
        #expect(try library.ids(of: "n").count == 30)
    }

    @Test func `what was changed here, and not in the export, makes a row no other one`() throws {
        let first = try exports.lines(#"{"id":1,"t":"x"}\#n{"id":2,"t":"y"}\#n"#, in: "a")
        let library = try TemporaryLibrary(for: first)
        _ = try Migrator(source: first, store: library.store).run()
        _ = try library.store.write {
            try $0.put(EntityReference(model: "n", id: "1"), values: ["t": .string("mine")])
        }
        let newer = try exports.lines(#"{"id":1,"t":"x"}\#n"#, in: "b")
        #expect(try Migrator(source: newer, store: library.store).run().counts["n"]?.deleted == 1)
        #expect(try library.values("n", "t") == ["1": .string("mine")])
    }

    private func library(_ key: String, in folder: String) throws -> ITunesLibrarySource {
        let album = LibraryText.string("Album", "Greatest Hits") + LibraryText.string("Artist", "Queen")
        let path = try exports.path("Library.xml", in: folder)
        let bytes = LibraryText.library(
            ["\(key)1", "same"].prefix(folder == "c" ? 1 : 2).enumerated().map {
                LibraryText.track($0.offset + 1, $0.element, name: $0.element, album)
            },
            id: nil
        )
        try Data(bytes).write(to: URL(filePath: path))
        return try ITunesLibrarySource(path: path)
    }

    @Test func `an album of one title makes two libraries that say nothing of themselves no one`() throws {
        try exports.migrate(library("A", in: "a"), related: library("B", in: "b"), other: library("C", in: "c"))
    }
}
