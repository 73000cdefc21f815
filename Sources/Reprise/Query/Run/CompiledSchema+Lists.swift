extension CompiledSchema {
    /// The list that a query names, whose members are of a model.
    ///
    /// - Throws: `unknownModel`, `unknownRelationship`, and `invalidQuery` for members of another model.
    func list(_ list: ListReference, of members: CompiledModel) throws(StoreError) -> ListPlace {
        let owner = try model(named: list.owner.model)
        guard let end = owner.ends.first(where: { $0.own.name == list.relationship && $0.isToMany }) else {
            throw .unknownToMany(list.relationship, of: owner)
        }
        guard end.other.model == members.number else {
            throw StoreError(
                .invalidQuery,
                "\(owner.name).\(list.relationship) has no members of the model \(members.name).",
                advice: "Ask for the model that the relationship leads to."
            )
        }
        return ListPlace(end: end, owner: EntityKey(model: owner.number, id: list.owner.id))
    }
}

extension StoreError {
    /// A name that no to-many relationship of a model has.
    static func unknownToMany(_ name: String, of model: CompiledModel) -> StoreError {
        let names = model.ends.filter(\.isToMany).compactMap(\.own.name)
        return StoreError(
            .unknownRelationship,
            "\(model.name) has no to-many relationship \"\(name)\".",
            advice: names.isEmpty ? "It has none." : "It has \(names.joined(separator: ", "))."
        )
    }
}
