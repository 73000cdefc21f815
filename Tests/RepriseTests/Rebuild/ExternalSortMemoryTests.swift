import RepriseLMDB
import TestSupport
import Testing

@testable import Reprise

/// What a sort keeps in memory, and when it makes a file.
struct ExternalSortMemoryTests {
    @Test func `a file is made when the records do not fit into memory, and one only`() throws {
        let fitting = try Self.files(memory: 1 << 20, count: 3000)
        #expect(fitting.made == 0)
        #expect(fitting.runs.count > 10)
        #expect(fitting.runs.allSatisfy { !$0.isInFile })
        let tooMuch = try Self.files(memory: 100_000, count: 3000)
        #expect(tooMuch.made == 1)
        // What is left may be in memory.
        #expect(tooMuch.runs.count { $0.isInFile } >= tooMuch.runs.count - 1)
        // The smallest bound still takes one record.
        #expect(try Self.files(memory: 0, count: 1).made == 0)
        #expect(try Self.files(memory: 0, count: 2).made == 1)
    }

    /// Sorts records of some 50 bytes in small pieces.
    private static func files(memory: Int, count: Int) throws -> (made: Int, runs: [RecordRun]) {
        let directory = try TemporaryDirectory()
        let environment = try Environment.create(at: directory.path("env"), tables: ["t"]) { _, _ in
        }
        var made = 0
        var sort = ExternalSort(
            memoryByteCount: memory,
            pieceByteCount: 10_000
        ) { () throws(LMDBError) -> SpillFile in
            made += 1
            return try environment.makeSpillFile()
        }
        for number in 0..<count {
            try sort.add(
                Array("key \(number * 7919 % 3000)".utf8),
                [UInt8](repeating: 0, count: 40)
            )
        }
        let runs = try sort.runs()
        environment.close()
        return (made, runs)
    }

    /// How large records are, one after the other.
    private enum Sizes: CaseIterable {
        /// All alike.
        case small, large
        /// First much smaller than later, and the other way round.
        case growing, shrinking
        case mixed
        /// Now and then one that is larger than a piece, or than the memory.
        case huge
    }

    @Test(arguments: Sizes.allCases, [1000, 20_000, 300_000, 4 << 20])
    private func `what is in memory is not more than what may be`(sizes: Sizes, memory: Int) throws
    {
        let directory = try TemporaryDirectory()
        let environment = try Environment.create(at: directory.path("env"), tables: ["t"]) { _, _ in
        }
        var generator = SeededGenerator(seed: UInt64(memory))
        // From pieces that share the memory to one that takes all of it.
        for piece in [memory / 40, memory / 3, 2 * memory] {
            let total = 3 * memory
            var sum = 0
            var sort = ExternalSort(
                memoryByteCount: memory,
                pieceByteCount: piece,
                makeFile: environment.makeSpillFile
            )
            var most = 0
            while sum < total {
                let isLate = sum > total / 2
                let size =
                    switch sizes {
                    case .small: 1
                    case .large: 150
                    case .growing: isLate ? 300 : 1
                    case .shrinking: isLate ? 1 : 300
                    case .mixed: generator.below(200)
                    case .huge: generator.below(30) == 0 ? generator.below(2 * memory) : 20
                    }
                unsafe try sort.add(withUnsafeBytes(of: generator.next()) { unsafe [UInt8]($0) }, size)
                sum += size + 16 + MemoryLayout<KeySort.Item>.stride
                // One record has room in any case, with what points to it.
                let limit = max(memory, size + 100)
                most = max(most, sort.residentByteCount)
                #expect(sort.residentByteCount <= limit)
            }
            #expect(most > memory / 3)
            var resident = 0
            for run in try sort.runs() {
                guard case .memory(let items, let arena) = run.place else { continue }
                resident += items.capacity * MemoryLayout<KeySort.Item>.stride + arena.byteCount
            }
            // The last record may be a huge one.
            #expect(resident <= max(memory, sizes == .huge ? 2 * memory + 100 : 0))
        }
        environment.close()
    }

    @Test func `pieces of records that are alike are nearly full`() throws {
        var sort = ExternalSort(memoryByteCount: 64 << 20, pieceByteCount: 1 << 18) {
            () throws(LMDBError) -> SpillFile in
            throw LMDBError(code: .other, operation: "make a file")
        }
        for number in 0..<40_000 { try sort.add(Array("key \(number)".utf8), 30) }
        let runs = try sort.runs()
        // The first piece does not know how large the records are, the last one is what is left.
        for run in runs.dropFirst().dropLast() {
            guard case .memory(let items, let arena) = run.place else { continue }
            let used = items.count * MemoryLayout<KeySort.Item>.stride + arena.byteCount
            #expect(used > (1 << 18) * 9 / 10)
        }
        #expect(runs.count > 5)
    }
}

extension ExternalSort {
    mutating func add(_ key: [UInt8], _ value: [UInt8]) throws {
        unsafe try key.withUnsafeBytes { key in
            unsafe try value.withUnsafeBytes { unsafe try add(key: key, value: $0) }
        }
    }

    /// Adds a record whose value nobody reads.
    mutating func add(_ key: [UInt8], _ valueByteCount: Int) throws {
        unsafe try key.withUnsafeBytes { key in
            _ = unsafe try add(key: key, valueByteCount: valueByteCount)
        }
    }
}
