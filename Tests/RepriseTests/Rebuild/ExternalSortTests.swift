import RepriseLMDB
import TestSupport
import Testing

@testable import Reprise

/// Sorting through files.
struct ExternalSortTests {
    @Test(arguments: [0, 500, 20_000, 1 << 20], [100, 500, 5000, 1 << 20])
    func `records come in the order of their keys, equal ones as they were added`(
        memory: Int,
        piece: Int
    ) throws {
        let directory = try TemporaryDirectory()
        let environment = try Environment.create(at: directory.path("env"), tables: ["t"]) { _, _ in
        }
        var generator = SeededGenerator(seed: UInt64(memory))
        var expected: [(key: [UInt8], value: [UInt8])] = []
        var sort = ExternalSort(
            memoryByteCount: memory,
            pieceByteCount: piece,
            makeFile: environment.makeSpillFile
        )
        for number in 0..<1500 {
            // Few different bytes and short keys, so that many keys are equal or begin alike.
            let count = Int.random(in: 0...12, using: &generator)
            let key = (0..<count).map { _ in UInt8.random(in: 0...1, using: &generator) }
            let value = Array("\(number)".utf8)
            expected.append((key, value))
            unsafe try key.withUnsafeBytes { key in
                unsafe try value.withUnsafeBytes { unsafe try sort.add(key: key, value: $0) }
            }
        }
        let order = expected.indices.sorted { left, right in
            if expected[left].key == expected[right].key { return left < right }
            return expected[left].key.lexicographicallyPrecedes(expected[right].key)
        }
        var records = try sort.sorted()
        for index in order {
            #expect(try records.next())
            #expect(unsafe [UInt8](records.key) == expected[index].key)
            #expect(unsafe [UInt8](records.value) == expected[index].value)
        }
        #expect(try !records.next())
        environment.close()
    }

    @Test func `a record may be larger than the memory and the buffers`() throws {
        let directory = try TemporaryDirectory()
        let environment = try Environment.create(at: directory.path("env"), tables: ["t"]) { _, _ in
        }
        var sort = ExternalSort(memoryByteCount: 1000, makeFile: environment.makeSpillFile)
        for key: UInt8 in [3, 1, 2] {
            let value = [UInt8](repeating: key, count: 700_000 * Int(key))
            unsafe try [key].withUnsafeBytes { key in
                unsafe try value.withUnsafeBytes { unsafe try sort.add(key: key, value: $0) }
            }
        }
        var records = try sort.sorted()
        for key: UInt8 in [1, 2, 3] {
            #expect(try records.next())
            #expect(unsafe records.key.first == key)
            #expect(unsafe records.value.count == 700_000 * Int(key))
            #expect(unsafe records.value.allSatisfy { $0 == key })
        }
        #expect(try !records.next())
        environment.close()
    }

    @Test func `many runs take no more memory together than what was sorted`() {
        for runCount in [1, 4, 400, 2000] {
            let byteCount = SortedRecords.bufferByteCount(
                runCount: runCount,
                memoryByteCount: 12 << 20
            )
            #expect(byteCount <= 1 << 18)
            #expect(byteCount * runCount <= 12 << 20)
            #expect(byteCount >= 1 << 12)
        }
    }

    @Test func `nothing comes from nothing`() throws {
        let directory = try TemporaryDirectory()
        let environment = try Environment.create(at: directory.path("env"), tables: ["t"]) { _, _ in
        }
        var records = try ExternalSort(memoryByteCount: 0, makeFile: environment.makeSpillFile)
            .sorted()
        #expect(try !records.next())
        environment.close()
    }

    /// What a comparison of the first sixteen bytes leaves open.
    @Test(arguments: [0, 5000, 1 << 20])
    func `keys that share sixteen bytes are compared to their ends`(memory: Int) throws {
        var generator = SeededGenerator(seed: 16)
        let beginnings: [[UInt8]] = [
            Array("sixteen bytes...".utf8), [UInt8](repeating: 0xFF, count: 16),
            [UInt8](repeating: 0, count: 16),
        ]
        let keys: [[UInt8]] = (0..<1500).map { _ in
            let beginning = beginnings[generator.below(3)]
            // Shorter ones look as if they went on with zeros.
            if generator.below(4) == 0 { return Array(beginning.prefix(12 + generator.below(5))) }
            return beginning
                + (0..<generator.below(6)).map { _ in generator.below(3) == 0 ? 0 : 0xFF }
        }
        try Self.check(keys.map { ($0, 8) }, memory: memory, piece: 500)
    }

    @Test(arguments: [0, 5000, 1 << 20])
    func `records with the same key stay in the order of adding`(memory: Int) throws {
        let records = (0..<2000).map { _ in (key: Array("the same".utf8), size: 8) }
        try Self.check(records, memory: memory, piece: 500)
    }

