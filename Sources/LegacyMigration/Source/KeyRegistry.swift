/// Sees to it that no two records of a class have the same key. Eight bytes and a hash table's
/// slack for each usual key.
struct KeyRegistry {
    /// Longer keys are not taken over, so that one with a number after it still fits a store's
    /// limit.
    static let keyByteCountMax = 200

    private var numbers: Set<UInt64> = []
    private var odd: Set<ListMember> = []
    private var nextNumber: [ListMember: Int] = [:]

    /// Whether a key can be used as it is.
    static func isUsable(_ key: String) -> Bool {
        !key.isEmpty && key.utf8.count <= keyByteCountMax
    }

    func contains(_ key: RecordKey) -> Bool {
        switch key {
        case .number(let number): numbers.contains(number)
        case .odd(let text): odd.contains(ListMember(text))
        }
    }

    /// Takes `key`, or the first free one of `key-2`, `key-3`, … when it is taken.
    mutating func claim(_ key: RecordKey) -> (key: RecordKey, isRepeated: Bool) {
        if insert(key) { return (key, false) }
        let text = key.text
        var number = nextNumber[ListMember(text), default: 2]
        var other = RecordKey("\(text)-\(number)")
        while !insert(other) {
            number += 1
            other = RecordKey("\(text)-\(number)")
        }
        nextNumber[ListMember(text)] = number + 1
        return (other, true)
    }

    private mutating func insert(_ key: RecordKey) -> Bool {
        switch key {
        case .number(let number): numbers.insert(number).inserted
        case .odd(let text): odd.insert(ListMember(text)).inserted
        }
    }
}
