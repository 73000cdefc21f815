/// What the auditor knows of a schema, written by hand beside the Swift models and never derived from them.
package struct AuditSchema: Sendable {
    package var models: [AuditModel]

    package init(_ models: [AuditModel]) {
        self.models = models
    }

    package func model(_ name: String) -> AuditModel? {
        models.first { $0.name == name }
    }

    package func relationship(_ model: String, _ name: String) -> AuditRelationship? {
        self.model(model)?.relationships.first { $0.name == name }
    }

    /// The relationships of other models, or of the same, that lead to `model`, with the model that has them.
    package func incoming(_ model: String) -> [(owner: AuditModel, relationship: AuditRelationship)]
    {
        models.flatMap { owner in
            owner.relationships.filter { $0.target == model }.map { (owner, $0) }
        }
    }
}

package struct AuditModel: Sendable {
    package let name: String
    package let attributes: [AuditAttribute]
    /// Attributes, to-ones included, whose values may occur together once; a row with a nil among them is exempt.
    package let uniques: [[String]]
    package let relationships: [AuditRelationship]

    package init(
        _ name: String,
        _ attributes: [AuditAttribute] = [],
        uniques: [[String]] = [],
        _ relationships: [AuditRelationship] = []
    ) {
        self.name = name
        self.attributes = attributes
        self.uniques = uniques
        self.relationships = relationships
    }

    package func attribute(_ name: String) -> AuditAttribute? {
        attributes.first { $0.name == name }
    }
}

package struct AuditAttribute: Sendable {
    package let name: String
    package let kind: AuditKind
    package let isOptional: Bool

    package init(_ name: String, _ kind: AuditKind, optional: Bool = false) {
        self.name = name
        self.kind = kind
        self.isOptional = optional
    }
}

package indirect enum AuditKind: Sendable, Hashable {
    case bool, int, double, float, text, data, date, uuid, decimal
    /// Raw values of an enum, stored as text or as a number.
    case choice([Datum])
    case list(AuditKind, nils: Bool = false)
    case set(AuditKind)
    case map(AuditKind, nils: Bool = false)
    case embedded([Field])

    package struct Field: Sendable, Hashable {
        package let name: String
        package let kind: AuditKind
        package let isOptional: Bool

        package init(_ name: String, _ kind: AuditKind, optional: Bool = false) {
            self.name = name
            self.kind = kind
            self.isOptional = optional
        }
    }

    package var hasOrder: Bool {
        switch self {
        case .bool, .int, .double, .float, .text, .data, .date, .uuid, .decimal, .choice: true
        case .list, .set, .map, .embedded: false
        }
    }
}

package enum AuditRule: String, Sendable, CaseIterable {
    case nullify, cascade, deny
}

/// One named side of a relationship.
package struct AuditRelationship: Sendable {
    package enum Shape: Sendable, Equatable {
        /// A reference, kept in the owner's row.
        case toOne
        /// The members whose to-one, `inverse`, refers to the owner, in an order of their own.
        case orderedInverse
        /// Entries of the owner's own; a target may occur several times.
        case manyToMany
        /// The other side of a many-to-many: one owner for each of its entries.
        case derived
    }

    package let name: String
    package let target: String
    package let shape: Shape
    package let isRequired: Bool
    /// The name of the other side, on the target.
    package let inverse: String?
    /// What happens to the targets when the owner is deleted.
    package let rule: AuditRule

    package init(
        _ name: String,
        _ shape: Shape,
        _ target: String,
        inverse: String? = nil,
        required: Bool = false,
        rule: AuditRule = .nullify
    ) {
        self.name = name
        self.target = target
        self.shape = shape
        self.isRequired = required
        self.inverse = inverse
        self.rule = rule
    }
}
