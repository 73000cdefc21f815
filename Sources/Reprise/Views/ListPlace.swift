/// An ordered list that an operation works on: one end of a relation at one entity.
struct ListPlace {
    let end: RelationEnd
    let owner: EntityKey

    var key: ListKey { ListKey(relation: end.relation.number, id: owner.id) }

    /// The slot of the members that holds the reference, where the list is the other side of a to-one.
    var memberSlot: Int? {
        if case .reference(let slot) = end.relation.kind { Int(slot) } else { nil }
    }
}
