#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// A stored value without its Swift type: what tools read from any store.
///
/// `==` is equality of content bit for bit: NaN equals itself, `-0` differs from `0`, strings
/// are compared by their UTF-8. For sorting and filters use ``compare(_:_:)``.
public enum Value: Sendable {
    /// No value.
    case null
    /// A truth value.
    case bool(Bool)
    /// An integer of 64 bits.
    case int(Int)
    /// A floating-point number of 64 bits.
    case double(Double)
    /// A floating-point number of 32 bits.
    case float(Float)
    /// Text.
    case string(String)
    /// Bytes.
    case data(Data)
    /// A moment.
    case date(Date)
    /// A UUID.
    case uuid(UUID)
    /// A decimal number of at most 38 digits.
    case decimal(Decimal)
    /// Elements in an order.
    case list([Value])
    /// Distinct elements; their order carries no meaning.
    case set([Value])
    /// Values by key; the order of the entries carries no meaning.
    case map([Entry])
    /// The fields of an embedded struct; those that are nil may be left out.
    case embedded([Entry])
    /// The target of a to-one relationship.
    case reference(String)

    /// A named value inside a map or an embedded struct.
    public struct Entry: Sendable, Hashable {
        /// The key or the field's stored name.
        public var name: String
        /// What it holds.
        public var value: Value

        /// Creates an entry.
        public init(_ name: String, _ value: Value) {
            self.name = name
            self.value = value
        }

        public static func == (left: Self, right: Self) -> Bool {
            left.name.utf8.elementsEqual(right.name.utf8) && left.value == right.value
        }

        public func hash(into hasher: inout Hasher) {
            Value.hash(name, into: &hasher)
            hasher.combine(value)
        }
    }

    /// Whether this is ``null``.
    public var isNull: Bool {
        if case .null = self { true } else { false }
    }
}

extension Value: Hashable {
    public static func == (left: Value, right: Value) -> Bool {
        switch (left, right) {
        case (.null, .null): true
        case (.bool(let a), .bool(let b)): a == b
        case (.int(let a), .int(let b)): a == b
        case (.double(let a), .double(let b)): a.bitPattern == b.bitPattern
        case (.float(let a), .float(let b)): a.bitPattern == b.bitPattern
        case (.string(let a), .string(let b)), (.reference(let a), .reference(let b)):
            a.utf8.elementsEqual(b.utf8)
        case (.data(let a), .data(let b)): a == b
        case (.date(let a), .date(let b)):
            a.timeIntervalSinceReferenceDate.bitPattern
                == b.timeIntervalSinceReferenceDate.bitPattern
        case (.uuid(let a), .uuid(let b)): a == b
        case (.decimal(let a), .decimal(let b)): DecimalParts(a) == DecimalParts(b)
        case (.list(let a), .list(let b)): a == b
        case (.set(let a), .set(let b)): Set(a) == Set(b)
        case (.map(let a), .map(let b)), (.embedded(let a), .embedded(let b)):
            Set(a.filter { !$0.isAbsent(in: left) }) == Set(b.filter { !$0.isAbsent(in: right) })
        default: false
        }
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(rank)
        switch self {
        case .null: break
        case .bool(let value): hasher.combine(value)
        case .int(let value): hasher.combine(value)
        case .double(let value): hasher.combine(value.bitPattern)
        case .float(let value): hasher.combine(value.bitPattern)
        case .string(let value), .reference(let value): Self.hash(value, into: &hasher)
        case .data(let value): hasher.combine(value)
        case .date(let value): hasher.combine(value.timeIntervalSinceReferenceDate.bitPattern)
        case .uuid(let value): hasher.combine(value)
        case .decimal(let value): hasher.combine(DecimalParts(value).mantissa)
        case .list(let values): hasher.combine(values)
        case .set(let values): hasher.combine(Set(values))
        case .map(let entries), .embedded(let entries):
            hasher.combine(Set(entries.filter { !$0.isAbsent(in: self) }))
        }
    }

    /// As texts are compared: by their bytes.
    private static func hash(_ text: String, into hasher: inout Hasher) {
        var text = text
        text.withUTF8 { unsafe hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
        hasher.combine(0xFF as UInt8)
    }

    /// The place of the kind among kinds: null, then the order of declaration.
    var rank: Int {
        switch self {
        case .null: 0
        case .bool: 1
        case .int: 2
        case .double: 3
        case .float: 4
        case .string: 5
        case .data: 6
        case .date: 7
        case .uuid: 8
        case .decimal: 9
        case .list: 10
        case .set: 11
        case .map: 12
        case .embedded: 13
        case .reference: 14
        }
    }
}

extension Value.Entry {
    /// A field of an embedded struct that is nil is the same as one that is not there.
    func isAbsent(in container: Value) -> Bool {
        if case .embedded = container { value.isNull } else { false }
    }
}
