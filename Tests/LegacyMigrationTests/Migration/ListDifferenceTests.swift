import LegacyMigration
import Reprise
import Testing

@testable import LegacyMigrator

@Suite struct ListDifferenceTests {
    private func cost(_ difference: ListDifference) -> Int {
        difference.surplus.count
            + difference.steps.reduce(0) { cost, step in
                if case .stay = step { cost } else { cost + 1 }
            }
    }

    @Test func `one entry that moves is one move`() {
        let difference = ListDifference(from: ["a", "b", "c", "d"], to: ["d", "a", "b", "c"])
        #expect(difference.steps == [.move(3), .stay(0), .stay(1), .stay(2)])
        #expect(difference.surplus.isEmpty)
    }

    @Test func `of repeats the ones that can stay do`() {
        let difference = ListDifference(from: ["a", "b", "a"], to: ["b", "a"])
        #expect(difference.steps == [.stay(1), .stay(2)])
        #expect(difference.surplus == [0])
    }

    @Test(arguments: 0..<200)
    func `what stays is a longest common subsequence`(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        func list() -> [String] {
            (0..<Int.random(in: 0...12, using: &random)).map { _ in
                ["a", "b", "c", "d", "é", "e\u{301}"].randomElement(using: &random) ?? ""
            }
        }
        let present = list()
        let wanted = list()
        let difference = ListDifference(from: present, to: wanted)
        let stays = difference.steps.compactMap { step -> Int? in
            if case .stay(let index) = step { index } else { nil }
        }
        #expect(stays == stays.sorted() && Set(stays).count == stays.count)
        let length = commonCount(present, wanted)
        #expect(stays.count == length)
        for (place, step) in difference.steps.enumerated() {
            switch step {
            case .stay(let index), .move(let index):
                #expect(present[index].utf8.elementsEqual(wanted[place].utf8))
            case .add: break
            }
        }
    }

    /// The length of a longest common subsequence, by the textbook.
    private func commonCount(_ left: [String], _ right: [String]) -> Int {
        var row = [Int](repeating: 0, count: right.count + 1)
        for one in left {
            var diagonal = 0
            for (index, other) in right.enumerated() {
                let above = row[index + 1]
                row[index + 1] =
                    one.utf8.elementsEqual(other.utf8)
                    ? diagonal + 1 : max(above, row[index])
                diagonal = above
            }
        }
        return row[right.count]
    }

    @Test(arguments: 0..<100)
    func `ranges of positions merge like a set`(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var ranges = PositionRanges()
        var model: Set<UInt64> = []
        for _ in 0..<20 {
            let low = UInt64.random(in: 0...60, using: &random)
            let range = low...(low + UInt64.random(in: 0...8, using: &random))
            ranges.insert(range)
            model.formUnion(range)
        }
        for position in 0...80 as ClosedRange<UInt64> {
            #expect(ranges.contains(.init(rawValue: position)) == model.contains(position))
        }
        for (one, next) in zip(ranges.ranges, ranges.ranges.dropFirst()) {
            #expect(one.upperBound + 1 < next.lowerBound)
        }
    }
}
