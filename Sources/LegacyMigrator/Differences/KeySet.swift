import LegacyRecords

/// A set of identifiers that stays small: eight bytes for sixteen upper-case hexadecimal digits,
/// which is what iTunes writes, and sixteen for every other, beside a hash table's slack.
struct KeySet {
    private var numbers: Set<UInt64> = []
    private var others: Set<ContentKey> = []

    var isEmpty: Bool { numbers.isEmpty && others.isEmpty }

    /// Adds an identifier; returns whether it is new.
    @discardableResult
    mutating func insert(_ key: String) -> Bool {
        if let number = Hexadecimal.number(ofUppercase: key) {
            numbers.insert(number).inserted
        } else {
            others.insert(ContentKey([key])).inserted
        }
    }

    mutating func remove(_ key: String) {
        if let number = Hexadecimal.number(ofUppercase: key) {
            numbers.remove(number)
        } else {
            others.remove(ContentKey([key]))
        }
    }

    func contains(_ key: String) -> Bool {
        if let number = Hexadecimal.number(ofUppercase: key) {
            numbers.contains(number)
        } else {
            !others.isEmpty && others.contains(ContentKey([key]))
        }
    }
}
