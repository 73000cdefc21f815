/// Values by name. Two names are the same where their bytes are: unlike two texts, of which a store may hold both
/// spellings of `é`.
struct ExactNames<Value> {
    /// By the first name of those that are the same text.
    private var usual: [String: (name: String, value: Value)] = [:]
    /// By the others.
    private var odd: [ListMember: Value] = [:]

    var count: Int { usual.count + odd.count }

    /// In no particular order.
    var values: [Value] { usual.values.map(\.value) + odd.values }

    subscript(name: String) -> Value? {
        get {
            if let found = usual[name], found.name.hasSameBytes(as: name) { return found.value }
            return odd.isEmpty ? nil : odd[ListMember(name)]
        }
        set {
            if usual[name]?.name.hasSameBytes(as: name) ?? (odd[ListMember(name)] == nil) {
                usual[name] = newValue.map { (name, $0) }
            } else {
                odd[ListMember(name)] = newValue
            }
        }
    }

    subscript(name: String, default fallback: @autoclosure () -> Value) -> Value {
        get { self[name] ?? fallback() }
        set { self[name] = newValue }
    }

    /// Takes a value out.
    mutating func removeValue(forKey name: String) -> Value? {
        defer { self[name] = nil }
        return self[name]
    }
}

extension ExactNames: Sendable where Value: Sendable {}

extension String {
    /// Whether the text is the same, byte for byte.
    func hasSameBytes(as other: String) -> Bool {
        guard utf8.count == other.utf8.count else { return false }
        let isSame = unsafe utf8.withContiguousStorageIfAvailable { bytes in
            unsafe other.utf8.withContiguousStorageIfAvailable { others in
                unsafe bytes.elementsEqual(others)
            }
        }
        return isSame.flatMap { $0 } ?? utf8.elementsEqual(other.utf8)
    }
}
