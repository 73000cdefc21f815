import LegacyMigration
import Reprise
import TestSupport
import Testing

/// What a run that is taken up makes anew (Specs/format/migration.md, "Settling").
@Suite struct SettlingTests {
    private let library: TemporaryLibrary

    init() throws {
        library = try TemporaryLibrary(schema: Schema(InventedCompany.schema))
    }

    private func source(_ emails: [String]) -> InventedSource {
        var company = InventedCompany()
        company.people = emails.enumerated().map {
            .init(key: "k\($0)", name: "k\($0)", email: $1)
        }
        return company.source
    }

    private let old = ["a", "b", "c", "d"]
    /// All wait but the last.
    private let new = ["b", "c", "d", "e"]

    /// What is left of a migration after its last batch.
    private func remains() throws -> (TemporaryLibrary, MigrationReport) {
        _ = try library.migrate(source(old), batch: 1)
        let (report, remains) = try library.remainsOfEachBatch {
            try library.migrate(source(new), batch: 1, progress: $0)
        }
        return (try #require(remains.last), report)
    }

    private func rollbacks(_ store: Store) throws -> [CommitRecord] {
        var rollbacks: [CommitRecord] = []
        try store.read { state in
            try state.forEachCommit(where: { $0.type == "rolledBack" }) {
                rollbacks.append($0)
                return true
            }
        }
        return rollbacks
    }

    @Test func `is taken back by commits of the migration`() throws {
        let (remains, report) = try remains()
        #expect(try remains.migrate(source(new), batch: 1).digest == report.digest)
        let rollbacks = try rollbacks(remains.store)
        #expect(!rollbacks.isEmpty)
        #expect(
            rollbacks.allSatisfy { $0.intent == "migrate" && $0.correlation == report.migration }
        )
        #expect(try remains.store.verify().isSound)
        let snapshot = try #require(report.snapshotBefore)
        try remains.store.rollback(to: .snapshot(snapshot))
        #expect(try MigrationVerifier(source: source(old), store: remains.store).run().isEqual)
    }

    @Test func `is made anew where others have only left notes and snapshots`() throws {
        let (remains, report) = try remains()
        try remains.store.createSnapshot(named: "mine")
        _ = try remains.store.write { try $0.annotate(name: "mine", key: "k", payload: []) }
        #expect(try remains.migrate(source(new), batch: 1).digest == report.digest)
        #expect(try !rollbacks(remains.store).isEmpty)
    }

    @Test func `stays where somebody else has changed something`() throws {
        let (remains, _) = try remains()
        try putMine(remains.store)
        _ = try remains.migrate(source(new), batch: 1)
        #expect(try rollbacks(remains.store).isEmpty)
        let mine = try remains.store.read { try $0.record(model: "person", id: "mine") }
        #expect(mine?["name"] == .string("mine"))
        #expect(try MigrationVerifier(source: source(new), store: remains.store).run().isEqual)
    }

    @Test(arguments: [1, 2])
    func `stays where somebody writes while it is being taken back`(step: Int) throws {
        let (remains, _) = try remains()
        var stepCount = 0
        _ = try remains.migrate(source(new), batch: 1) { progress in
            guard progress.phase == .returning else { return true }
            stepCount += 1
            if stepCount == step { try? putMine(remains.store) }
            return true
        }
        #expect(stepCount == step)
        #expect(try rollbacks(remains.store).count == step)
        let mine = try remains.store.read { try $0.record(model: "person", id: "mine") }
        #expect(mine != nil)
        #expect(try MigrationVerifier(source: source(new), store: remains.store).run().isEqual)
        #expect(try remains.store.verify().isSound)
    }

    @Test(arguments: [1, 2])
    func `and where somebody writes when it was taken back by half`(step: Int) throws {
        let (remains, _) = try remains()
        var stepCount = 0
        #expect(throws: MigrationError.self) {
            try remains.migrate(source(new), batch: 1) { _ in
                stepCount += 1
                return stepCount < step
            }
        }
        try putMine(remains.store)
        _ = try remains.migrate(source(new), batch: 1)
        #expect(try rollbacks(remains.store).count == step)
        #expect(try MigrationVerifier(source: source(new), store: remains.store).run().isEqual)
        #expect(try remains.store.verify().isSound)
    }

    private func putMine(_ store: Store) throws {
        _ = try store.write {
            try $0.put(
                EntityReference(model: "person", id: "mine"),
                values: ["name": .string("mine"), "tags": .list([])]
            )
        }
    }

    @Test func `stays where somebody has rolled back`() throws {
        let (remains, _) = try remains()
        let head = try remains.store.read { $0.head }
        try remains.store.rollback(to: .position(head))
        _ = try remains.migrate(source(new), batch: 1)
        #expect(try rollbacks(remains.store).count == 1)
        #expect(try MigrationVerifier(source: source(new), store: remains.store).run().isEqual)
    }

    @Test func `is nothing where nobody waits`() throws {
        _ = try library.migrate(source(old), batch: 1)
        let newer = source(["z", "y", "x", "w"])
        let (report, remains) = try library.remainsOfEachBatch {
            try library.migrate(newer, batch: 1, progress: $0)
        }
        for remains in remains {
            #expect(try remains.migrate(newer, batch: 1).digest == report.digest)
            #expect(try rollbacks(remains.store).isEmpty)
        }
    }

    // Specs/format/migration.md
    @Test func `stands in the log in these bytes`() throws {
        let (remains, report) = try remains()
        let (progress, notes) = try remains.store.read { state in
            var notes: [Annotation] = []
            try state.forEachCommit(where: { $0.annotation?.name == "migration.waiting" }) {
                notes += $0.events.compactMap(\.annotation)
                return true
            }
            return (try state.annotation(name: "migration.progress", key: "invented:one"), notes)
        }
        let text = String(decoding: try #require(progress).payload, as: UTF8.self)
        let found = try #require(text.firstMatch(of: /,"settling":\[([0-9]+),([0-9]+)\]}/))
        #expect(text.hasPrefix(#"{"migration":"\#(report.migration)","first":"#))
        let start = try #require(UInt64(found.1))
        #expect(UInt64(found.2) == notes.last { $0.position.rawValue <= start }?.position.rawValue)
        // All records had come there, and nobody had moved that waits.
        let email = try remains.store.read(asOf: .position(Position(rawValue: start))) {
            try $0.record(model: "person", id: "k0")?["email"]
        }
        #expect(email == .string("a"))
    }

    /// What somebody else may write under the name of a batch.
    @Test(arguments: ["[0,0]", "[1,0]", "[1]", "[99999999,0]", "[1,2,3]", "[5,9]"])
    func `is never before the migration, whatever a note says`(positions: String) throws {
        let (remains, report) = try remains()
        let key = "invented:one"
        let last = try remains.store.read { state in
            try state.annotation(name: "migration.progress", key: key)
        }
        let text = String(decoding: try #require(last).payload, as: UTF8.self)
        let forged = text.replacing(/"settling":\[[0-9,]+\]/, with: #""settling":\#(positions)"#)
        #expect(forged != text)
        _ = try remains.store.write {
            try $0.annotate(name: "migration.progress", key: key, payload: Array(forged.utf8))
        }
        let digest = try remains.migrate(source(new), batch: 1).digest
        #expect(digest == report.digest)
        #expect(try rollbacks(remains.store).isEmpty)
    }
}
