import LegacyMigration
import Reprise
import Testing

@testable import LegacyMigrator

/// Lists of a newer export that have another order.
@Suite struct WantedOrderTests {
    private let library: TemporaryLibrary
    private var company = InventedCompany()
    private static let team = EntityReference(model: "team", id: "t")

    init() throws { library = try TemporaryLibrary(schema: Schema(InventedCompany.schema)) }

    private func entries() throws -> [EntryID] {
        try library.store.read { try $0.entries(of: "members", model: "team", id: "t") }
    }

    /// How many are not in a longest run that keeps its order.
    private func moveCount(from old: [EntryID], to new: [EntryID]) throws -> Int {
        let places = Dictionary(uniqueKeysWithValues: old.enumerated().map { ($1, $0) })
        var ends: [Int] = []
        for entry in new {
            let number = try #require(places[entry])
            var low = 0
            var high = ends.count
            while low < high {
                let middle = (low + high) / 2
                if ends[middle] < number { low = middle + 1 } else { high = middle }
            }
            if low == ends.count { ends.append(number) } else { ends[low] = number }
        }
        return new.count - ends.count
    }

    @Test mutating func `a list that a newer export has turned round is put in order at once`()
        throws
    {
        company.people = (0..<4000).map { .init(key: "p\($0)", name: "\($0)") }
        var random = SeededGenerator(seed: 1)
        let members = (0..<20_000).map { "p\($0 % 4000)" }.shuffled(using: &random)
        company.teams = [.init(key: "t", name: "T", members: members)]
        _ = try Migrator(replacing: company.source, store: library.store).run()
        let others = try library.store.write { transaction in
            let mine = EntityReference(model: "person", id: "mine")
            try transaction.put(mine, values: ["name": .string("M"), "tags": .list([])])
            let present = try transaction.entries(of: "members", model: "team", id: "t")
            return try [.first, .after(present[9_999]), .last].map { placement in
                try transaction.link("members", of: Self.team, to: "mine", at: placement)
            }
        }
        let before = try entries()
        let head = try library.head
        company.teams[0].members.reverse()
        let report = try Migrator(replacing: company.source, store: library.store).run()
        #expect(report.counts["team"]?.updated == 1)
        #expect(report.warningCounts[.entryAddedHere] == 3)
        let after = try entries()
        #expect(after.map(\.target).filter { $0 != "mine" } == members.reversed())
        #expect(after.filter { $0.target == "mine" } == others)
        #expect(Set(after) == Set(before))
        var counts: [String: Int] = [:]
        try library.store.read { state in
            try state.forEachCommit(from: Position(rawValue: head.rawValue + 1)) { commit in
                for event in commit.events where event.entity != nil {
                    counts[event.type, default: 0] += 1
                }
                return true
            }
        }
        #expect(counts == ["moved": try moveCount(from: before, to: after)])
        #expect(try Migrator(replacing: company.source, store: library.store).run().writtenCount == 0)
        #expect(try library.store.verify().isSound)
    }

    /// What each step would make of the list were it carried out by itself.
    private func stepByStep(
        _ list: [EntryID],
        _ difference: ListDifference,
        _ present: [EntryID],
        _ added: [Int: EntryID],
        lastKept: Int
    ) -> [EntryID] {
        var list = list
        let lastStay = difference.steps.lastIndex { if case .stay = $0 { true } else { false } }
        var lastStayIndex = -1
        if let lastStay, case .stay(let index) = difference.steps[lastStay] {
            lastStayIndex = index
        }
        var before: EntryID?
        for (place, step) in difference.steps.enumerated() {
            let entry: EntryID
            switch step {
            case .stay(let index):
                before = present[index]
                continue
            case .move(let index): entry = present[index]
            case .add:
                guard let new = added[place] else { continue }
                entry = new
            }
            list.removeAll { $0 == entry }
            if place > lastStay ?? -1, lastKept <= lastStayIndex {
                list.append(entry)
            } else {
                let index = before.flatMap { list.firstIndex(of: $0) }
                list.insert(entry, at: index.map { $0 + 1 } ?? 0)
            }
            before = entry
        }
        return list
    }

    @Test(arguments: 0..<300 as Range<UInt64>)
    func `a list comes into the order that moving one entry after the other gives`(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var serial: UInt64 = 0
        func entry(_ target: String) -> EntryID {
            serial += 1
            return EntryID(serial: serial, target: target)
        }
        func names() -> [String] {
            (0..<Int.random(in: 0...12, using: &random)).map { _ in
                ["a", "b", "c", "d", "e", "f"].randomElement(using: &random)!
            }
        }
        let present = names().map(entry)
        let wanted = names()
        let difference = ListDifference(from: present.map(\.target), to: wanted)
        // Some of what nothing is wanted of goes, some stays; others are not even among the entries in question.
        let kept = difference.surplus.filter { _ in Bool.random(using: &random) }
        let gone = Set(difference.surplus).subtracting(kept)
        var list = present.indices.filter { !gone.contains($0) }.map { present[$0] }
        for _ in 0..<Int.random(in: 0...3, using: &random) {
            list.insert(entry("other"), at: Int.random(in: 0...list.count, using: &random))
        }
        // Some cannot be added.
        var added: [Int: EntryID] = [:]
        for (place, step) in difference.steps.enumerated() where step == .add {
            if Int.random(in: 0..<5, using: &random) > 0 { added[place] = entry(wanted[place]) }
        }
        let lastKept = kept.last ?? -1
        let expected = stepByStep(list, difference, present, added, lastKept: lastKept)
        var order = WantedOrder(difference, present, lastKept: lastKept)
        var linked = list
        for (place, step) in difference.steps.enumerated() {
            switch step {
            case .stay(let index): order.stay(present[index])
            case .move(let index): order.put(present[index], at: place, isThere: true)
            case .add:
                guard let new = added[place] else { continue }
                linked.append(new)
                order.put(new, at: place, isThere: false)
            }
        }
        #expect(order.arranged(linked) == expected)
        #expect(order.needsArranging || linked == expected)
    }
}
