/// What holds for the relationships of every description.
extension SchemaDescription {
    /// Checks that each to-one is one of exactly one relation, and that each end has its model.
    func validateRelations() throws(SchemaError) {
        var claimed: Set<[Int]> = []
        var names: [UInt16: Set<String>] = [:]
        for model in models { names[model.number] = Set(model.attributes.map(\.name) + ["id"]) }
        let live = Dictionary(models.map { ($0.number, $0) }, uniquingKeysWith: { first, _ in first })
        let all = live.merging(retiredModels.map { ($0.number, $0) }) { first, _ in first }
        for (place, relation) in (relations + retiredRelations).enumerated() {
            let isRetired = place >= relations.count
            let known = isRetired ? all : live
            guard let source = known[relation.source.model],
                let target = known[relation.target.model], let name = relation.source.name
            else {
                throw SchemaError(
                    .missingModel,
                    model: "",
                    attribute: relation.source.name ?? "",
                    message: "Relation \(relation.number) has an end without a model; run verify."
                )
            }
            var slots: [(ModelDescription, Int, RelationDescription.End, DeleteRule)] = []
            var lists: [RelationDescription.End] = []
            switch relation.kind {
            case .reference(let slot):
                slots = [(source, slot, relation.source, relation.target.onDelete)]
                lists = [relation.target]
            case .pair(let sourceSlot, let targetSlot):
                slots = [
                    (source, sourceSlot, relation.source, relation.target.onDelete),
                    (target, targetSlot, relation.target, relation.source.onDelete),
                ]
            case .list:
                lists = [relation.source, relation.target]
            }
            for (model, slot, end, rule) in slots {
                let attribute =
                    model.attribute(slot: slot)
                    ?? (isRetired ? model.retiredAttributes.first { $0.slot == slot } : nil)
                guard let attribute, attribute.type == .reference, attribute.name == end.name,
                    claimed.insert([Int(model.number), slot]).inserted
                else {
                    throw SchemaError(
                        .inverseClaimedTwice,
                        model: model.name,
                        attribute: end.name ?? name,
                        message:
                            "Slot \(slot) is not the to-one of exactly one relation; run verify."
                    )
                }
                guard isRetired || attribute.isOptional || rule != .nullify else {
                    throw SchemaError(
                        .requiredCannotBeNullified,
                        model: model.name,
                        attribute: attribute.name,
                        message:
                            "It is required, so deleting its target cannot set it to nil; make it optional or use "
                            + "cascade or deny there."
                    )
                }
            }
            for end in lists {
                guard let name = end.name else { continue }
                let place = all[end.model]?.name ?? ""
                try Self.check(names: [name] + end.earlierNames, model: place, attribute: name)
                guard isRetired || names[end.model, default: []].insert(name).inserted else {
                    throw SchemaError(
                        .duplicateName,
                        model: place,
                        attribute: name,
                        message: "The name is used twice; give every relationship its own."
                    )
                }
            }
        }
        for model in models + retiredModels {
            for attribute in model.attributes + model.retiredAttributes
            where attribute.type == .reference
                && !claimed.contains([Int(model.number), attribute.slot])
            {
                throw SchemaError(
                    .referenceWithoutRelation,
                    model: model.name,
                    attribute: attribute.name,
                    message: "The to-one belongs to no relation; run verify."
                )
            }
        }
    }
}
