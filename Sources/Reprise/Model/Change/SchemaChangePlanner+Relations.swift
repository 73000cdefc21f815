/// Relationships: those with a to-one are known by its slot, lists by their names.
extension SchemaChangePlanner {
    mutating func planRelations() {
        var left = stored.relations
        schema.relations = []
        var found: [UInt16: Int] = [:]
        for relation in declared.relations where relation.kind != .list {
            guard let wanted = mapping.translated(relation) else { continue }
            let claims = Set(wanted.claimedSlots)
            let place = left.firstIndex { !claims.isDisjoint(with: $0.claimedSlots) }
            if let place { found[relation.number] = place }
        }
        matchLists(left, &found)
        for relation in declared.relations {
            guard let wanted = mapping.translated(relation) else { continue }
            if let place = found[relation.number] {
                keep(relation, wanted, left[place])
            } else {
                add(relation, wanted)
            }
        }
        let matched = Set(found.values.map { left[$0].number })
        left.removeAll { matched.contains($0.number) }
        for relation in left { planRemoval(of: relation) }
        schema.relations.sort { $0.number < $1.number }
        schema.retiredRelations.sort { $0.number < $1.number }
    }

    private func matchLists(_ stored: [RelationDescription], _ found: inout [UInt16: Int]) {
        for model in declared.models {
            guard let number = mapping.models[model.number] else { continue }
            let wanted = declared.relations.filter { $0.kind == .list && $0.source.model == model.number }
            let there = stored.indices.filter {
                stored[$0].kind == .list && stored[$0].source.model == number
            }
            let matching = NameMatching(
                declared: wanted.map(\.source.names),
                stored: there.map { stored[$0].source.names }
            )
            for (place, relation) in wanted.enumerated() {
                if let match = matching.places[place] { found[relation.number] = there[match] }
            }
        }
    }

    private mutating func add(_ relation: RelationDescription, _ wanted: RelationDescription) {
        var added = wanted
        added.number = takeRelationNumber(for: wanted)
        mapping.relations[relation.number] = added.number
        schema.relations.append(added)
        steps.append(.addsRelationship(model: name(added.source), added.source.name ?? ""))
    }

    private mutating func keep(
        _ relation: RelationDescription,
        _ wanted: RelationDescription,
        _ old: RelationDescription
    ) {
        // Which side of a one-to-one is the source follows from the order of the models.
        var new = wanted
        if !wanted.connects(as: old), let other = wanted.otherWayRound, other.connects(as: old) { new = other }
        new.number = old.number
        mapping.relations[relation.number] = old.number
        let place = "\(name(old.source)).\(new.source.name ?? "")"
        if !new.connects(as: old) {
            refusals.append(
                "The relationship \(place) is \(kind(old)) in the store and \(kind(new)) in the declaration. "
                    + "Declare it as it was."
            )
        } else if old.kind == .list, old.source.name != new.source.name {
            steps.append(
                .renamesRelationship(model: name(new.source), from: old.source.name ?? "", to: new.source.name ?? "")
            )
        }
        if old.kind == .list {
            new.source.earlierNames = NameMatching.merged(new.source.names, old.source.names)
        }
        if !new.isPair { planOtherSide(place, old.target, &new.target) }
        for (before, after) in [(old.source, new.source), (old.target, new.target)]
        where before.onDelete != after.onDelete {
            let shown = after.name ?? "\(place) (its other side)"
            steps.append(
                .changesDeleteRule(model: name(after), shown, from: before.onDelete, to: after.onDelete)
            )
        }
        schema.relations.append(new)
    }

    /// The list on the other side, which holds nothing of its own.
    private mutating func planOtherSide(
        _ place: String,
        _ old: RelationDescription.End,
        _ new: inout RelationDescription.End
    ) {
        guard let before = old.name, !before.isEmpty else {
            if let added = new.name { steps.append(.namesInverse(model: name(new), added)) }
            return
        }
        let model = name(new)
        if let after = new.name {
            if after != before, !new.earlierNames.contains(before) {
                refusals.append(
                    "The other side of \(place) is \(model).\(before) in the store. Declare it so, or write "
                        + "renamedFrom: \"\(before)\" at \(after)."
                )
            } else if after != before {
                steps.append(.renamesRelationship(model: model, from: before, to: after))
            }
            new.earlierNames = NameMatching.merged(new.names, old.names)
        } else if removals.hasMember(before, of: model) {
            steps.append(.removesRelationship(model: model, before))
        } else {
            refusals.append(
                "The other side of \(place) is \(model).\(before) in the store. Declare it so, or write "
                    + ".removed(\"\(before)\") in \(model)."
            )
        }
    }

    private mutating func planRemoval(of relation: RelationDescription) {
        if let source = schema.model(relation.source.model) {
            let isStillThere = relation.claimedSlots.contains { claim in
                schema.model(claim.model)?.attribute(slot: claim.slot) != nil
            }
            // Its attribute or its model has been looked at.
            if isStillThere || !mapping.models.values.contains(source.number) {
                return schema.relations.append(relation)
            }
            if relation.kind == .list {
                let name = relation.source.name ?? ""
                guard removals.hasMember(name, of: source.name) else {
                    refusals.append(
                        "The store has a relationship \(source.name).\(name), which is not declared. Declare it, or "
                            + "write .removed(\"\(name)\")."
                    )
                    return schema.relations.append(relation)
                }
                steps.append(.removesRelationship(model: source.name, name))
            }
        }
        schema.retiredRelations.append(relation)
    }

    private func name(_ end: RelationDescription.End) -> String {
        schema.model(end.model)?.name ?? ""
    }

    /// What a relationship is and where it leads, seen from its source.
    private func kind(_ relation: RelationDescription) -> String {
        switch relation.kind {
        case .list: "a list of \(name(relation.target))"
        case .reference: "a to-one that leads to \(name(relation.target))"
        case .pair: "a one-to-one between \(name(relation.source)) and \(name(relation.target))"
        }
    }
}

extension RelationDescription {
    /// A to-one attribute, by its model and slot.
    struct Claim: Hashable {
        let model: UInt16
        let slot: Int
    }

    /// The to-ones that it consists of.
    var claimedSlots: [Claim] {
        switch kind {
        case .reference(let slot): [Claim(model: source.model, slot: slot)]
        case .pair(let sourceSlot, let targetSlot):
            [Claim(model: source.model, slot: sourceSlot), Claim(model: target.model, slot: targetSlot)]
        case .list: []
        }
    }

    /// Whether the same slots and models are connected in the same way.
    func connects(as other: RelationDescription) -> Bool {
        kind == other.kind && source.model == other.source.model && target.model == other.target.model
    }

    fileprivate var isPair: Bool {
        if case .pair = kind { true } else { false }
    }

    /// A one-to-one relation with its ends exchanged; nil for others.
    var otherWayRound: RelationDescription? {
        guard case .pair(let sourceSlot, let targetSlot) = kind else { return nil }
        return RelationDescription(
            number: number,
            kind: .pair(sourceSlot: targetSlot, targetSlot: sourceSlot),
            source: target,
            target: source
        )
    }
}
