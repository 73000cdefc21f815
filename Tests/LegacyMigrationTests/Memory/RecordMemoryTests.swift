import LegacyMigration
import TestSupport
import Testing

@testable import LegacyRecords
@testable import RealmSources

/// What is remembered of records: with room for nothing, for some and for everything it is the same.
struct RecordMemoryTests {
    /// Cheaper than an expectation for each of many thousand steps.
    private struct Disagreement: Error {}

    private func agree(_ isSame: Bool) throws {
        if !isSame { throw Disagreement() }
    }

    /// How many bytes may be taken.
    static let byteCounts = [0, 100, 3000, 20_000, 1 << 30]

    @Test(arguments: byteCounts, [1, 2, 3] as [UInt64])
    func `a set holds what a set of Swift holds`(byteCount: Int, seed: UInt64) throws {
        var random = TestSupport.SeededGenerator(seed: seed)
        let memory = RecordMemory(byteCountMax: byteCount)
        var numbers = RememberedSet<UInt64>(in: memory)
        var keys = RememberedSet<ContentKey>(in: memory)
        var model: Set<UInt64> = []
        for _ in 0..<6000 {
            // Numbers of all magnitudes, so that the signs of SQLite's are met.
            let number = UInt64(random.below(900)) &* 0x2545_F491_4F6C_DD1D
            let key = ContentKey(["\(number)"])
            switch random.below(8) {
            case 0...4:
                let isNew = model.insert(number).inserted
                try agree(numbers.insert(number) == isNew)
                try agree(keys.insert(key) == isNew)
            case 5:
                model.remove(number)
                try numbers.remove(number)
                try keys.remove(key)
            case 6 where random.once(in: 200):
                model = []
                numbers = RememberedSet(in: memory)
                keys = RememberedSet(in: memory)
            default:
                try agree(numbers.contains(number) == model.contains(number))
                try agree(keys.contains(key) == model.contains(number))
            }
            try agree(numbers.count == model.count && keys.count == model.count)
            try agree(numbers.isEmpty == model.isEmpty)
        }
        #expect(memory.byteCountPeak <= byteCount)
        #expect(memory.isExceeded == (byteCount < 1 << 20))
    }

    @Test(arguments: byteCounts, [1, 2, 3] as [UInt64])
    func `identifiers are held by what they are of`(byteCount: Int, seed: UInt64) throws {
        var random = TestSupport.SeededGenerator(seed: seed)
        let memory = RecordMemory(byteCountMax: byteCount)
        let keys = RememberedKeys(in: memory)
        var model: [String: Set<String>] = [:]
        for _ in 0..<4000 {
            let number = random.below(400)
            // Of two forms, one of them that of iTunes.
            let key = random.once(in: 2) ? InventedLibrary.key(number) : "\(number)"
            let name = random.pick(["track", "album", "playlist.tracks"])
            switch random.below(5) {
            case 0...2:
                let isNew = model[name, default: []].insert(key).inserted
                try agree(keys.insert(key, of: name) == isNew)
            case 3:
                model[name]?.remove(key)
                try keys.remove(key, of: name)
            default:
                try agree(keys.contains(key, of: name) == (model[name]?.contains(key) ?? false))
            }
        }
        #expect(memory.byteCountPeak <= byteCount)
    }

    @Test(arguments: byteCounts, [1, 2, 3] as [UInt64])
    func `a map holds what a dictionary holds`(byteCount: Int, seed: UInt64) throws {
        var random = TestSupport.SeededGenerator(seed: seed)
        let memory = RecordMemory(byteCountMax: byteCount)
        var map = RememberedMap<UInt64>(in: memory)
        var model: [UInt64: RecordKey] = [:]
        for step in 0..<4000 {
            let key = UInt64.max - UInt64(random.below(300))
            switch random.below(6) {
            case 0...3:
                let texts = [
                    "short\(step)", "", "a text that is longer than fifteen bytes \(step)",
                ]
                let value: RecordKey =
                    random.once(in: 2) ? .number(random.next()) : .odd(random.pick(texts))
                let wasThere = model.updateValue(value, forKey: key) != nil
                try agree(map.updateValue(value, of: key) == wasThere)
            case 4 where random.once(in: 200):
                model = [:]
                map = RememberedMap(in: memory)
            default:
                try agree(map.value(of: key) == model[key])
            }
        }
        #expect(memory.byteCountPeak <= byteCount)
    }

    @Test(arguments: byteCounts)
    func `keys that repeat get the same numbers after them`(byteCount: Int) throws {
        var random = TestSupport.SeededGenerator(seed: 7)
        let memory = RecordMemory(byteCountMax: byteCount)
        let registry = KeyRegistry(in: memory)
        var taken: Set<String> = []
        for _ in 0..<3000 {
            let name = random.pick(["", "k", "0123456789ABCDEF", "k-2"])
            let key = name.isEmpty ? InventedLibrary.key(random.below(500)) : name
            var expected = key
            var number = 2
            while !taken.insert(expected).inserted {
                expected = "\(key)-\(number)"
                number += 1
            }
            let claimed = try registry.claim(RecordKey(key))
            try agree(claimed.key.text == expected)
            try agree(claimed.isRepeated == (expected != key))
        }
        #expect(memory.byteCountPeak <= byteCount)
    }

    @Test(arguments: byteCounts, [1, 2] as [UInt64])
    func `objects that lie far apart are met once`(byteCount: Int, seed: UInt64) throws {
        var random = TestSupport.SeededGenerator(seed: seed)
        let memory = RecordMemory(byteCountMax: byteCount)
        let numbers = NumberSet(in: memory)
        var model: Set<Int64> = []
        for _ in 0..<4000 {
            let number = Int64(random.below(60)) * 1_000_003 - Int64(random.below(100))
            try agree(numbers.contains(number) == model.contains(number))
            let isNew = try numbers.insert(number)
            try agree(isNew == model.insert(number).inserted)
        }
        #expect(memory.byteCountPeak <= byteCount)
    }

    @Test func `what goes away gives its room back`() throws {
        let memory = RecordMemory(byteCountMax: 1 << 20)
        do {
            let set = RememberedSet<UInt64>(in: memory)
            let map = RememberedMap<ContentKey>(in: memory)
            for number in 0..<1000 as Range<UInt64> {
                try set.insert(number)
                try map.updateValue(
                    .odd("a text that is longer than fifteen bytes"),
                    of: ContentKey(["\(number)"])
                )
            }
            #expect(memory.byteCount > 50_000)
        }
        #expect(memory.byteCount == 0 && !memory.isExceeded)
    }

    @Test func `where the disk is full it is said what happened and what to do`() throws {
        let memory = RecordMemory(byteCountMax: 0, pageCountMax: 20)
        let set = RememberedSet<ContentKey>(in: memory)
        let error = #expect(throws: LegacyError.self) {
            for number in 0..<100_000 { try set.insert(ContentKey(["\(number)"])) }
        }
        #expect(error?.code == .inputOutput)
        #expect(error?.message.contains("full") == true && error?.advice.contains("TMPDIR") == true)
    }
}
