/// What another store has had of a model and removed, where this store has never had it.
struct ModelRemovals {
    /// Whether theirs has removed the model, and ours does not have it.
    var isGone = false
    /// Slots that theirs has removed, and that ours has never had.
    var slots: Set<Int> = []
    /// The numbers of lists likewise.
    var lists: Set<UInt16> = []

    /// - Parameters:
    ///   - theirs: the schema of the other store, with the numbers of ours.
    ///   - ours: that of this store.
    /// - Returns: the removals by the number of the model.
    static func all(of theirs: SchemaDescription, for ours: SchemaDescription) -> [UInt16: ModelRemovals] {
        var all: [UInt16: ModelRemovals] = [:]
        for model in theirs.retiredModels where ours.model(model.number) == nil {
            all[model.number, default: ModelRemovals()].isGone = true
        }
        for model in theirs.models + theirs.retiredModels {
            guard let own = ours.model(model.number) else { continue }
            let known = (own.attributes + own.retiredAttributes).map(\.slot)
            for attribute in model.retiredAttributes where !known.contains(attribute.slot) {
                all[model.number, default: ModelRemovals()].slots.insert(attribute.slot)
            }
        }
        let known = (ours.relations + ours.retiredRelations).map(\.number)
        for relation in theirs.retiredRelations where relation.kind == .list && !known.contains(relation.number) {
            all[relation.source.model, default: ModelRemovals()].lists.insert(relation.number)
        }
        return all
    }
}
