import FaultSupport
import Reprise
import RepriseLMDB
import TestSupport
import Testing

/// The gate against work that becomes slower unnoticed: processor time against raw LMDB with ready-made bytes, in the
/// same run and the same build, in turns.
///
/// The bounds are about twice what a debug build on Linux needs. Goals are measured by `Tools/benchmark`, in a release
/// build and at full size; here only steps backward count.
@Suite(.serialized) struct SpeedGateTests {
    private static let count = 2000
    private let scratch: Scratch
    private let store: Store
    private let raw: Environment
    private let keys: [[UInt8]]
    private let value = [UInt8](repeating: 7, count: 80)

    init() throws {
        scratch = try Scratch(inMemory: true)
        store = try Store.open(at: scratch("store"), schema: FaultModels.schema)
        raw = try Environment.create(at: scratch("raw"), tables: ["a", "b", "c"]) { _, _ in }
        // In an order that is not theirs, as identifiers come.
        keys = (0..<Self.count).map { Array("item-\($0 * 7919 % Self.count + 10_000)".utf8) }
    }

    private func items(_ generation: Int) -> [Item] {
        keys.map {
            Item(
                id: Item.ID("\(generation)-\(String(decoding: $0, as: UTF8.self))"),
                name: "Name \($0.count)"
            )
        }
    }

    /// The least that a read can be: the row's bytes are found.
    private func readRaw(_ keys: [[UInt8]]) throws {
        let transaction = try raw.beginRead()
        let table = raw.table("a")
        for key in keys {
            let found = try unsafe key.withUnsafeBytes {
                try unsafe transaction.reader.get(table, $0)?.count
            }
            try #require(found == value.count)
        }
    }

    /// What an insertion has to put at the least: a row and two index entries.
    private func putRaw(_ generation: Int) throws {
        let transaction = try raw.beginWrite()
        for key in keys {
            let key = Array("\(generation)-".utf8) + key
            for table in ["a", "b", "c"] {
                try unsafe key.withUnsafeBytes { key in
                    try unsafe value.withUnsafeBytes { value in
                        try unsafe transaction.put(raw.table(table), key: key, value: value)
                    }
                }
            }
        }
        try transaction.commit()
    }

    @Test func `an insertion takes no more than its share`() throws {
        var generation = (work: 0, floor: 0)
        let ratio = try ThreadClock.ratio {
            generation.work += 1
            let items = items(generation.work)
            try store.write { for item in items { try $0.insert(item) } }
        } to: {
            generation.floor += 1
            try putRaw(generation.floor)
        }
        // 5.3 to 5.5 were measured.
        #expect(ratio < 11, "\(ratio)")
    }

    @Test func `a row of a bulk load takes no more than its share of the calling thread`() throws {
        var generation = (work: 0, floor: 0)
        let ratio = try ThreadClock.ratio {
            generation.work += 1
            let items = items(generation.work)
            try store.bulkLoad { loader in
                try loader.batch { for item in items { try $0.insert(item) } }
            }
        } to: {
            generation.floor += 1
            try putRaw(generation.floor)
        }
        // 5.4 to 5.9 were measured.
        #expect(ratio < 11, "\(ratio)")
    }

    @Test func `a read by identifier, a filter and an order take no more than their share`() throws
    {
        let items = items(1)
        try store.write { for item in items { try $0.insert(item) } }
        try putRaw(1)
        let rawKeys = keys.map { Array("1-".utf8) + $0 }
        let point = try ThreadClock.ratio {
            try store.read { for item in items { _ = try $0.fetch(Item.self, id: item.id) } }
        } to: {
            try readRaw(rawKeys)
        }
        // 3.7 was measured.
        #expect(point < 7.5, "\(point)")
        let filter = try ThreadClock.ratio {
            let count = try store.count(
                FetchDescriptor<Item>().where { $0.note == nil && $0.amount < 1 }
            )
            #expect(count == items.count)
        } to: {
            try readRaw(rawKeys)
        }
        // 2.3 was measured.
        #expect(filter < 4.6, "\(filter)")
        let order = try ThreadClock.ratio {
            let rows = try store.fetch(FetchDescriptor<Item>().sorted(by: \.name).limit(500))
            #expect(rows.count == 500)
        } to: {
            try readRaw(rawKeys)
        }
        // 1.1 to 1.4 were measured.
        #expect(order < 2.8, "\(order)")
    }

    /// The gate itself: work done three times over is met.
    @Test func `three times the work is three times as long`() throws {
        try putRaw(1)
        let rawKeys = keys.map { Array("1-".utf8) + $0 }
        let ratio = try ThreadClock.ratio {
            for _ in 0..<3 { try self.readRaw(rawKeys) }
        } to: {
            try readRaw(rawKeys)
        }
        #expect(ratio > 2 && ratio < 5, "\(ratio)")
    }
}
