public import LegacyRecords
public import Reprise

/// What the records of an export become on their way into a store: other names, other values, or nothing.
///
/// Without rules everything stays as it is. A mapping is given in Swift, or as a file
/// (``RecordMapping/init(json:)``; Specs/format/mapping.md).
public struct RecordMapping: Sendable, Equatable {
    /// Which schema the records are to fit.
    public struct Target: Sendable {
        /// Nil for that of the export.
        let schema: SchemaDescription?
        /// What names mean that no rule says; nil where they stay as they are.
        let rules: (any TargetRules)?

        /// The export's own, with the names that the rules say.
        public static let own = Target(schema: nil, rules: nil)

        /// Another one, by the names that the rules say.
        public static func schema(_ schema: SchemaDescription) -> Target { Target(schema: schema, rules: nil) }

        /// One whose classes and fields without a rule are told by their names.
        package init(_ rules: any TargetRules) {
            self.init(schema: rules.schema, rules: rules)
        }

        private init(schema: SchemaDescription?, rules: (any TargetRules)?) {
            (self.schema, self.rules) = (schema, rules)
        }
    }

    /// What becomes of the records of one class.
    public struct ClassRule: Sendable, Equatable {
        /// The stored name of the model; nil for the one that the class has without a rule.
        public var model: String?
        /// Whether its records are left out.
        public var isDropped: Bool
        /// What identifies its records; nil for the key that they have.
        public var identifier: IdentifierRule?
        /// By the field's name in the export.
        public var fields: [String: FieldRule]

        /// - Parameters:
        ///   - model: the stored name of the model; nil for the one that the class has without a rule.
        ///   - isDropped: whether its records are left out.
        ///   - identifier: what identifies its records; nil for the key that they have.
        ///   - fields: by the field's name in the export.
        public init(
            model: String? = nil,
            isDropped: Bool = false,
            identifier: IdentifierRule? = nil,
            fields: [String: FieldRule] = [:]
        ) {
            self.model = model
            self.isDropped = isDropped
            self.identifier = identifier
            self.fields = fields
        }
    }

    /// What becomes of one field.
    public struct FieldRule: Sendable, Equatable {
        /// The stored name; nil for the one that it has without a rule.
        public var name: String?
        /// Whether it is left out.
        public var isDropped: Bool
        /// Whether white space around texts is taken away.
        public var isTrimmed: Bool
        /// What the values are; nil for what the export takes them for.
        public var type: FieldType?
        /// What separates the parts of a text that becomes a list of texts; not empty.
        public var separator: String?
        /// What a record has that lacks a value, or has an empty text after trimming.
        public var defaultValue: LegacyValue?

        /// - Parameters:
        ///   - name: the stored name; nil for the one that it has without a rule.
        ///   - isDropped: whether it is left out.
        ///   - isTrimmed: whether white space around texts is taken away.
        ///   - type: what the values are; nil for what the export takes them for.
        ///   - separator: what separates the parts of a text that becomes a list of texts; not empty.
        ///   - defaultValue: what a record has that lacks a value.
        public init(
            name: String? = nil,
            isDropped: Bool = false,
            isTrimmed: Bool = false,
            type: FieldType? = nil,
            separator: String? = nil,
            defaultValue: LegacyValue? = nil
        ) {
            self.name = name
            self.isDropped = isDropped
            self.isTrimmed = isTrimmed
            self.type = type
            self.separator = separator
            self.defaultValue = defaultValue
        }
    }

    /// What identifies a record.
    public enum IdentifierRule: Sendable, Equatable {
        /// The value of a field as text.
        case field(String)
        /// The values of several fields together: 32 hexadecimal digits made of them. Records that have the same values
        /// are told apart by a number.
        case fields([String])
    }

    /// Which schema the records are to fit.
    public var target: Target
    /// By the class's name in the export.
    public var classes: [String: ClassRule]

    /// - Parameters:
    ///   - target: which schema the records are to fit.
    ///   - classes: by the class's name in the export.
    public init(target: Target = .own, classes: [String: ClassRule] = [:]) {
        self.target = target
        self.classes = classes
    }
}

extension RecordMapping.Target: Equatable {
    public static func == (left: Self, right: Self) -> Bool {
        left.schema == right.schema && left.rules?.name == right.rules?.name
    }
}
