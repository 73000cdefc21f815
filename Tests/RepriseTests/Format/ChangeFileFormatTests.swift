import RepriseLog
import TestSupport
import Testing

@testable import Reprise

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The example of `Specs/format/changes.md`, and files whose checksum is right and whose content is not (HIS-112).
struct ChangeFileFormatTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private func sealed(_ bytes: [UInt8]) -> [UInt8] {
        var writer = ByteWriter()
        unsafe bytes.withUnsafeBytes { bytes in
            unsafe writer.bytes(bytes)
            writer.digest(unsafe SHA256Hash.digest(of: bytes))
        }
        return unsafe [UInt8](writer.bytes)
    }

    private func written(_ bytes: [UInt8]) throws -> String {
        let path = directory.path("file.changes")
        try Data(bytes).write(to: URL(filePath: path))
        return path
    }

    @Test func `the example of the page is read, and written again byte for byte`() throws {
        let page = try SpecificationPage("changes")
        let bytes = try #require(page.examples["file"])
        let changes = try ChangeSet(contentsOf: try written(sealed(bytes)))
        #expect([changes.from, changes.to].map(\.rawValue) == [17, 18])
        var found: [ChangeSet.EntityChange] = []
        try changes.forEach {
            found.append($0)
            return true
        }
        #expect(found.map(\.entity) == [EntityReference(model: "a", id: "x")])
        #expect(found.first?.fields == [EventRecord.Change(name: "n", from: .list([]), to: .list([.int(7)]))])
        let copy = directory.path("copy.changes")
        try changes.write(to: copy)
        let again = try [UInt8](Data(contentsOf: URL(filePath: copy)))
        page.check(["file": Array(again.dropLast(32))])
        #expect(again == sealed(bytes))
    }

    @Test(arguments: seeds(Array(1...8))) func `content that breaks the rules is refused and harms nothing`(
        seed: UInt64
    ) throws {
        var random = SeededGenerator(seed: seed)
        let store = try Jukebox.filled()
        let base = try store.resolve(.head)
        try store.write { transaction in
            try transaction.insert(Track(id: "D", title: "D", album: "album"))
            try transaction.update(Track.self, id: "A") { $0.rating = 5 }
            try transaction.append(Playlist.entries, of: "list", "D")
            try transaction.delete(Track.self, id: "B")
        }
        let target = try Store.temporary(branchOf: store, at: .position(base))
        try store.difference(from: .position(base)).write(to: directory.path("sound.changes"))
        let sound = try [UInt8](Data(contentsOf: URL(filePath: directory.path("sound.changes"))).dropLast(32))
        var acceptedCount = 0
        for number in 0..<400 {
            var bytes = sound
            for _ in 0...random.below(2) {
                let start = random.below(3) == 0 ? 0 : 12 + Int(bytes[8]) + Int(bytes[9]) << 8
                let place = start < bytes.count ? start + random.below(bytes.count - start) : 0
                switch random.below(4) {
                case 0: bytes.remove(at: place)
                case 1: bytes.insert(UInt8(random.below(256)), at: place)
                default: bytes[place] = UInt8(random.below(256))
                }
            }
            do {
                let changes = try ChangeSet(contentsOf: try written(sealed(bytes)))
                _ = try target.apply(changes, resolving: number.isMultiple(of: 2) ? .theirs : .ours)
                _ = try store.apply(changes.inverted(), resolving: .theirs)
                acceptedCount += 1
            } catch is StoreError {
                continue
            }
            if acceptedCount.isMultiple(of: 10) { try checkSound(store, target) }
        }
        try checkSound(store, target)
        #expect(acceptedCount > 0)
    }

    @Test func `a file whose schema has more than the store is refused`() throws {
        let store = try Jukebox.filled()
        let changes = try store.difference(from: .position(Position(1)))
        var schema = changes.schema.description
        let number = try #require(schema.models.firstIndex { $0.name == "track" })
        let slot = schema.models[number].slotCount
        let extra = AttributeDescription(slot: slot, name: "extra", type: .string, isOptional: true)
        schema.models[number].attributes.append(extra)
        schema.models[number].slotCount += 1
        let title = SlotDelta(slot: 0, from: nil, to: Array("new".utf8))
        let row = try DeltaComposer.rewritten([0, 0], [title, SlotDelta(slot: slot, from: nil, to: Array("more".utf8))])
        let delta = EntityDelta(
            entity: EntityKey(model: schema.models[number].number, id: "Z"),
            row: .inserted(row),
            entries: EntryDeltas()
        )
        var writer = ByteWriter()
        ChangeFileHeader(home: changes.home, schema: schema, recordCount: 1).write(to: &writer)
        var record = ByteWriter()
        try delta.write(to: &record)
        writer.u32(UInt32(record.count))
        unsafe writer.bytes(record.bytes)
        let forged = try ChangeSet(contentsOf: try written(sealed(unsafe [UInt8](writer.bytes))))
        #expect(forged.counts.inserted == 1)
        let error = #expect(throws: StoreError.self) { try store.apply(forged) }
        #expect(error?.code == .schemaMismatch)
        try checkSound(store)
    }

    private func checkSound(_ stores: Store...) throws {
        for store in stores {
            #expect(try store.verify().isSound)
            _ = try store.read { try ($0.fetch(Track.self), $0.fetch(Playlist.self), $0.fetch(Album.self)) }
        }
    }
}
