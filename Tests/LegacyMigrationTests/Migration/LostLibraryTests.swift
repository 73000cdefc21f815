import LegacyMigration
import MusicLibrary
import Reprise
import TestSupport
import Testing

/// Exports of one file name that lack nearly all that was there: an app that is new on another device, or one that
/// somebody has emptied.
@Suite struct LostLibraryTests {
    private let exports: ExportsOfOneName

    init() throws {
        exports = try ExportsOfOneName()
    }

    private static let settings =
        "CREATE TABLE preference(name TEXT PRIMARY KEY NOT NULL, value TEXT);"
        + ["theme", "language", "sorting", "repeat", "shuffle", "crossfade", "equalizer", "gapless"]
        .map { "INSERT INTO preference VALUES('\($0)', 'as \($0) is at first');" }.joined()

    private static func songs(_ keys: [String], _ word: String) -> String {
        "CREATE TABLE song(id PRIMARY KEY NOT NULL, title TEXT);"
            + keys.map { "INSERT INTO song VALUES(\($0), '\(word)\($0.filter(\.isNumber))');" }.joined()
    }

    private static func numbers(_ numbers: ClosedRange<Int>) -> [String] { numbers.map(String.init) }

    private static func words(_ numbers: ClosedRange<Int>, _ word: String) -> [String] {
        numbers.map { "'\(word)\($0)'" }
    }

    private static let fresh: [(ours: [String], others: [String])] = [
        (numbers(1...400), []), (numbers(1...400), numbers(1...20)), (words(1...400, "a"), []),
        (words(1...400, "a"), words(1...20, "b")), (words(1...80, "a"), words(1...3, "b")),
    ]

    @Test(arguments: 0..<fresh.count)
    func `what an app brings with it does not stand for the songs that somebody had`(place: Int) throws {
        let (ours, others) = Self.fresh[place]
        try exports.migrate(
            exports.database(Self.settings + Self.songs(ours, "x"), in: "a"),
            related: exports.database(Self.settings + Self.songs(Array(ours.prefix(5)), "x"), in: "b"),
            other: exports.database(Self.settings + Self.songs(others, "y"), in: "c")
        )
    }

    @Test func `a history that was emptied is no other app's beside the songs`() throws {
        func history(_ count: Int) -> String {
            "CREATE TABLE history(at INTEGER PRIMARY KEY, title TEXT);"
                + (0..<count).map { "INSERT INTO history VALUES(\(1_700_000_000 + $0), 'h\($0)');" }.joined()
        }
        let songs = Self.songs(Self.numbers(1...300), "x")
        let first = try exports.database(songs + history(3000), in: "a")
        let library = try TemporaryLibrary(for: first)
        _ = try Migrator(source: first, store: library.store).run()
        let newer = try exports.database(songs + history(0), in: "b")
        #expect(try Migrator(source: newer, store: library.store).run().counts["history"]?.deleted == 3000)
    }

    @Test(arguments: [30, 90, 150, 300, 450, 550], [["aaa", "zzz"], ["zzz", "aaa"]])
    func `a run that was interrupted while it deleted goes on as it began`(
        deletedCount: Int,
        names: [String]
    ) throws {
        func table(_ name: String, _ numbers: Range<Int>) -> String {
            "CREATE TABLE \(name)(id INTEGER PRIMARY KEY, title TEXT);"
                + numbers.map { "INSERT INTO \(name) VALUES(\($0), '\(name)\($0)');" }.joined()
        }
        func tables(_ first: Int, _ second: Int) -> String {
            table(names[0], 0..<first) + table(names[1], 0..<second)
        }
        let first = try exports.database(tables(500, 120), in: "a")
        let (library, unbroken) = (try TemporaryLibrary(for: first), try TemporaryLibrary(for: first))
        for library in [library, unbroken] { _ = try Migrator(source: first, store: library.store).run() }
        let newer = try exports.database(tables(0, 25), in: "b")
        let options = Migrator.Options(batchRecordCount: 30)
        _ = try Migrator(source: newer, store: unbroken.store, options: options).run()
        func rowCount() throws -> Int { try library.ids(of: "aaa").count + library.ids(of: "zzz").count }
        var isStopped = false
        do {
            _ = try Migrator(source: newer, store: library.store, options: options).run { _ in
                isStopped = isStopped || (try? rowCount()).map { $0 <= 620 - deletedCount } ?? false
                return !isStopped
            }
        } catch let error as MigrationError where error.code == .cancelled {}
        #expect(isStopped)
        _ = try Migrator(source: newer, store: library.store, options: options).run()
        #expect(try library.digest == unbroken.digest)
    }

    @Test func `few rows may all go`() throws {
        let first = try exports.database(Self.settings + Self.songs(Self.numbers(1...50), "x"), in: "a")
        let library = try TemporaryLibrary(for: first)
        _ = try Migrator(source: first, store: library.store).run()
        let newer = try exports.database(Self.settings + Self.songs([], "x"), in: "b")
        #expect(try Migrator(source: newer, store: library.store).run().counts["song"]?.deleted == 50)
    }

    @Test func `a library that was emptied goes where that is said`() throws {
        let first = try exports.database(Self.settings + Self.songs(Self.numbers(1...400), "x"), in: "a")
        let library = try TemporaryLibrary(for: first)
        _ = try Migrator(source: first, store: library.store).run()
        let newer = try exports.database(Self.settings + Self.songs([], "x"), in: "b")
        let error = #expect(throws: MigrationError.self) { try Migrator(source: newer, store: library.store).plan() }
        #expect(error?.code == .unrelatedExport)
        let options = Migrator.Options(replacesEverything: true)
        let report = try Migrator(source: newer, store: library.store, options: options).run()
        #expect(report.counts["song"]?.deleted == 400 && report.counts["preference"]?.deleted == 0)
    }
}
