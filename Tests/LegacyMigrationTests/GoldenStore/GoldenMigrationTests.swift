import Foundation
import LegacyMigration
import Reprise
import TestSupport
import Testing

/// The stores in `Golden/migrations-v1` were made by the first version of Specs/format/migration.md, those in
/// `Golden/migrations-v2` by those that wrote `migration.admitted`; both have a migration that was interrupted.
/// Those in `Golden/migrations-v3` have migrations of one commit, those in `Golden/migrations-v4` a row that stays
/// because another one needs it. Every later version understands what their logs say
/// of migrations, and reads newer exports as earlier ones were read. They are never made anew: a new form gets a new
/// folder beside them.
@Suite struct GoldenMigrationTests {
    private static let folder = Repository.root.appending(path: "Tests/LegacyMigrationTests/Golden").path
    private static let interrupted: [(golden: GoldenMigration, version: Int)] = [
        (.database, 1), (.coreData, 1), (.lines, 1), (.database, 2), (.lines, 2),
    ]
    private static let newest: [(golden: GoldenMigration, version: Int)] = [
        (.database, 3), (.coreData, 3), (.lines, 3), (.needed, 4),
    ]
    private static let all = interrupted + newest
    private static let environment = ProcessInfo.processInfo.environment

    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory(named: "golden")
    }

    /// A copy of store and export, because opening a store makes a lock file.
    private func copy(_ golden: GoldenMigration, _ version: Int) throws -> (store: Store, export: String) {
        try FileManager.default.copyItem(atPath: Self.path(golden, version), toPath: directory.path("golden"))
        let store = try Store.open(existing: directory.path("golden"))
        return (store, directory.path("golden/\(golden.exportName)"))
    }

    private static func path(_ golden: GoldenMigration, _ version: Int) -> String {
        "\(folder)/migrations-v\(version)/\(golden.rawValue)"
    }

    private func expectedLines(_ golden: GoldenMigration, _ version: Int, _ name: String) throws -> [String] {
        try String(contentsOfFile: "\(Self.path(golden, version))/\(name).txt", encoding: .utf8)
            .split(separator: "\n").map(String.init)
    }

    @Test(arguments: all)
    func `the log says what it said, and its views are what it folds to`(
        _ golden: GoldenMigration,
        _ version: Int
    ) throws {
        let (store, _) = try copy(golden, version)
        defer { store.close() }
        let name = version < 3 ? "interrupted" : "log"
        #expect(try LogText.lines(store) == expectedLines(golden, version, name))
        #expect(try store.verify().faults == [])
    }

    /// But for the time, and the export's hash: SQLite writes its own version into a database.
    private func withoutHash(_ lines: [String]) -> [String] {
        lines.map {
            $0.replacing(/"(sha256|startedAt|finishedAt)":"[^"]+"/) { "\"\($0.1)\":\"…\"" }
        }
    }

    @Test(arguments: newest)
    func `the same migrations write the same log today`(_ golden: GoldenMigration, _ version: Int) throws {
        try golden.make(store: directory.path("store"), export: directory.path(golden.exportName))
        let store = try Store.open(existing: directory.path("store"))
        defer { store.close() }
        #expect(try withoutHash(LogText.lines(store)) == withoutHash(expectedLines(golden, version, "log")))
    }

    @Test(arguments: interrupted)
    func `the export of the interrupted migration is merged`(_ golden: GoldenMigration, _ version: Int) throws {
        let (store, export) = try copy(golden, version)
        defer { store.close() }
        _ = try golden.migrator(of: export, into: store).run()
        // Nothing differs but what was changed here, and stays.
        let comparison = try MigrationVerifier(source: golden.source(export), store: store).run()
        #expect(!comparison.differences.contains { !$0.isChangedHere })
        #expect(try golden.migrator(of: export, into: store).run().eventCount == 0)
        #expect(try store.verify().faults == [])
    }

    @Test(arguments: newest)
    func `the same export again is nothing new`(_ golden: GoldenMigration, _ version: Int) throws {
        let (store, export) = try copy(golden, version)
        defer { store.close() }
        #expect(try golden.migrator(of: export, into: store).run().eventCount == 0)
        let differences = try MigrationVerifier(source: golden.source(export), store: store).run().differences
        // A row that is only needed was not changed, and is told as one more than the export has.
        if golden == .needed { return #expect(differences.map(\.kind) == [.surplus]) }
        #expect(differences.contains { $0.isChangedHere })
        #expect(!differences.contains { !$0.isChangedHere })
    }

    @Test(arguments: all)
    func `a newer export is understood as the log says that the earlier ones were`(
        _ golden: GoldenMigration,
        _ version: Int
    ) throws {
        let (store, export) = try copy(golden, version)
        defer { store.close() }
        _ = try golden.migrator(of: export, into: store).run()
        try golden.change(export, golden.oddities)
        let report = try golden.migrator(of: export, into: store).run()
        // What SQLite and lines of JSON do not say was guessed, and gives way; what Core Data says stays.
        let (leftOut, widened) =
            switch golden {
            case .database: (1, 1)
            case .coreData: (2, 0)
            case .lines: (0, 2)
            case .needed: (0, 1)
            }
        #expect(report.warningCounts[.unexpectedType, default: 0] == leftOut)
        #expect(report.warningCounts[.widenedType, default: 0] == widened)
        #expect(report.counts.values.reduce(0) { $0 + $1.updated } == 0)
        #expect(report.counts.values.reduce(0) { $0 + $1.deleted } == 0)
    }

    @Test(arguments: all)
    func `each migration goes back to its snapshot`(_ golden: GoldenMigration, _ version: Int) throws {
        let (store, export) = try copy(golden, version)
        defer { store.close() }
        _ = try golden.migrator(of: export, into: store).run()
        let snapshots = try store.snapshots()
        #expect(snapshots.count == (version < 3 ? 3 : 2))
        for snapshot in snapshots.reversed() {
            #expect(try store.rollback(to: .snapshot(snapshot.name)).digest == snapshot.digest)
        }
        #expect(try store.read { $0.counts.allSatisfy { $0.count == 0 } })
    }

    @Test(.enabled(if: environment["REPRISE_MAKE_GOLDEN"] != nil), arguments: newest)
    func `make the golden stores of migrations`(_ golden: GoldenMigration, _ version: Int) throws {
        let target = Self.path(golden, version)
        // Refuses to replace what is there.
        try FileManager.default.createDirectory(
            atPath: "\(Self.folder)/migrations-v\(version)",
            withIntermediateDirectories: true
        )
        try FileManager.default.createDirectory(atPath: target, withIntermediateDirectories: false)
        let export = "\(target)/\(golden.exportName)"
        try golden.make(store: directory.path("store"), export: export)
        let store = try Store.open(existing: directory.path("store"))
        defer { store.close() }
        // A copy made by replay has no free pages in it.
        try store.replay(into: directory.path("compact"))
        try FileManager.default.copyItem(atPath: directory.path("compact/data.mdb"), toPath: "\(target)/data.mdb")
        let text = try LogText.lines(store).joined(separator: "\n") + "\n"
        try text.write(toFile: "\(target)/log.txt", atomically: false, encoding: .utf8)
    }
}
