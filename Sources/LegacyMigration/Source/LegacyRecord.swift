#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// One object of a legacy export.
public struct LegacyRecord: Sendable, Equatable {
    /// The class, for example `track`.
    public let className: String
    /// The identifier, unique within the class and the source, 1...200 bytes of UTF-8.
    public let key: String
    /// The values in a fixed order per class. A missing value is left out.
    public let fields: [LegacyField]
    /// When it was made and changed, where the source knows.
    public let times: LegacyTimes?
    /// Whether its key only counts, and says nothing of what it is: where it stands in the export, or a whole number as
    /// a database gives them one after the other. Another export of the kind has a record with such a key as well.
    public internal(set) var isNumbered: Bool

    /// - Parameters:
    ///   - className: the class, for example `track`.
    ///   - key: the identifier within the class.
    ///   - fields: the values; missing ones are left out.
    ///   - times: when it was made and changed, where the source knows.
    ///   - isNumbered: whether its key is made of where it stands in the export, or of numbers that only count. One of
    ///     at most seven decimal digits always is, zeros before them and a minus aside.
    public init(
        className: String,
        key: String,
        fields: [LegacyField],
        times: LegacyTimes? = nil,
        isNumbered: Bool = false
    ) {
        self.className = className
        self.key = key
        self.fields = fields
        self.times = times
        self.isNumbered = isNumbered || Self.isCount(key)
    }

    /// Whether a text is a whole number as records are counted with: at most seven decimal digits, without zeros before
    /// them, and with or without a minus. So is none at all.
    static func isCount(_ text: String) -> Bool {
        var digits = text.utf8[...]
        if digits.first == UInt8(ascii: "-") { digits = digits.dropFirst() }
        digits = digits.drop { $0 == UInt8(ascii: "0") }
        return digits.count <= countDigits
            && digits.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    }

    /// As many digits as records have that were counted; longer numbers are drawn by chance, or are times.
    private static let countDigits = 7

    /// The value of a field, or nil when it is missing.
    /// - Complexity: O(fields).
    public subscript(name: String) -> LegacyValue? {
        fields.first { $0.name == name }?.value
    }
}

/// A named value of a record.
public struct LegacyField: Sendable, Equatable {
    /// The attribute's or relationship's name.
    public let name: String
    /// Its value.
    public let value: LegacyValue

    /// - Parameters:
    ///   - name: the attribute's or relationship's name.
    ///   - value: its value.
    public init(_ name: String, _ value: LegacyValue) {
        self.name = name
        self.value = value
    }
}

/// A value as legacy formats know them.
public enum LegacyValue: Sendable, Equatable {
    /// No value; only inside collections, elsewhere the field is left out.
    case null
    case bool(Bool)
    case integer(Int64)
    case double(Double)
    case float(Float)
    case decimal(Decimal)
    case string(String)
    case date(Date)
    case data(Data)
    case uuid(UUID)
    case list([LegacyValue])
    /// Distinct elements without an order.
    case set([LegacyValue])
    /// Values by key.
    case map([LegacyField])
    /// The key of another record; which class follows from the field.
    case reference(String)
    /// The keys of other records in order, repeats kept, all of which came before.
    case references(LegacyReferences)
}

/// An ordered to-many relationship of a record that came before, by itself: for formats whose members may come after
/// their owner.
public struct LegacyList: Sendable, Equatable {
    /// The class of the owner.
    public let className: String
    /// The owner's identifier.
    public let key: String
    /// The relationship's stored name.
    public let name: String
    /// The identifiers of the members in order, repeats kept.
    public let members: LegacyReferences

    /// - Parameters:
    ///   - className: the class of the owner.
    ///   - key: the owner's identifier.
    ///   - name: the relationship's stored name.
    ///   - members: the members in order, repeats kept.
    public init(className: String, key: String, name: String, members: LegacyReferences) {
        self.className = className
        self.key = key
        self.name = name
        self.members = members
    }
}
