/// What a declaration says of models, attributes and relationships that earlier versions of an app had (STO-90).
struct SchemaRemovals: Sendable {
    /// The stored names of models.
    let models: Set<String>
    /// The stored names of attributes and relationships, by the name of their model.
    let members: [String: Set<String>]

    init(models: Set<String>, _ declarations: [ModelDeclaration]) {
        self.models = models
        members = Dictionary(
            declarations.filter { !$0.removed.isEmpty }.map { ($0.name, Set($0.removed)) },
            uniquingKeysWith: { first, _ in first }
        )
    }

    init(models: Set<String>, members: [String: Set<String>]) {
        self.models = models
        self.members = members
    }

    /// What is retired in a stored schema was removed on the way to it.
    init(_ description: SchemaDescription) {
        models = Set(description.retiredModels.map(\.name))
        var members: [String: Set<String>] = [:]
        var names: [UInt16: String] = [:]
        for model in description.models + description.retiredModels {
            names[model.number] = model.name
            members[model.name, default: []].formUnion(model.retiredAttributes.map(\.name))
        }
        for relation in description.retiredRelations {
            for end in [relation.source, relation.target] {
                guard let name = end.name, let model = names[end.model] else { continue }
                members[model, default: []].insert(name)
            }
        }
        self.members = members
    }

    func hasMember(_ name: String, of model: String) -> Bool {
        members[model]?.contains(name) == true
    }
}

extension SchemaDescription {
    /// The stored names of the attributes and relationships of a model that were removed, and that no other has now,
    /// sorted.
    package func removedMembers(of name: String) -> [String] {
        guard let model = model(named: name) else { return [] }
        let removed = SchemaRemovals(self).members[name] ?? []
        return removed.filter { model.attribute(named: $0) == nil }.sorted()
    }
}
