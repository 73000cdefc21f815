import Reprise

/// A schema in JSON, by stored names alone: numbers and slots are the store's own affair.
extension JSONWriter {
    /// The members of a declaration in a store (CLI-02).
    mutating func declaration(_ declaration: SchemaDeclaration) {
        member("number", declaration.number)
        member("position", declaration.position.rawValue)
        schema(declaration.schema)
    }

    private mutating func schema(_ schema: SchemaDescription) {
        if schema.version > 0 {
            member("version", schema.version)
            member("floor", schema.floor)
        }
        names("removed", schema.retiredModels.map(\.name))
        key("models")
        objects(schema.models) { model, writer in
            writer.member("name", model.name)
            writer.names("renamedFrom", model.earlierNames)
            writer.member("version", model.version)
            writer.key("attributes")
            writer.objects(model.attributes) { attribute, writer in
                writer.typed(attribute.name, attribute.type, isOptional: attribute.isOptional)
                writer.names("renamedFrom", attribute.earlierNames)
                if let value = attribute.defaultValue {
                    writer.key("default")
                    writer.value(value)
                }
                writer.names("madeOf", attribute.origins.map { model.recordedName(slot: $0) })
            }
            writer.key("relationships")
            writer.objects(schema.relations.filter { $0.source.model == model.number }) { relation, writer in
                writer.relationship(relation, in: schema)
            }
            writer.key("indexes")
            writer.objects(model.indexes) { index, writer in
                writer.key("attributes")
                writer.array { writer in
                    for slot in index.slots { writer.value(model.name(slot: slot)) }
                }
                writer.member("unique", index.isUnique)
            }
            writer.search(model)
            writer.names("removed", schema.removedMembers(of: model.name))
        }
    }

    private mutating func relationship(_ relation: RelationDescription, in schema: SchemaDescription) {
        member("name", relation.source.name ?? "")
        names("renamedFrom", relation.source.earlierNames)
        member("kind", relation.kind.word)
        member("target", schema.model(relation.target.model)?.name ?? "")
        if let inverse = relation.target.name { member("inverse", inverse) }
        names("inverseRenamedFrom", relation.target.earlierNames)
        member("onDelete", relation.source.onDelete.word)
        member("inverseOnDelete", relation.target.onDelete.word)
    }

    /// Stored names, where there are any.
    private mutating func names(_ name: String, _ names: [String]) {
        if names.isEmpty { return }
        key(name)
        array { writer in
            for name in names { writer.value(name) }
        }
    }

    private mutating func search(_ model: ModelDescription) {
        guard let search = model.search else { return }
        key("search")
        object { writer in
            writer.key("attributes")
            writer.objects(search.fields) { field, writer in
                writer.member("name", model.name(slot: field.slot))
                writer.member("weight", field.weight)
            }
        }
    }
}

extension ModelDescription {
    /// The stored name of the attribute in a slot.
    func name(slot: Int) -> String { attribute(slot: slot)?.name ?? "" }

    /// The same of an attribute that may be removed.
    func recordedName(slot: Int) -> String {
        (attribute(slot: slot) ?? retiredAttributes.first { $0.slot == slot })?.name ?? ""
    }
}

extension DeleteRule {
    static let all: [DeleteRule] = [.nullify, .cascade, .deny]

    var word: String {
        switch self {
        case .nullify: "nullify"
        case .cascade: "cascade"
        case .deny: "deny"
        }
    }
}

extension RelationDescription.Kind {
    var word: String {
        switch self {
        case .reference: "toOne"
        case .pair: "oneToOne"
        case .list: "toMany"
        }
    }
}
