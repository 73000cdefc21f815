import LegacyRecords
import Reprise

/// What becomes of one class: found once, by the rules and by the names of both schemas.
package struct MappedClass {
    /// What becomes of an attribute or a to-one.
    struct Field {
        let name: String
        let type: ValueType
        /// The class that a to-one leads to, or that a text or a number in its place names records of by their keys.
        let target: String?
        /// How it holds identifiers of records of the export.
        let held: HeldIdentifiers?
        let isTrimmed: Bool
        /// What a rule says that its values are.
        var given: FieldType?
        let separator: String?
        let defaultValue: LegacyValue?
        /// Whether its numbers are milliseconds, and the target's seconds.
        var isMilliseconds = false
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
        /// Whether values name the members by their keys.
        var isNamedByKeys = false
        /// How the keys are taken from a text, where they are in one.
        var isTrimmed = false
        var separator: String?
    }

    let className: String
    let model: String
    /// By the name in the export.
    var fields: [String: Field]
    var lists: [String: List]
    /// What it has from other classes.
    var followed: [FollowedName] = []
    let identifier: RecordMapping.IdentifierRule?
    /// Whether another class has become the same model: then their keys may be the same.
    let isFurther: Bool

    /// The lists whose members values name, by the name in the export.
    var keyLists: [(key: String, value: List)] {
        lists.filter { $0.value.isNamedByKeys }.sorted { $0.key < $1.key }
    }

    /// What records that say nothing have.
    var defaults: [(field: String, name: String, value: LegacyValue)] {
        fields.compactMap { name, field in
            field.defaultValue.map { (name, field.name, $0) }
        }
        .sorted { $0.name < $1.name }
    }
}

/// What a mapping makes of a source.
package struct MappedPlan {
    /// By the name in the export; a class that is left out has none.
    package let classes: [String: MappedClass]
    let schema: SchemaDescription
    /// Whether it is the source's own, with the names of the rules.
    let isOwn: Bool
    let absentFields: [String: Set<String>]
    /// None where texts or numbers name records: nobody says that these come first.
    let recordOrder: [String]
    let heldIdentifiers: [String: [String: HeldIdentifiers]]
    /// By class, the field that others have a name from.
    package let remembered: [String: String]
    /// Whether more than columns has no place.
    package let losesRecords: Bool
    /// The classes that a rule leaves out.
    let droppedClasses: Set<String>
    /// Whether a list is one whose members values name.
    var hasKeyLists: Bool { classes.values.contains { !$0.keyLists.isEmpty } }
    /// What has no place, each with a sentence.
    let misfits: [(kind: LegacyWarning.Kind, message: String)]
}
