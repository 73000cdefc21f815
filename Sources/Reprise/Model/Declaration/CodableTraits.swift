/// What the engine has to know of a ``CodableValue`` that is an attribute.
@safe
@usableFromInline
struct CodableTraits: Sendable {
    /// Whether two stored texts are of equal values; nil where the type has no `==`.
    private let areEqual: (@Sendable (UnsafeRawBufferPointer, UnsafeRawBufferPointer) -> Bool)?
    /// Whether the type is an enum with a raw value, which is a ``StoredValue`` by itself.
    let isRawRepresentable: Bool

    /// What is to be known of a type, or of what an optional is made of; nil where it is no ``CodableValue``.
    @usableFromInline
    static func of<V: StoredValue>(_ type: V.Type) -> CodableTraits? {
        // A cast takes its time, and most attributes are no texts, or plain ones.
        guard V.valueType == .string, V.self != String.self, V.self != String?.self else { return nil }
        let wrapped = (V.self as? any StoredOptional.Type)?.wrapped ?? V.self
        return (wrapped as? any CodableValue.Type).map { CodableTraits($0) }
    }

    private init(_ type: any CodableValue.Type) {
        isRawRepresentable = type is any RawRepresentable.Type
        guard let type = type as? any (CodableValue & Equatable).Type else {
            unsafe areEqual = nil
            return
        }
        unsafe areEqual = Self.comparison(type)
    }

    private static func comparison<V: CodableValue & Equatable>(
        _ type: V.Type
    ) -> @Sendable (UnsafeRawBufferPointer, UnsafeRawBufferPointer) -> Bool {
        { first, second in
            guard let first = unsafe try? V.read(first), let second = unsafe try? V.read(second) else { return false }
            return first == second
        }
    }

    /// Whether an update leaves the stored text, because the property equals the value that the text says (VAL-23): a
    /// `Set` is written in another order each time.
    func leaves(_ stored: UnsafeRawBufferPointer, for written: UnsafeRawBufferPointer) -> Bool {
        if unsafe stored.elementsEqual(written) { return true }
        guard let areEqual = unsafe areEqual else { return false }
        return unsafe areEqual(stored, written)
    }

    /// Whether the type has `==`, so that two texts can be compared as values.
    var canCompare: Bool { unsafe areEqual != nil }
}
