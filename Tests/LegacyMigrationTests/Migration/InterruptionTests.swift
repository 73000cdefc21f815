import Foundation
import LegacyMigration
import MusicLibrary
import Reprise
import Testing

@Suite struct InterruptionTests {
    /// Runs until the progress callback has been called `calls` times.
    private func interrupt(
        _ library: TemporaryLibrary,
        _ bytes: [UInt8],
        after calls: Int,
        batch: Int
    ) -> MigrationError? {
        var count = 0
        do {
            try library.migrate(bytes, batch: batch) { _ in
                count += 1
                return count < calls
            }
            return nil
        } catch {
            return error as? MigrationError
        }
    }

    @Test func `a cancelled migration says how to go on`() throws {
        let library = try TemporaryLibrary()
        let export = InventedLibrary(trackCount: 60)
        let error = try #require(interrupt(library, export.xml, after: 3, batch: 10))
        #expect(error.code == .cancelled)
        let count = try library.store.count(FetchDescriptor<Track>())
        #expect(count > 0 && count < 60)
        let record = try #require(try MigrationRecord.all(in: library.store).first)
        #expect(!record.isFinished && record.id == error.migration)
        #expect(record.snapshotBefore == error.snapshotBefore)

        let report = try library.migrate(export.xml, batch: 10)
        #expect(report.isResumed && report.migration == error.migration)
        #expect(report.snapshotBefore == error.snapshotBefore)
        #expect(report.counts["track"]?.unchanged == count)
        #expect(report.counts["track"]?.inserted == 60 - count)
        #expect(try library.store.snapshots().count == 1)
    }

    @Test func `a migration that is cancelled at any batch arrives at the same digest`() throws {
        let export = InventedLibrary(trackCount: 30)
        let unbroken = try TemporaryLibrary()
        try unbroken.migrate(export.xml, batch: 10)
        var calls = 1
        while true {
            let library = try TemporaryLibrary()
            guard interrupt(library, export.xml, after: calls, batch: 10) != nil else { break }
            try library.reopen()
            try library.migrate(export.xml, batch: 10)
            #expect(try library.digest == unbroken.digest, "after \(calls) calls")
            calls += 1
        }
        #expect(calls > 8)
    }

    @Test(arguments: 0..<30)
    func `a newer export that is cancelled now and then arrives at the same digest`(
        seed: UInt64
    ) throws {
        var random = SeededGenerator(seed: 7000 + seed)
        let old = InventedLibrary(using: &random)
        let new = old.changed(using: &random).changed(using: &random)
        let unbroken = try TemporaryLibrary()
        let broken = try TemporaryLibrary()
        for library in [unbroken, broken] { try library.migrate(old.xml, batch: 5) }
        #expect(try unbroken.digest == broken.digest)
        try unbroken.migrate(new.xml, batch: 5)
        var calls = 2
        while interrupt(broken, new.xml, after: calls, batch: 5) != nil {
            try broken.reopen()
            calls += Int.random(in: 1...4, using: &random)
        }
        #expect(try broken.digest == unbroken.digest, "seed \(seed)")
    }

    @Test func `a migration that was undone begins anew`() throws {
        let library = try TemporaryLibrary()
        let export = InventedLibrary(trackCount: 30)
        let error = try #require(interrupt(library, export.xml, after: 3, batch: 10))
        try library.store.rollback(to: .snapshot(try #require(error.snapshotBefore)))
        try library.store.write { try $0.insert(Track(id: "mine", title: "Mine")) }
        let report = try library.migrate(export.xml, batch: 10)
        #expect(!report.isResumed && report.migration != error.migration)
        try library.store.rollback(to: .snapshot(try #require(report.snapshotBefore)))
        #expect(try library.store.count(FetchDescriptor<Track>()) == 1)
    }

    @Test func `a truncated export leaves what is there alone`() throws {
        let library = try TemporaryLibrary()
        let export = InventedLibrary(trackCount: 30)
        try library.migrate(export.xml)
        let content = try library.content
        let half = Array(export.xml.prefix(export.xml.count / 2))
        #expect(throws: LegacyError.self) { try library.migrate(half) }
        #expect(try library.content == content)
    }
}
