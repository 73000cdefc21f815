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
        #expect(report.warningCounts[.entryAddedHere] == 1)
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
}
