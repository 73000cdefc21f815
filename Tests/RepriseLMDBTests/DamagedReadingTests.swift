import Foundation
import TestSupport
import Testing

@testable import RepriseLMDB

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Damaged files whose pages are checked only when a reader meets them: what is read is whole, or refused by name.
@Suite struct DamagedReadingTests {
    private static let pageByteCount = Int(getpagesize())

    /// The bytes of a store with tables three and two levels deep, and large values.
    private static let sample: [UInt8] = {
        do {
            let scratch = Scratch()
            let environment = try Environment.scratch(scratch)
            for round in 0..<2 {
                let transaction = try environment.beginWrite()
                for number in 0..<600 where number % 2 == round {
                    try transaction.put(
                        environment.table("a"),
                        Array(number * 7919 % 4001) + Array(repeating: 1, count: 400),
                        Array(repeating: UInt8(truncatingIfNeeded: number), count: number % 50)
                    )
                }
                for number in 0..<60 {
                    try transaction.put(
                        environment.table("b"),
                        Array(number * 31 % 61),
                        Array(repeating: 1, count: number % 3 * 2500 + 10)
                    )
                }
                try transaction.commit()
            }
            environment.close()
            return Array(try Data(contentsOf: URL(filePath: scratch.data)))
        } catch {
            preconditionFailure("\(error)")
        }
    }()

    private static func reopen(_ bytes: [UInt8], in scratch: Scratch) throws -> Environment {
        unsafe mkdir(scratch.store, 0o700)
        try Data(bytes).write(to: URL(filePath: scratch.data))
        return try Environment.reopen(scratch)
    }

