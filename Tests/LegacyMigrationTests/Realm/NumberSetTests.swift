import LegacyMigration
import Testing

@testable import RealmSources

/// The objects that were met, by their keys.
struct NumberSetTests {
    private static let edges: [Int64] = [
        .min, .min + 1, -4097, -4096, -4095, -1, 0, 1, 63, 64, 4095, 4096, 4097, 1 << 40, .max - 1,
        .max,
    ]

    @Test func `each number is new once, wherever it lies`() throws {
        let set = NumberSet(in: RecordMemory())
        for number in Self.edges {
            #expect(try !set.contains(number))
            let isNew = try set.insert(number)
            #expect(isNew, "\(number)")
            #expect(try set.contains(number))
        }
        // One block after the other, and back again.
        for number in Self.edges.reversed() {
            let isNew = try set.insert(number)
            #expect(!isNew, "\(number)")
        }
    }

    @Test(arguments: [1, 2, 3] as [UInt64])
    func `it holds what a set holds`(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let set = NumberSet(in: RecordMemory())
        var model: Set<Int64> = []
        for _ in 0..<20_000 {
            let number = Int64.random(in: -15_000..<15_000, using: &generator)
            #expect(try set.contains(number) == model.contains(number))
            let isNew = try set.insert(number)
            #expect(isNew == model.insert(number).inserted)
        }
    }
}
