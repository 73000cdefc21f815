/// An ordered list that an operation works on: one end of a relation at one entity.
struct ListPlace {
    let end: RelationEnd
    let owner: EntityKey

    var key: ListKey { ListKey(relation: end.relation.number, id: owner.id) }

    /// Whether the list follows from those of a many-to-many relation on the other side.
    var isDerived: Bool {
        if case (.list, .target) = (end.relation.kind, end.side) { true } else { false }
    }

    /// The slot of the members that holds the reference, where the list is the other side of a to-one.
    var memberSlot: Int? {
        if case .reference(let slot) = end.relation.kind { Int(slot) } else { nil }
    }
}
