import Reprise
import TestSupport
import Testing

/// Lists that are put into another order: REL-15, REL-16.
struct ArrangingTests {
    private let stores: ListStores
    private var store: Store { stores.store }
    /// Gets the same lists, appended in the order that they have in the end.
    private var twin: Store { stores.twin }

    private static let ids: [Volume.ID] = (0..<300).map { Volume.ID("v\($0)") }
    private static let rack = EntityReference(model: "rack", id: "r")
    private static let box = EntityReference(model: "box", id: "b")

    init() throws { stores = try ListStores(Self.ids) }

    /// The rack and the box hold volumes in any order.
    private func fill(using random: inout SeededGenerator) throws {
        for list in ["volumes", "contents"] {
            let ids = Self.ids.prefix(random.below(60)).shuffled(using: &random)
            try store.write { try Self.set(list, to: ids, in: &$0) }
        }
    }

    private static func set(_ list: String, to ids: [Volume.ID], in transaction: inout WriteTransaction) throws {
        if list == "volumes" {
            try transaction.set(Rack.volumes, of: "r", to: ids)
        } else {
            try transaction.set(Box.contents, of: "b", to: ids)
        }
    }

    private static func arrange(
        _ list: String,
        _ entries: [EntryID],
        in transaction: inout WriteTransaction
    ) throws {
        try set(list, to: entries.map { Volume.ID($0.target) }, in: &transaction)
    }

    private func entries(of list: String, _ owner: EntityReference) throws -> [EntryID] {
        try store.read { try $0.entries(of: list, model: owner.model, id: owner.id) }
    }

    private func digest(of store: Store) throws -> StateDigest { try store.read { $0.digest } }

    /// How often each type of event came after a position.
    private func eventCounts(after position: Position) throws -> [String: Int] {
        var counts: [String: Int] = [:]
        try store.read { state in
            try state.forEachCommit(from: Position(rawValue: position.rawValue + 1)) { commit in
                for event in commit.events { counts[event.type, default: 0] += 1 }
                return true
            }
        }
        return counts
    }

    /// Shuffled, turned round, rotated, or with a few entries that moved.
    private func rearranged(_ entries: [EntryID], using random: inout SeededGenerator) -> [EntryID]
    {
        if entries.isEmpty { return [] }
        switch random.below(5) {
        case 0: return entries.shuffled(using: &random)
        case 1: return entries.reversed()
        case 2:
            let start = random.below(entries.count)
            return Array(entries[start...] + entries[..<start])
        default:
            var moved = entries
            for _ in 0..<1 + random.below(4) {
                let entry = moved.remove(at: random.below(moved.count))
                moved.insert(entry, at: random.below(moved.count + 1))
            }
            return moved
        }
    }

    /// How many must move, by the textbook.
    private func moveCount(from old: [EntryID], to new: [EntryID]) -> Int {
        var lengths: [Int] = []
        let numbers = new.map { entry in old.firstIndex(of: entry)! }
        for (place, number) in numbers.enumerated() {
            let before = (0..<place).filter { numbers[$0] < number }.map { lengths[$0] }
            lengths.append((before.max() ?? 0) + 1)
        }
        return new.count - (lengths.max() ?? 0)
    }

    @Test(arguments: 1...24 as ClosedRange<UInt64>)
    func `a list comes into any order with one event for each entry that has to move`(seed: UInt64)
        throws
    {
        var random = SeededGenerator(seed: seed)
        try fill(using: &random)
        for (list, owner) in [("volumes", Self.rack), ("contents", Self.box)] {
            for _ in 0..<6 {
                // All are appended anew, so that no gap is used up.
                let ids = try entries(of: list, owner).map { Volume.ID($0.target) }
                try store.write { try Self.set(list, to: [], in: &$0) }
                try store.write { try Self.set(list, to: ids, in: &$0) }
                let before = try entries(of: list, owner)
                let (old, head) = try store.read { ($0.digest, $0.position) }
                let wanted = rearranged(before, using: &random)
                let count = moveCount(from: before, to: wanted)
                try store.write { try Self.arrange(list, wanted, in: &$0) }
                #expect(try entries(of: list, owner) == wanted)
                let type = list == "volumes" ? "moved" : "updated"
                #expect(try eventCounts(after: head) == (count == 0 ? [:] : [type: count]))
                let position = try store.read { $0.position }
                try store.write { try Self.arrange(list, wanted, in: &$0) }
                #expect(try store.read { $0.position } == position)
                if random.once(in: 3) {
                    #expect(try store.rollback(to: .position(head)).digest == old)
                    #expect(try entries(of: list, owner) == before)
                }
            }
        }
        #expect(try store.verify().isSound)
    }

