import Foundation
import Testing

@testable import RepriseLMDB

/// What the record of a table may say.
@Suite struct TableRecordTests {
    private static func record(
        depth: UInt16,
        branches: UInt64,
        leaves: UInt64,
        entries: UInt64,
        root: UInt64
    ) -> TreeRecord {
        var bytes: [UInt8] = [0, 0, 0, 0, 0, 0, UInt8(depth), 0]
        for number in [branches, leaves, 0, entries, root] {
            bytes += (0..<8).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
        }
        return unsafe bytes.withUnsafeBytes { unsafe TreeRecord($0, at: 0) }
    }

    @Test func `counts that no tree of that depth has are impossible`() {
        func isPlausible(
            _ depth: UInt16,
            _ branches: UInt64,
            _ leaves: UInt64,
            _ entries: UInt64,
            root: UInt64 = 5
        ) -> Bool {
            Self.record(
                depth: depth,
                branches: branches,
                leaves: leaves,
                entries: entries,
                root: root
            ).isPlausible(lastPage: 100, pageByteCount: 4096)
        }
        #expect(isPlausible(0, 0, 0, 0, root: TreeRecord.noPage))
        #expect(isPlausible(1, 0, 1, 1))
        #expect(isPlausible(2, 1, 2, 2))
        #expect(isPlausible(3, 3, 4, 90))
        #expect(!isPlausible(0, 0, 0, 1, root: TreeRecord.noPage))
        #expect(!isPlausible(0, 0, 1, 1))
        #expect(!isPlausible(1, 1, 1, 1))
        #expect(!isPlausible(1, 0, 2, 2))
        #expect(!isPlausible(2, 0, 2, 2))
        #expect(!isPlausible(2, 1, 1, 2))
        #expect(!isPlausible(3, 1, 4, 90))
        #expect(!isPlausible(2, 1, 9, 8))
        #expect(!isPlausible(1, 0, 1, 1, root: 1))
        #expect(!isPlausible(1, 0, 1, 1, root: 101))
    }

    @Test func `a count that differs from the only leaf is refused, each time`() throws {
        let scratch = Scratch()
        let made = try Environment.scratch(scratch)
        for number in 0..<3 { try made.put(Array(number), [1]) }
        made.close()
        var bytes = Array(try Data(contentsOf: URL(filePath: scratch.data)))
        // The node of the table "a": 48 bytes of value, the flag of a table, a key of one byte.
        let node: [UInt8] = [48, 0, 0, 0, 2, 0, 1, 0, 97]
        var count = 0
        for place in bytes.indices.dropLast(64) where bytes[place] == 48 {
            guard bytes[place..<place + node.count].elementsEqual(node) else { continue }
            bytes[place + node.count + 32] = 2
            count += 1
        }
        #expect(count > 0)
        try Data(bytes).write(to: URL(filePath: scratch.data))
        let environment = try Environment.reopen(scratch)
        for _ in 0..<2 {
            #expect(code { _ = try environment.value(Array(0)) } == .corrupted)
            let transaction = try environment.beginRead()
            let table = environment.table("a")
            #expect(code { _ = try transaction.reader.entryCount(table) } == .corrupted)
            #expect(code { _ = try transaction.reader.cursor(table) } == .corrupted)
        }
    }
}
