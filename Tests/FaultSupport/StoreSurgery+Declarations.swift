internal import RepriseLMDB
internal import RepriseLog

extension StoreSurgery {
    /// Changes the body of a declaration of the schema in the log of a closed store, and makes every length, checksum
    /// and hash right again.
    ///
    /// - Parameter number: 0 is the first one.
    package static func editDeclaration(
        _ number: Int,
        at path: String,
        _ change: (inout [UInt8]) -> Void
    ) throws {
        let environment = try Environment.open(at: path, tables: ["log", "state"])
        defer { environment.close() }
        let transaction = try environment.beginWrite()
        let log = environment.table("log")
        var hash: [UInt8]?
        var found = 0
        for (key, value) in try entries(transaction.cursor(log)) {
            var block = value
            if let hash { block.replaceSubrange(80..<112, with: hash) }
            if var declaration = Declaration(in: block) {
                if found == number {
                    change(&declaration.body)
                    declaration.write(to: &block)
                    hash = []
                }
                found += 1
            }
            guard hash != nil else { continue }
            block.sealBlock()
            hash = Array(block[112..<144])
            try put(key, block, transaction, log)
        }
        guard let hash, let (key, entry) = try entries(transaction.cursor(environment.table("state"))).first else {
            return
        }
        var record = entry
        record.replaceSubrange(48..<80, with: hash)
        record.sealRecord(under: [])
        try put(key, record, transaction, environment.table("state"))
        try transaction.commit()
    }

    private static func entries(_ cursor: consuming Cursor) throws -> [([UInt8], [UInt8])] {
        var entries: [([UInt8], [UInt8])] = []
        var isThere = try cursor.first()
        while isThere {
            entries.append(unsafe ([UInt8](cursor.key), [UInt8](cursor.value)))
            isThere = try cursor.next()
        }
        return entries
    }

    private static func put(
        _ key: [UInt8],
        _ value: [UInt8],
        _ transaction: borrowing RepriseLMDB.WriteTransaction,
        _ table: Table
    ) throws {
        try unsafe key.withUnsafeBytes { key in
            try unsafe value.withUnsafeBytes { try unsafe transaction.put(table, key: key, value: $0) }
        }
    }

    /// The first event of a block, where it declares a schema (Specs/format/log.md).
    private struct Declaration {
        private let start: Int
        private let end: Int
        private let head: [UInt8]
        var body: [UInt8]

        init?(in block: [UInt8]) {
            // Only the first block of a commit has metadata.
            guard block[6] & 1 == 1 else { return nil }
            var place = 144
            for _ in 0..<3 { place += Self.number(block, &place) }
            _ = Self.number(block, &place)
            start = place
            let count = Self.number(block, &place)
            end = place + count
            let fields = place
            guard block[place] == 16 else { return nil }
            place += 1
            for _ in 0..<2 { _ = Self.number(block, &place) }
            place += Self.number(block, &place)
            for _ in 0..<2 { _ = Self.number(block, &place) }
            head = Array(block[fields..<place])
            body = Array(block[place..<end])
        }

        func write(to block: inout [UInt8]) {
            var count = head.count + body.count
            var bytes: [UInt8] = []
            while count >= 128 {
                bytes.append(UInt8(count & 127 | 128))
                count >>= 7
            }
            bytes.append(UInt8(count))
            block.replaceSubrange(start..<end, with: bytes + head + body)
            for index in 0..<4 { block[28 + index] = UInt8(truncatingIfNeeded: (block.count - 144) >> (8 * index)) }
        }

        private static func number(_ bytes: [UInt8], _ place: inout Int) -> Int {
            var (value, shift) = (0, 0)
            while true {
                let byte = bytes[place]
                place += 1
                value |= Int(byte & 127) << shift
                if byte < 128 { return value }
                shift += 7
            }
        }
    }
}

/// One way to damage the bytes of a declaration, found by its seed and number alone.
package struct DeclarationDamage: Sendable {
    private let seed: UInt64

    package init(seed: UInt64, number: Int) {
        var generator = SeededGenerator(seed: seed &+ UInt64(number) &* 0x1_0000_0001)
        self.seed = generator.next()
    }

    package func apply(to bytes: inout [UInt8]) {
        var generator = SeededGenerator(seed: seed)
        guard !bytes.isEmpty else { return }
        let place = generator.below(bytes.count)
        switch generator.below(10) {
        case 9: bytes[min(4, bytes.count - 1)] = UInt8(generator.below(256))
        case 0, 1: bytes.removeLast(bytes.count - place)
        case 2: bytes.remove(at: place)
        case 3: bytes.insert(UInt8(generator.below(256)), at: place)
        case 4: bytes[place] = [0, 1, 2, 127, 128, 254, 255][generator.below(7)]
        // Magic, number of the form, and what follows.
        case 5: bytes[min(generator.below(13), bytes.count - 1)] = UInt8(generator.below(256))
        default:
            for _ in 0...generator.below(3) {
                bytes[generator.below(bytes.count)] ^= 1 << UInt8(generator.below(8))
            }
        }
    }
}
