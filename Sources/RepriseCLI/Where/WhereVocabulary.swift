import Reprise

/// What the paths of a where-expression mean for one model of a schema.
struct WhereVocabulary: Sendable {
    private let schema: SchemaDescription
    private let model: ModelDescription

    init(schema: SchemaDescription, model: ModelDescription) {
        self.schema = schema
        self.model = model
    }

    /// A path that leads nowhere.
    struct PathMistake: Error, Equatable {
        /// The place in the path of the name that is wrong.
        var component: Int
        var expected: String
        var suggestion: String?
    }

    /// The type at the end of a path: to-one relationships, then an attribute or `id`.
    func type(of components: [String]) throws(PathMistake) -> ValueType {
        var model = model
        for (index, name) in components.enumerated() {
            let isLast = index == components.count - 1
            if name == "id", isLast { return .string }
            guard let attribute = model.attribute(named: name) else {
                throw PathMistake(
                    component: index,
                    expected: schema.hasList(named: name, model)
                        ? "a single value, which a list is not" : "an attribute of \(model.name)",
                    suggestion: Spelling.nearest(
                        to: name,
                        in: ["id"] + model.attributes.map(\.name)
                    )
                )
            }
            if isLast { return attribute.type }
            guard let target = schema.target(of: attribute, of: model) else {
                throw PathMistake(
                    component: index + 1,
                    expected: "nothing after \(name), which refers to no other model"
                )
            }
            model = target
        }
        return .string
    }
}

extension SchemaDescription {
    /// The model that a to-one attribute refers to; nil for any other attribute.
    func target(of attribute: AttributeDescription, of model: ModelDescription) -> ModelDescription?
    {
        for relation in relations {
            switch relation.kind {
            case .reference(let slot), .pair(sourceSlot: let slot, targetSlot: _):
                if relation.source.model == model.number, slot == attribute.slot {
                    return self.model(relation.target.model)
                }
            case .list: break
            }
            if case .pair(_, let slot) = relation.kind, relation.target.model == model.number,
                slot == attribute.slot
            {
                return self.model(relation.source.model)
            }
        }
        return nil
    }

    /// Whether a model has a to-many relationship of this name.
    func hasList(named name: String, _ model: ModelDescription) -> Bool {
        relations.contains { relation in
            switch relation.kind {
            case .pair: false
            case .reference: relation.target.model == model.number && relation.target.name == name
            case .list:
                (relation.source.model == model.number && relation.source.name == name)
                    || (relation.target.model == model.number && relation.target.name == name)
            }
        }
    }
}
