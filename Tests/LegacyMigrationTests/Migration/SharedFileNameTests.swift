import LegacyMigration
import Reprise
import Testing

/// Exports that belong together by nothing but the name of their file, and migrations that were interrupted.
@Suite struct SharedFileNameTests {
    private static let library = (0..<20).map { "a\($0)" }
    /// New ones come first: they are what an interrupted migration has written.
    private static let newer = (0..<6).map { "n\($0)" } + library

    private func source(_ keys: [String]) -> InventedSource {
        var company = InventedCompany()
        company.people = keys.map { .init(key: $0, name: $0) }
        var source = company.source
        source.identity = SourceIdentity(kind: "invented", name: nil, fileName: "export.csv")
        return source
    }

    /// A store that has one library, and an interrupted migration of a newer export of it.
    private func interrupted() throws -> (library: TemporaryLibrary, snapshot: String) {
        let library = try TemporaryLibrary(schema: Schema(InventedCompany.schema))
        _ = try library.migrate(source(Self.library), batch: 1)
        for step in 1..<20 {
            try library.interrupt(source(Self.newer), batch: 1, afterStep: step)
            let last = try #require(try MigrationRecord.all(in: library.store).first)
            if last.isFinished { continue }
            if try library.ids(of: "person").count == Self.library.count { continue }
            return (library, last.snapshotBefore)
        }
        throw NeverInterrupted()
    }

    private struct NeverInterrupted: Error {}

    private func expectRefused(_ other: InventedSource, by library: TemporaryLibrary) throws {
        let head = try library.head
        let planned = #expect(throws: MigrationError.self) {
            try Migrator(source: other, store: library.store).plan()
        }
        #expect(planned?.code == .unrelatedExport)
        let error = #expect(throws: MigrationError.self) { try library.migrate(other, batch: 1) }
        #expect(error?.code == .unrelatedExport)
        #expect(try library.head == head)
    }

    @Test func `an unrelated export does not take up an interrupted migration`() throws {
        let (library, _) = try interrupted()
        try expectRefused(source(["z1", "z2"]), by: library)
        let report = try library.migrate(source(Self.newer), batch: 1)
        #expect(report.isResumed)
        #expect(try library.ids(of: "person").count == Self.newer.count)
    }

    @Test func `where it is to replace everything it takes it up`() throws {
        let (library, _) = try interrupted()
        let options = Migrator.Options(batchRecordCount: 1, replacesEverything: true)
        let other = source(["z1", "z2"])
        let report = try Migrator(source: other, store: library.store, options: options).run()
        #expect(report.isResumed)
        #expect(try library.ids(of: "person") == ["z1", "z2"])
    }

    @Test func `after an interrupted migration was undone an unrelated export is refused`() throws {
        let (library, snapshot) = try interrupted()
        _ = try library.store.rollback(to: .snapshot(snapshot))
        try expectRefused(source(["z1", "z2"]), by: library)
    }

    @Test func `an interrupted migration that replaces everything is taken up by no other, nor without saying so`()
        throws
    {
        let library = try TemporaryLibrary(schema: Schema(InventedCompany.schema))
        _ = try library.migrate(source(Self.library), batch: 1)
        let other = source((0..<20).map { "z\($0)" })
        let options = Migrator.Options(batchRecordCount: 1, replacesEverything: true)
        let migrator = Migrator(source: other, store: library.store, options: options)
        var steps = 0
        let error = #expect(throws: MigrationError.self) {
            try migrator.run { progress in
                steps += progress.phase == .comparing ? 0 : 1
                return steps < 5
            }
        }
        #expect(error?.code == .cancelled)
        #expect(try library.ids(of: "person").count > Self.library.count)
        try expectRefused(source(["z1", "y1"]), by: library)
        try expectRefused(other, by: library)
        #expect(try migrator.run().isResumed)
        #expect(try library.ids(of: "person").count == 20)
    }

    @Test func `one that replaced everything and was undone is as unrelated as before`() throws {
        let library = try TemporaryLibrary(schema: Schema(InventedCompany.schema))
        _ = try library.migrate(source(Self.library), batch: 1)
        let other = source(["z1", "z2"])
        let options = Migrator.Options(replacesEverything: true)
        let report = try Migrator(source: other, store: library.store, options: options).run()
        #expect(try library.migrate(other, batch: 1).eventCount == 0)
        _ = try library.store.rollback(to: .snapshot(try #require(report.snapshotBefore)))
        try expectRefused(other, by: library)
    }

    @Test func `a row that somebody has made here is nothing that both exports have`() throws {
        let library = try TemporaryLibrary(schema: Schema(InventedCompany.schema))
        _ = try library.migrate(source(Self.library), batch: 1)
        _ = try library.store.write {
            try $0.put(EntityReference(model: "person", id: "z1"), values: ["name": .string("z1"), "tags": .list([])])
        }
        try expectRefused(source(["z1", "z2"]), by: library)
    }

    @Test func `unless the source has come to say it`() throws {
        let library = try TemporaryLibrary(schema: Schema(InventedCompany.schema))
        _ = try library.store.write {
            try $0.put(EntityReference(model: "person", id: "a"), values: ["name": .string("a"), "tags": .list([])])
        }
        _ = try library.migrate(source(["a", "b"]), batch: 1)
        #expect(try library.migrate(source(["a"]), batch: 1).counts["person"]?.deleted == 1)
    }

    @Test func `after an interrupted migration was undone the export before it writes nothing`()
        throws
    {
        let (library, snapshot) = try interrupted()
        _ = try library.store.rollback(to: .snapshot(snapshot))
        let source = source(Self.library)
        #expect(try Migrator(source: source, store: library.store).plan().writtenCount == 0)
        let head = try library.head
        let report = try library.migrate(source, batch: 1)
        #expect(report.eventCount == 0)
        #expect(report.snapshotBefore == nil)
        #expect(try library.head == head)
    }

    @Test func `a first migration that was interrupted is taken up by any export of that name`()
        throws
    {
        let library = try TemporaryLibrary(schema: Schema(InventedCompany.schema))
        try library.interrupt(source(Self.library), batch: 1, afterStep: 5)
        #expect(try !library.ids(of: "person").isEmpty)
        let other = source(["z1", "z2"])
        let plan = try Migrator(source: other, store: library.store).plan()
        let report = try library.migrate(other, batch: 1)
        #expect(report.isResumed)
        #expect(report.counts == plan.counts)
        #expect(try library.ids(of: "person") == ["z1", "z2"])
    }
}