    @Test func `records may be larger than a piece, the memory and the buffers`() throws {
        var generator = SeededGenerator(seed: 3)
        let sizes = [8, 300, 3000, 20_000, 600_000]
        let records = (0..<150).map { _ in
            (key: [UInt8(generator.below(20))], size: sizes[generator.below(sizes.count)])
        }
        try Self.check(records, memory: 10_000, piece: 1000)
        try Self.check(records, memory: 1 << 20, piece: 1000)
    }

    /// The key looks as what stands for a run that is over.
    @Test(arguments: [0, 1 << 20], [0, 1 << 20])
    func `a key of the highest bytes comes before the end of another run`(
        memory: Int,
        otherMemory: Int
    ) throws {
        let highest = [UInt8](repeating: 0xFF, count: 16)
        let sorts: [[[UInt8]]] = [
            [[0]], [highest, highest + [0xFF], highest], [], [[1], highest], [highest + [0]],
        ]
        let expected: [(key: [UInt8], sort: UInt8)] = [
            ([0], 0), ([1], 3), (highest, 1), (highest, 1), (highest, 3), (highest + [0], 4),
            (highest + [0xFF], 1),
        ]
        let directory = try TemporaryDirectory()
        let environment = try Environment.create(at: directory.path("env"), tables: ["t"]) { _, _ in
        }
        var runs: [RecordRun] = []
        for (number, keys) in sorts.enumerated() {
            var sort = ExternalSort(
                memoryByteCount: number % 2 == 0 ? memory : otherMemory,
                makeFile: environment.makeSpillFile
            )
            for key in keys { try sort.add(key, [UInt8(number)]) }
            runs += try sort.runs()
        }
        var records = try SortedRecords(runs, memoryByteCount: 1 << 20)
        for (key, sort) in expected {
            #expect(try records.next())
            #expect(unsafe [UInt8](records.key) == key)
            #expect(unsafe [UInt8](records.value) == [sort])
        }
        #expect(try !records.next())
        #expect(try !records.next())
        environment.close()
    }

    /// As the index entries that several threads have sorted, each within its share of the memory.
    @Test func `runs of several sorts are merged, those in memory with those in files`() throws {
        let directory = try TemporaryDirectory()
        let environment = try Environment.create(at: directory.path("env"), tables: ["t"]) { _, _ in
        }
        var generator = SeededGenerator(seed: 94)
        var expected: [(key: [UInt8], value: [UInt8])] = []
        var runs: [RecordRun] = []
        var sortsWithFiles = 0
        for (memory, count) in [
            (1 << 20, 1000), (20_000, 2000), (5000, 0), (400_000, 700), (0, 300),
        ] {
            var sort = ExternalSort(
                memoryByteCount: memory,
                pieceByteCount: 3000,
                makeFile: environment.makeSpillFile
            )
            for _ in 0..<count {
                let key = Array("key \(generator.below(500))".utf8)
                let value = Array("\(expected.count)".utf8)
                expected.append((key, value))
                try sort.add(key, value)
            }
            let own = try sort.runs()
            if own.contains(where: \.isInFile) { sortsWithFiles += 1 }
            runs += own
        }
        #expect(sortsWithFiles == 2)
        #expect(runs.count { !$0.isInFile } > 10)
        let order = expected.indices.sorted { left, right in
            if expected[left].key == expected[right].key { return left < right }
            return expected[left].key.lexicographicallyPrecedes(expected[right].key)
        }
        var records = try SortedRecords(runs, memoryByteCount: 100_000)
        for index in order {
            #expect(try records.next())
            #expect(unsafe [UInt8](records.key) == expected[index].key)
            #expect(unsafe [UInt8](records.value) == expected[index].value)
        }
        #expect(try !records.next())
        environment.close()
    }

    /// Sorts records whose values tell when they were added, and are so large.
    private static func check(
        _ added: [(key: [UInt8], size: Int)],
        memory: Int,
        piece: Int
    ) throws {
        let directory = try TemporaryDirectory()
        let environment = try Environment.create(at: directory.path("env"), tables: ["t"]) { _, _ in
        }
        var sort = ExternalSort(
            memoryByteCount: memory,
            pieceByteCount: piece,
            makeFile: environment.makeSpillFile
        )
        for (number, record) in added.enumerated() {
            var value = [UInt8](repeating: UInt8(number & 0xFF), count: record.size)
            for place in 0..<8 { value[place] = UInt8(number >> (8 * place) & 0xFF) }
            try sort.add(record.key, value)
        }
        let order = added.indices.sorted { left, right in
            if added[left].key == added[right].key { return left < right }
            return added[left].key.lexicographicallyPrecedes(added[right].key)
        }
        var records = try sort.sorted()
        for index in order {
            #expect(try records.next())
            #expect(unsafe [UInt8](records.key) == added[index].key)
            #expect(unsafe records.value.count == added[index].size)
            #expect(unsafe records.value.loadUnaligned(as: UInt64.self) == UInt64(index))
            let last = added[index].size > 8 ? UInt8(index & 0xFF) : 0
            #expect(unsafe records.value.last == last)
        }
        #expect(try !records.next())
        environment.close()
    }
}
