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

    /// - Parameters:
    ///   - className: the class, for example `track`.
    ///   - key: the identifier within the class.
    ///   - fields: the values; missing ones are left out.
    ///   - times: when it was made and changed, where the source knows.
    public init(
        className: String,
        key: String,
        fields: [LegacyField],
        times: LegacyTimes? = nil
    ) {
        self.className = className
        self.key = key
        self.fields = fields
        self.times = times
    }

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
