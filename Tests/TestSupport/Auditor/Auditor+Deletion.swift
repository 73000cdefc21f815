/// What deleting an entity leads to.
package struct AuditPlan: Equatable, Sendable {
    /// A to-one of an entity that stays, which becomes nil.
    package struct Nullified: Hashable, Sendable, CustomStringConvertible {
        package let entity: Entity
        package let attribute: String

        package init(_ entity: Entity, _ attribute: String) {
            self.entity = entity
            self.attribute = attribute
        }

        package var description: String { "\(entity).\(attribute)" }
    }

    /// An entry of a list of an entity that stays, which goes.
    package struct Unlinked: Hashable, Sendable, Comparable, CustomStringConvertible {
        package let owner: Entity
        package let relationship: String
        package let target: Text

        package init(_ owner: Entity, _ relationship: String, _ target: Text) {
            self.owner = owner
            self.relationship = relationship
            self.target = target
        }

        package var description: String { "\(owner).\(relationship): \(target)" }

        package static func < (left: Unlinked, right: Unlinked) -> Bool {
            (left.owner, left.relationship, left.target)
                < (right.owner, right.relationship, right.target)
        }
    }

    package var deleted: Set<Entity> = []
    package var nullified: Set<Nullified> = []
    /// One for each entry, sorted.
    package var unlinked: [Unlinked] = []
    package var denials: Set<AuditDenial> = []

    package init() {}
}

extension Auditor {
    /// The plan, by trying every rule again until nothing changes (REL-20 … REL-24).
    package func plan(delete root: Entity) -> AuditPlan {
        var plan = AuditPlan()
        guard state.exists(root) else { return plan }
        plan.deleted = [root]
        var isGrowing = true
        while isGrowing {
            let before = plan.deleted.count
            for entity in plan.deleted {
                for side in sides(of: entity.model) where side.rule == .cascade {
                    plan.deleted.formUnion(partners(of: entity, side))
                }
            }
            isGrowing = plan.deleted.count > before
        }
        for entity in plan.deleted {
            for side in sides(of: entity.model) where side.rule == .deny {
                for partner in partners(of: entity, side) where !plan.deleted.contains(partner) {
                    plan.denials.insert(
                        AuditDenial(partner: partner, relationship: side.name, denied: entity)
                    )
                }
            }
        }
        sever(&plan)
        return plan
    }

    /// Every reference and entry of an entity that stays, to one that goes.
    private func sever(_ plan: inout AuditPlan) {
        for model in schema.models {
            for relationship in model.relationships {
                switch relationship.shape {
                case .toOne:
                    for (id, row) in state.tables[model.name] ?? [:] {
                        guard case .reference(let target)? = row.values[relationship.name],
                            plan.deleted.contains(Entity(relationship.target, target)),
                            !plan.deleted.contains(Entity(model.name, id))
                        else { continue }
                        plan.nullified.insert(.init(Entity(model.name, id), relationship.name))
                    }
                case .manyToMany:
                    let name = AuditState.ListName(
                        model: model.name,
                        relationship: relationship.name
                    )
                    for (id, entries) in state.lists[name] ?? [:] {
                        let owner = Entity(model.name, id)
                        guard !plan.deleted.contains(owner) else { continue }
                        for entry in entries
                        where plan.deleted.contains(Entity(relationship.target, entry.target)) {
                            plan.unlinked.append(.init(owner, relationship.name, entry.target))
                        }
                    }
                case .orderedInverse, .derived:
                    break
                }
            }
        }
        plan.unlinked.sort()
    }

    /// Deletes an entity with everything the rules demand.
    /// - Parameter plan: what `plan(delete:)` said in this state.
    package mutating func delete(
        _ entity: Entity,
        expecting: AuditExpectation,
        plan: AuditPlan
    ) -> Set<Refusal> {
        let objections = objections(to: entity, expecting)
        guard objections.isEmpty else { return objections }
        guard plan.denials.isEmpty else { return [.deleteDenied(plan.denials)] }
        carryOut(plan)
        return []
    }

    private mutating func carryOut(_ plan: AuditPlan) {
        let schema = schema
        edit { state in
            for severed in plan.nullified { state[severed.entity]?.values[severed.attribute] = nil }
            for (name, byOwner) in state.lists {
                guard let list = schema.relationship(name.model, name.relationship) else {
                    continue
                }
                for (id, entries) in byOwner {
                    let owner = Entity(name.model, id)
                    let isGone = plan.deleted.contains(owner)
                    let rest = entries.filter {
                        !isGone && !plan.deleted.contains(Entity(list.target, $0.target))
                    }
                    if rest != entries { state[list: .init(owner, list.name)] = rest }
                }
            }
            for entity in plan.deleted { state[entity] = nil }
        }
    }
}

// MARK: - Sides

extension Auditor {
    /// One end of a relationship as the entity at that end sees it, named or not.
    struct Side {
        /// The relationship's name at this end; `model.relationship` of the other end when this one has none.
        let name: String
        let rule: AuditRule
        /// Set for a side without a name: who has the relationship that leads here.
        let holder: String?
        let relationship: AuditRelationship
    }

    /// The named relationships of a model and the nameless ends of those that lead to it (REL-20).
    func sides(of model: String) -> [Side] {
        let named = (schema.model(model)?.relationships ?? []).map {
            Side(name: $0.name, rule: $0.rule, holder: nil, relationship: $0)
        }
        let nameless = schema.incoming(model).filter { $0.relationship.inverse == nil }.map {
            Side(
                name: "\($0.owner.name).\($0.relationship.name)",
                rule: $0.relationship.isRequired ? .deny : .nullify,
                holder: $0.owner.name,
                relationship: $0.relationship
            )
        }
        return named + nameless
    }

    func partners(of entity: Entity, _ side: Side) -> Set<Entity> {
        if let holder = side.holder {
            return Set(state.anonymousHolders(of: entity, through: side.relationship, of: holder))
        }
        return Set(
            state.entries(side.relationship, of: entity)
                .map { Entity(side.relationship.target, $0.target) }
        )
    }
}
