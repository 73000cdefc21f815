/// A comparison of a field with a value, in the total order of Specs/behaviour/queries.md.
public enum ComparisonOperator: String, Hashable, Sendable, CaseIterable {
    /// Equal.
    case equal = "=="
    /// Different, or without a value.
    case notEqual = "!="
    /// Before.
    case less = "<"
    /// Before, or equal.
    case lessOrEqual = "<="
    /// After.
    case greater = ">"
    /// After, or equal.
    case greaterOrEqual = ">="
}

/// What is asked of a text.
public enum TextOperator: String, Hashable, Sendable, CaseIterable {
    /// It is this text.
    case equals = "equals"
    /// It has this text in it.
    case contains = "contains"
    /// It begins with this text.
    case startsWith = "startsWith"
    /// It ends with this text.
    case endsWith = "endsWith"
}

/// What a comparison of texts does not see.
public struct TextOptions: OptionSet, Hashable, Sendable {
    public let rawValue: UInt8

    public init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// "Blue" is "blue".
    public static let caseInsensitive = TextOptions(rawValue: 1)
    /// "Björk" is "Bjork".
    public static let diacriticInsensitive = TextOptions(rawValue: 2)
}

/// A condition on rows, by stored names: what filter closures and the command line's `--where` become.
///
/// A field that is nil equals nothing: `==` and the order comparisons are false, `!=` is true. Values are converted to
/// the attribute's type where that loses nothing (an integer to a double); what does not fit is
/// ``StoreError/Code/invalidQuery``.
public indirect enum FilterExpression: Sendable, Hashable {
    /// A field compared with a constant.
    case compare(FieldPath, ComparisonOperator, Value)
    /// A field compared with another one of the same type: as with a constant that has the other one's value (QRY-29).
    case compareFields(FieldPath, ComparisonOperator, FieldPath)
    /// A field that has one of several values.
    case isIn(FieldPath, [Value])
    /// Text that contains text, or a list, set or map that contains an element (a map: a key).
    case contains(FieldPath, Value)
    /// Text that begins with a text.
    case startsWith(FieldPath, String)
    /// Text that ends with a text.
    case endsWith(FieldPath, String)
    /// A text compared without regard to case or diacritics.
    case text(FieldPath, TextOperator, String, TextOptions)
    /// A field without a value.
    case isNil(FieldPath)
    /// Whether the words of a search occur in a row: in the attributes of the model's search index, or in the one that
    /// is named (Specs/behaviour/search.md).
    case matches(FieldPath?, String)
    /// How many elements a list, a set or a map has, or how many entries a to-many relationship.
    case count(FieldPath, ComparisonOperator, Int)
    /// Whether one of the elements fulfils a condition. For a to-many relationship the condition is one on the entities
    /// that it leads to; otherwise its paths are ``FieldPath/element`` (of a map: the values).
    case any(FieldPath, FilterExpression)
    /// Whether each of the elements fulfils a condition; true where there is none.
    case all(FieldPath, FilterExpression)
    /// The opposite of a condition.
    case not(FilterExpression)
    /// All of several conditions; true for none.
    case and([FilterExpression])
    /// One of several conditions at least; false for none.
    case or([FilterExpression])
}
