import TestSupport
import Testing

@testable import RepriseLMDB

/// Finding keys in LMDB's pages without LMDB.
@Suite struct TableSearchTests {
    /// Keys of different kinds: numbers, texts that begin alike, and short ones that begin each other.
    private static func key(_ number: Int, kind: Int) -> [UInt8] {
        switch kind {
        case 0: (0..<8).map { UInt8(truncatingIfNeeded: (number * 7919) >> (8 * (7 - $0))) }
        case 1: Array("a name that all of them have in common, number \(number)".utf8)
        default: Array("\(number)".utf8)
        }
    }

    @Test(arguments: 0...2, [10, 120, 3000])
    func `a search finds what LMDB finds, and nothing else`(kind: Int, valueByteCount: Int) throws {
        let environment = try Environment.scratch(Scratch())
        let table = environment.table("a")
        var generator = SeededGenerator(seed: UInt64(kind * 10_000 + valueByteCount))
        let count = valueByteCount > 1000 ? 500 : 4000
        let writing = try environment.beginWrite()
        for number in 0..<count where number % 3 != 1 {
            let value = (0..<generator.below(valueByteCount)).map { UInt8(truncatingIfNeeded: $0) }
            try writing.put(table, Self.key(number, kind: kind), value)
        }
        try writing.commit()
        let reading = try environment.beginRead()
        let made = reading.search(table)
        let search = try #require(made)
        let isUsable = search.isUsable(in: reading)
        #expect(isUsable)
        var foundCount = 0
        for number in 0..<count {
            let key = Self.key(number, kind: kind)
            let expected = try reading.reader.value(table, key)
            let found = unsafe key.withUnsafeBytes { key in
                unsafe search.find(key).map { unsafe Array($0) }
            }
            // What does not lie in its leaf is left to LMDB.
            if let found { #expect(found == expected) }
            if let expected, expected.count < 1000 { #expect(found == expected) }
            foundCount += found == nil ? 0 : 1
        }
        #expect(foundCount > count / 3)
        #expect(unsafe search.find(UnsafeRawBufferPointer(start: nil, count: 0)) == nil)
    }

    @Test func `an empty table has nothing to search`() throws {
        let environment = try Environment.scratch(Scratch())
        let reading = try environment.beginRead()
        let isThere = reading.search(environment.table("b")) != nil
        #expect(!isThere)
    }

    @Test func `a search sees its commit, not later ones`() throws {
        let environment = try Environment.scratch(Scratch())
        try environment.put([1], [1])
        let reading = try environment.beginRead()
        let made = reading.search(environment.table("a"))
        let search = try #require(made)
        try environment.put([1], [2])
        try environment.put([2], [3])
        let (old, new): ([UInt8], [UInt8]) = ([1], [2])
        let found = unsafe old.withUnsafeBytes { key in
            unsafe search.find(key).map { unsafe Array($0) }
        }
        #expect(found == [1])
        let isFound = unsafe new.withUnsafeBytes { unsafe search.find($0) != nil }
        #expect(!isFound)
        #expect(reading.transactionID > 0)
    }

    @Test func `a search is of no use after the map was exchanged`() throws {
        let environment = try Environment.scratch(Scratch(), options: .small(1))
        try environment.put([1], [1])
        func makeSearch() throws -> TableSearch {
            let reading = try environment.beginRead()
            let made = reading.search(environment.table("a"))
            return try #require(made)
        }
        let search = try makeSearch()
        for step in 0..<20 {
            try environment.put([2, UInt8(step)], Array(repeating: 1, count: 100_000))
        }
        let reading = try environment.beginRead()
        let isUsable = search.isUsable(in: reading)
        #expect(!isUsable)
        let isNewUsable = try makeSearch().isUsable(in: reading)
        #expect(isNewUsable)
    }
}
