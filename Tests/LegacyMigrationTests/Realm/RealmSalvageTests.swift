import Foundation
import LegacyMigration
import Reprise
import Testing

/// Migrations from Realm files that are damaged: exactly what is whole arrives, and everything else is a warning.
@Suite struct RealmSalvageTests {
    private func bytes(_ name: String) throws -> [UInt8] {
        [UInt8](try Data(contentsOf: URL(filePath: Repository.realm(name))))
    }

    /// One track's artist is no text any more.
    private func damaged() throws -> [UInt8] {
        var bytes = try bytes("music_tiny.realm")
        let place = try #require(bytes.ranges(of: Array("YOASOBI".utf8)).first)
        bytes[place.lowerBound] = 0xff
        return bytes
    }

    /// Whether records are the same; a number that is none is not equal to itself, but its text is.
    private static func areSame(_ records: [LegacyRecord], _ others: [LegacyRecord]) -> Bool {
        records.count == others.count
            && zip(records, others).allSatisfy { record, other in
                record.className == other.className && record.key == other.key
                    && record.fields.count == other.fields.count
                    && zip(record.fields, other.fields).allSatisfy {
                        $0 == $1 || "\($0)" == "\($1)"
                    }
            }
    }

    @Test(arguments: ["music_tiny", "music_100", "unresolved"])
    func `of a file that is sound the same is read, and nothing is said`(name: String) throws {
        let path = Repository.realm("\(name).realm")
        let strict = try Readout(RealmLibrarySource(path: path))
        let salvaged = try Readout(RealmLibrarySource(path: path, salvages: true))
        #expect(Self.areSame(salvaged.records, strict.records))
        #expect(salvaged.identity == strict.identity)
        #expect(salvaged.reading == strict.reading)
        let store = try Readout(RealmStoreSource(path: path))
        let salvagedStore = try Readout(RealmStoreSource(path: path, salvages: true))
        #expect(Self.areSame(salvagedStore.records, store.records))
        #expect(salvagedStore.lists == store.lists)
        #expect(salvagedStore.reading == store.reading)
    }

    @Test
    func `a damaged object is left out with the links to it, and all others are as they were`()
        throws
    {
        let whole = try TemporaryFile.with(bytes("music_tiny.realm")) {
            try Readout(RealmLibrarySource(path: $0, name: "library"))
        }
        try TemporaryFile.with(damaged()) { path in
            let error = try code { _ = try Readout(RealmLibrarySource(path: path)) }
            #expect(error == .damaged)
            let source = try RealmLibrarySource(path: path, name: "library", salvages: true)
            let readout = try Readout(source)
            #expect(readout.identity == whole.identity)
            let lost = Set(whole.keys("track")).subtracting(readout.keys("track"))
            #expect(lost.count == 1 && readout.keys("track").count == 3)
            #expect(readout.count(.damagedObject) == 1)
            #expect(readout.count(.damagedValue) > 0)
            #expect(readout.brokenReferences == [])
            let warning = try #require(readout.warnings.first { $0.kind == .damagedObject })
            #expect(warning.message.contains("RealmTrack.artist"))
            #expect(warning.message.contains("A string is not UTF-8. (at byte "))
            for key in readout.keys("track") {
                #expect(readout.record("track", key) == whole.record("track", key))
            }
            for key in whole.keys("playlist") {
                let entries = try #require(whole.entries(key)).filter { !lost.contains($0) }
                #expect(readout.entries(key) == entries)
            }
        }
    }

    @Test func `what is whole arrives in a library, and is verified there`() throws {
        try TemporaryFile.with(damaged()) { path in
            let library = try TemporaryLibrary()
            let source = try RealmLibrarySource(path: path, salvages: true)
            let report = try Migrator(replacing: source, store: library.store).run()
            #expect(report.reading.warningCounts[.damagedObject] == 1)
            #expect(try library.store.verify().isSound)
            let verification = try MigrationVerifier(source: source, store: library.store).run()
            #expect(verification.isEqual, "\(verification.differences.prefix(3))")
        }
    }

