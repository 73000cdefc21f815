import TestSupport
import Testing

@testable import RepriseLMDB

/// Read transactions read their pages themselves. LMDB, which still reads in write transactions, says what is there; a
/// sorted array of that says what every answer must be.
@Suite struct MappedReadingTests {
    /// What the keys and values of a table look like.
    enum Shape: CaseIterable {
        case empty, oneEntry, numbers, shortKeys, zeros, longKeys, sharedPrefixes, largeValues
    }

    @Test(arguments: Shape.allCases, 1...2 as ClosedRange<UInt64>)
    func `a reader finds what LMDB finds, whether pages are known or not`(
        shape: Shape,
        seed: UInt64
    ) throws {
        var random = Random(state: seed)
        let scratch = Scratch()
        try Self.fill(Environment.scratch(scratch, options: .small(256)), shape, &random)

        let environment = try Environment.reopen(scratch, options: .small(256))
        // Begun before any check of the whole file, so that it checks what it meets.
        let checking = try environment.beginRead()
        let content = try Content(of: "a", in: environment)
        let trusting = try environment.beginRead()
        #expect(environment.isStructureKnown)
        for reader in [checking.reader, trusting.reader] {
            let table = environment.table("a")
            #expect(try reader.entryCount(table) == content.keys.count)
            try Walk(reader, table, content).run(15_000, &random)
            #expect(try reader.entryCount(environment.table("b")) == 1)
            #expect(try reader.value(environment.table("b"), [1]) == [2])
        }
        try environment.checkStructure()
    }

    @Test(arguments: 1...3 as ClosedRange<UInt64>)
    func `a reader keeps its commit while the pages around it are written anew`(
        seed: UInt64
    ) throws {
        var random = Random(state: seed)
        let scratch = Scratch()
        try Self.fill(Environment.scratch(scratch), .shortKeys, &random)
        let environment = try Environment.reopen(scratch)
        let table = environment.table("a")
        try hold(8, environment, table, &random)
    }

    /// Begins a reader, changes the table, does the same with further readers, and reads as of then.
    private func hold(
        _ count: Int,
        _ environment: Environment,
        _ table: Table,
        _ random: inout Random
    ) throws {
        guard count > 0 else { return }
        let reader = try environment.beginRead()
        let content = try Content(of: "a", in: environment)
        let way = try Walk(reader.reader, table, content)
        try way.run(200, &random)
        let transaction = try environment.beginWrite()
        for _ in 0..<300 {
            let key = Self.key(.shortKeys, 0, &random)
            if Bool.random(using: &random) {
                try transaction.put(table, key, Self.value(.shortKeys, &random))
            } else {
                try transaction.delete(table, key)
            }
        }
        try transaction.commit()
        try hold(count - 1, environment, table, &random)
        try way.run(1500, &random)
    }

    @Test func `more cursors than one go their own ways in one reader`() throws {
        var random = Random(state: 7)
        let scratch = Scratch()
        try Self.fill(Environment.scratch(scratch), .numbers, &random)
        let environment = try Environment.reopen(scratch)
        let reader = try environment.beginRead()
        let table = environment.table("a")
        let content = try Content(of: "a", in: environment)
        for _ in 0..<3 {
            var one = try reader.reader.cursor(table)
            var other = try reader.reader.cursor(table)
            for index in content.keys.indices {
                #expect(try one.next())
                #expect(try other.previous())
                #expect(unsafe Array(one.key) == content.keys[index])
                #expect(
                    unsafe Array(other.key) == content.keys[content.keys.count - 1 - index]
                )
            }
            #expect(try !one.next())
            #expect(try !other.previous())
        }
    }

    private static func fill(
        _ environment: Environment,
        _ shape: Shape,
        _ random: inout Random
    ) throws {
        let count =
            switch shape {
            case .empty: 0
            case .oneEntry: 1
            case .largeValues: 300
            case .longKeys: 4000
            case .zeros: 1500
            case .numbers, .shortKeys, .sharedPrefixes: 20_000
            }
        let transaction = try environment.beginWrite()
        for number in 0..<count {
            try transaction.put(
                environment.table("a"),
                key(shape, number, &random),
                value(shape, &random)
            )
        }
        // Pages that are not full, and some that were merged.
        for _ in 0..<count / 3 {
            try transaction.delete(environment.table("a"), key(shape, 0, &random))
        }
        try transaction.put(environment.table("b"), [1], [2])
        try transaction.commit()
        environment.close()
    }

    fileprivate static func key(
        _ shape: Shape,
        _ number: Int,
        _ random: inout Random
    ) -> [UInt8] {
        func bytes(_ count: Int, below bound: UInt8) -> [UInt8] {
            (0..<count).map { _ in UInt8.random(in: 0..<bound, using: &random) }
        }
        switch shape {
        case .empty, .oneEntry: return bytes(3, below: 4)
        case .numbers:
            return Array(number == 0 ? Int.random(in: 0..<20_000, using: &random) : number)
        case .shortKeys: return bytes(Int.random(in: 1...5, using: &random), below: 9)
        // Keys that are prefixes of each other, and zeros where a shorter one has ended.
        case .zeros: return bytes(Int.random(in: 1...20, using: &random), below: 2)
        case .longKeys:
            return Array(repeating: 3, count: 490)
                + bytes(Int.random(in: 19...21, using: &random), below: 3)
        case .sharedPrefixes:
            return Array(repeating: 1, count: Int.random(in: 7...9, using: &random))
                + bytes(Int.random(in: 0...9, using: &random), below: 5)
        case .largeValues: return bytes(Int.random(in: 1...9, using: &random), below: 40)
        }
    }

    private static func value(_ shape: Shape, _ random: inout Random) -> [UInt8] {
        let largest =
            switch shape {
            case .largeValues: [0, 900, 2100, 4081, 30_000].randomElement(using: &random)!
            case .longKeys: 4
            default: 40
            }
        let count = Int.random(in: 0...largest, using: &random)
        return Array(repeating: UInt8.random(in: 0...255, using: &random), count: count)
    }
}

