/// Invents operations that mostly make sense in a given state, and now and then do not.
package struct OperationMaker {
    package let schema: AuditSchema
    package var generator: SeededGenerator

    package init(_ schema: AuditSchema, _ generator: SeededGenerator) {
        self.schema = schema
        self.generator = generator
    }

    /// How many entries a list may have before it is rather shortened.
    private static let comfortableListCount = 12

    package mutating func operation(_ state: AuditState) -> Operation {
        switch generator.below(100) {
        case 0..<22: insert(state)
        case 22..<44: update(state)
        case 44..<57: delete(state)
        default: edit(state)
        }
    }

    /// Many links or moves to one place of one list: the order keys between two entries run out, and room must be made.
    package mutating func burst(_ state: AuditState) -> [Operation] {
        guard let (owner, list) = anyList(state) else { return [] }
        let count = state[list: .init(owner, list.name)].count
        let times = 30 + generator.below(40)
        if count > 2 && generator.once(in: 2) {
            return (0..<times).map { _ in .move(owner, list.name, count - 1, .after(0)) }
        }
        guard list.shape == .manyToMany, let target = generator.pickIfAny(state.ids(list.target))
        else { return [] }
        let placement: AuditPlacement =
            count == 0 ? .first : (generator.once(in: 2) ? .before(count - 1) : .after(0))
        let links = (0..<times).map { _ in Operation.link(owner, list.name, target, placement) }
        // Taken away again, or the lists would only grow.
        return links + links.map { _ in .unlink(owner, list.name, 0) }
    }

    // MARK: - Rows

    private mutating func insert(_ state: AuditState) -> Operation {
        let model = generator.pick(schema.models)
        var id = generator.pick(NastyPool.ids)
        // Mostly one that is free; in a full model the id is taken after some tries.
        for _ in 0..<4 where state.exists(Entity(model.name, id)) && !generator.once(in: 12) {
            id = generator.pick(NastyPool.ids)
        }
        if generator.once(in: 150) { id = generator.pick(NastyPool.idsRefused) }
        var values: [String: Datum] = [:]
        for attribute in model.attributes where !(attribute.isOptional && generator.once(in: 3)) {
            values[attribute.name] = generator.datum(attribute.kind)
        }
        for toOne in model.relationships where toOne.shape == .toOne {
            values[toOne.name] = reference(toOne, state)
        }
        let expecting: AuditExpectation = generator.once(in: 200) ? .exactly(1) : .absent
        return .insert(Entity(model.name, id), values, expecting)
    }

    private mutating func update(_ state: AuditState) -> Operation {
        let entity = existing(generator.pick(schema.models).name, state)
        guard let model = schema.model(entity.model) else { return .delete(entity, .any) }
        let toOnes = model.relationships.filter { $0.shape == .toOne }
        var changes: [String: Datum?] = [:]
        for _ in 0..<1 + generator.below(3) {
            if let toOne = generator.pickIfAny(toOnes), generator.once(in: 2) {
                changes[toOne.name] = .some(reference(toOne, state))
            } else if let attribute = generator.pickIfAny(model.attributes) {
                let isCleared = attribute.isOptional && generator.once(in: 4)
                changes[attribute.name] = isCleared ? .some(nil) : generator.datum(attribute.kind)
            }
        }
        return .update(entity, changes, expectation(entity, state))
    }

    private mutating func delete(_ state: AuditState) -> Operation {
        let entity = existing(generator.pick(schema.models).name, state)
        let expecting = expectation(entity, state)
        return .delete(entity, expecting == .absent ? .any : expecting)
    }

    /// Mostly an entity that exists.
    private mutating func existing(_ model: String, _ state: AuditState) -> Entity {
        if !generator.once(in: 40), let id = generator.pickIfAny(state.ids(model)) {
            return Entity(model, id)
        }
        return Entity(model, generator.pick(NastyPool.ids))
    }

    /// A target for a to-one, mostly one that exists; nil for none.
    private mutating func reference(_ toOne: AuditRelationship, _ state: AuditState) -> Datum? {
        if !toOne.isRequired && generator.once(in: 3) { return nil }
        if generator.once(in: 80) { return nil }
        if !generator.once(in: 60), let id = generator.pickIfAny(state.ids(toOne.target)) {
            return .reference(id)
        }
        return toOne.isRequired || generator.once(in: 30)
            ? .reference(generator.pick(NastyPool.ids)) : nil
    }

    /// Only a row that the open commit has not touched has a revision that somebody could know.
    private mutating func expectation(_ entity: Entity, _ state: AuditState) -> AuditExpectation {
        guard generator.once(in: 4), let revision = state[entity]?.revision,
            !isTouched(entity, state)
        else { return .any }
        switch generator.below(8) {
        case 0: return .exactly(revision + 1)
        case 1: return .exactly(UInt64(generator.below(Int(revision) + 5)))
        case 2: return .absent
        default: return .exactly(revision)
        }
    }

    /// Whether the open commit may have made an event of the entity: of its row, of a list it owns, or of a list it
    /// is a member of, where it may have had to make room for another.
    private func isTouched(_ entity: Entity, _ state: AuditState) -> Bool {
        state.touchedRows.contains(entity)
            || state.touchedLists.contains { key in
                key.owner == entity
                    || schema.relationship(key.owner.model, key.relationship)?.target
                        == entity.model
                        && state[list: key].contains { $0.target == entity.id }
            }
    }

    // MARK: - Lists

    private mutating func edit(_ state: AuditState) -> Operation {
        guard let (owner, list) = anyList(state) else { return insert(state) }
        let count = state[list: .init(owner, list.name)].count
        let isLong = count > Self.comfortableListCount && !generator.once(in: 3)
        switch generator.below(10) {
        case 0..<6 where !isLong:
            let target =
                generator.once(in: 40)
                ? generator.pick(NastyPool.ids)
                : generator.pickIfAny(state.ids(list.target)) ?? generator.pick(NastyPool.ids)
            return .link(owner, list.name, target, placement(count))
        case 0..<8:
            return .unlink(owner, list.name, index(count))
        default:
            return .move(owner, list.name, index(count), placement(count))
        }
    }

    /// A list that can be edited, of an entity that mostly exists.
    private mutating func anyList(_ state: AuditState) -> (Entity, AuditRelationship)? {
        let lists = schema.models.flatMap { model in
            model.relationships.filter { $0.shape == .manyToMany || $0.shape == .orderedInverse }
                .map { (model.name, $0) }
        }
        guard let (model, list) = generator.pickIfAny(lists) else { return nil }
        // Few owners, so that lists become long.
        let ids = state.ids(model)
        guard !ids.isEmpty, !generator.once(in: 40) else { return (existing(model, state), list) }
        return (Entity(model, ids[generator.below(min(ids.count, 6))]), list)
    }

    /// An index in a list, seldom one beyond it.
    private mutating func index(_ count: Int) -> Int {
        count == 0 || generator.once(in: 40) ? count : generator.below(count)
    }

    private mutating func placement(_ count: Int) -> AuditPlacement {
        switch generator.below(4) {
        case 0: .first
        case 1: .before(index(count))
        case 2: .after(index(count))
        default: .last
        }
    }
}