    @Test(arguments: 1...8 as ClosedRange<UInt64>)
    func `lists that are arranged again and again have the order that was asked for`(
        seed: UInt64
    ) throws {
        var random = SeededGenerator(seed: seed)
        try fill(using: &random)
        var rack = try store.read { try $0.entries(Rack.volumes, of: "r") }.map(\.id)
        var box = try store.read { try $0.entries(Box.contents, of: "b") }.map(\.id)
        for _ in 0..<4 {
            // What is in memory lies over what is in the tables, and gaps are used up.
            try store.write { transaction in
                for _ in 0..<12 {
                    rack = rearranged(rack, using: &random)
                    try Self.arrange("volumes", rack, in: &transaction)
                    box = rearranged(box, using: &random)
                    try Self.arrange("contents", box, in: &transaction)
                    let there = try transaction.entries(Rack.volumes, of: "r").map(\.id)
                    #expect(there == rack)
                    #expect(try transaction.entries(Box.contents, of: "b").map(\.id) == box)
                }
            }
            #expect(try store.verify().isSound)
        }
        #expect(try entries(of: "volumes", Self.rack) == rack)
        #expect(try entries(of: "contents", Self.box) == box)
    }

    @Test(arguments: [("volumes", rack), ("contents", box)])
    func `where a gap has no room only entries next to it move as well`(
        list: String,
        owner: EntityReference
    ) throws {
        let ids = Self.ids.map(\.rawValue)
        try store.write { transaction in
            for id in ids[..<200] { try transaction.link(list, of: owner, to: id) }
            // The first ones are close to each other then.
            let first = try #require(try transaction.entries(of: list, model: owner.model, id: owner.id).first)
            for id in ids[200..<230] { try transaction.link(list, of: owner, to: id, at: .after(first)) }
        }
        var wanted = try entries(of: list, owner)
        let (old, head) = try store.read { ($0.digest, $0.position) }
        wanted.insert(contentsOf: wanted.suffix(2), at: 1)
        wanted.removeLast(2)
        try store.write { try Self.arrange(list, wanted, in: &$0) }
        #expect(try entries(of: list, owner) == wanted)
        let type = list == "volumes" ? "moved" : "updated"
        let count = try eventCounts(after: head)[type] ?? 0
        #expect((3...2 + 2 * 32).contains(count))
        #expect(try store.verify().isSound)
        #expect(try store.rollback(to: .position(head)).digest == old)
    }

    @Test func `many that come into one gap again and again leave most of a list where it is`() throws {
        try store.write { transaction in
            for id in Self.ids { try transaction.append(Rack.volumes, of: "r", id) }
        }
        let head = try store.read { $0.position }
        var wanted = try entries(of: "volumes", Self.rack).map { Volume.ID($0.target) }
        for _ in 0..<20 {
            let more = Array(Self.ids[100..<150])
            try store.write { try $0.insert(Rack.volumes, of: "r", contentsOf: more, at: 150) }
            wanted.insert(contentsOf: more, at: 150)
        }
        #expect(try entries(of: "volumes", Self.rack).map { Volume.ID($0.target) } == wanted)
        // Each time all of them would be 10,000 and more.
        let counts = try eventCounts(after: head)
        #expect(counts["linked"] == 1000)
        #expect((1..<2000).contains(counts["moved"] ?? 0))
        #expect(try store.verify().isSound)
    }

    @Test func `where a whole list has no room all its entries get the places of appended ones`() throws {
        let ids = (0..<70_000).map { Self.ids[$0 % Self.ids.count] }
        try store.write { try $0.append(Rack.volumes, of: "r", contentsOf: ["v0", "v1"]) }
        let head = try store.read { $0.position }
        try store.write { try $0.insert(Rack.volumes, of: "r", contentsOf: ids, at: 1) }
        try twin.write { try $0.append(Rack.volumes, of: "r", contentsOf: ["v0"] + ids + ["v1"]) }
        #expect(try digest(of: store) == digest(of: twin))
        #expect(try eventCounts(after: head) == ["linked": 70_000, "moved": 1])
        #expect(try store.verify().isSound)
    }

    /// REL-13.
    @Test(arguments: 1...8 as ClosedRange<UInt64>)
    func `an entry that is moved to the end comes last from wherever it stood`(seed: UInt64) throws
    {
        var random = SeededGenerator(seed: seed)
        try fill(using: &random)
        for (list, owner) in [("volumes", Self.rack), ("contents", Self.box)] {
            var expected = try entries(of: list, owner)
            if expected.isEmpty { continue }
            for _ in 0..<3 {
                try store.write { transaction in
                    for _ in 0..<10 {
                        let index =
                            random.once(in: 3) ? expected.count - 1 : random.below(expected.count)
                        let entry = expected.remove(at: index)
                        try transaction.move(list, entry: entry, of: owner, to: .last)
                        expected.append(entry)
                    }
                }
                #expect(try entries(of: list, owner) == expected)
            }
        }
        #expect(try store.verify().isSound)
    }
}
