import Reprise
import TestSupport
import Testing

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Views that are built by sorting the log, in memory and through files (STO-25, STO-26).
struct SortedRebuildTests {
    private static func open(_ path: String) throws -> Store {
        try Store.open(
            at: path,
            schema: ReviewStore.schema,
            configuration: .init(now: { Date(timeIntervalSince1970: 1_700_000_000) })
        )
    }

    private static let title = String(repeating: "a title that takes some room, ", count: 10)

    private static func volume(_ number: Int) -> Volume {
        // Identifiers without an order, so that sorting has something to do.
        let id = "\(number * 7919 % 100_003)-\(number)"
        return Volume(id: .init(id), title: title + "\(number % 50)", box: .init("\(number % 40)"))
    }

    /// Some of everything that an event can say, dead events included.
    private static func fill(_ store: Store, _ generator: inout SeededGenerator) throws {
        try store.bulkLoad { loader in
            try loader.batch { transaction in
                for number in 0..<40 { try transaction.insert(Box(id: .init("\(number)"))) }
                for number in 0..<20 {
                    let name = number % 3 == 0 ? nil : "rack \(number)"
                    try transaction.insert(Rack(id: .init("\(number)"), name: name))
                }
            }
            for start in stride(from: 0, to: 14_000, by: 1000) {
                try loader.batch { transaction in
                    for number in start..<(start + 1000) {
                        try transaction.insert(volume(number))
                        guard number % 10 == 0 else { continue }
                        let rack = Rack.ID("\(Int.random(in: 0..<20, using: &generator))")
                        try transaction.link(Rack.volumes, from: rack, to: volume(number).id)
                    }
                }
            }
        }
        try change(store, &generator, in: 0..<3000)
        let before = try store.read { $0.head }
        try change(store, &generator, in: 3000..<6000)
        try store.rollback(to: .position(before))
        try store.createSnapshot(named: "changed")
        try change(store, &generator, in: 6000..<8000)
    }

    private static func change(
        _ store: Store,
        _ generator: inout SeededGenerator,
        in numbers: Range<Int>
    ) throws {
        try store.write { transaction in
            for number in stride(from: numbers.lowerBound, to: numbers.upperBound, by: 7) {
                let id = volume(number).id
                switch Int.random(in: 0..<4, using: &generator) {
                case 0: try transaction.update(Volume.self, id: id) { $0.title = "short" }
                case 1: try transaction.update(Volume.self, id: id) { $0.box = .init("1") }
                case 2: try transaction.update(Volume.self, id: id) { $0.box = nil }
                default: try transaction.delete(Volume.self, id: id)
                }
            }
            for rack in 0..<20 {
                let id = Rack.ID("\(rack)")
                let entries = try transaction.entries(Rack.volumes, of: id)
                guard entries.count > 4 else { continue }
                try transaction.move(Rack.volumes, entry: entries[3].id, of: id, to: .first)
                try transaction.unlink(Rack.volumes, entry: entries[1].id, of: id)
                try transaction.link(Rack.volumes, from: id, to: entries[2].target, at: .first)
            }
            try transaction.delete(Rack.self, id: .init("\(numbers.lowerBound / 3000 + 7)"))
        }
    }

    @Test(arguments: [1, 96 << 20])
    func `views built by sorting are those folded event after event`(memory: Int) throws {
        let directory = try TemporaryDirectory()
        let store = try Self.open(directory.path("store"))
        var generator = SeededGenerator(seed: 26)
        try Self.fill(store, &generator)
        let digest = try store.read { $0.digest }
        let report = try store.replay(memoryByteCount: memory)
        #expect(report.digest == digest)
        // Verification folds the log in its own order and compares every entry of every view.
        #expect(try store.verify().faults == [])
        // The other set of tables, which the first replay has emptied.
        #expect(try store.replay(memoryByteCount: memory).digest == digest)
        #expect(try store.verify().faults == [])
        let files = try FileManager.default.contentsOfDirectory(atPath: store.path)
        #expect(files.sorted() == ["data.mdb", "lock.mdb"])

        #expect(try store.replay(into: directory.path("copy")).digest == digest)
        let copy = try Self.open(directory.path("copy"))
        #expect(try copy.verify().faults == [])
        #expect(try copy.count(FetchDescriptor<Volume>()) == store.count(FetchDescriptor<Volume>()))
    }

    /// What is sorted then is a small part of a log that is too large to be read in place, so that it stays in memory
    /// after the log has been let go of.
    @Test func `a log that is mostly annotations is rebuilt in little memory`() throws {
        let directory = try TemporaryDirectory()
        let store = try Self.open(directory.path("store"))
        try store.write { transaction in
            try transaction.insert(Rack(id: .init("r"), name: "links"))
            try transaction.insert(Box(id: .init("1")))
            for number in 0..<100 {
                let volume = Volume(id: .init("\(number)"), title: "t", box: .init("1"))
                try transaction.insert(volume)
                try transaction.link(Rack.volumes, from: .init("r"), to: volume.id)
            }
        }
        let payload = [UInt8](repeating: 7, count: 1_000_000)
        for number in 0..<8 {
            _ = try store.write { transaction in
                try transaction.annotate(name: "large", key: "\(number)", payload: payload)
            }
        }
        let digest = try store.read { $0.digest }
        #expect(try store.replay(memoryByteCount: 1).digest == digest)
        #expect(try store.verify().faults == [])
        #expect(try store.read { try $0.entries(Rack.volumes, of: .init("r")).count } == 100)
    }

