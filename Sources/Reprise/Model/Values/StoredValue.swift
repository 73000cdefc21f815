/// A value that an attribute can hold.
///
/// `Bool`, `Int` and the smaller integers, `Double`, `Float`, `String`, `Data`, `Date`, `UUID`, `Decimal`, `URL` and
/// `Duration` conform, and so do optionals, arrays, sets and dictionaries (by text) of them. `UInt` and `UInt64` do
/// not: half of their numbers have no place in a stored integer. An enum over a stored raw value needs no code:
/// `enum Kind: String, StoredValue { case song, podcast }`. A struct becomes storable through ``Embedded``, or as a
/// whole through ``CodableValue``.
///
/// `write` and `read` are the bytes of one slot, described in `Specs/format/values.md`. They are
/// requirements so that code specialises in the module that declares the model.
public protocol StoredValue: Sendable {
    /// What an optional wraps, and every other type itself: what tells which fields can be compared.
    associatedtype UnwrappedValue: StoredValue = Self
    /// The type that the schema records.
    static var valueType: ValueType { get }
    /// Whether nil is a value of this type.
    static var isOptional: Bool { get }
    /// Whether this value is nil, which no bytes represent.
    var isNil: Bool { get }
    /// Appends the value's bytes. Not called for nil.
    func write(to writer: inout RowPayloadWriter)
    /// Reads a value from exactly these bytes, which are valid only during the call.
    static func read(_ bytes: UnsafeRawBufferPointer) throws(ValueError) -> Self
    /// The value of an empty slot; throws `missingValue` for a type without nil.
    static func readNil() throws(ValueError) -> Self
}

extension StoredValue {
    @inlinable public static var isOptional: Bool { false }
    @inlinable public var isNil: Bool { false }

    @inlinable
    public static func readNil() throws(ValueError) -> Self {
        throw ValueError(.missingValue)
    }
}

extension Optional: StoredValue where Wrapped: StoredValue {
    /// What is wrapped.
    public typealias UnwrappedValue = Wrapped

    @inlinable public static var valueType: ValueType {
        precondition(
            !Wrapped.isOptional,
            "An optional of an optional cannot be stored: the two kinds of nil have the same bytes."
        )
        return Wrapped.valueType
    }

    @inlinable public static var isOptional: Bool { true }
    @inlinable public var isNil: Bool { self == nil }

    @inlinable
    public func write(to writer: inout RowPayloadWriter) {
        if let self { self.write(to: &writer) }
    }

    @inlinable
    public static func read(_ bytes: UnsafeRawBufferPointer) throws(ValueError) -> Self {
        unsafe try Wrapped.read(bytes)
    }

    @inlinable
    public static func readNil() throws(ValueError) -> Self { nil }
}

extension StoredValue where Self: RawRepresentable, RawValue: StoredValue {
    @inlinable public static var valueType: ValueType { RawValue.valueType }

    @inlinable
    public func write(to writer: inout RowPayloadWriter) {
        rawValue.write(to: &writer)
    }

    @inlinable
    public static func read(_ bytes: UnsafeRawBufferPointer) throws(ValueError) -> Self {
        guard let value = unsafe Self(rawValue: try RawValue.read(bytes)) else {
            throw ValueError(.unknownRawValue)
        }
        return value
    }
}
