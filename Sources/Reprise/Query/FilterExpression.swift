/// The way to a value: to-one relationships, then an attribute, or `id`.
///
/// `["folder", "title"]` is the title of what the to-one `folder` points to; `["folder"]` is its identifier.
public struct FieldPath: Hashable, Sendable, ExpressibleByArrayLiteral, CustomStringConvertible {
    public var components: [String]

    public init(_ components: [String]) {
        self.components = components
    }

    public init(arrayLiteral elements: String...) {
        components = elements
    }

    /// The components with dots between them.
    public var description: String { components.joined(separator: ".") }
}

/// A comparison of a field with a value, in the total order of Specs/behaviour/queries.md.
public enum ComparisonOperator: String, Hashable, Sendable, CaseIterable {
    case equal = "=="
    case notEqual = "!="
    case less = "<"
    case lessOrEqual = "<="
    case greater = ">"
    case greaterOrEqual = ">="
}

/// A condition on rows, by stored names: what filter closures and the command line's `--where` become.
///
/// A field that is nil equals nothing: `==` and the order comparisons are false, `!=` is true. Values are converted to
/// the attribute's type where that loses nothing (an integer to a double); what does not fit is
/// ``StoreError/Code/invalidQuery``.
public indirect enum FilterExpression: Sendable, Hashable {
    case compare(FieldPath, ComparisonOperator, Value)
    case isIn(FieldPath, [Value])
    /// Text that contains text, or a list, set or map that contains an element (a map: a key).
    case contains(FieldPath, Value)
    case startsWith(FieldPath, String)
    case endsWith(FieldPath, String)
    case isNil(FieldPath)
    case not(FilterExpression)
    case and([FilterExpression])
    case or([FilterExpression])
}

/// One key to sort by. Ties are broken by the next key, and in the end by the identifier, ascending.
public struct SortKey: Hashable, Sendable {
    public var path: FieldPath
    /// Descending puts the largest first and nil last.
    public var isDescending: Bool

    public init(_ path: FieldPath, descending: Bool = false) {
        self.path = path
        isDescending = descending
    }
}

/// A query by stored names, for tools that know a store only from its own schema.
public struct RecordQuery: Sendable, Hashable {
    /// The model's stored name.
    public var model: String
    public var filter: FilterExpression?
    /// Without keys the order is that of the identifiers' bytes.
    public var sort: [SortKey]
    /// At most this many; nil is all.
    public var limit: Int?
    /// How many of the first results are left out.
    public var offset: Int

    public init(
        model: String,
        filter: FilterExpression? = nil,
        sort: [SortKey] = [],
        limit: Int? = nil,
        offset: Int = 0
    ) {
        self.model = model
        self.filter = filter
        self.sort = sort
        self.limit = limit
        self.offset = offset
    }
}
