import TestSupport
import Testing

@testable import RepriseLMDB

/// Seeded operations on an environment and on sorted arrays that say what every answer must be.
@Suite struct ModelTests {
    @Test(arguments: 1...6 as ClosedRange<UInt64>)
    func `a table behaves as a sorted dictionary`(seed: UInt64) throws {
        var random = Random(state: seed)
        let scratch = Scratch()
        var environment = try Environment.scratch(scratch, options: .small(16))
        var committed = Model()
        for round in 0..<40 {
            var model = committed
            do {
                let transaction = try environment.beginWrite()
                let table = environment.table("a")
                for _ in 0..<60 {
                    try step(transaction, table, &model, &random, round: round)
                }
                if Int.random(in: 0..<4, using: &random) > 0 {
                    try transaction.commit()
                    committed = model
                }
            }
            try compare(environment, committed)
            if round % 10 == 9 {
                environment.close()
                environment = try Environment.reopen(scratch, options: .small(16))
                try compare(environment, committed)
            }
        }
    }

    private func step(
        _ transaction: borrowing WriteTransaction,
        _ table: Table,
        _ model: inout Model,
        _ random: inout Random,
        round: Int
    ) throws {
        let key = randomKey(&random)
        switch Int.random(in: 0..<20, using: &random) {
        case 0..<8:
            let value = randomValue(&random)
            try transaction.put(table, key, value)
            model[key] = value
        case 8..<11:
            #expect(try transaction.delete(table, key) == (model[key] != nil))
            model[key] = nil
        case 11..<13:
            #expect(try transaction.reader.value(table, key) == model[key])
        case 13:
            let value = randomValue(&random)
            try unsafe key.bytes { key throws(LMDBError) in
                let place = try unsafe transaction.reserve(
                    table,
                    key: key,
                    byteCount: value.count,
                    append: false
                )
                unsafe place.copyBytes(from: value)
            }
            model[key] = value
        case 14:
            let last = (model.keys.last ?? []) + [0]
            if last.count <= Table.keyByteCountMax {
                try transaction.append(table, last, [1, 2, 3])
                model[last] = [1, 2, 3]
            }
        case 15 where round % 8 == 7:
            try transaction.empty(table)
            model = Model()
        default:
            try walk(transaction, table, &model, &random)
        }
        #expect(try transaction.reader.entryCount(table) == model.keys.count)
    }

    /// A cursor that starts somewhere and then moves, puts and deletes at random.
    private func walk(
        _ transaction: borrowing WriteTransaction,
        _ table: Table,
        _ model: inout Model,
        _ random: inout Random
    ) throws {
        var cursor = try transaction.cursor(table)
        // The place between entries: the cursor's entry is `index`, or lies between `index - 1` and
        // `index`.
        var index = -1
        var isAtEntry = false
        func check(_ found: Bool) {
            #expect(found == isAtEntry)
            guard found, isAtEntry else { return }
            #expect(unsafe Array(cursor.key) == model.keys[index])
            #expect(unsafe Array(cursor.value) == model.values[index])
        }
        let start = randomKey(&random)
        index = model.place(of: start)
        isAtEntry = index < model.keys.count
        check(
            try unsafe start.bytes { start throws(LMDBError) in
                try unsafe cursor.seek(atOrAfter: start)
            }
        )
        for _ in 0..<Int.random(in: 1..<12, using: &random) {
            switch Int.random(in: 0..<10, using: &random) {
            case 0..<3:
                if isAtEntry { index += 1 }
                isAtEntry = index < model.keys.count
                check(try cursor.next())
            case 3..<6:
                index -= 1
                isAtEntry = index >= 0
                if !isAtEntry { index = 0 }
                check(try cursor.previous())
            case 6:
                index = 0
                isAtEntry = !model.keys.isEmpty
                check(try cursor.first())
            case 7:
                index = max(model.keys.count - 1, 0)
                isAtEntry = !model.keys.isEmpty
                check(try cursor.last())
            case 8:
                let (key, value) = (randomKey(&random), randomValue(&random))
                try unsafe key.bytes { key throws(LMDBError) in
                    try unsafe value.bytes { value throws(LMDBError) in
                        try unsafe cursor.put(key: key, value: value)
                    }
                }
                model[key] = value
                index = model.place(of: key)
                isAtEntry = true
                check(true)
                // Its neighbour, found from there, is the right one.
                let exact = try unsafe key.bytes { key throws(LMDBError) in
                    try unsafe cursor.seek(exactly: key)
                }
                check(exact)
            default:
                guard isAtEntry else { continue }
                try cursor.deleteCurrent()
                model[model.keys[index]] = nil
                isAtEntry = false
            }
        }
    }

    private func compare(_ environment: Environment, _ model: Model) throws {
        let transaction = try environment.beginRead()
        var cursor = try transaction.reader.cursor(environment.table("a"))
        var index = 0
        while try cursor.next() {
            try #require(index < model.keys.count)
            #expect(unsafe Array(cursor.key) == model.keys[index])
            #expect(unsafe Array(cursor.value) == model.values[index])
            index += 1
        }
        #expect(index == model.keys.count)
        while try cursor.previous() { index -= 1 }
        #expect(index == 0)
        try environment.checkStructure()
    }

    private func randomKey(_ random: inout Random) -> [UInt8] {
        // Few first bytes, so that keys repeat and share prefixes; now and then as long as may be.
        let length =
            Int.random(in: 0..<12, using: &random) == 0
            ? Int.random(in: 300...511, using: &random) : Int.random(in: 1...3, using: &random)
        return (0..<length).map { _ in UInt8.random(in: 0..<6, using: &random) }
    }

    private func randomValue(_ random: inout Random) -> [UInt8] {
        let largest = [0, 20, 400, 2100, 9000].randomElement(using: &random)!
        let fill = UInt8.random(in: 0...255, using: &random)
        return Array(repeating: fill, count: Int.random(in: 0...largest, using: &random))
    }
}

/// A dictionary as two sorted arrays: too simple to be wrong.
struct Model {
    private(set) var keys: [[UInt8]] = []
    private(set) var values: [[UInt8]] = []

    /// The place of the key, or the one where it would be.
    func place(of key: [UInt8]) -> Int {
        keys.firstIndex { !precedes($0, key) } ?? keys.count
    }

    subscript(key: [UInt8]) -> [UInt8]? {
        get {
            let place = place(of: key)
            return place < keys.count && keys[place] == key ? values[place] : nil
        }
        set {
            let place = place(of: key)
            let isThere = place < keys.count && keys[place] == key
            switch (isThere, newValue) {
            case (true, let value?): values[place] = value
            case (false, let value?):
                keys.insert(key, at: place)
                values.insert(value, at: place)
            case (true, nil):
                keys.remove(at: place)
                values.remove(at: place)
            case (false, nil): break
            }
        }
    }
}
