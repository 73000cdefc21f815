import Reprise
import TestSupport
import Testing

/// Entries that are found by their places and not by reading their lists.
struct ListPlaceTests {
    private let directory: TemporaryDirectory
    private let store: Store

    init() throws {
        directory = try TemporaryDirectory()
        store = try Store.open(at: directory.path("store"), schema: ReviewStore.schema)
    }

    /// What the list of a rack holds, in order.
    private typealias Content = [Entry<Volume>]

    private func fill(_ random: inout SeededGenerator, racks: [Rack.ID], volumes: [Volume.ID])
        throws
        -> [Rack.ID: Content]
    {
        var expected: [Rack.ID: Content] = [:]
        try store.write { transaction in
            for id in volumes { try transaction.insert(Volume(id: id, title: nil, box: nil)) }
            for rack in racks {
                try transaction.insert(Rack(id: rack, name: nil))
                for _ in 0..<120 {
                    let volume = random.pick(volumes)
                    let entry = try transaction.link(Rack.volumes, from: rack, to: volume)
                    expected[rack, default: []].append(entry)
                }
            }
        }
        return expected
    }

    private static let racks: [Rack.ID] = ["r", "r\0", "r\0s", "\u{1}", "rs"]

    /// REL-10, REL-11, REL-12, REL-23.
    @Test(arguments: 1...6)
    func `entries that were moved and removed are the named ones whatever the lists hold twice`(
        seed: UInt64
    ) throws {
        var random = SeededGenerator(seed: seed)
        let volumes = (0..<30).map { Volume.ID(["v\($0)", "v\0\($0)", "\($0)\0"][$0 % 3]) }
        var expected = try fill(&random, racks: Self.racks, volumes: volumes)
        var living = volumes
        for _ in 0..<12 {
            // Many operations in one transaction, so that what is in memory lies over what is in the tables.
            try store.write { transaction in
                for _ in 0..<30 {
                    let rack = random.pick(Self.racks)
                    guard let index = expected[rack]?.indices.randomElement(using: &random) else {
                        continue
                    }
                    let entry = expected[rack]![index]
                    switch random.below(8) {
                    case 0 where living.count > 5:
                        let volume = living.remove(at: random.below(living.count))
                        let plan = try transaction.delete(Volume.self, id: volume)
                        let gone = Self.racks.sorted {
                            $0.rawValue.utf8.lexicographicallyPrecedes($1.rawValue.utf8)
                        }.flatMap { rack in
                            expected[rack]!.filter { $0.target == volume }.map(\.id)
                        }
                        #expect(plan.unlinked.map(\.entry) == gone)
                        for rack in Self.racks { expected[rack]!.removeAll { $0.target == volume } }
                    case 1...3:
                        try transaction.unlink(Rack.volumes, entry: entry.id, of: rack)
                        expected[rack]!.remove(at: index)
                        // It is gone, though others of the same target may be there.
                        #expect(throws: StoreError.self) {
                            try transaction.unlink(Rack.volumes, entry: entry.id, of: rack)
                        }
                    case 4, 5:
                        try transaction.move(Rack.volumes, entry: entry.id, of: rack, to: .first)
                        expected[rack]!.remove(at: index)
                        expected[rack]!.insert(entry, at: 0)
                    default:
                        let new = try transaction.link(
                            Rack.volumes,
                            from: rack,
                            to: random.pick(living),
                            at: .before(entry.id)
                        )
                        expected[rack]!.insert(new, at: index)
                    }
                    if random.once(in: 10) {
                        #expect(try transaction.entries(Rack.volumes, of: rack) == expected[rack]!)
                    }
                }
            }
        }
        for rack in Self.racks {
            let there = try store.read { try $0.entries(Rack.volumes, of: rack) }
            #expect(there == expected[rack]!)
        }
        #expect(try store.verify().isSound)
    }

    /// REL-10.
    @Test func `a member is taken out of the list that it is in and of no other`() throws {
        try store.write { transaction in
            for box in ["a", "b"] as [Box.ID] { try transaction.insert(Box(id: box)) }
            for number in 0..<40 {
                try transaction.insert(
                    Volume(id: .init("\(number)"), title: nil, box: number % 2 == 0 ? "a" : "b")
                )
            }
        }
        try store.write { transaction in
            let entries = try transaction.entries(Box.contents, of: "a")
            #expect(throws: StoreError.self) {
                try transaction.unlink(Box.contents, entry: entries[3].id, of: "b")
            }
            try transaction.unlink(Box.contents, entry: entries[3].id, of: "a")
            #expect(throws: StoreError.self) {
                try transaction.unlink(Box.contents, entry: entries[3].id, of: "a")
            }
            try transaction.move(Box.contents, entry: entries[5].id, of: "a", to: .first)
            try transaction.link(Box.contents, from: "b", to: "8", at: .first)
            #expect(throws: StoreError.self) {
                try transaction.unlink(Box.contents, entry: entries[4].id, of: "a")
            }
        }
        let (first, second) = try store.read { transaction in
            (
                try transaction.entries(Box.contents, of: "a").map(\.target.rawValue),
                try transaction.entries(Box.contents, of: "b").map(\.target.rawValue)
            )
        }
        #expect(first.count == 18 && first.prefix(4) == ["10", "0", "2", "4"])
        #expect(second.count == 21 && second.first == "8")
        #expect(try store.verify().isSound)
    }
}
