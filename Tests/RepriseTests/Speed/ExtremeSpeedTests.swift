import FaultSupport
import Reprise
import TestSupport
import Testing

/// The least and greatest values of an indexed attribute: processor time against one row that is found in an index.
@Suite(.serialized) struct ExtremeSpeedTests {
    private static let count = 20_000

    /// QRY-31, QRY-41
    @Test func `the next number of a list is found at once, also in the write that adds to it`() throws {
        let store = try Store.temporary(FaultModels.schema)
        try store.write { transaction in
            for number in 0..<Self.count {
                try transaction.insert(Item(id: .init("\(number)"), name: "n", code: number))
            }
        }
        let ratio = try ThreadClock.ratio(
            of: {
                try store.write { transaction in
                    for _ in 0..<100 {
                        let next = (try transaction.max(\Item.code) ?? 0) + 1
                        try transaction.insert(Item(id: .init("next \(next)"), name: "n", code: next))
                    }
                    #expect(try transaction.min(\Item.code) == 0)
                }
            },
            to: {
                try store.write { transaction in
                    for _ in 0..<100 {
                        let next = try transaction.count(Item.self)
                        let found = try transaction.fetchOne(Item.self, where: { $0.code == next / 2 })
                        #expect(found != nil)
                        try transaction.insert(Item(id: .init("one more \(next)"), name: "n"))
                    }
                }
            },
            samples: 3
        )
        #expect(ratio < 5, "\(ratio)")
    }
}
