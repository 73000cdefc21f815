/// Numbers and slots of what is new.
///
/// They were never used before. Where a relative of the store has the same thing they are those of the relative, so
/// that rows of both mean the same (HIS-98).
extension SchemaChangePlanner {
    mutating func takeModelNumber(for name: String) -> UInt16 {
        if let number = relative?.model(named: name)?.number, isNew(number, from: firstNewModel),
            schema.model(number) == nil
        {
            return number
        }
        defer { nextModel &+= 1 }
        return nextModel
    }

    mutating func takeRelationNumber(for relation: RelationDescription) -> UInt16 {
        let twin = relative?.relations.first { other in
            if relation.kind != .list { return !Set(relation.claimedSlots).isDisjoint(with: other.claimedSlots) }
            return other.kind == .list && other.source.model == relation.source.model
                && other.source.name == relation.source.name
        }
        if let number = twin?.number, isNew(number, from: firstNewRelation),
            !schema.relations.contains(where: { $0.number == number })
        {
            return number
        }
        defer { nextRelation &+= 1 }
        return nextRelation
    }

    /// Where all numbers are used the first new one is zero, and there is no new one.
    private func isNew(_ number: UInt16, from firstNew: UInt16) -> Bool { firstNew > 0 && number >= firstNew }

    /// An attribute that is new, at the slot that it gets.
    ///
    /// - Parameters:
    ///   - attribute: what is declared.
    ///   - model: its model as it will be.
    ///   - firstNew: the first slot that the model has never had.
    func placed(
        _ attribute: AttributeDescription,
        in model: inout ModelDescription,
        from firstNew: Int
    ) -> AttributeDescription {
        let twin = relative?.model(model.number)
        var placed = attribute
        placed.slot = max(model.slotCount, twin?.slotCount ?? 0)
        if let known = twin?.attribute(named: attribute.name), known.slot >= firstNew,
            model.attribute(slot: known.slot) == nil
        {
            placed.slot = known.slot
            // Rows of the relative that are older than it have that value.
            if known.type == attribute.type, let value = known.defaultValue { placed.defaultValue = value }
        }
        model.slotCount = max(model.slotCount, placed.slot + 1)
        return placed
    }

    /// Gives a new model the slots that the relative has for it.
    mutating func placeAttributes(of added: inout ModelDescription, declaredAs number: UInt16) {
        guard let twin = relative?.model(added.number) else { return }
        var slots: [Int: Int] = [:]
        let attributes = added.attributes
        (added.attributes, added.slotCount) = ([], 0)
        for attribute in attributes {
            let placed = placed(attribute, in: &added, from: 0)
            slots[attribute.slot] = placed.slot
            added.attributes.append(placed)
        }
        for place in added.indexes.indices {
            added.indexes[place].slots = added.indexes[place].slots.compactMap { slots[$0] }
        }
        if let search = added.search {
            added.search?.fields = search.fields.compactMap { field in
                slots[field.slot].map { SearchDescription.Field(slot: $0, weight: field.weight) }
            }
        }
        added.slotCount = max(added.slotCount, twin.slotCount)
        mapping.slots[number] = slots
    }
}
