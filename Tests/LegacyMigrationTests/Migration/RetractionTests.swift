import LegacyMigration
import Reprise
import Testing

/// Migrations of which nothing is written where they lose something, and what their progress callback may do.
@Suite struct RetractionTests {
    /// One person has a boss who does not exist.
    private var company: InventedCompany {
        var company = InventedCompany()
        company.people = (0..<20).map { .init(key: "p\($0)", name: "P\($0)") }
        company.people[7].boss = "nobody"
        return company
    }

    /// Somebody who was put into the store here.
    private let mine = EntityReference(model: "person", id: "mine")
    private static let values: [String: Value] = ["name": .string("M"), "tags": .list([])]

    private func migrator(
        _ source: InventedSource,
        _ library: TemporaryLibrary,
        refuses: Bool = true
    ) -> Migrator {
        let options = Migrator.Options(replacesEverything: true, refusesLosses: refuses)
        return Migrator(source: source, store: library.store, options: options)
    }

    @Test func `nothing is written of a migration that loses something where that is wished`() throws
    {
        let library = try TemporaryLibrary(schema: Schema(InventedCompany.schema))
        _ = try library.store.write {
            try $0.put(mine, values: Self.values)
        }
        let digest = try library.digest
        let report = try migrator(company.source, library).run()
        #expect(report.isRefusedForLosses && report.eventCount == 0 && report.digest == digest && !report.isLossless)
        #expect(try library.digest == digest)
        // What loses nothing stays, and so does what may lose something.
        var whole = company
        whole.people[7].boss = "p0"
        let kept = try migrator(whole.source, library).run()
        #expect(!kept.isRefusedForLosses && kept.isLossless)
        #expect(try library.digest != digest)
        let lossy = try migrator(company.source, library, refuses: false).run()
        #expect(!lossy.isRefusedForLosses && lossy.warningCounts == [.missingTarget: 1])
        // Where there is nothing to write nothing is refused.
        let again = try migrator(company.source, library).run()
        #expect(!again.isRefusedForLosses && again.snapshotBefore == nil && !again.isLossless)
        #expect(try library.store.verify().isSound)
    }

    @Test(.timeLimit(.minutes(1)))
    func `a write in the progress callback is refused and does not wait for ever`() throws {
        let library = try TemporaryLibrary(schema: Schema(InventedCompany.schema))
        func write() throws {
            _ = try library.store.write { try $0.put(mine, values: Self.values) }
        }
        var codes: Set<StoreError.Code> = []
        let report = try migrator(company.source, library, refuses: false).run { _ in
            do {
                try write()
                Issue.record("It was written.")
            } catch let error as StoreError {
                codes.insert(error.code)
            } catch { Issue.record(error) }
            return true
        }
        #expect(codes == [.writeInCallback])
        #expect(report.counts["person"]?.inserted == 20)
        #expect(try library.store.read { try $0.record(model: "person", id: "mine") } == nil)
        // Afterwards it may.
        try write()
        #expect(try library.store.read { try $0.record(model: "person", id: "mine") } != nil)
    }
}
