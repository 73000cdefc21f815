/// Which number and which slot of a store each declared thing has.
struct SchemaMapping: Equatable {
    /// The number in the store of each declared model.
    var models: [UInt16: UInt16] = [:]
    /// The slot in the store of each declared slot, by the declared model.
    var slots: [UInt16: [Int: Int]] = [:]
    /// The number in the store of each declared relation.
    var relations: [UInt16: UInt16] = [:]

    /// A declared relation with the numbers and slots of the store; nil where one of them has none.
    func translated(_ relation: RelationDescription) -> RelationDescription? {
        guard let source = models[relation.source.model], let target = models[relation.target.model]
        else { return nil }
        var translated = relation
        translated.source.model = source
        translated.target.model = target
        switch relation.kind {
        case .reference(let slot):
            guard let slot = slots[relation.source.model]?[slot] else { return nil }
            translated.kind = .reference(slot: slot)
        case .pair(let sourceSlot, let targetSlot):
            guard let sourceSlot = slots[relation.source.model]?[sourceSlot],
                let targetSlot = slots[relation.target.model]?[targetSlot]
            else { return nil }
            translated.kind = .pair(sourceSlot: sourceSlot, targetSlot: targetSlot)
        case .list: break
        }
        return translated
    }
}
