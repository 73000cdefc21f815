package import ExportFormats

/// Identifiers in an order, repeats kept: eight bytes for sixteen upper-case hexadecimal digits and ten more than its
/// length for every other, beside an array's slack; beyond a ``RecordMemory`` on disk.
package final class RememberedIdentifiers {
    private let memory: RecordMemory
    /// The numbers, and where the texts begin.
    private var words: [UInt64] = []
    /// A bit for each: whether it is a text.
    private var areTexts: [UInt64] = []
    /// The texts, each after its length in two bytes.
    private var texts: [UInt8] = []
    private var roomOfWords = ArrayRoom(stride: MemoryLayout<UInt64>.stride)
    private var roomOfBits = ArrayRoom(stride: MemoryLayout<UInt64>.stride)
    private var roomOfTexts = ArrayRoom(stride: 1)
    /// By their places, those that there was no room for: once there is none, all that come.
    private var table: RecordTable<UInt64>?
    package private(set) var count = 0

    package init(in memory: RecordMemory) {
        self.memory = memory
    }

    deinit {
        roomOfWords.giveBack(to: memory)
        roomOfBits.giveBack(to: memory)
        roomOfTexts.giveBack(to: memory)
    }

    var isEmpty: Bool { count == 0 }

    /// - Throws: ``LegacyError`` with the code `inputOutput` where what does not fit into memory cannot be put aside.
    package func append(_ key: RecordKey) throws(LegacyError) {
        if table == nil, keep(key) {
            count += 1
            return
        }
        let table = try openTable()
        try table.insert(UInt64(count), key)
        count += 1
    }

    private func openTable() throws(LegacyError) -> RecordTable<UInt64> {
        if let table { return table }
        let made = try RecordTable<UInt64>(in: memory)
        table = made
        return made
    }

    /// - Returns: whether there was room.
    private func keep(_ key: RecordKey) -> Bool {
        guard roomOfWords.prepare(&words, for: 1, in: memory) else { return false }
        if words.count % 64 == 0 {
            guard roomOfBits.prepare(&areTexts, for: 1, in: memory) else { return false }
        }
        let bit: UInt64
        switch key {
        case .number(let number):
            bit = 0
            words.append(number)
        case .odd(let text):
            let length = text.utf8.count
            guard length <= UInt16.max, roomOfTexts.prepare(&texts, for: length + 2, in: memory)
            else { return false }
            bit = 1 << UInt64(words.count % 64)
            words.append(UInt64(texts.count))
            texts.append(UInt8(length >> 8))
            texts.append(UInt8(length & 0xFF))
            texts.append(contentsOf: text.utf8)
        }
        if words.count % 64 == 1 { areTexts.append(0) }
        areTexts[areTexts.count - 1] |= bit
        return true
    }

    /// The identifier at a place. O(its length), or a search in a B-tree.
    package func key(at place: Int) throws(LegacyError) -> RecordKey {
        guard place >= words.count else { return kept(at: place) }
        guard let table, let key = try table.value(of: UInt64(place)) else {
            preconditionFailure("There are only \(count) identifiers.")
        }
        return key
    }

    /// The number at a place, where only numbers were given.
    package func number(at place: Int) throws(LegacyError) -> Int {
        guard case .number(let number) = try key(at: place) else {
            preconditionFailure("There are only numbers here.")
        }
        return Int(number)
    }

    private func kept(at place: Int) -> RecordKey {
        let word = words[place]
        guard areTexts[place / 64] >> UInt64(place % 64) & 1 == 1 else { return .number(word) }
        let start = Int(word)
        let length = Int(texts[start]) << 8 | Int(texts[start + 1])
        return .odd(String(decoding: texts[(start + 2)..<(start + 2 + length)], as: UTF8.self))
    }
}

/// The room that one array takes of a ``RecordMemory``.
package struct ArrayRoom {
    private let stride: Int
    private var byteCount = 0

    /// - Parameter stride: the bytes of an element.
    package init(stride: Int) {
        self.stride = stride
    }

    /// Sees to it that elements can be appended to an array. While it grows the old one is still there.
    ///
    /// - Returns: whether there is room.
    package mutating func prepare<Element>(
        _ array: inout [Element],
        for count: Int,
        in memory: RecordMemory
    ) -> Bool {
        let needed = array.count + count
        if needed <= array.capacity { return true }
        let capacity = max(64, needed, 2 * array.capacity)
        guard memory.take(capacity * stride) else { return false }
        memory.giveBack(byteCount)
        byteCount = capacity * stride
        array.reserveCapacity(capacity)
        return true
    }

    package mutating func giveBack(to memory: RecordMemory) {
        memory.giveBack(byteCount)
        byteCount = 0
    }
}