/// A table's entries as LMDB gives them, in order.
private struct Content {
    var keys: [[UInt8]] = []
    var values: [[UInt8]] = []

    init(of name: String, in environment: Environment) throws {
        let transaction = try environment.beginWrite()
        var cursor = try transaction.cursor(environment.table(name))
        while try cursor.next() {
            unsafe keys.append(Array(cursor.key))
            unsafe values.append(Array(cursor.value))
        }
    }

    /// The place of the least key that is not less, and whether it is the same.
    func place(of key: [UInt8]) -> (index: Int, isEqual: Bool) {
        var (low, high) = (0, keys.count)
        while low < high {
            let middle = (low + high) / 2
            if precedes(keys[middle], key) {
                low = middle + 1
            } else {
                high = middle
            }
        }
        return (low, low < keys.count && keys[low] == key)
    }
}

/// Random operations of a reader beside an index in the sorted entries.
private struct Walk {
    private enum Place {
        case nowhere, before, after
        case entry(Int)
    }

    private let reader: TableReader
    private let table: Table
    private let content: Content

    init(_ reader: TableReader, _ table: Table, _ content: Content) throws {
        self.reader = reader
        self.table = table
        self.content = content
    }

    func run(_ count: Int, _ random: inout Random) throws {
        var cursor = try reader.cursor(table)
        var place = Place.nowhere
        for _ in 0..<count {
            let found: Bool
            switch Int.random(in: 0..<40, using: &random) {
            case 0..<13:
                found = try cursor.next()
                place =
                    switch place {
                    case .nowhere, .before: entry(0, or: .after)
                    case .entry(let index): entry(index + 1, or: .after)
                    case .after: .after
                    }
            case 13..<26:
                found = try cursor.previous()
                place =
                    switch place {
                    case .nowhere, .after: entry(content.keys.count - 1, or: .before)
                    case .entry(let index): entry(index - 1, or: .before)
                    case .before: .before
                    }
            case 26:
                found = try cursor.first()
                place = entry(0, or: .after)
            case 27:
                found = try cursor.last()
                place = entry(content.keys.count - 1, or: .before)
            case 28..<33:
                let key = someKey(&random)
                found = try unsafe key.bytes { key throws(LMDBError) in
                    try unsafe cursor.seek(atOrAfter: key)
                }
                place = entry(content.place(of: key).index, or: .after)
            case 33..<36:
                let key = someKey(&random)
                found = try unsafe key.bytes { key throws(LMDBError) in
                    try unsafe cursor.seek(exactly: key)
                }
                let (index, isEqual) = content.place(of: key)
                place = isEqual ? .entry(index) : .nowhere
            case 36:
                cursor = try reader.cursor(table)
                place = .nowhere
                continue
            default:
                let key = someKey(&random)
                let (index, isEqual) = content.place(of: key)
                try #require(
                    try reader.value(table, key) == (isEqual ? content.values[index] : nil)
                )
                continue
            }
            if case .entry(let index) = place {
                try #require(found)
                try #require(unsafe Array(cursor.key) == content.keys[index])
                try #require(unsafe Array(cursor.value) == content.values[index])
            } else {
                try #require(!found)
            }
        }
    }

    private func entry(_ index: Int, or missed: Place) -> Place {
        content.keys.indices.contains(index) ? .entry(index) : missed
    }

    /// A key that is there, one beside it, or any.
    private func someKey(_ random: inout Random) -> [UInt8] {
        var key = content.keys.randomElement(using: &random) ?? [1, 2]
        switch Int.random(in: 0..<8, using: &random) {
        case 0..<4: break
        case 4: key[key.count - 1] = UInt8.random(in: 0...255, using: &random)
        case 5: key[Int.random(in: 0..<key.count, using: &random)] &+= 1
        case 6: key.removeLast(Int.random(in: 0..<key.count, using: &random))
        default:
            key.append(contentsOf: repeatElement(0, count: Int.random(in: 1...9, using: &random)))
        }
        return key
    }
}
