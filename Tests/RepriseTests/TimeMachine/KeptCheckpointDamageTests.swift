import FaultSupport
import RepriseLog
import Testing

@testable import Reprise

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif
#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Files in the place of kept checkpoints that are not what they should be (HIS-102).
struct KeptCheckpointDamageTests {
    /// A file that is not used is one line to the logger, and the read says what it says without it.
    private static func expectPassedOver(
        _ kept: KeptStates,
        _ store: Store,
        _ what: Comment,
        times: Int = 2
    ) throws {
        let before = kept.warnings.all.count
        for _ in 0..<times { #expect(try KeptStates.count(store) == 500, what) }
        #expect(store.openedStateCount == 0, what)
        #expect(kept.warnings.all.count == before + 1, what)
    }

    @Test func `damage in every 64th byte is seen, and so is a changed record`() throws {
        let kept = try KeptStates()
        let (file, bytes) = (try kept.file, contents(ofFile: try kept.file))
        let store = try kept.open()
        defer { store.close() }
        let places = Array(stride(from: 0, to: bytes.count, by: 64)) + (bytes.count - 220..<bytes.count)
        for place in places {
            var damaged = bytes
            damaged[place] ^= 1 << UInt8(place / 64 % 8)
            try kept.replace(file, damaged)
            try Self.expectPassedOver(kept, store, "byte \(place)", times: 1)
        }
        try kept.replace(file, bytes)
        #expect(try KeptStates.count(store) == 500)
        #expect(store.openedStateCount == 1)
    }

    @Test func `a file that was cut off, or has more than it should, is passed over`() throws {
        let kept = try KeptStates()
        let (file, bytes) = (try kept.file, contents(ofFile: try kept.file))
        let store = try kept.open()
        defer { store.close() }
        let counts =
            [0, 1, 7, 8, 200] + Array(stride(from: 4096, to: bytes.count, by: 4096))
            + (1...220).map { bytes.count - $0 }
        for count in counts {
            try kept.replace(file, Array(bytes.prefix(count)))
            try Self.expectPassedOver(kept, store, "\(count) bytes")
        }
        for more in [[0], [UInt8](repeating: 0, count: 4096), bytes] {
            try kept.replace(file, bytes + more)
            #expect(try KeptStates.count(store) == 500)
        }
        try kept.replace(file, Array(bytes[4096...]))
        try Self.expectPassedOver(kept, store, "without its first page")
        #expect(store.openedStateCount == 0)
    }

    /// Puts the data of a file under a record that says that it is right.
    private static func forged(_ bytes: [UInt8], _ change: (inout [UInt8], inout CheckpointRecord) -> Void) throws
        -> [UInt8]
    {
        let length = try #require(CheckpointRecord.byteCount(fromEnd: Array(bytes.suffix(8))))
        var record = try CheckpointRecord(decoding: Array(bytes.suffix(length)), fileByteCount: bytes.count)
        var data = Array(bytes.dropLast(length))
        change(&data, &record)
        record.dataByteCount = data.count
        record.dataHash = unsafe data.withUnsafeBytes { unsafe SHA256Hash.digest(of: $0) }
        return data + record.encode()
    }

    @Test func `a forged record of another log, schema, state or position is passed over`() throws {
        let kept = try KeptStates()
        let (file, bytes) = (try kept.file, contents(ofFile: try kept.file))
        let store = try kept.open()
        defer { store.close() }
        let changes: [(String, (inout CheckpointRecord) -> Void)] = [
            ("position", { $0.position = 500 }), ("no end of a commit", { $0.position = 497 }),
            ("far position", { $0.position = .max }), ("hash", { $0.hash = .zero }),
            ("schema position", { $0.schemaPosition = 7 }), ("far schema", { $0.schemaPosition = .max }),
            ("schema hash", { $0.schemaHash = .zero }), ("digest", { $0.digest = .zero }),
            ("no counts", { $0.counts = [] }), ("more counts", { $0.counts += [0, 0] }),
        ]
        for (what, change) in changes {
            try kept.replace(file, Self.forged(bytes) { change(&$1) })
            try Self.expectPassedOver(kept, store, "\(what)")
        }
        for name in ["497-0000000000000000", "18446744073709551615-0000000000000000"] {
            try kept.replace(kept.folder + "/\(name).checkpoint", Self.forged(bytes) { $1.position = 497 })
            _ = try KeptStates.count(store)
            #expect(store.openedStateCount == 0)
        }
    }

    @Test func `forged pages make nothing trap`() throws {
        let kept = try KeptStates()
        let (file, bytes) = (try kept.file, contents(ofFile: try kept.file))
        var generator = SeededGenerator(seed: 102)
        for _ in 0..<300 {
            let forged = try Self.forged(bytes) { data, _ in
                for _ in 0...generator.below(4) {
                    // Most of them where pages begin, with what leads from one to the next.
                    let offset = generator.below(3) == 0 ? generator.below(4096) : generator.below(64)
                    data[generator.below(data.count / 4096) * 4096 + offset] = UInt8(generator.below(256))
                }
            }
            try kept.replace(file, forged)
            let store = try kept.open()
            defer { store.close() }
            do {
                _ = try KeptStates.content(store)
            } catch {
                // Who may forge the file may write the store: an error is as much as can be had.
                #expect(error is StoreError)
            }
        }
        for data in [[], [UInt8](repeating: 0, count: 4096), [UInt8](repeating: 0xFF, count: 1 << 16)] {
            try kept.replace(file, Self.forged(bytes) { bytes, _ in bytes = data })
            let store = try kept.open()
            defer { store.close() }
            try Self.expectPassedOver(kept, store, "no pages")
        }
    }

    @Test func `links, pipes and directories are passed over`() throws {
        let kept = try KeptStates()
        let file = try kept.file
        let aside = kept.scratch("aside")
        try FileManager.default.moveItem(atPath: file, toPath: aside)
        let store = try kept.open()
        defer { store.close() }
        let makers: [() throws -> Void] = [
            { try FileManager.default.createSymbolicLink(atPath: file, withDestinationPath: aside) },
            { try FileManager.default.createDirectory(atPath: file, withIntermediateDirectories: false) },
            { #expect(unsafe mkfifo(file, 0o600) == 0) },
        ]
        for make in makers {
            try make()
            #expect(try KeptStates.count(store) == 500)
            #expect(store.openedStateCount == 0)
            #expect(try store.checkpoints().isEmpty)
            #expect(try store.pruneCheckpoints(all: true).isEmpty)
            try FileManager.default.removeItem(atPath: file)
        }
    }

    @Test func `a file of another store, and one from before a change of the schema, are passed over`() throws {
        let kept = try KeptStates()
        let other = kept.scratch("other")
        let stranger = try kept.open("other")
        try KeptStates.insert(1000..<2000, into: stranger)
        try FileManager.default.copyItem(atPath: kept.folder, toPath: other + ".checkpoints")
        #expect(try KeptStates.count(stranger) == 500)
        #expect(stranger.openedStateCount == 0)
        #expect(kept.warnings.all == ["A kept checkpoint is passed over. It is no state of this store's log."])
        #expect(try stranger.checkpoints().map(\.fault) == [.otherLog])
        #expect(try stranger.checkpoints().map(\.snapshots) == [[]])
        #expect(try stranger.pruneCheckpoints().count == 1)
        stranger.close()
    }

    @Test func `a change of the schema makes kept states useless, and later ones are used`() throws {
        let scratch = try Scratch(inMemory: true)
        let path = scratch("store")
        try Archive.fill(100, at: path)
        var configuration = TwinStores.configuration(bound: .max)
        configuration.shortReadEventCount = 5
        configuration.idlePastByteCountMax = 0
        configuration.checkpointFolders = [scratch("missing")]
        let first = try Store.open(at: path, schema: Archive.One.schema, configuration: configuration)
        let then = try first.createSnapshot(named: "then", keepingState: true)
        try first.write { transaction in
            for number in 0..<40 { _ = try transaction.delete(Archive.One.Card.self, id: .init("card-\(number)")) }
        }
        #expect(try first.read(asOf: .snapshot("then")) { $0.digest } == then.digest)
        #expect(first.openedStateCount == 1)
        first.close()
        let warnings = WarningCounter()
        configuration.logger = warnings.logger
        let second = try Store.open(at: path, schema: Archive.Two.schema, configuration: configuration)
        defer { second.close() }
        #expect(try second.read(asOf: .snapshot("then")) { $0.digest } == then.digest)
        #expect(second.openedStateCount == 0)
        #expect(warnings.all == ["A kept checkpoint is passed over. The schema has changed since it was made."])
        #expect(try second.checkpoints().map(\.fault) == [.otherSchema])
        // It takes the place of the old one.
        #expect(try second.keepState(ofSnapshot: "then").fault == nil)
        #expect(try second.checkpoints().count == 1)
        #expect(try second.read(asOf: .snapshot("then")) { $0.digest } == then.digest)
        #expect(second.openedStateCount == 1)
    }
}
