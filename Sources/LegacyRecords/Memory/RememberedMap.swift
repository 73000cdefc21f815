package import ExportFormats

/// What keys stand for, in memory as long as there is room: identifiers, most of them as numbers, or numbers.
///
/// When there is no more room it is closed: what it has stays in memory, what is new goes to a table.
package final class RememberedMap<Key: RememberedKey> {
    private let memory: RecordMemory
    @usableFromInline
    var numbers: [Key: UInt64] = [:]
    @usableFromInline
    var texts: [Key: String] = [:]
    private var roomOfNumbers = HashTableRoom(
        stride: MemoryLayout<Key>.stride + MemoryLayout<UInt64>.stride
    )
    private var roomOfTexts = HashTableRoom(
        stride: MemoryLayout<Key>.stride + MemoryLayout<String>.stride
    )
    /// What texts take that are longer than fits into their place.
    private var textByteCount = 0
    private var table: RecordTable<Key>?
    /// Whether there is a table.
    @usableFromInline
    var isClosed = false

    package init(in memory: RecordMemory) {
        self.memory = memory
    }

    deinit {
        roomOfNumbers.giveBack(to: memory)
        roomOfTexts.giveBack(to: memory)
        memory.giveBack(textByteCount)
    }

    /// Says what a key stands for.
    ///
    /// - Returns: whether it stood for something before.
    /// - Throws: ``LegacyError`` with the code `inputOutput`, as everything that may ask a table.
    @inlinable @discardableResult
    package func updateValue(_ value: RecordKey, of key: Key) throws(LegacyError) -> Bool {
        switch value {
        case .number(let number):
            let wasText = removeText(of: key)
            if let index = numbers.index(forKey: key) {
                numbers.values[index] = number
                return true
            }
            if !isClosed, hasRoomForNumber() {
                numbers[key] = number
                return wasText
            }
            return try replace(value, of: key) || wasText
        case .odd(let text):
            let wasNumber = numbers.isEmpty ? false : numbers.removeValue(forKey: key) != nil
            let wasText = removeText(of: key)
            if !isClosed, hasRoom(for: text) {
                texts[key] = text
                return wasNumber || wasText
            }
            return try replace(value, of: key) || wasNumber || wasText
        }
    }

    @usableFromInline
    func removeText(of key: Key) -> Bool {
        guard !texts.isEmpty, let text = texts.removeValue(forKey: key) else { return false }
        let count = text.heapByteCount
        memory.giveBack(count)
        textByteCount -= count
        return true
    }

    @usableFromInline
    func hasRoomForNumber() -> Bool {
        numbers.count < numbers.capacity || roomOfNumbers.grow(to: numbers.count + 1, in: memory)
    }

    @usableFromInline
    func hasRoom(for text: String) -> Bool {
        guard texts.count < texts.capacity || roomOfTexts.grow(to: texts.count + 1, in: memory)
        else { return false }
        let count = text.heapByteCount
        guard memory.take(count) else { return false }
        textByteCount += count
        return true
    }

    @usableFromInline
    func replace(_ value: RecordKey, of key: Key) throws(LegacyError) -> Bool {
        let table = try openTable()
        let wasThere = try table.remove(key)
        try table.insert(key, value)
        return wasThere
    }

    private func openTable() throws(LegacyError) -> RecordTable<Key> {
        if let table { return table }
        let made = try RecordTable<Key>(in: memory)
        table = made
        isClosed = true
        return made
    }

    /// What a key stands for; nil where that was never said.
    @inlinable
    package func value(of key: Key) throws(LegacyError) -> RecordKey? {
        if let number = numbers[key] { return .number(number) }
        if !texts.isEmpty, let text = texts[key] { return .odd(text) }
        return isClosed ? try valueInTable(of: key) : nil
    }

    @usableFromInline
    func valueInTable(of key: Key) throws(LegacyError) -> RecordKey? { try table?.value(of: key) }
}

extension String {
    /// About what the text takes beside its sixteen bytes: nothing where these are enough.
    package var heapByteCount: Int { utf8.count <= 15 ? 0 : utf8.count + 48 }
}
