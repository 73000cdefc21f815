package import ExportFormats

/// Sees to it that no two records of a class have the same key. Eight bytes for each usual key and sixteen for every
/// other, beside a hash table's slack; beyond a ``RecordMemory`` on disk.
package final class KeyRegistry {
    /// Longer keys are not taken over, so that one with a number after it still fits a store's
    /// limit.
    package static let keyByteCountMax = 200

    private let numbers: RememberedSet<UInt64>
    private let odd: RememberedSet<ContentKey>
    /// What is tried next after a key that was repeated.
    private let nextNumber: RememberedMap<ContentKey>

    package init(in memory: RecordMemory) {
        numbers = RememberedSet(in: memory)
        odd = RememberedSet(in: memory)
        nextNumber = RememberedMap(in: memory)
    }

    /// Whether a key can be used as it is.
    package static func isUsable(_ key: String) -> Bool {
        !key.isEmpty && key.utf8.count <= keyByteCountMax
    }

    /// Takes `key`, or the first free one of `key-2`, `key-3`, … when it is taken.
    ///
    /// - Throws: ``LegacyError`` with the code `inputOutput` where what does not fit into memory cannot be put aside.
    package func claim(_ key: RecordKey) throws(LegacyError) -> (key: RecordKey, isRepeated: Bool) {
        if try insert(key) { return (key, false) }
        let text = key.text
        let repeated = ContentKey([text])
        var number: UInt64 = 2
        if case .number(let next)? = try nextNumber.value(of: repeated) { number = next }
        var other = RecordKey("\(text)-\(number)")
        while try !insert(other) {
            number += 1
            other = RecordKey("\(text)-\(number)")
        }
        try nextNumber.updateValue(.number(number + 1), of: repeated)
        return (other, true)
    }

    private func insert(_ key: RecordKey) throws(LegacyError) -> Bool {
        switch key {
        case .number(let number): try numbers.insert(number)
        case .odd(let text): try odd.insert(ContentKey([text]))
        }
    }
}
