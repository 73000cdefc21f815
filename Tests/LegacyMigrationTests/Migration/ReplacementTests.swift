import Foundation
import LegacyMigration
import MusicLibrary
import Reprise
import TestSupport
import Testing

/// A newer export that would delete more than half of the rows of its source, or change more than half of those that
/// both have (Specs/format/migration.md, "An export that replaces most").
@Suite struct ReplacementTests {
    private let library: TemporaryLibrary
    private let directory: TemporaryDirectory

    init() throws {
        library = try TemporaryLibrary(schema: Schema(InventedCompany.schema))
        directory = try TemporaryDirectory(named: "replacement")
    }

    /// People whose keys and names are these.
    private func source(_ people: [String: String]) -> InventedSource {
        var company = InventedCompany()
        company.people = people.sorted { $0.key < $1.key }.map { .init(key: $0.key, name: $0.value) }
        return company.source
    }

    private func source(_ keys: Range<Int>, _ name: (Int) -> String = { "name \($0)" }) -> InventedSource {
        source(Dictionary(uniqueKeysWithValues: keys.map { (String($0 + 100), name($0)) }))
    }

    private func migrate(
        _ source: InventedSource,
        replacesEverything: Bool = false
    ) throws -> MigrationReport {
        let options = Migrator.Options(replacesEverything: replacesEverything)
        return try Migrator(source: source, store: library.store, options: options).run()
    }

    /// Expects that neither a run nor a plan does anything.
    private func expectRefused(_ source: InventedSource) throws -> Replacement {
        let before = try library.content
        let head = try library.head
        let planned = #expect(throws: MigrationError.self) { try Migrator(source: source, store: library.store).plan() }
        let error = #expect(throws: MigrationError.self) { try migrate(source) }
        #expect(error?.code == .replacesMost && planned == error)
        #expect(try library.content == before)
        #expect(try library.head == head)
        return try #require(error?.replacement)
    }

    @Test func `one that lacks more than half of the rows is refused, and says how many`() throws {
        _ = try migrate(source(0..<10))
        let replacement = try expectRefused(source(0..<4))
        #expect(replacement.missingCount == 6)
        #expect(replacement.commonCount == 4)
        #expect(replacement.changedCount == 0)
        #expect(replacement.examples.count == 5)
        #expect(replacement.examples.first == "person \"104\" is not in the export")
    }

    @Test func `one that lacks half of them, and has as many new ones, is not`() throws {
        _ = try migrate(source(0..<10))
        #expect(try migrate(source(5..<15)).counts["person"]?.deleted == 5)
        #expect(try library.ids(of: "person").count == 10)
    }

    @Test func `one that changes more than half of the rows that both have is refused`() throws {
        _ = try migrate(source(0..<10))
        let newer = source(3..<13) { $0 < 7 ? "other \($0)" : "name \($0)" }
        let replacement = try expectRefused(newer)
        #expect(replacement.changedCount == 4)
        #expect(replacement.commonCount == 7)
        #expect(replacement.examples.first == "person \"103\": name \"name 3\" becomes \"other 3\"")
    }

    @Test func `one that changes half of them is not, nor is one that gives values where there were none`() throws {
        _ = try migrate(source(0..<10))
        #expect(try migrate(source(0..<10) { $0 < 5 ? "other \($0)" : "name \($0)" }).counts["person"]?.updated == 5)
        var company = InventedCompany()
        company.people = (0..<10).map { number in
            let name = number < 5 ? "other \(number)" : "name \(number)"
            var person = InventedCompany.Person(key: "\(number + 100)", name: name)
            person.age = Int64(number)
            return person
        }
        #expect(try migrate(company.source).counts["person"]?.updated == 10)
    }

    @Test func `what is asked for is done, and can be taken back`() throws {
        _ = try migrate(source(0..<10))
        let before = try library.content
        let report = try migrate(source(100..<103), replacesEverything: true)
        #expect(report.counts["person"]?.deleted == 10)
        #expect(try library.ids(of: "person") == ["200", "201", "202"])
        _ = try library.store.rollback(to: .snapshot(try #require(report.snapshotBefore)))
        #expect(try library.content == before)
        _ = try expectRefused(source(100..<103))
    }

    @Test func `the same export again is not refused, whatever has become of its rows here`() throws {
        _ = try migrate(source(0..<10))
        _ = try library.store.write { transaction in
            for number in 0..<9 { try transaction.delete(EntityReference(model: "person", id: "\(number + 100)")) }
        }
        #expect(try migrate(source(0..<10)).eventCount == 0)
    }

    @Test func `another playlist of the same name is refused, also where its tracks are the library's`() throws {
        let library = try TemporaryLibrary()
        func migrate(_ lines: String, named name: String = "list.m3u8") throws -> MigrationReport {
            let path = directory.path(name)
            try ("#EXTM3U\n" + lines).write(toFile: path, atomically: false, encoding: .utf8)
            let playlist = try M3USource(path: path)
            let source = try playlist.naming(LibraryLocations(in: library.store, of: playlist))
            return try Migrator(source: source, store: library.store).run()
        }
        func tracks() throws -> [String] {
            let list = try library.store.read { state in
                try state.records(RecordQuery(model: "playlist")).first { $0["name"] == .string("list") }
            }
            return try library.entries(of: "tracks", "playlist", try #require(list).id)
        }
        _ = try migrate("/m/1.mp3\n/m/2.mp3\n/m/3.mp3\n/m/4.mp3\n", named: "library.m3u8")
        _ = try migrate("/m/1.mp3\n/m/2.mp3\n/m/3.mp3\n")
        let before = try tracks()
        for other in ["", "/m/4.mp3\n", "/n/1.mp3\n/n/2.mp3\n"] {
            let error = #expect(throws: MigrationError.self) { try migrate(other) }
            #expect(error?.code == .replacesMost)
            #expect(try tracks() == before)
        }
        _ = try migrate("/m/2.mp3\n/m/3.mp3\n/m/4.mp3\n")
        #expect(try tracks().prefix(2) == before.suffix(2))
    }
}
