import FaultSupport
import Reprise
import TestSupport
import Testing

/// How long merges take of two stores that go on for years: processor time, the first against later ones.
@Suite(.serialized) struct MergeSpeedTests {
    /// HIS-91, HIS-92
    @Test func `two stores that merge each other in turns merge as fast after many meetings as after a few`() throws {
        let store = try Store.temporary(FaultModels.schema)
        try store.write { transaction in
            for number in 0..<50 { try transaction.insert(Item(id: .init("\(number)"), name: "n", code: number)) }
        }
        let branch = try Store.temporary(branchOf: store)
        func meet(_ count: Int) throws {
            for number in 0..<count {
                for (side, offset) in [(store, 0), (branch, 25)] {
                    try side.write { transaction in
                        try transaction.update(Item.self, id: .init("\(offset + number % 25)")) { $0.amount += 1 }
                    }
                }
                try store.merge(branch)
                try branch.merge(store)
            }
        }
        try meet(5)
        let first = try (0..<3).map { _ in try ThreadClock.measure { try meet(10) } }
        try meet(400)
        let later = try (0..<3).map { _ in try ThreadClock.measure { try meet(10) } }
        let ratio = (later.min() ?? 0) / (first.min() ?? 1)
        #expect(ratio < 3, "\(ratio)")
        #expect(try store.digest() == branch.digest())
    }
}
