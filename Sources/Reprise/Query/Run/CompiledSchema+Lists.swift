extension CompiledSchema {
    /// The list that a query names, whose members are of a model.
    ///
    /// - Parameter isPaged: whether the query goes on from a place in its results.
    /// - Throws: `unknownModel`, `unknownRelationship`, and `invalidQuery` for members of another model and for a query
    ///   that is paged.
    func list(
        _ list: ListReference,
        of members: CompiledModel,
        isPaged: Bool = false
    ) throws(StoreError) -> ListPlace {
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
        if isPaged {
            throw StoreError(
                .invalidQuery,
                "The members of a list cannot be asked for from a place on: one may stand there several times.",
                advice: "Use an offset, or entries behind an entry."
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
