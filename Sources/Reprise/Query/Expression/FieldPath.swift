/// The way to a value: to-one relationships, then an attribute, a to-many relationship, or `id`.
///
/// `["folder", "title"]` is the title of what the to-one `folder` points to; `["folder"]` is its identifier. The empty
/// path is the element itself, in a condition on the elements of a list, a set or a map.
public struct FieldPath: Hashable, Sendable, ExpressibleByArrayLiteral, CustomStringConvertible {
    /// The stored names on the way, the first one first.
    public var components: [String]

    /// Makes a path from stored names. Whether the schema has them is seen when the path is used.
    public init(_ components: [String]) {
        self.components = components
    }

    public init(arrayLiteral elements: String...) {
        components = elements
    }

    /// The element itself.
    public static let element = FieldPath([])

    /// The components with dots between them.
    public var description: String {
        components.isEmpty ? "element" : components.joined(separator: ".")
    }
}
