/// What another store has had of a model and removed, where this store has never had it, or has something else under
/// the same number.
struct ModelRemovals {
    /// Whether theirs has removed the model, and ours does not have it.
    var isGone = false
    /// Slots that theirs has removed, and that ours has never had in this way.
    var slots: Set<Int> = []
    /// The numbers of lists likewise.
    var lists: Set<UInt16> = []
    /// What the model was in theirs, where it is another one in ours.
    private var otherModel: String?
    /// What the slots were in theirs that are something else in ours.
    private var otherSlots: [Int: String] = [:]
    private var otherLists: [UInt16: String] = [:]

    /// - Parameter past: what both have had, by its number.
    static func all(
        of theirs: SchemaDescription,
        for ours: SchemaDescription,
        past: SharedSchema
    ) -> [UInt16: ModelRemovals] {
        var all: [UInt16: ModelRemovals] = [:]
        for model in theirs.retiredModels {
            let own = ours.model(model.number)
            if own == nil { all[model.number, default: ModelRemovals()].isGone = true }
            if let own, !past.has(model: model.number), own.name != model.name,
                !own.earlierNames.contains(model.name)
            {
                all[model.number, default: ModelRemovals()].otherModel = model.name
            }
        }
        for model in theirs.models + theirs.retiredModels {
            guard let own = ours.model(model.number) else { continue }
            for attribute in model.retiredAttributes {
                let isKnown = past.has(slot: attribute.slot, ofModel: model.number)
                if let there = own.attribute(slot: attribute.slot) {
                    let isNamedSo = isKnown || ([there.name] + there.earlierNames).contains(attribute.name)
                    if past.isWholeLog || there.type == attribute.type && isNamedSo { continue }
                    all[model.number, default: ModelRemovals()].otherSlots[attribute.slot] = attribute.name
                } else if !own.retiredAttributes.contains(where: {
                    $0.slot == attribute.slot && (past.isWholeLog || $0.type == attribute.type)
                }) {
                    all[model.number, default: ModelRemovals()].slots.insert(attribute.slot)
                }
            }
        }
        for relation in theirs.retiredRelations where relation.kind == .list {
            let model = relation.source.model
            let known = (ours.relations + ours.retiredRelations).first { $0.number == relation.number }
            if let known {
                if known.isSame(as: relation, named: !past.has(relation: relation.number)) { continue }
                all[model, default: ModelRemovals()].otherLists[relation.number] = relation.source.name ?? ""
            } else {
                all[model, default: ModelRemovals()].lists.insert(relation.number)
            }
        }
        return all
    }

    /// What a change is about that is something else in ours; nil for nothing.
    func clash(with delta: EntityDelta) throws -> String? {
        if let otherModel { return "the model \(otherModel)" }
        for (slot, name) in otherSlots {
            switch delta.row {
            case .same, .deleted: continue
            case .updated(let changes): if !changes.contains(where: { $0.slot == slot }) { continue }
            case .inserted(let payload): if try payload.rowSlot(slot) == nil { continue }
            }
            return name
        }
        return delta.entries.lazy.compactMap { otherLists[$0.relation] }.first
    }
}

extension RelationDescription {
    /// Whether two stores have the same relationship under one number. Which side of a one-to-one is the source follows
    /// from the order of the models.
    func isSame(as other: RelationDescription, named hasNames: Bool) -> Bool {
        let turned = other.otherWayRound.flatMap { connects(as: $0) ? $0 : nil } ?? other
        guard connects(as: turned) else { return false }
        return !hasNames || source.name == turned.source.name && target.name == turned.target.name
    }
}
