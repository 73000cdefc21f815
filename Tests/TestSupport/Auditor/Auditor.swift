/// A naive model of the store, written from Specs/behaviour: dictionaries and arrays, searched from one end to the
/// other.
///
/// It shares no code with the engine. Each operation is carried out on a copy of the state; when a rule is broken the
/// copy is thrown away and the reasons are returned (REL-03). It predicts, it never asks the store.
package struct Auditor: Sendable {
    /// Another one where the program has a new release.
    package var schema: AuditSchema
    /// The state as the open commit sees it.
    package private(set) var state = AuditState()
    private var lastTicket: UInt64 = 0

    package init(schema: AuditSchema) {
        self.schema = schema
    }

    /// Puts the state of another time in place, for a rollback or when a commit came to nothing.
    package mutating func restore(_ state: AuditState) {
        self.state = state
    }

    package mutating func forgetTouched() {
        state.forgetTouched()
    }

    /// Notes the position of an entity's last event.
    package mutating func note(revision: UInt64, of entity: Entity) {
        state[entity]?.revision = revision
    }

    mutating func newTicket() -> UInt64 {
        lastTicket += 1
        return lastTicket
    }

    /// Runs a change on a copy and keeps the copy when nothing spoke against it.
    mutating func attempt(_ change: (inout Auditor) -> Set<Refusal>) -> Set<Refusal> {
        var copy = self
        let refusals = change(&copy)
        if refusals.isEmpty { self = copy }
        return refusals
    }

    mutating func edit(_ change: (inout AuditState) -> Void) {
        change(&state)
    }
}

// MARK: - Rows

extension Auditor {
    /// - Parameter values: nil values are left out.
    /// - Returns: every reason against it; empty when it was done.
    package mutating func insert(
        _ entity: Entity,
        _ values: [String: Datum],
        expecting: AuditExpectation = .absent
    ) -> Set<Refusal> {
        attempt { auditor in
            var refusals = auditor.objections(to: entity.id)
            if entity.id.bytes.isEmpty { refusals.insert(.invalidIdentifier) }
            if auditor.state.exists(entity) {
                return refusals.union([.entityExists, .revisionConflict])
            }
            if case .exactly = expecting { refusals.insert(.revisionConflict) }
            auditor.state[entity] = .init(values: [:], revision: nil)
            refusals.formUnion(auditor.assign(values, to: entity, isNew: true))
            return refusals
        }
    }

    /// - Parameter changes: the new values by name, nil to clear one; a value that is not named stays.
    /// - Returns: every reason against it; empty when it was done.
    package mutating func update(
        _ entity: Entity,
        _ changes: [String: Datum?],
        expecting: AuditExpectation = .any
    ) -> Set<Refusal> {
        attempt { auditor in
            let objections = auditor.objections(to: entity, expecting)
            guard var values = auditor.state[entity]?.values else { return objections }
            for (name, value) in changes { values[name] = value }
            return objections.union(auditor.assign(values, to: entity, isNew: false))
        }
    }

    /// Gives a row its values: attributes as they are, to-ones with everything that follows from them.
    private mutating func assign(
        _ values: [String: Datum],
        to entity: Entity,
        isNew: Bool
    ) -> Set<Refusal> {
        guard let model = schema.model(entity.model) else { return [.entityMissing] }
        var refusals: Set<Refusal> = []
        for attribute in model.attributes {
            if values[attribute.name] == nil && !attribute.isOptional {
                refusals.insert(.missingValue)
            }
            if state[entity]?.values[attribute.name] != values[attribute.name] {
                state[entity]?.values[attribute.name] = values[attribute.name]
            }
        }
        for toOne in model.relationships where toOne.shape == .toOne {
            switch values[toOne.name] {
            case .reference(let id)?:
                if state.exists(Entity(toOne.target, id)) {
                    refusals.formUnion(refer(entity, toOne, to: id))
                } else {
                    refusals.insert(.targetMissing)
                }
            default:
                if toOne.isRequired { refusals.insert(.missingValue) }
                refusals.formUnion(refer(entity, toOne, to: nil))
            }
        }
        refusals.formUnion(uniqueViolations(entity))
        return refusals
    }

    /// Every other row of the model with the same values under one of its unique constraints (REL-02).
    func uniqueViolations(_ entity: Entity) -> Set<Refusal> {
        guard let row = state[entity], let model = schema.model(entity.model) else { return [] }
        for names in model.uniques {
            let values = names.compactMap { row.values[$0] }
            guard values.count == names.count else { continue }
            for (id, other) in state.tables[entity.model] ?? [:] where id != entity.id {
                let others = names.compactMap { other.values[$0] }
                if others.count == names.count
                    && zip(values, others).allSatisfy({ Datum.order($0, $1) == 0 })
                {
                    return [.uniqueViolation]
                }
            }
        }
        return []
    }

    func objections(to id: Text) -> Set<Refusal> {
        let escaped = id.bytes.count + id.bytes.filter { $0 == 0 }.count
        return escaped > 240 ? [.invalidIdentifier] : []
    }

    /// Why an entity cannot be worked on: too long a name, missing, or at another revision.
    func objections(to entity: Entity, _ expecting: AuditExpectation) -> Set<Refusal> {
        let invalid = objections(to: entity.id)
        guard let row = state[entity] else {
            if case .exactly = expecting {
                return invalid.union([.entityMissing, .revisionConflict])
            }
            return invalid.union([.entityMissing])
        }
        switch expecting {
        case .any: return invalid
        case .absent: return [.revisionConflict, .entityExists]
        case .exactly(let revision):
            // A row that this commit has written has a revision nobody can have seen: only `any` can be asked for.
            return row.revision == revision ? invalid : [.revisionConflict]
        }
    }
}
