/// One change, as it is given to the auditor and, translated, to the store.
package enum Operation: Sendable {
    case insert(Entity, [String: Datum], AuditExpectation)
    /// A value that is nil is cleared; what is not named stays.
    case update(Entity, [String: Datum?], AuditExpectation)
    case delete(Entity, AuditExpectation)
    case link(Entity, String, Text, AuditPlacement)
    /// An entry by its index in the list; one beyond its end stands for an entry that does not exist.
    case unlink(Entity, String, Int)
    case move(Entity, String, Int, AuditPlacement)
}

extension Operation: CustomStringConvertible {
    package var description: String {
        switch self {
        case .insert(let entity, let values, let expecting):
            "insert \(entity) \(Self.list(values.mapValues { $0 })) expecting \(expecting)"
        case .update(let entity, let changes, let expecting):
            "update \(entity) \(Self.list(changes)) expecting \(expecting)"
        case .delete(let entity, let expecting): "delete \(entity) expecting \(expecting)"
        case .link(let owner, let name, let target, let placement):
            "link \(owner).\(name) to \(target) at \(placement)"
        case .unlink(let owner, let name, let index): "unlink \(owner).\(name)[\(index)]"
        case .move(let owner, let name, let index, let placement):
            "move \(owner).\(name)[\(index)] to \(placement)"
        }
    }

    private static func list(_ values: [String: Datum?]) -> String {
        let all = values.sorted { $0.key < $1.key }.map { name, value in
            "\(name): \(value.map(\.description) ?? "nil")"
        }
        return "(\(all.joined(separator: ", ")))"
    }
}

/// What the auditor says of an operation.
package struct Prediction: Sendable {
    package var refusals: Set<Refusal> = []
    /// The entry that linking makes.
    package var entry: AuditState.Entry?
    /// What a deletion does.
    package var plan: AuditPlan?
}

extension Auditor {
    /// Carries an operation out and says what must come of it.
    package mutating func apply(_ operation: Operation) -> Prediction {
        switch operation {
        case .insert(let entity, let values, let expecting):
            return Prediction(refusals: insert(entity, values, expecting: expecting))
        case .update(let entity, let changes, let expecting):
            return Prediction(refusals: update(entity, changes, expecting: expecting))
        case .delete(let entity, let expecting):
            let plan = plan(delete: entity)
            return Prediction(
                refusals: delete(entity, expecting: expecting, plan: plan),
                plan: plan
            )
        case .link(let owner, let name, let target, let placement):
            guard let relationship = schema.relationship(owner.model, name) else {
                return Prediction()
            }
            let linked = link(owner, relationship, to: target, at: placement)
            return Prediction(refusals: linked.refusals, entry: linked.entry)
        case .unlink(let owner, let name, let index):
            guard let relationship = schema.relationship(owner.model, name) else {
                return Prediction()
            }
            return Prediction(refusals: unlink(owner, relationship, at: index))
        case .move(let owner, let name, let index, let placement):
            guard let relationship = schema.relationship(owner.model, name) else {
                return Prediction()
            }
            return Prediction(refusals: move(owner, relationship, at: index, to: placement))
        }
    }
}
