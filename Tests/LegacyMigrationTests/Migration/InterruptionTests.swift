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

    @Test func `a migration whose process is killed after any batch arrives at the same digest`()
        throws
    {
        let old = InventedLibrary(trackCount: 30)
        var new = old
        new.tracks.removeSubrange(4..<9)
        new.tracks.swapAt(3, 12)
        new.playlists[1].entries.removeAll { !new.tracks.map(\.key).contains($0) }
        new.playlists[1].entries.swapAt(0, 20)
        let library = try TemporaryLibrary()
        for export in [old, new] {
            let (report, remains) = try library.remainsOfEachBatch {
                try library.migrate(export.xml, batch: 10, progress: $0)
            }
            #expect(remains.count > 8)
            for remains in remains {
                let resumed = try remains.migrate(export.xml, batch: 10)
                #expect(resumed.isResumed && resumed.digest == report.digest)
                #expect(resumed.migration == report.migration)
                #expect(resumed.snapshotBefore == report.snapshotBefore)
                let name = try #require(resumed.snapshotBefore)
                let before = try #require(try remains.store.snapshots().first { $0.name == name })
                #expect(try remains.store.rollback(to: .snapshot(name)).digest == before.digest)
            }
        }
    }

    /// Rows that were made by hand, or came from another source, stand where those of the export are to stand.
    @Test(arguments: 0..<20)
    func `so does one into a store that has rows of others`(seed: UInt64) throws {
        var random = SeededGenerator(seed: 9000 + seed)
        let export = InventedLibrary(using: &random)
        let other = export.changed(using: &random).changed(using: &random)
        let alone = try TemporaryLibrary()
        try alone.migrate(export.xml)
        let albums = try alone.store.fetch(FetchDescriptor<Album>()).map(\.id)
        let tracks = try alone.store.fetch(FetchDescriptor<Track>()).map(\.id)
        let library = try TemporaryLibrary()
        if seed % 2 == 0 { try library.migrate(other.xml, name: "Other", batch: 5) }
        try library.store.write { transaction in
            for (number, id) in albums.enumerated() where number % 2 == 0 {
                if try transaction.fetch(Album.self, id: id) == nil {
                    try transaction.insert(Album(id: id, title: "Mine"))
                }
                let mine = Track.ID("mine-\(number)")
                try transaction.insert(Track(id: mine, title: "Mine", album: id))
            }
            for (number, id) in tracks.enumerated() where number % 3 == 0 {
                guard try transaction.fetch(Track.self, id: id) == nil else { continue }
                let album = albums.isEmpty || number % 2 == 0 ? nil : albums[0]
                if let album, try transaction.fetch(Album.self, id: album) == nil { continue }
                try transaction.insert(Track(id: id, title: "Mine", album: album))
            }
        }
        let (report, remains) = try library.remainsOfEachBatch {
            try library.migrate(export.xml, batch: 5, progress: $0)
        }
        #expect(remains.count > export.tracks.count / 5)
        for (number, remains) in remains.enumerated() {
            let resumed = try remains.migrate(export.xml, batch: 5)
            #expect(resumed.digest == report.digest, "seed \(seed), \(number)")
        }
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
