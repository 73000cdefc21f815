internal import RepriseLMDB
internal import RepriseLog

/// One way to forge a store: bytes of a record are changed, and every checksum and hash over them is made right again,
/// so that only a check of what the bytes say can find it. Found by its seed and number alone.
package struct Forgery: Sendable {
    package let name: String
    private let seed: UInt64

    private static let names = [
        "state", "rows", "rows", "edges", "labels", "index", "backlinks", "tombstones", "log", "log", "log", "log",
    ]
    private static let viewNames = ["rows", "index", "edges", "backlinks", "tombstones", "labels"]
    private static let numbers: [UInt64] = [
        0, 1, 2, 127, 128, 255, 256, 0x7FFF, 0x8000, 0xFFFF, 0x7FFF_FFFF, 0x8000_0000, 0xFFFF_FFFF,
        1 << 48, 1 << 62, 1 << 63 - 1, 1 << 63, .max - 1, .max,
    ]

    package init(seed: UInt64, number: Int) {
        var generator = SeededGenerator(seed: seed &+ UInt64(number) &* 0x1_0000_0001)
        name = Self.names[generator.below(Self.names.count)]
        self.seed = generator.next()
    }

    /// Forges the closed store at `path`.
    package func apply(at path: String) throws {
        var generator = SeededGenerator(seed: seed)
        let names = ["log", "state"] + Self.viewNames.flatMap { ["\($0).a", "\($0).b"] }
        let environment = try Environment.open(at: path, tables: names)
        defer { environment.close() }
        let transaction = try environment.beginWrite()
        let state = environment.table("state")
        guard var record = try entries(transaction.cursor(state)).first else { return }
        if name == "state" {
            // Half of the time a field as a whole, so that it is read as the number that was put there.
            let fields = [32, 40, 112, 120, 136, 180, 188].filter { $0 + 8 <= record.value.count }
            if generator.below(2) == 0 {
                let number = Self.numbers[generator.below(Self.numbers.count)]
                let field = fields[generator.below(fields.count)]
                for index in 0..<8 {
                    record.value[field + index] = UInt8(truncatingIfNeeded: number >> UInt64(8 * index))
                }
            } else {
                poke(&record.value, from: 16, &generator)
            }
        } else if name == "log" {
            let head = try forgeLog(transaction, environment.table("log"), &generator)
            record.value.replaceSubrange(48..<80, with: head)
        } else {
            let set = record.value[132] == 0 ? "a" : "b"
            try forgeView(transaction, environment.table("\(name).\(set)"), &generator)
        }
        record.value.sealRecord(under: [])
        try put(record, transaction, state)
        try transaction.commit()
    }

    private func forgeView(
        _ transaction: borrowing RepriseLMDB.WriteTransaction,
        _ table: Table,
        _ generator: inout SeededGenerator
    ) throws {
        let all = try entries(transaction.cursor(table))
        guard !all.isEmpty else { return }
        var entry = all[generator.below(all.count)]
        let isSealed = ["rows", "edges", "labels"].contains(name)
        if generator.below(3) == 0 || entry.value.isEmpty {
            let key = entry.key
            poke(&entry.key, from: 0, &generator)
            if generator.below(2) == 0 {
                _ = try unsafe key.withUnsafeBytes { try unsafe transaction.delete(table, key: $0) }
            }
        }
        if !entry.value.isEmpty, generator.below(4) > 0 {
            poke(&entry.value, from: isSealed ? 8 : 0, &generator)
        }
        if isSealed { entry.value.sealRecord(under: entry.key) }
        try put(entry, transaction, table)
    }

    /// Forges one block, and the hashes of all that follow. Returns the last hash.
    private func forgeLog(
        _ transaction: borrowing RepriseLMDB.WriteTransaction,
        _ table: Table,
        _ generator: inout SeededGenerator
    ) throws -> [UInt8] {
        var blocks = try entries(transaction.cursor(table))
        let forged = generator.below(blocks.count)
        var hash = [UInt8](repeating: 0, count: 32)
        for place in blocks.indices {
            if place == forged {
                // The header now and then, else what the commit says of itself and its events.
                poke(&blocks[place].value, from: generator.below(8) == 0 ? 4 : 144, &generator)
            }
            if place > forged { blocks[place].value.replaceSubrange(80..<112, with: hash) }
            if place >= forged {
                blocks[place].value.sealBlock()
                try put(blocks[place], transaction, table)
            }
            hash = Array(blocks[place].value[112..<144])
        }
        return hash
    }

    private func poke(_ bytes: inout [UInt8], from first: Int, _ generator: inout SeededGenerator) {
        guard bytes.count > first else { return }
        for _ in 0...max(0, generator.below(5) - 2) {
            let place = first + generator.below(bytes.count - first)
            switch generator.below(5) {
            case 0: bytes[place] ^= 1 << UInt8(generator.below(8))
            case 1: bytes[place] = UInt8(generator.below(256))
            case 2: bytes[place] = [0, 1, 2, 3, 127, 128, 254, 255][generator.below(8)]
            default:
                let number = Self.numbers[generator.below(Self.numbers.count)]
                let isBigEndian = generator.below(3) == 0
                let count = [2, 4, 8][generator.below(3)]
                for index in 0..<count where place + index < bytes.count {
                    let shift = 8 * (isBigEndian ? count - 1 - index : index)
                    bytes[place + index] = UInt8(truncatingIfNeeded: number >> UInt64(shift))
                }
            }
        }
    }

    private func entries(_ cursor: consuming Cursor) throws -> [Entry] {
        var entries: [Entry] = []
        var isThere = try cursor.first()
        while isThere {
            entries.append(unsafe Entry(key: [UInt8](cursor.key), value: [UInt8](cursor.value)))
            isThere = try cursor.next()
        }
        return entries
    }

    private func put(
        _ entry: Entry,
        _ transaction: borrowing RepriseLMDB.WriteTransaction,
        _ table: Table
    ) throws {
        try unsafe entry.key.withUnsafeBytes { key in
            try unsafe entry.value.withUnsafeBytes {
                try unsafe transaction.put(table, key: key, value: $0)
            }
        }
    }

    private struct Entry {
        var key: [UInt8]
        var value: [UInt8]
    }
}
