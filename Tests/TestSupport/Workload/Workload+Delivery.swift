import Reprise

/// What the store answered to an operation.
struct Delivery {
    var entry: EntryID?
    var plan: AuditPlan?
}

/// An operation in the engine's words: now through Swift types, now through names.
extension Workload {
    func deliver(
        _ operation: Operation,
        _ state: AuditState,
        _ transaction: inout WriteTransaction,
        _ generator: inout SeededGenerator
    ) throws -> Delivery {
        let isTyped = generator.once(in: 2)
        switch operation {
        case .insert(let entity, let values, let expecting):
            let model = try model(entity)
            if isTyped && expecting == .absent && isComplete(values, for: entity.model) {
                try insert(model, entity, values, &transaction)
            } else {
                let outcome = try transaction.put(
                    EntityReference(entity),
                    values: values.mapValues { Value($0) },
                    expecting: ExpectedRevision(expecting)
                )
                try expectEqual(outcome, .inserted, "the outcome of inserting \(entity)")
            }
        case .update(let entity, let changes, let expecting):
            let model = try model(entity)
            // By names, what does not exist would be inserted.
            if isTyped && isPossible(changes, for: entity.model) || !state.exists(entity) {
                try update(model, entity, changes, expecting, &transaction)
            } else {
                let outcome = try transaction.put(
                    EntityReference(entity),
                    values: changes.mapValues { $0.map { Value($0) } ?? .null },
                    expecting: ExpectedRevision(expecting)
                )
                let isSame = auditor.state[entity]?.values == state[entity]?.values
                // A row that is older than an attribute gets its default written (STO-88). The auditor does not see it.
                if isSame, outcome == .updated, release.defaults[entity.model] != nil { break }
                let predicted: WriteTransaction.PutOutcome = isSame ? .unchanged : .updated
                try expectEqual(outcome, predicted, "the outcome of \(operation)")
            }
        case .delete(let entity, let expecting):
            let plan =
                isTyped
                ? try delete(try model(entity), entity, expecting, &transaction)
                : try transaction.delete(
                    EntityReference(entity),
                    expecting: ExpectedRevision(expecting)
                )
            try expectEqual(plan.deleted.first.map { Entity($0) }, entity, "the first of the plan")
            try expectEqual(Set(plan.deleted).count, plan.deleted.count, "the plan, each once")
            return Delivery(plan: AuditPlan(plan))
        case .link, .unlink, .move:
            return try edit(operation, state, isTyped, &transaction)
        }
        return Delivery()
    }

    private func edit(
        _ operation: Operation,
        _ state: AuditState,
        _ isTyped: Bool,
        _ transaction: inout WriteTransaction
    ) throws -> Delivery {
        switch operation {
        case .link(let owner, let name, let target, let place):
            let placement = placement(place, in: state[list: .init(owner, name)])
            if isTyped, let entry = try link(owner, name, target, placement, &transaction) {
                return Delivery(entry: entry)
            }
            return Delivery(
                entry: try transaction.link(
                    name,
                    of: EntityReference(owner),
                    to: target.string,
                    at: placement
                )
            )
        case .unlink(let owner, let name, let index):
            let entry = entry(index, in: state[list: .init(owner, name)])
            if isTyped, try unlink(owner, name, entry, &transaction) { return Delivery() }
            try transaction.unlink(name, entry: entry, of: EntityReference(owner))
        case .move(let owner, let name, let index, let place):
            let list = state[list: .init(owner, name)]
            let (entry, placement) = (entry(index, in: list), placement(place, in: list))
            if isTyped, try move(owner, name, entry, placement, &transaction) { return Delivery() }
            try transaction.move(name, entry: entry, of: EntityReference(owner), to: placement)
        case .insert, .update, .delete:
            break
        }
        return Delivery()
    }

    /// The store's identity of an entry; of one beyond the list, an identity that no entry has.
    private func entry(_ index: Int, in list: [AuditState.Entry]) -> EntryID {
        guard list.indices.contains(index), let id = registry.id(of: list[index]) else {
            return EntryID(serial: UInt64(UInt32.max), target: "no such entry")
        }
        return id
    }

    private func placement(_ placement: AuditPlacement, in list: [AuditState.Entry]) -> Placement {
        switch placement {
        case .first: .first
        case .last: .last
        case .before(let index): .before(entry(index, in: list))
        case .after(let index): .after(entry(index, in: list))
        }
    }

    func model(_ entity: Entity) throws -> any AuditedModel.Type {
        guard let model = release.models[entity.model] else {
            throw Difference("the test has no model \(entity.model)")
        }
        return model
    }

    // MARK: - What a Swift struct can say

    /// A struct cannot lack a required value.
    private func isComplete(_ values: [String: Datum], for name: String) -> Bool {
        guard let model = auditor.schema.model(name) else { return false }
        return model.attributes.allSatisfy { $0.isOptional || values[$0.name] != nil }
            && model.relationships.allSatisfy { !$0.isRequired || values[$0.name] != nil }
    }

    private func isPossible(_ changes: [String: Datum?], for name: String) -> Bool {
        guard let model = auditor.schema.model(name) else { return false }
        return changes.allSatisfy { name, value in
            value != nil || model.attribute(name)?.isOptional == true
                || model.relationships.contains { $0.name == name && !$0.isRequired }
        }
    }
}

extension ExpectedRevision {
    init(_ expectation: AuditExpectation) {
        switch expectation {
        case .any: self = .any
        case .absent: self = .absent
        case .exactly(let position):
            self = .exactly(Revision(position: Position(rawValue: position)))
        }
    }
}
