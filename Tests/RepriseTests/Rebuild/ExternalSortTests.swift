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
}
