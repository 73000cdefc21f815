import Reprise
import TestSupport
import Testing

/// REL-16.
struct ArrangingTests {
    private let stores: ListStores
    private var store: Store { stores.store }
    /// Gets the same lists, appended in the order that they have in the end.
    private var twin: Store { stores.twin }

    private static let ids: [Volume.ID] = (0..<30).map { Volume.ID("v\($0)") }
    private static let rack = EntityReference(model: "rack", id: "r")
    private static let box = EntityReference(model: "box", id: "b")

    init() throws { stores = try ListStores(Self.ids) }

    /// The rack holds volumes several times, the box each once.
    private func fill(using random: inout SeededGenerator) throws {
        try store.write { transaction in
            for _ in 0..<random.below(60) {
                try transaction.link(Rack.volumes, from: "r", to: random.pick(Self.ids))
            }
            for id in Self.ids.prefix(random.below(30)) {
                try transaction.link(Box.contents, from: "b", to: id)
            }
        }
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
                // As long as there are no gaps that are used up.
                try store.write { _ = try $0.respace(list, of: owner) }
                let before = try entries(of: list, owner)
                let (old, head) = try store.read { ($0.digest, $0.position) }
                let wanted = rearranged(before, using: &random)
                let count = try store.write {
                    try $0.arrange(list, of: owner, entries: wanted)
                }
                #expect(try entries(of: list, owner) == wanted)
                #expect(count == moveCount(from: before, to: wanted))
                let type = list == "volumes" ? "moved" : "updated"
                #expect(try eventCounts(after: head) == (count == 0 ? [:] : [type: count]))
                #expect(try store.write { try $0.arrange(list, of: owner, entries: wanted) } == 0)
                if random.once(in: 3) {
                    #expect(try store.rollback(to: .position(head)).digest == old)
                    #expect(try entries(of: list, owner) == before)
                }
            }
        }
        #expect(try store.verify().isSound)
    }

    @Test(arguments: 1...8 as ClosedRange<UInt64>)
    func `lists that were arranged again and again are the same once they are respaced`(
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
                    try transaction.arrange(Rack.volumes, of: "r", entries: rack)
                    box = rearranged(box, using: &random)
                    try transaction.arrange(Box.contents, of: "b", entries: box)
                    let there = try transaction.entries(Rack.volumes, of: "r").map(\.id)
                    #expect(there == rack)
                    #expect(try transaction.entries(Box.contents, of: "b").map(\.id) == box)
                }
            }
            #expect(try store.verify().isSound)
        }
        try store.write { transaction in
            try transaction.respace(Rack.volumes, of: "r")
            try transaction.respace(Box.contents, of: "b")
        }
        try twin.write { transaction in
            for entry in rack { try transaction.link("volumes", of: Self.rack, to: entry.target) }
            for entry in box { try transaction.link("contents", of: Self.box, to: entry.target) }
        }
        #expect(try digest(of: store) == digest(of: twin))
        #expect(try entries(of: "volumes", Self.rack) == rack)
        #expect(try store.verify().isSound)
    }

    @Test(arguments: [("volumes", rack), ("contents", box)])
    func `where a gap has no room all entries are spaced anew`(
        list: String,
        owner: EntityReference
    ) throws {
        let ids = Self.ids.map(\.rawValue)
        try store.write { transaction in
            let first = try transaction.link(list, of: owner, to: ids[0])
            for id in ids[1..<28] {
                try transaction.link(list, of: owner, to: id, at: .after(first))
            }
            for id in ids[28...] { try transaction.link(list, of: owner, to: id) }
        }
        var wanted = try entries(of: list, owner)
        let (old, position) = try store.read { ($0.digest, $0.position) }
        // The last two come between the first ones, which are close to each other by now, and two others swap.
        wanted.insert(contentsOf: wanted.suffix(2), at: 1)
        wanted.removeLast(2)
        wanted.swapAt(10, 20)
        let count = try store.write { try $0.arrange(list, of: owner, entries: wanted) }
        #expect(count > 4)
        #expect(try entries(of: list, owner) == wanted)
        try twin.write { transaction in
            for entry in wanted { try transaction.link(list, of: owner, to: entry.target) }
        }
        #expect(try digest(of: store) == digest(of: twin))
        #expect(try store.write { try $0.respace(list, of: owner) } == 0)
        #expect(try store.verify().isSound)
        #expect(try store.rollback(to: .position(position)).digest == old)
        #expect(try store.verify().isSound)
    }

    @Test func `an order that does not name each entry once changes nothing`() throws {
        try store.write { transaction in
            for id in Self.ids.prefix(5) {
                try transaction.link(Rack.volumes, from: "r", to: id)
                try transaction.link(Box.contents, from: "b", to: id)
            }
        }
        let (old, head) = try store.read { ($0.digest, $0.position) }
        for (list, owner) in [("volumes", Self.rack), ("contents", Self.box)] {
            let present = try entries(of: list, owner)
            let turned: [EntryID] = present.reversed()
            let stranger = EntryID(serial: 1, target: "v1")
            let wrong: [(entries: [EntryID], code: StoreError.Code)] = [
                (Array(turned.dropLast()), .invalidValue),
                ([], .invalidValue),
                (turned + [present[2]], .invalidValue),
                ([present[1]] + turned.dropLast(), .invalidValue),
                (turned + [stranger], .entryMissing),
                ([EntryID(serial: present[0].serial, target: "v9")] + turned, .entryMissing),
            ]
            try store.write { transaction in
                for (entries, code) in wrong {
                    let error = #expect(throws: StoreError.self) {
                        try transaction.arrange(list, of: owner, entries: entries)
                    }
                    #expect(error?.code == code)
                }
            }
            #expect(try entries(of: list, owner) == present)
        }
        let error = #expect(throws: StoreError.self) {
            try store.write {
                _ = try $0.arrange(Rack.volumes, of: "nobody", entries: [])
            }
        }
        #expect(error?.code == .entityMissing)
        #expect(try store.read { $0.position } == head)
        #expect(try digest(of: store) == old)
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
