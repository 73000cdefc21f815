import LegacyMigration
import Reprise
import TestSupport
import Testing

@testable import LegacyMigrator
@testable import LegacyRecords

/// What is remembered of the few records that need it, in any number.
struct RememberedRestTests {
    private static let byteCounts = RecordMemoryTests.byteCounts

    @Test(arguments: byteCounts, [1, 2, 3] as [UInt64])
    func `places that wait for others are done when nothing holds them any more`(
        byteCount: Int,
        seed: UInt64
    ) throws {
        try seeded(seed) { random in
            let count = 1500
            // Each waits for another one, some for themselves, some for nobody.
            let holders = (0..<count).map { _ in random.once(in: 5) ? nil : random.below(count) }
            func isFree(_ place: Int) -> Bool {
                var next: Int? = place
                for _ in 0...count {
                    guard let place = next else { return true }
                    next = holders[place]
                }
                return false
            }
            let memory = RecordMemory(byteCountMax: byteCount)
            var done: Set<Int> = []
            try memory.settle(count) { place in
                if let holder = holders[place], !done.contains(holder) { return false }
                return done.insert(place).inserted
            }
            #expect(done == Set((0..<count).filter(isFree)))
            #expect(memory.byteCountPeak <= byteCount)
            #expect(memory.byteCount == 0)
        }
    }

    @Test func `a chain is gone through in two rounds, whichever way it leads`() throws {
        for isForwards in [true, false] {
            let count = 5000
            var done: Set<Int> = []
            var stepCount = 0
            try RecordMemory().settle(count) { place in
                stepCount += 1
                let before = isForwards ? place - 1 : place + 1
                guard before < 0 || before == count || done.contains(before) else { return false }
                return done.insert(place).inserted
            }
            #expect(done.count == count)
            #expect(stepCount <= 2 * count)
        }
    }

    @Test(arguments: byteCounts, [1, 2, 3] as [UInt64])
    func `what comes out of order is found in order`(byteCount: Int, seed: UInt64) throws {
        try seeded(seed) { random in
            let memory = RecordMemory(byteCountMax: byteCount)
            let stragglers = Stragglers(in: memory)
            var model: [Stragglers.Straggler] = []
            for place in 0..<2000 {
                let straggler = Stragglers.Straggler(rank: random.below(500) << 16, place: place)
                model.append(straggler)
                try stragglers.append(straggler)
            }
            stragglers.sort()
            var found: [Stragglers.Straggler] = []
            while let next = try stragglers.first(after: found.last) { found.append(next) }
            #expect(found == model.sorted())
            #expect(memory.byteCountPeak <= byteCount)
        }
    }

    @Test func `a chain in no order comes to an end, though not to its own`() throws {
        let count = 2000
        var generator = SeededGenerator(seed: 7)
        let order = (0..<count).shuffled(using: &generator)
        var before = [Int](repeating: -1, count: count)
        for (place, next) in zip(order, order.dropFirst()) { before[next] = place }
        var done: Set<Int> = []
        var lookCount = 0
        try RecordMemory().settle(count, lookCountMax: 50_000) { place in
            lookCount += 1
            guard before[place] < 0 || done.contains(before[place]) else { return false }
            return done.insert(place).inserted
        }
        #expect(!done.isEmpty && done.count < count)
        #expect(lookCount <= 50_000 + 5 * count)
    }

    @Test(arguments: byteCounts, [1, 2, 3] as [UInt64])
    func `lists that are put off come back with their members and what was done of them`(
        byteCount: Int,
        seed: UInt64
    ) throws {
        try seeded(seed) { random in
            let company = InventedCompany()
            let library = try TemporaryLibrary(schema: Schema(InventedCompany.schema))
            let history = try SourceHistory(of: company.source.identity, in: library.store)
            let shape = try SourceShape(of: company.source, history, in: library.store.schema)
            let team = try #require(shape.classes["team"])
            let toMany = try #require(team.lists["members"])
            let memory = RecordMemory(byteCountMax: byteCount)
            let lists = PostponedLists(in: memory)
            var model: [ListInProgress] = []
            for number in 0..<300 {
                let members = (0..<random.below(20)).map { _ in
                    random.pick(["", "é", InventedLibrary.key(random.below(50)), "p\(number)"])
                }
                let list = ListInProgress(
                    team,
                    toMany,
                    key: "t\(number)",
                    members: LegacyReferences(members)
                )
                list.isCounted = random.once(in: 2)
                list.isDisturbed = random.once(in: 2)
                model.append(list)
                try lists.append(list)
            }
            #expect(lists.count == model.count)
            for (index, list) in model.enumerated() {
                let found = try lists.list(at: index)
                #expect(found.key == list.key && found.members == list.members)
                #expect(found.isCounted == list.isCounted)
                #expect(found.isDisturbed == list.isDisturbed)
                #expect(found.isTriedAgain && !found.isPostponed && found.owner == nil)
                #expect(found.shape === team && found.list.name == toMany.name)
            }
            #expect(memory.byteCountPeak <= byteCount)
        }
    }
}