    @Test func `a file of any app is salvaged into a store of its own schema`() throws {
        try TemporaryFile.with(damaged()) { path in
            #expect(try code { _ = try Readout(RealmStoreSource(path: path)) } == .damaged)
            let source = try RealmStoreSource(path: path, salvages: true)
            let readout = try Readout(source)
            #expect(readout.keys("RealmTrack").count == 3)
            #expect(readout.count(.damagedObject) == 1 && readout.count(.damagedValue) > 0)
            let tracks = Set(readout.keys("RealmTrack"))
            for list in readout.lists {
                #expect(list.members.allSatisfy { tracks.contains("\($0)") })
            }
            let library = try TemporaryLibrary(for: source)
            _ = try Migrator(replacing: source, store: library.store).run()
            #expect(try library.store.verify().isSound)
        }
    }

    /// Whatever is damaged: a salvage ends, what it hands on can be written, and what it leaves out it says.
    @Test func `files that were damaged at random are salvaged, or refused with a reason`() throws {
        let whole = try bytes("music_100.realm")
        let truth = try Readout(RealmLibrarySource(path: Repository.realm("music_100.realm")))
        var random = SeededGenerator(seed: 41)
        var salvagedCount = 0
        for _ in 0..<40 {
            var bytes = whole
            for _ in 0..<3 {
                bytes[Int.random(in: 24..<bytes.count, using: &random)] ^= UInt8.random(
                    in: 1...255,
                    using: &random
                )
            }
            try TemporaryFile.with(bytes) { path in
                guard let source = try? RealmLibrarySource(path: path, salvages: true) else {
                    return
                }
                let readout: Readout
                do {
                    readout = try Readout(source)
                } catch let error as LegacyError {
                    #expect(error.code == .notALibrary, "\(error)")
                    return
                }
                #expect(readout.brokenReferences == [])
                let lostCount = truth.records.count - readout.records.count
                if lostCount > 0 {
                    #expect(
                        readout.reading.warningCounts.keys.contains {
                            $0.rawValue.hasPrefix("damaged") || $0 == .olderVersion
                        }
                    )
                    salvagedCount += 1
                }
            }
        }
        #expect(salvagedCount > 0)
    }

    /// Each array of the file in turn has a header that none has: what is read of the rest is what it was.
    @Test func `whichever array is damaged, the other records arrive`() throws {
        let whole = try bytes("music_tiny.realm")
        let truth = try Readout(RealmStoreSource(path: Repository.realm("music_tiny.realm")))
        let records = Dictionary(
            uniqueKeysWithValues: truth.records.map { ("\($0.className) \($0.key)", $0) }
        )
        var kinds: Set<LegacyWarning.Kind> = []
        for place in stride(from: 24, to: whole.count, by: 8)
        where whole[place..<place + 4].allSatisfy({ $0 == 0x41 }) {
            var bytes = whole
            bytes[place + 4] = 0xff
            try TemporaryFile.with(bytes) { path in
                guard let source = try? RealmStoreSource(path: path, salvages: true) else { return }
                let readout = try Readout(source)
                kinds.formUnion(readout.reading.warningCounts.keys)
                for record in readout.records {
                    let known = records["\(record.className) \(record.key)"]
                    // Of another version of the data there is nothing to compare with.
                    guard readout.count(.olderVersion) == 0 else { continue }
                    #expect(Self.areSame([record], known.map { [$0] } ?? []), "\(place)")
                }
                guard let library = try? RealmLibrarySource(path: path, salvages: true),
                    library.isMusicLibrary
                else { return }
                _ = try Readout(library)
            }
        }
        #expect(
            kinds.isSuperset(of: [.damagedClass, .damagedObject, .damagedValue, .unclaimedBytes])
        )
    }
}
