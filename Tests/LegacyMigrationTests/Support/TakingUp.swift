import LegacyMigration
import Reprise
import TestSupport
import Testing

extension TemporaryLibrary {
    func migrate(
        _ source: InventedSource,
        batch: Int,
        progress: (MigrationProgress) -> Bool = { _ in true }
    ) throws -> MigrationReport {
        let options = Migrator.Options(batchRecordCount: batch, replacesEverything: true)
        return try Migrator(source: source, store: store, options: options).run(progress: progress)
    }

    /// Migrates an export, and takes up what is left of that after each of its batches; every other time the run that
    /// does so is interrupted, too.
    ///
    /// - Parameter disturb: does something to what is left before it is taken up.
    @discardableResult
    func expectSameDigestAfterAnyBatch(
        of source: InventedSource,
        batch: Int = 1,
        disturb: (Store) throws -> Void = { _ in }
    ) throws -> MigrationReport {
        let (report, remains) = try remainsOfEachBatch {
            try migrate(source, batch: batch, progress: $0)
        }
        #expect(!remains.isEmpty)
        for (place, remains) in part(of: Array(remains.enumerated()), atMost: 9) {
            try disturb(remains.store)
            if place % 2 == 1 {
                try remains.interrupt(source, batch: batch, afterStep: 1 + place / 2 % 7)
            }
            guard try remains.migrate(source, batch: batch).digest != report.digest else {
                continue
            }
            let differences = try Set(content).symmetricDifference(remains.content)
            Issue.record("after batch \(place): \(differences.sorted())")
        }
        #expect(try store.verify().isSound)
        return report
    }

    /// Migrates until that has come so far, where it does.
    func interrupt(_ source: InventedSource, batch: Int, afterStep last: Int) throws {
        var count = 0
        do {
            _ = try migrate(source, batch: batch) { _ in
                count += 1
                return count < last
            }
        } catch let error as MigrationError where error.code == .cancelled {}
    }

    /// As ``expectSameDigestAfterAnyBatch(of:batch:disturb:)``, where the store has all of the export in the end.
    func expectAllAfterAnyBatch(of source: InventedSource, batch: Int = 1) throws {
        let report = try expectSameDigestAfterAnyBatch(of: source, batch: batch)
        #expect(report.warningCounts.isEmpty)
        #expect(try MigrationVerifier(source: source, store: store).run().isEqual)
        #expect(try migrate(source, batch: batch).eventCount == 0)
    }
}

extension Migrator {
    /// For exports that may change more than half of a few rows, as those of most tests do.
    init(replacing source: any LegacySource, store: Store) {
        self.init(source: source, store: store, options: Options(replacesEverything: true))
    }
}
