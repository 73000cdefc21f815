package import ExportFormats

/// A set of what records are remembered by, in memory as long as there is room.
///
/// When there is no more it is closed: what it has stays in memory, what is new goes to a table.
package final class RememberedSet<Key: RememberedKey> {
    private let memory: RecordMemory
    @usableFromInline
    var keys: Set<Key> = []
    private var room = HashTableRoom(stride: MemoryLayout<Key>.stride)
    private var table: RecordTable<Key>?
    /// Whether there is a table.
    @usableFromInline
    var isClosed = false
    private var tableKeyCount = 0

    package init(in memory: RecordMemory) {
        self.memory = memory
    }

    deinit {
        room.giveBack(to: memory)
    }

    package var count: Int { keys.count + tableKeyCount }
    package var isEmpty: Bool { count == 0 }

    /// Adds a key; returns whether it is new.
    ///
    /// - Throws: ``LegacyError`` with the code `inputOutput`, as everything that may ask a table.
    @inlinable @discardableResult
    package func insert(_ key: Key) throws(LegacyError) -> Bool {
        if !isClosed, keys.count < keys.capacity { return keys.insert(key).inserted }
        return try insertSlowly(key)
    }

    /// Where the set has to grow, or has a table.
    @usableFromInline
    func insertSlowly(_ key: Key) throws(LegacyError) -> Bool {
        if keys.contains(key) { return false }
        if table == nil, room.grow(to: keys.count + 1, in: memory) {
            return keys.insert(key).inserted
        }
        let isNew = try openTable().insert(key)
        if isNew { tableKeyCount += 1 }
        return isNew
    }

    private func openTable() throws(LegacyError) -> RecordTable<Key> {
        if let table { return table }
        let made = try RecordTable<Key>(in: memory)
        table = made
        isClosed = true
        return made
    }

    @inlinable
    package func contains(_ key: Key) throws(LegacyError) -> Bool {
        if keys.contains(key) { return true }
        return isClosed ? try isInTable(key) : false
    }

    @usableFromInline
    func isInTable(_ key: Key) throws(LegacyError) -> Bool { try table?.contains(key) ?? false }

    func remove(_ key: Key) throws(LegacyError) {
        if keys.remove(key) != nil { return }
        guard let table else { return }
        if try table.remove(key) { tableKeyCount -= 1 }
    }
}

/// Identifiers by what they are of: a model, or a list of one. Eight bytes for sixteen upper-case hexadecimal digits,
/// which is what iTunes writes, and for at most seven bytes, and sixteen for every other, beside a hash table's slack;
/// beyond a ``RecordMemory`` on disk.
package final class RememberedKeys {
    private final class Keys {
        let numbers: RememberedSet<UInt64>
        let short: RememberedSet<UInt64>
        let others: RememberedSet<ContentKey>

        init(in memory: RecordMemory) {
            numbers = RememberedSet(in: memory)
            short = RememberedSet(in: memory)
            others = RememberedSet(in: memory)
        }
    }

    private let memory: RecordMemory
    private var keysByName: [String: Keys] = [:]

    package init(in memory: RecordMemory) {
        self.memory = memory
    }

    /// Adds an identifier; returns whether it is new.
    ///
    /// - Throws: ``LegacyError`` with the code `inputOutput`, as everything that may ask a table.
    @discardableResult
    package func insert(_ key: String, of name: String) throws(LegacyError) -> Bool {
        let keys = keys(of: name)
        if let number = Self.number(ofShort: key) { return try keys.short.insert(number) }
        if let number = Hexadecimal.number(ofUppercase: key) {
            return try keys.numbers.insert(number)
        }
        return try keys.others.insert(ContentKey([key]))
    }

    /// The bytes of a key of at most seven, and their count.
    private static func number(ofShort key: String) -> UInt64? {
        let bytes = key.utf8
        guard bytes.count < 8 else { return nil }
        return bytes.reduce(UInt64(bytes.count)) { $0 << 8 | UInt64($1) }
    }

    private func keys(of name: String) -> Keys {
        if let known = keysByName[name] { return known }
        let made = Keys(in: memory)
        keysByName[name] = made
        return made
    }

    package func contains(_ key: String, of name: String) throws(LegacyError) -> Bool {
        guard let keys = keysByName[name] else { return false }
        if let number = Self.number(ofShort: key) { return try keys.short.contains(number) }
        if let number = Hexadecimal.number(ofUppercase: key) {
            return try keys.numbers.contains(number)
        }
        return keys.others.isEmpty ? false : try keys.others.contains(ContentKey([key]))
    }

    package func remove(_ key: String, of name: String) throws(LegacyError) {
        guard let keys = keysByName[name] else { return }
        if let number = Self.number(ofShort: key) {
            try keys.short.remove(number)
        } else if let number = Hexadecimal.number(ofUppercase: key) {
            try keys.numbers.remove(number)
        } else {
            try keys.others.remove(ContentKey([key]))
        }
    }
}
