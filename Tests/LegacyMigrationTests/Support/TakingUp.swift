import LegacyMigration
import Reprise
import TestSupport
import Testing

extension TemporaryLibrary {
    func migrate(
        _ source: InventedSource,
        progress: (MigrationProgress) -> Bool = { _ in true }
    ) throws -> MigrationReport {
        try Migrator(replacing: source, store: store).run(progress: progress)
    }

    /// Migrates an export, after migrations of it that were cancelled somewhere: nothing came of these.
    @discardableResult
    func expectWholeOrNothing(of source: InventedSource) throws -> MigrationReport {
        for step in [1, 2] {
            let head = try head
            guard try interrupt(source, afterStep: step) else { break }
            #expect(try self.head == head)
        }
        let report = try migrate(source)
        #expect(try store.verify().isSound)
        return report
    }

    /// Migrates until that has come so far.
    ///
    /// - Returns: whether it was cancelled there, and did not come to its end.
    @discardableResult
    func interrupt(_ source: InventedSource, afterStep last: Int) throws -> Bool {
        var count = 0
        do {
            _ = try migrate(source) { _ in
                count += 1
                return count < last
            }
            return false
        } catch let error as MigrationError where error.code == .cancelled {
            return true
        }
    }

    /// As ``expectWholeOrNothing(of:)``, where the store has all of the export in the end.
    func expectAllOrNothing(of source: InventedSource) throws {
        let report = try expectWholeOrNothing(of: source)
        #expect(report.warningCounts.isEmpty)
        #expect(try MigrationVerifier(source: source, store: store).run().isEqual)
        #expect(try migrate(source).eventCount == 0)
    }
}

extension Migrator {
    /// For exports that may change more than half of a few rows, as those of most tests do.
    init(replacing source: any LegacySource, store: Store) {
        self.init(source: source, store: store, options: Options(replacesEverything: true))
    }
}
