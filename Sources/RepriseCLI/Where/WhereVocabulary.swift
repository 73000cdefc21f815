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

    /// The type at the end of a path; nil where only the engine can tell.
    func type(of components: [String]) throws(PathMistake) -> ValueType? {
        var model = model
        for (index, name) in components.enumerated() {
            let isLast = index == components.count - 1
            if name == "id", isLast { return .string }
            if let attribute = model.attribute(named: name) {
                if isLast { return attribute.type }
                if case .embedded(let fields) = attribute.type {
                    return try Self.type(of: components, from: index + 1, in: fields)
                }
                guard let target = schema.target(of: attribute, of: model) else {
                    throw PathMistake(
                        component: index + 1,
                        expected: "nothing after \(name), which refers to no other model"
                    )
                }
                model = target
            } else if schema.hasList(named: name, model) {
                return nil
            } else {
                throw PathMistake(
                    component: index,
                    expected: "an attribute of \(model.name)",
                    suggestion: Spelling.nearest(to: name, in: names(of: model))
                )
            }
        }
        return nil
    }

    private func names(of model: ModelDescription) -> [String] {
        ["id"] + model.attributes.map(\.name)
    }

    private static func type(
        of components: [String],
        from start: Int,
        in fields: [EmbeddedField]
    ) throws(PathMistake) -> ValueType? {
        guard start < components.count else { return .embedded(fields) }
        guard let field = fields.first(where: { $0.name == components[start] }) else {
            throw PathMistake(
                component: start,
                expected: "a field of \(components[start - 1])",
                suggestion: Spelling.nearest(to: components[start], in: fields.map(\.name))
            )
        }
        if case .embedded(let inner) = field.type {
            return try type(of: components, from: start + 1, in: inner)
        }
        guard start == components.count - 1 else {
            throw PathMistake(component: start + 1, expected: "nothing after \(field.name)")
        }
        return field.type
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
