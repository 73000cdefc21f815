/// Values by name. Two names are the same where their bytes are: unlike two texts, of which a store may hold both
/// spellings of `é`.
///
/// Inlinable, because a reader asks for the name of each member of a file.
package struct ExactNames<Value> {
    /// By the first name of those that are the same text.
    @usableFromInline
    var usual: [String: (name: String, value: Value)] = [:]
    /// By the others.
    @usableFromInline
    var odd: [ExactText: Value] = [:]

    @inlinable
    package init() {}

    package var count: Int { usual.count + odd.count }

    /// In no particular order.
    package var values: [Value] { usual.values.map(\.value) + odd.values }

    @inlinable
    package subscript(name: String) -> Value? {
        get {
            if let found = usual[name], found.name.hasSameBytes(as: name) { return found.value }
            return odd.isEmpty ? nil : odd[ExactText(name)]
        }
        set {
            if usual[name]?.name.hasSameBytes(as: name) ?? (odd[ExactText(name)] == nil) {
                usual[name] = newValue.map { (name, $0) }
            } else {
                odd[ExactText(name)] = newValue
            }
        }
    }

    @inlinable
    package subscript(name: String, default fallback: @autoclosure () -> Value) -> Value {
        get { self[name] ?? fallback() }
        set { self[name] = newValue }
    }

    /// Takes a value out.
    package mutating func removeValue(forKey name: String) -> Value? {
        defer { self[name] = nil }
        return self[name]
    }
}

extension ExactNames: Sendable where Value: Sendable {}

extension String {
    /// Whether the text is the same, byte for byte.
    package func hasSameBytes(as other: String) -> Bool {
        guard utf8.count == other.utf8.count else { return false }
        let isSame = unsafe utf8.withContiguousStorageIfAvailable { bytes in
            unsafe other.utf8.withContiguousStorageIfAvailable { others in
                unsafe bytes.elementsEqual(others)
            }
        }
        return isSame.flatMap { $0 } ?? utf8.elementsEqual(other.utf8)
    }
}
