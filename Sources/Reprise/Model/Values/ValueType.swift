/// The type of a stored value, as a schema records it.
public indirect enum ValueType: Sendable, Hashable {
    /// A truth value.
    case bool
    /// An integer of 64 bits.
    case int
    /// A floating-point number of 64 bits.
    case double
    /// A floating-point number of 32 bits.
    case float
    /// Text.
    case string
    /// Bytes.
    case data
    /// A moment.
    case date
    /// A UUID.
    case uuid
    /// A decimal number of at most 38 digits.
    case decimal
    /// An ordered list; `nilElements` when an element may be nil.
    case list(ValueType, nilElements: Bool)
    /// Distinct elements in the order of their bytes.
    case set(ValueType, nilElements: Bool)
    /// Values by text key, in the order of the keys' UTF-8 bytes.
    case map(ValueType, nilValues: Bool)
    /// A struct stored inside the row.
    case embedded([EmbeddedField])
    /// The slot of a to-one relationship: order key and target identifier. The relation that owns
    /// the slot says which model is the target.
    case reference

    /// Whether an index may contain an attribute of this type.
    public var isIndexable: Bool {
        switch self {
        case .bool, .int, .double, .float, .string, .data, .date, .uuid, .decimal, .reference: true
        case .list, .set, .map, .embedded: false
        }
    }
}

/// One field of an embedded struct: its slot is its place in the list.
public struct EmbeddedField: Sendable, Hashable {
    /// The stored name.
    public var name: String
    /// The stored type.
    public var type: ValueType
    /// Whether the field may be nil.
    public var isOptional: Bool

    /// Creates the description of a field.
    public init(name: String, type: ValueType, isOptional: Bool) {
        self.name = name
        self.type = type
        self.isOptional = isOptional
    }
}
