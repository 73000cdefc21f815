import Reprise

/// What the paths of a where-expression mean: for the rows of one model, or for the elements of a list, set or map.
struct WhereVocabulary: Sendable {
    private enum Scope: Sendable {
        case row(ModelDescription)
        case element(ValueType)
    }

    /// The word for the element in a condition on elements.
    static let element = "it"

    private let schema: SchemaDescription
    private let scope: Scope

    init(schema: SchemaDescription, model: ModelDescription) {
        self.schema = schema
        scope = .row(model)
    }

    private init(schema: SchemaDescription, scope: Scope) {
        self.schema = schema
        self.scope = scope
    }

    /// A path that leads nowhere.
    struct PathMistake: Error, Equatable {
        /// The place in the path of the name that is wrong.
        var component: Int
        var expected: String
        var suggestion: String?
    }

    /// Whether paths begin at an element and not at a row.
    var isOfElement: Bool {
        if case .element = scope { true } else { false }
    }

    /// The type at the end of a path: to-one relationships, then an attribute or `id`.
    func type(of components: [String]) throws(PathMistake) -> ValueType {
        if case .element(let type) = scope {
            guard components == [Self.element] else {
                throw PathMistake(component: 0, expected: "`\(Self.element)`, the element")
            }
            return type
        }
        let model = try follow(components)
        let last = components.count - 1
        let name = components[last]
        if name == "id" { return .string }
        guard let attribute = model.attribute(named: name) else {
            let isList = schema.listTarget(named: name, model) != nil
            throw PathMistake(
                component: last,
                expected: isList
                    ? "a single value, which a list is not" : "an attribute of \(model.name)",
                suggestion: isList
                    ? "\(name).any(…), \(name).all(…) or \(name).count"
                    : Spelling.nearest(to: name, in: ["id"] + model.attributes.map(\.name))
            )
        }
        return attribute.type
    }

    /// What the paths of a condition on the elements at the end of a path mean.
    func elements(of components: [String]) throws(PathMistake) -> WhereVocabulary {
        let last = components.count - 1
        if case .row = scope {
            let model = try follow(components)
            if let target = schema.listTarget(named: components[last], model) {
                return WhereVocabulary(schema: schema, scope: .row(target))
            }
        }
        switch try type(of: components) {
        case .list(let type, _), .set(let type, _), .map(let type, _):
            return WhereVocabulary(schema: schema, scope: .element(type))
        default:
            throw PathMistake(
                component: last,
                expected: "a list, a set, a map or a to-many relationship"
            )
        }
    }

    /// Whether a path ends at something that has elements.
    func hasElements(_ components: [String]) -> Bool {
        (try? elements(of: components)) != nil
    }

    /// The model that all but the last component lead to.
    private func follow(_ components: [String]) throws(PathMistake) -> ModelDescription {
        guard case .row(var model) = scope else {
            throw PathMistake(component: 0, expected: "`\(Self.element)`, the element")
        }
        for (index, name) in components.dropLast().enumerated() {
            guard let attribute = model.attribute(named: name) else {
                let isList = schema.listTarget(named: name, model) != nil
                throw PathMistake(
                    component: index,
                    expected: isList
                        ? "a single value, which a list is not" : "an attribute of \(model.name)",
                    suggestion: isList
                        ? "\(name).any(…), \(name).all(…) or \(name).count"
                        : Spelling.nearest(to: name, in: model.attributes.map(\.name))
                )
            }
            guard let target = schema.target(of: attribute, of: model) else {
                throw PathMistake(
                    component: index + 1,
                    expected: "nothing after \(name), which refers to no other model"
                )
            }
            model = target
        }
        return model
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

    /// The model that a to-many relationship leads to; nil where there is none of this name.
    func listTarget(named name: String, _ model: ModelDescription) -> ModelDescription? {
        for relation in relations {
            let fromTarget =
                relation.target.model == model.number && relation.target.name == name
            switch relation.kind {
            case .pair: continue
            case .reference: if fromTarget { return self.model(relation.source.model) }
            case .list:
                if relation.source.model == model.number, relation.source.name == name {
                    return self.model(relation.target.model)
                }
                if fromTarget { return self.model(relation.source.model) }
            }
        }
        return nil
    }
}
