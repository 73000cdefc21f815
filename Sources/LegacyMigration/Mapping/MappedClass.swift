import Reprise

/// What becomes of one class: found once, by the rules and by the names of both schemas.
struct MappedClass {
    /// What becomes of an attribute or a to-one.
    struct Field {
        let name: String
        let type: ValueType
        /// The class that a to-one leads to.
        let target: String?
        /// How it holds identifiers of records of the export.
        let held: HeldIdentifiers?
        let isTrimmed: Bool
        let separator: String?
        let defaultValue: LegacyValue?
        /// The values that are allowed, for whole numbers.
        let bounds: ClosedRange<Int64>?
    }

    /// What becomes of a list.
    struct List {
        let name: String
        /// The class of the members.
        let target: String
        /// Whether a member can be in one list only, and once.
        let isExclusive: Bool
    }

    let className: String
    let model: String
    /// By the name in the export.
    var fields: [String: Field]
    var lists: [String: List]
    let identifier: RecordMapping.IdentifierRule?
    /// Whether another class has become the same model: then their keys may be the same.
    let isFurther: Bool

    /// What records that say nothing have.
    var defaults: [(field: String, name: String, value: LegacyValue)] {
        fields.compactMap { name, field in
            field.defaultValue.map { (name, field.name, $0) }
        }
        .sorted { $0.name < $1.name }
    }
}

/// What a mapping makes of a source.
struct MappedPlan {
    /// By the name in the export; a class that is left out has none.
    let classes: [String: MappedClass]
    let schema: SchemaDescription
    /// Whether it is the source's own, with the names of the rules.
    let isOwn: Bool
    let absentFields: [String: Set<String>]
    let recordOrder: [String]
    let heldIdentifiers: [String: [String: HeldIdentifiers]]
    /// What has no place, each with a sentence.
    let misfits: [(kind: LegacyWarning.Kind, message: String)]
}
