/// Why an operation is not carried out. The auditor collects every reason that applies; the store may give any one of
/// them.
package enum Refusal: Hashable, Sendable, CustomStringConvertible {
    case invalidIdentifier
    case entityExists
    case entityMissing
    case targetMissing
    case entryMissing
    case missingValue
    /// Another row has the same values.
    case uniqueViolation
    case deleteDenied(Set<AuditDenial>)
    /// The entity's revision is not the expected one.
    case revisionConflict

    package var description: String {
        switch self {
        case .invalidIdentifier: "invalidIdentifier"
        case .entityExists: "entityExists"
        case .entityMissing: "entityMissing"
        case .targetMissing: "targetMissing"
        case .entryMissing: "entryMissing"
        case .missingValue: "missingValue"
        case .uniqueViolation: "uniqueViolation"
        case .deleteDenied(let denials): "deleteDenied by \(denials.map { "\($0)" }.sorted())"
        case .revisionConflict: "revisionConflict"
        }
    }
}

/// A partner that stands against a deletion.
package struct AuditDenial: Hashable, Sendable, CustomStringConvertible {
    /// The partner that stays.
    package let partner: Entity
    /// The relationship, on the side of the entity that was to be deleted.
    package let relationship: String
    /// The entity that was to be deleted.
    package let denied: Entity

    package init(partner: Entity, relationship: String, denied: Entity) {
        self.partner = partner
        self.relationship = relationship
        self.denied = denied
    }

    package var description: String {
        "\(partner) through \(denied).\(relationship)"
    }
}

/// The revision an operation asks for.
package enum AuditExpectation: Hashable, Sendable {
    case any, absent
    case exactly(UInt64)
}

/// Where an entry goes. Tickets, or the members of an ordered inverse, say beside which.
package enum AuditPlacement: Hashable, Sendable {
    case first, last
    case before(Int)
    case after(Int)
}
