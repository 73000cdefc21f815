import Reprise

/// What a damaged export lacks of its own schema: its names are known, and nothing else of it.
public struct LostSchema: Sendable, Equatable {
    /// The classes that cannot be read. They are no models of the schema.
    public var classes: Set<String>
    /// By model, the fields that lead to such classes. They are not in the schema either.
    public var fields: [String: Set<String>]

    /// - Parameters:
    ///   - classes: the classes that cannot be read.
    ///   - fields: by model, the fields that lead to such classes.
    public init(classes: Set<String> = [], fields: [String: Set<String>] = [:]) {
        self.classes = classes
        self.fields = fields
    }

    /// Whether the schema is whole.
    public var isEmpty: Bool { classes.isEmpty }
}

/// How an attribute holds identifiers of records, of which a store knows nothing.
public enum HeldIdentifiers: Sendable, Hashable {
    /// The values of a map of texts are identifiers of one model's records.
    case map(of: String)
    /// Texts in which identifiers stand among other things.
    case text
}