    @Test(arguments: 1...6 as ClosedRange<UInt64>)
    func `what is read of a damaged file is whole or refused (STO-36)`(seed: UInt64) throws {
        let whole = Scratch()
        let truth = try Reading.result(of: Self.reopen(Self.sample, in: whole)).get()
        #expect(truth.tables.map(\.count) == [600, 60])
        var random = Random(state: seed)
        var (refused, missed, right) = (0, 0, 0)
        for _ in 0..<200 {
            var bytes = Self.sample
            let name = Damage.allCases.randomElement(using: &random)!
                .apply(to: &bytes, Self.pageByteCount, &random)
            let scratch = Scratch()
            defer { scratch.remove() }
            // The tree of tables is read when the file is opened.
            guard let environment = try? Self.reopen(bytes, in: scratch) else { continue }
            switch Reading.result(of: environment) {
            case .failure(let error):
                refused += 1
                #expect(error.code == .corrupted, "\(name): \(error)")
            case .success(let reading):
                #expect(reading.isConsistent, "\(name)")
                #expect(reading.tables.map(\.count) == [600, 60], "\(name)")
                if reading.tables == truth.tables { right += 1 } else { missed += 1 }
            }
            // Where the whole walk finds nothing, nothing was refused.
            if code(of: { try environment.checkStructure() }) == nil {
                #expect(throws: Never.self, "\(name)") {
                    try Reading.result(of: environment).get()
                }
            }
        }
        #expect(refused > 40)
        #expect(right > 10)
        // An entry whose bytes are others, in the same order: the layers above have checksums for that.
        #expect(missed < right)
    }

    @Test func `a number that leads to another sound page is noticed, though that page is known`()
        throws
    {
        let size = Self.pageByteCount
        let whole = Scratch()
        let truth = try Reading.result(of: Self.reopen(Self.sample, in: whole)).get()
        var refusedCount = 0
        for page in 2..<Self.sample.count / size {
            let start = page * size
            guard Self.sample[start + 10] == UInt8(PageFlags.branch) else { continue }
            let nodeCount =
                (Int(Self.sample[start + 12]) | Int(Self.sample[start + 13]) << 8) / 2 - 8
            for index in stride(from: page % 4, to: nodeCount, by: 4) {
                var bytes = Self.sample
                func node(_ index: Int) -> Int {
                    let place = start + MetaPage.headerByteCount + 2 * index
                    return start + Int(bytes[place]) + Int(bytes[place + 1]) << 8
                }
                let (one, other) = (node(index), node((index + 1) % nodeCount))
                for byte in 0..<6 { bytes[one + byte] = bytes[other + byte] }
                let scratch = Scratch()
                defer { scratch.remove() }
                let environment = try Self.reopen(bytes, in: scratch)
                switch Reading.result(of: environment) {
                case .failure(let error):
                    refusedCount += 1
                    #expect(error.code == .corrupted)
                // An old page, which is free.
                case .success(let reading): #expect(reading == truth)
                }
                // Nor by their keys alone, in another order.
                for place in truth.tables[0].keys.indices {
                    let entry = place * 37 % truth.tables[0].count
                    let key = truth.tables[0].keys[entry]
                    let transaction = try environment.beginRead()
                    do throws(LMDBError) {
                        let found = try transaction.reader.value(environment.table("a"), key)
                        if found != truth.tables[0].values[entry] {
                            Issue.record("\(key.prefix(8)) is wrong after damage to page \(page).")
                        }
                    } catch {
                        #expect(error.code == .corrupted)
                    }
                }
            }
        }
        #expect(refusedCount > 20)
    }

    @Test func `after damage was met every read in the transaction says it again`() throws {
        var bytes = Self.sample
        let size = Self.pageByteCount
        for page in stride(from: 2, to: bytes.count / size, by: 3)
        where bytes[page * size + 10] == UInt8(PageFlags.leaf) {
            let nodeCount = (Int(bytes[page * size + 12]) - MetaPage.headerByteCount) / 2
            // Not the tree of tables, which has two.
            if nodeCount > 2 { bytes[page * size + 12] = 0xFF }
        }
        let environment = try Self.reopen(bytes, in: Scratch())
        let table = environment.table("a")
        for isForward in [true, false] {
            let transaction = try environment.beginRead()
            let reader = transaction.reader
            var other = try reader.cursor(table)
            _ = try? other.first()
            var cursor = try reader.cursor(table)
            #expect(
                code { while try isForward ? cursor.next() : cursor.previous() {} } == .corrupted
            )
            #expect(code { _ = try cursor.next() } == .corrupted)
            #expect(code { _ = try cursor.previous() } == .corrupted)
            #expect(code { _ = try cursor.first() } == .corrupted)
            #expect(code { _ = try other.next() } == .corrupted)
            #expect(code { _ = try reader.value(table, Array(0)) } == .corrupted)
            #expect(code { _ = try reader.value(environment.table("b"), [1]) } == .corrupted)
            #expect(code { _ = try reader.entryCount(table) } == .corrupted)
            #expect(code { _ = try reader.cursor(environment.table("b")) } == .corrupted)
        }
    }

    @Test func `a file that was cut below a reader is refused where it ends`() throws {
        let scratch = Scratch()
        let environment = try Self.reopen(Self.sample, in: scratch)
        try #require(unsafe truncate(scratch.data, off_t(4 * Self.pageByteCount)) == 0)
        do throws(LMDBError) {
            _ = try Reading.result(of: environment).get()
            Issue.record("A file of four pages was read.")
        } catch {
            guard case .truncated = error.code else { throw error }
        }
    }

    @Test func `a reader that met damage says so, and the next one meets it again`() throws {
        let size = Self.pageByteCount
        var bytes = Self.sample
        for page in 2..<bytes.count / size where bytes[page * size + 10] == UInt8(PageFlags.branch)
        {
            bytes[page * size + 12] = 0xFF
        }
        let scratch = Scratch()
        let environment = try Self.reopen(bytes, in: scratch)
        for _ in 0..<20 {
            let reader = try environment.beginRead()
            var cursor = try reader.reader.cursor(environment.table("a"))
            let found = code { _ = try reader.reader.value(environment.table("a"), [9]) }
            #expect(found == .corrupted)
            #expect(code { _ = try cursor.next() } == .corrupted)
            #expect(code { _ = try cursor.previous() } == .corrupted)
            #expect(code { _ = try cursor.last() } == .corrupted)
        }
        #expect(code { try environment.put([1], [1]) } == .corrupted)
    }
}

