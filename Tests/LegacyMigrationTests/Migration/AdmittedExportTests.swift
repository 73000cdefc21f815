import Foundation
import LegacyMigration
import Reprise
import TestSupport
import Testing

/// Newer exports of one file name whose runs were interrupted: what the run has done says nothing of whether the export
/// is of what was there before (Specs/format/migration.md, `migration.admitted`).
@Suite struct AdmittedExportTests {
    private let exports: ExportsOfOneName

    init() throws {
        exports = try ExportsOfOneName()
    }

    private static let options = Migrator.Options(batchRecordCount: 100)

    private static func table(_ name: String, _ rows: [(key: String, value: String)]) -> String {
        "CREATE TABLE \(name)(name TEXT PRIMARY KEY NOT NULL, value);"
            + rows.map { "INSERT INTO \(name) VALUES('\($0.key)', \($0.value));" }.joined()
    }

    /// A word that says nothing of its number.
    private static func word(_ number: Int) -> String {
        var generator = SeededGenerator(seed: UInt64(number + 1))
        return String((0..<8).map { _ in "abcdefghijklmnopqrstuvwxyz".randomElement(using: &generator) ?? "a" })
    }

    /// Stops a run when it has written so many records.
    private func interrupt(_ export: some LegacySource, in library: TemporaryLibrary, after count: Int) throws {
        let error = #expect(throws: MigrationError.self) {
            try Migrator(source: export, store: library.store, options: Self.options).run { step in
                step.recordsWritten < count
            }
        }
        #expect(error?.code == .cancelled)
    }

    /// Takes a run up that was interrupted after so many records, and comes to what an unbroken one comes to.
    private func takeUp(
        _ newer: some LegacySource,
        after count: Int,
        in library: TemporaryLibrary,
        unbroken: TemporaryLibrary
    ) throws {
        _ = try Migrator(source: newer, store: unbroken.store, options: Self.options).run()
        try interrupt(newer, in: library, after: count)
        #expect(try Migrator(source: newer, store: library.store, options: Self.options).plan().resumed != nil)
        #expect(try Migrator(source: newer, store: library.store, options: Self.options).run().isResumed)
        #expect(try library.digest == unbroken.digest)
    }

    private func libraries(_ first: some LegacySource) throws -> (TemporaryLibrary, TemporaryLibrary) {
        let libraries = (try TemporaryLibrary(for: first), try TemporaryLibrary(for: first))
        for library in [libraries.0, libraries.1] { _ = try Migrator(source: first, store: library.store).run() }
        return libraries
    }

    // MARK: - The same export

    @Test(arguments: [150, 700, 1500])
    func `new rows whose keys count make no others of those that were there`(count: Int) throws {
        let old = (0..<200).map { (key: Self.word($0), value: "\($0 * 7919 % 5000)") }
        let changed = old.enumerated().map { (key: $1.key, value: $0 % 5 < 2 ? "\($1.value)1" : $1.value) }
        let new = (0..<2000).map { (key: String(100_000 + $0), value: "\($0 % 5000)") }
        let (library, unbroken) = try libraries(exports.database(Self.table("counts", old), in: "a"))
        let newer = try exports.database(Self.table("counts", new + changed), in: "b")
        try takeUp(newer, after: count, in: library, unbroken: unbroken)
    }

    @Test func `what makes it certain at once counts though the run has made rows of its own`() throws {
        let votes = (0..<256).map { (key: Self.word($0), value: $0 % 2 == 0 ? "'yes'" : "'no'") }
        let changed = votes.enumerated().map { number, vote in
            let isOther = number >= 64 && number % 5 < 3
            return (key: vote.key, value: isOther ? (vote.value == "'yes'" ? "'no'" : "'yes'") : vote.value)
        }
        let counts = (0..<1472).map { (key: "c\($0)", value: "\($0)") }
        let tables = Self.table("acounts", [])
        let (library, unbroken) = try libraries(exports.database(tables + Self.table("votes", votes), in: "a"))
        let newer = try exports.database(Self.table("acounts", counts) + Self.table("votes", changed), in: "b")
        try takeUp(newer, after: 700, in: library, unbroken: unbroken)
    }

    // MARK: - Another one

    /// A history that came and is gone again, in a run that is interrupted each time.
    @Test func `an export that takes up a run is admitted as well, and what the run has made was no library`() throws {
        func songs(_ count: Int, _ name: String) -> String {
            Self.table(name, (0..<count).map { (key: Self.word($0), value: "'\(name) \(Self.word($0))'") })
        }
        func tables(_ songCount: Int, _ historyCount: Int) -> String {
            songs(songCount, "asong") + songs(songCount, "zsong")
                + Self.table("history", (0..<historyCount).map { (key: "\(10_000 + $0)", value: "'played \($0)'") })
        }
        let (library, unbroken) = try libraries(exports.database(tables(100, 0), in: "a"))
        let long = try exports.database(tables(100, 4000), in: "b")
        let short = try exports.database(tables(99, 0), in: "c")
        for library in [library, unbroken] { try interrupt(long, in: library, after: 3500) }
        let run = try Migrator(source: short, store: unbroken.store, options: Self.options).run()
        #expect(run.isResumed && run.counts["history"].map { $0.deleted >= 3000 } ?? false)
        var isStopped = false
        let error = #expect(throws: MigrationError.self) {
            try Migrator(source: short, store: library.store, options: Self.options).run { _ in
                isStopped = isStopped || (try? library.ids(of: "history").count < 1000) ?? false
                return !isStopped
            }
        }
        #expect(error?.code == .cancelled)
        #expect(try !library.ids(of: "history").isEmpty)
        // In a commit of its own, before its batches, with what it was understood as where that is new.
        let hash = try short.contentHash { _ in }
        #expect(try admitted(in: library, short)?.hasSuffix(#","sha256":"\#(hash)"}"#) ?? false)
        _ = try Migrator(source: short, store: library.store, options: Self.options).run()
        #expect(try library.digest == unbroken.digest)
    }

    @Test func `a stranger does not go on with what another export was admitted to`() throws {
        let old = (0..<200).map { (key: "\($0)", value: "'song \(Self.word($0))'") }
        let other = (0..<200).map { (key: "\($0)", value: "'hers \(Self.word($0 + 1000))'") }
        let (library, _) = try libraries(exports.database(Self.table("song", old), in: "a"))
        let more = (200..<900).map { (key: "\($0)", value: "'song \(Self.word($0))'") }
        let newer = try exports.database(Self.table("song", old + more), in: "b")
        try interrupt(newer, in: library, after: 300)
        let stranger = try exports.database(Self.table("song", other), in: "c")
        let before = try library.content
        for isPlan in [true, false] {
            let migrator = Migrator(source: stranger, store: library.store, options: Self.options)
            let error = #expect(throws: MigrationError.self) {
                if isPlan { _ = try migrator.plan() } else { _ = try migrator.run() }
            }
            #expect(error?.code == .unrelatedExport)
        }
        #expect(try library.content == before)
    }

    @Test func `what was there before a run stays what was there, though it was deleted and made again in it`() throws {
        func songs(_ numbers: Range<Int>, _ word: String) throws -> SQLiteDatabaseSource {
            let rows = numbers.map { (key: "\(word)\(Self.word($0))", value: "'\(word) \(Self.word($0))'") }
            return try exports.database(Self.table("song", rows), in: "\(word)\(numbers.upperBound)")
        }
        let ours = try songs(0..<400, "ours")
        let library = try TemporaryLibrary(for: ours)
        _ = try Migrator(source: ours, store: library.store).run()
        // Somebody puts hers in its place by mistake, and ours again.
        let replacing = Migrator.Options(batchRecordCount: 100, replacesEverything: true)
        let hers = try songs(1000..<1700, "hers")
        var isStopped = false
        let error = #expect(throws: MigrationError.self) {
            try Migrator(source: hers, store: library.store, options: replacing).run { _ in
                isStopped = isStopped || (try? library.ids(of: "song").allSatisfy { $0.hasPrefix("hers") }) ?? false
                return !isStopped
            }
        }
        #expect(error?.code == .cancelled)
        try interrupt(ours, in: library, after: 390)
        let another = try songs(5000..<5010, "another")
        let refusal = #expect(throws: MigrationError.self) {
            try Migrator(source: another, store: library.store, options: Self.options).run()
        }
        #expect(refusal?.code == .unrelatedExport)
        _ = try Migrator(source: ours, store: library.store, options: Self.options).run()
        #expect(try library.ids(of: "song").count == 400)
    }

    // MARK: - The log

    @Test func `the log says which export was admitted as it is specified`() throws {
        let old = (0..<20).map { (key: "\($0)", value: "'song \(Self.word($0))'") }
        let first = try exports.database(Self.table("song", old), in: "a")
        let library = try TemporaryLibrary(for: first)
        _ = try Migrator(source: first, store: library.store).run()
        #expect(try admitted(in: library, first) == nil)
        let newer = try exports.database(Self.table("song", Array(old.dropLast())), in: "b")
        let head = try library.head
        _ = try Migrator(source: newer, store: library.store).run()
        let hash = try newer.contentHash { _ in }
        #expect(try admitted(in: library, first) == #"{"migration":"m\#(head)","sha256":"\#(hash)"}"#)
        // What replaces everything is asked nothing.
        let other = try exports.database(Self.table("song", []), in: "c")
        let options = Migrator.Options(replacesEverything: true)
        _ = try Migrator(source: other, store: library.store, options: options).run()
        #expect(try admitted(in: library, first) == #"{"migration":"m\#(head)","sha256":"\#(hash)"}"#)
    }

    @Test func `of a playlist the log has its folder as well`() throws {
        let library = try TemporaryLibrary()
        func list(_ text: String) throws -> M3USource {
            let path = try exports.path("list.m3u8", in: "lists")
            try text.write(toFile: path, atomically: false, encoding: .utf8)
            return try M3USource(path: path)
        }
        _ = try Migrator(source: list("#EXTM3U\na.mp3\nb.mp3\n"), store: library.store).run()
        let head = try library.head
        let newer = try list("#EXTM3U\nb.mp3\nc.mp3\n")
        _ = try Migrator(source: newer, store: library.store).run()
        let folder = try #require(newer.folder)
        let hash = try newer.contentHash { _ in }
        let expected = #"{"migration":"m\#(head)","sha256":"\#(hash)","folder":"\#(folder)"}"#
        #expect(try admitted(in: library, newer) == expected)
    }

    private func admitted(in library: TemporaryLibrary, _ source: some LegacySource) throws -> String? {
        try library.store.read { state in
            try state.annotation(name: "migration.admitted", key: source.identity.description)
                .map { String(decoding: $0.payload, as: UTF8.self) }
        }
    }
}
