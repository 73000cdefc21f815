import Reprise

/// Reads a schema in JSON, as `reprise schema show --json` prints it (CLI-03).
///
/// Numbers and slots are given out in the order in which models, attributes, indexes and relationships stand.
struct SchemaReading {
    private var models: [ModelDescription] = []
    private var relations: [RelationDescription] = []
    private var indexCount: UInt16 = 0
    private var version: UInt32 = 0
    private var floor: UInt32 = 0
    private var removedModels: Set<String> = []
    private var removedMembers: [String: Set<String>] = [:]
    /// A to-one that no relationship has spoken of yet, by model and attribute.
    private var unclaimed: [[String]: String] = [:]

    /// - Throws: `JSONMistake`; `SchemaError` where models, attributes and relationships do not hold together.
    static func schema(_ value: JSONValue) throws -> Schema {
        var reading = SchemaReading()
        try reading.read(value)
        return try Schema(
            SchemaDescription(
                models: reading.models,
                relations: reading.relations,
                version: reading.version,
                floor: reading.floor
            ),
            removedModels: reading.removedModels,
            members: reading.removedMembers
        )
    }

    private mutating func read(_ value: JSONValue) throws(JSONMistake) {
        var relationships: [(model: Int, relationship: Relationship)] = []
        try JSONMembers.read(value) { (object) throws(JSONMistake) in
            // Where the schema stands in a store says nothing of what it is.
            _ = (object.take("number"), object.take("position"))
            version = try object.number("version", orElse: 0)
            floor = try object.number("floor", orElse: 0)
            removedModels = try object.names("removed")
            _ = try object.objects("models") { (model) throws(JSONMistake) in
                let found = try read(&model)
                relationships += found.map { (models.count - 1, $0) }
            }
        }
        for (model, relationship) in relationships { try relate(relationship, of: model) }
        if let (name, place) = unclaimed.min(by: { $0.value < $1.value }) {
            throw JSONMembers.mistake(
                at: place,
                "has the type reference, and no relationship has the name \"\(name[1])\""
            )
        }
    }

    // MARK: Models

    /// Adds a model, and returns the relationships that stand in it.
    private mutating func read(_ object: inout JSONMembers) throws(JSONMistake) -> [Relationship] {
        let name = try object.text("name")
        guard let number = UInt16(exactly: models.count + 1) else {
            throw JSONMembers.mistake(at: object.place(of: "name"), "is one model too many")
        }
        var model = ModelDescription(
            number: number,
            name: name,
            earlierNames: try object.texts("renamedFrom").map(\.text),
            version: try object.number("version", orElse: 1),
            slotCount: 0,
            attributes: [],
            indexes: []
        )
        for (place, value) in try object.elements("attributes") {
            let attribute = try JSONMembers.read(value, at: place) { (attribute) throws(JSONMistake) in
                var found = AttributeDescription(
                    slot: model.slotCount,
                    name: try attribute.text("name"),
                    earlierNames: try attribute.texts("renamedFrom").map(\.text),
                    type: try attribute.type(),
                    isOptional: try attribute.flag("optional")
                )
                // What it was made of says nothing of what it is.
                _ = attribute.take("madeOf")
                found.defaultValue = try attribute.defaultValue(of: found.type)
                return found
            }
            if attribute.type == .reference { unclaimed[[name, attribute.name]] = place }
            model.slotCount += 1
            model.attributes.append(attribute)
        }
        model.indexes = try object.objects("indexes") { (index) throws(JSONMistake) in
            var slots: [Int] = []
            for (place, name) in try index.texts("attributes") {
                slots.append(try Self.slot(of: name, in: model, at: place))
            }
            return IndexDescription(
                number: try takeIndexNumber(index),
                slots: slots,
                isUnique: try index.flag("unique")
            )
        }
        model.search = try search(&object, of: model)
        removedMembers[name] = try object.names("removed")
        models.append(model)
        return try object.objects("relationships") { (relationship) throws(JSONMistake) in
            try Relationship(&relationship)
        }
    }

    private mutating func search(
        _ object: inout JSONMembers,
        of model: ModelDescription
    ) throws(JSONMistake) -> SearchDescription? {
        guard let value = object.take("search") else { return nil }
        return try JSONMembers.read(value, at: object.place(of: "search")) { (search) throws(JSONMistake) in
            SearchDescription(
                number: try takeIndexNumber(search),
                fields: try search.objects("attributes") { (field) throws(JSONMistake) in
                    let name = try field.text("name")
                    return SearchDescription.Field(
                        slot: try Self.slot(of: name, in: model, at: field.place(of: "name")),
                        weight: try field.number("weight", orElse: 1)
                    )
                }
            )
        }
    }