    @Test func `a bulk load in little memory leaves what one in plenty leaves`() throws {
        let directory = try TemporaryDirectory()
        let stores = try [40_000, 96 << 20, 0].map { memory in
            let store = try Self.open(directory.path("store-\(memory)"))
            try Self.load(store, memoryByteCount: memory)
            #expect(try store.verify().faults == [])
            return store
        }
        let digests = try stores.map { store in try store.read { $0.digest } }
        #expect(Set(digests).count == 1)
        let last = Self.volume(10_999).id
        for store in stores {
            #expect(try store.fetch(Volume.self, id: last)?.title == Self.volume(10_999).title)
            #expect(try store.fetch(Volume.self, id: Self.volume(5).id)?.title == "changed")
            let contents = try store.read { try $0.entries(Box.contents, of: .init("3")) }
            #expect(contents.first?.target == Self.volume(3).id)
            #expect(contents.last?.target == Self.volume(10_963).id)
            #expect(contents.count == 275)
        }
    }

    /// A load that asks for what was loaded long before: identifiers, references, unique values, rows, ends of lists.
    private static func load(_ store: Store, memoryByteCount: Int) throws {
        try store.bulkLoad(memoryByteCount: memoryByteCount) { loader in
            try loader.batch { transaction in
                for number in 0..<40 { try transaction.insert(Box(id: .init("\(number)"))) }
            }
            for start in stride(from: 0, to: 11_000, by: 500) {
                try loader.batch { transaction in
                    for number in start..<(start + 500) { try transaction.insert(volume(number)) }
                    let rack = Rack(id: .init("\(start)"), name: "rack \(start)")
                    try transaction.insert(rack)
                    try transaction.link(Rack.volumes, from: rack.id, to: volume(start / 2).id)
                    try transaction.link(Rack.volumes, from: .init("0"), to: volume(start).id)
                    #expect(code { try transaction.insert(volume(start / 2)) } == .entityExists)
                    let rival = Rack(id: .init("rival"), name: "rack \(start / 1000 * 500)")
                    #expect(code { try transaction.insert(rival) } == .uniqueViolation)
                    let stray = Volume(id: .init("stray"), title: nil, box: .init("nowhere"))
                    #expect(code { try transaction.insert(stray) } == .targetMissing)
                    try transaction.update(Volume.self, id: volume(5).id) { $0.title = "changed" }
                    if start == 1000 {
                        try transaction.update(Rack.self, id: .init("500")) { $0.name = "other" }
                        try transaction.insert(Rack(id: .init("heir"), name: "rack 500"))
                        try transaction.update(Rack.self, id: .init("heir")) { $0.name = nil }
                        try transaction.update(Rack.self, id: .init("500")) { $0.name = "rack 500" }
                    }
                    let known = try transaction.fetch(Volume.self, id: volume(start / 3).id)
                    #expect(known?.box == volume(start / 3).box)
                }
            }
        }
    }

    private static func code(_ body: () throws -> Void) -> StoreError.Code? {
        do {
            try body()
            return nil
        } catch {
            return (error as? StoreError)?.code
        }
    }

    @Test func `a bulk load in little memory may ask for anything`() throws {
        let directory = try TemporaryDirectory()
        let store = try Self.open(directory.path("store"))
        try store.bulkLoad(memoryByteCount: 40_000) { loader in
            try loader.batch { transaction in
                for number in 0..<40 { try transaction.insert(Box(id: .init("\(number)"))) }
            }
            for start in stride(from: 0, to: 6000, by: 500) {
                try loader.batch { transaction in
                    for number in start..<(start + 500) { try transaction.insert(volume(number)) }
                }
            }
            try loader.batch { transaction in
                let descriptor = FetchDescriptor<Volume>().where { $0.box == Box.ID("7") }
                #expect(try transaction.count(descriptor) == 150)
                try transaction.delete(Box.self, id: .init("7"))
                #expect(try transaction.count(descriptor) == 0)
            }
            try loader.batch { transaction in
                try transaction.update(Volume.self, id: volume(1).id) { $0.box = .init("2") }
                let contents = try transaction.entries(Box.contents, of: .init("2"))
                #expect(contents.count == 151)
                #expect(contents.last?.target == volume(1).id)
            }
        }
        #expect(try store.verify().faults == [])
    }

    private func volume(_ number: Int) -> Volume { Self.volume(number) }
}
