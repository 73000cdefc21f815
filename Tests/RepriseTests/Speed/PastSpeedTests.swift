import FaultSupport
import Reprise
import TestSupport
import Testing

/// How long a read of the past takes after another one: processor time, in turns.
@Suite(.serialized) struct PastSpeedTests {
    /// HIS-81
    @Test func `a second read of a state, and of one near it, begins from the first`() throws {
        let store = try Store.temporary(FaultModels.schema)
        for number in 0..<200 {
            try store.write { transaction in
                for place in 0..<100 {
                    try transaction.insert(Item(id: .init("\(number) \(place)"), name: "n", code: number * 100 + place))
                }
            }
        }
        func read(_ position: UInt64) throws {
            let count = try store.read(asOf: .position(Position(rawValue: position))) { try $0.count(Item.self) }
            #expect(count == (Int(position) - 1) / 100 * 100)
        }
        for near in [UInt64(301), 501] {
            var (first, second) = (Double.infinity, Double.infinity)
            for number in 0..<3 {
                // What was kept is of no use any more.
                try store.write { try $0.insert(Item(id: .init("\(near) \(number)"), name: "n")) }
                first = min(first, try ThreadClock.measure { try read(301) })
                second = min(second, try ThreadClock.measure { try read(near) })
            }
            #expect(second < first / 5, "\(second / first)")
        }
    }
}
