/// What a property holds, one of it or a collection of them.
public enum RealmValueType: Int, Sendable, Hashable, CaseIterable {
    /// `Int` of every width.
    case integer = 0
    /// `Bool`.
    case boolean = 1
    /// `String`.
    case string = 2
    /// `Data`.
    case data = 4
    /// Anything: values of several types side by side, and collections of them.
    case mixed = 6
    /// `Date`.
    case timestamp = 8
    /// `Float`.
    case float = 9
    /// `Double`.
    case double = 10
    /// `Decimal128`.
    case decimal = 11
    /// An object of one class.
    case link = 12
    /// `ObjectId`.
    case objectID = 15
    /// `UUID`.
    case uuid = 17
}

/// How columns are marked in the file (`column_type.hpp`, realm-core 20.1.5).
enum RawType {
    static let enumeratedString = 3
    static let subtable = 5
    static let dateTime = 7
    static let linkList = 13
    static let backlink = 14
    static let typedLink = 16
}

/// `ColumnAttr` in `column_type.hpp` of realm-core 20.1.5.
struct ColumnAttributes: OptionSet {
    let rawValue: Int

    static let indexed = Self(rawValue: 1)
    static let unique = Self(rawValue: 2)
    static let nullable = Self(rawValue: 16)
    static let list = Self(rawValue: 32)
    static let dictionary = Self(rawValue: 64)
    static let set = Self(rawValue: 128)
    static let fullText = Self(rawValue: 256)
}