    private mutating func takeIndexNumber(_ object: JSONMembers) throws(JSONMistake) -> UInt16 {
        guard indexCount < .max else {
            throw JSONMembers.mistake(at: object.place(of: "attributes"), "is one index too many")
        }
        indexCount += 1
        return indexCount
    }

    private static func slot(
        of name: String,
        in model: ModelDescription,
        at place: String
    ) throws(JSONMistake) -> Int {
        if let attribute = model.attribute(named: name) { return attribute.slot }
        let hint = Spelling.nearest(to: name, in: model.attributes.map(\.name)).map { "; did you mean \"\($0)\"?" }
        throw JSONMistake(
            message: "\(place) is \"\(name)\", which is no attribute of \(model.name)\(hint ?? ".")"
        )
    }

    // MARK: Relationships

    /// A relationship as it is written, whose target may stand further down.
    private struct Relationship {
        let place: String
        let name: String
        let earlierNames: [String]
        let kind: String
        let target: String
        let inverse: String?
        let inverseEarlierNames: [String]
        let onDelete: DeleteRule
        let inverseOnDelete: DeleteRule

        init(_ object: inout JSONMembers) throws(JSONMistake) {
            place = object.place(of: "name")
            name = try object.text("name")
            earlierNames = try object.texts("renamedFrom").map(\.text)
            kind = try object.word("kind", of: ["toOne", "oneToOne", "toMany"])
            target = try object.text("target")
            inverse = try object.textIfThere("inverse")
            inverseEarlierNames = try object.texts("inverseRenamedFrom").map(\.text)
            onDelete = try Self.rule("onDelete", &object)
            inverseOnDelete = try Self.rule("inverseOnDelete", &object)
        }

        private static func rule(_ name: String, _ object: inout JSONMembers) throws(JSONMistake) -> DeleteRule {
            let word = try object.wordIfThere(name, of: DeleteRule.all.map(\.word))
            return DeleteRule.all.first { $0.word == word } ?? .nullify
        }
    }

    private mutating func relate(_ relationship: Relationship, of model: Int) throws(JSONMistake) {
        let source = models[model]
        guard let target = models.first(where: { $0.name == relationship.target }) else {
            throw JSONMistake(
                message: "\(relationship.place) leads to the model \"\(relationship.target)\", which is not there."
            )
        }
        let kind: RelationDescription.Kind
        switch relationship.kind {
        case "toOne": kind = .reference(slot: try toOne(relationship.name, of: source, relationship))
        case "oneToOne":
            kind = .pair(
                sourceSlot: try toOne(relationship.name, of: source, relationship),
                targetSlot: try toOne(relationship.inverse ?? "", of: target, relationship)
            )
        default: kind = .list
        }
        guard let number = UInt16(exactly: relations.count + 1) else {
            throw JSONMembers.mistake(at: relationship.place, "is one relationship too many")
        }
        relations.append(
            RelationDescription(
                number: number,
                kind: kind,
                source: .init(
                    model: source.number,
                    name: relationship.name,
                    earlierNames: relationship.earlierNames,
                    onDelete: relationship.onDelete
                ),
                target: .init(
                    model: target.number,
                    name: relationship.inverse,
                    earlierNames: relationship.inverseEarlierNames,
                    onDelete: relationship.inverseOnDelete
                )
            )
        )
    }

    /// The slot of the attribute of a to-one, which has to be there beside the relationship.
    private mutating func toOne(
        _ name: String,
        of model: ModelDescription,
        _ relationship: Relationship
    ) throws(JSONMistake) -> Int {
        guard let attribute = model.attribute(named: name), attribute.type == .reference else {
            throw JSONMistake(
                message: "\(relationship.place) needs an attribute \"\(name)\" of the type reference in \(model.name)."
            )
        }
        guard unclaimed.removeValue(forKey: [model.name, name]) != nil else {
            throw JSONMistake(
                message: "\(relationship.place) says of \(model.name).\(name) what another relationship says already."
            )
        }
        return attribute.slot
    }
}

extension JSONMembers {
    fileprivate mutating func names(_ name: String) throws(JSONMistake) -> Set<String> {
        Set(try texts(name).map(\.text))
    }

    fileprivate mutating func defaultValue(of type: ValueType) throws(JSONMistake) -> Value? {
        guard let json = take("default") else { return nil }
        do {
            return try Value(json, as: type)
        } catch {
            throw Self.mistake(at: place(of: "default") + error.place, "must be \(error.expected)")
        }
    }
}