/// A way to damage what LMDB follows.
private enum Damage: CaseIterable {
    case bitInFront, byteInFront, header, bitAnywhere, swappedPages, emptyPage, noise

    /// Returns a description.
    func apply(to bytes: inout [UInt8], _ size: Int, _ random: inout Random) -> String {
        let count = bytes.count / size
        let start = Int.random(in: 2..<count, using: &random) * size
        var place = start
        switch self {
        case .bitInFront:
            place += Int.random(in: 0..<64, using: &random)
            bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
        case .byteInFront:
            place += Int.random(in: 0..<64, using: &random)
            bytes[place] = UInt8.random(in: 0...255, using: &random)
        case .header:
            for index in 0..<16 { bytes[start + index] = UInt8.random(in: 0...255, using: &random) }
        case .bitAnywhere:
            place += Int.random(in: 0..<size, using: &random)
            bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
        case .swappedPages:
            let other = Int.random(in: 2..<count, using: &random) * size
            for index in 0..<size { bytes.swapAt(start + index, other + index) }
        case .emptyPage:
            for index in start..<start + size { bytes[index] = 0 }
        case .noise:
            for index in start..<start + size {
                bytes[index] = UInt8.random(in: 0...255, using: &random)
            }
        }
        return "\(self) at byte \(place % size) of page \(place / size)"
    }
}

/// All that can be read of both tables, in both directions and by keys.
private struct Reading: Equatable {
    struct Entries: Equatable {
        var keys: [[UInt8]] = []
        var values: [[UInt8]] = []
        var count: Int { keys.count }

        static func == (left: Entries, right: Entries) -> Bool {
            hasSameBytes(left.keys, right.keys) && hasSameBytes(left.values, right.values)
        }
    }

    var tables: [Entries] = []
    /// Whether both directions and each key led to the same, in order.
    var isConsistent = true

    static func result(of environment: Environment) -> Result<Reading, LMDBError> {
        do throws(LMDBError) {
            var reading = Reading()
            let transaction = try environment.beginRead()
            for name in ["a", "b"] {
                let table = environment.table(name)
                let entries = try scan(transaction.reader, table)
                reading.tables.append(entries)
                if try !isSame(entries, transaction.reader, table) { reading.isConsistent = false }
            }
            return .success(reading)
        } catch {
            return .failure(error)
        }
    }

    private static func scan(
        _ reader: TableReader,
        _ table: Table
    ) throws(LMDBError) -> Entries {
        var entries = Entries()
        var cursor = try reader.cursor(table)
        while try cursor.next() {
            unsafe entries.keys.append(Array(cursor.key))
            unsafe entries.values.append(Array(cursor.value))
        }
        return entries
    }

    private static func isSame(
        _ entries: Entries,
        _ reader: TableReader,
        _ table: Table
    ) throws(LMDBError) -> Bool {
        var cursor = try reader.cursor(table)
        var seeking = try reader.cursor(table)
        var isSame = zip(entries.keys, entries.keys.dropFirst()).allSatisfy {
            precedes($0, $1)
        }
        for (key, value) in zip(entries.keys, entries.values).reversed() {
            guard try cursor.previous() else { return false }
            isSame = unsafe isSame && hasSameBytes(cursor.key, key) && hasSameBytes(cursor.value, value)
            let found = try reader.value(table, key)
            let isFound = try unsafe key.bytes { key throws(LMDBError) in
                try unsafe seeking.seek(exactly: key)
            }
            isSame = unsafe isSame && found.map { hasSameBytes([$0], [value]) } == true && isFound
                && hasSameBytes(seeking.value, value)
        }
        let hasMore = try cursor.previous()
        return isSame && !hasMore
    }
}
