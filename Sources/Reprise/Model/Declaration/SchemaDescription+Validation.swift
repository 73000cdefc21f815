/// What holds for every description, whether it was declared in Swift or read from a log.
extension SchemaDescription {
    /// The most bytes of a stored name.
    static let nameByteCountMax = 64

    /// Checks names, numbers, slots and rules. Throws the first mistake. O(size of the schema), apart from
    /// the search for names.
    package func validate() throws(SchemaError) {
        try Self.ascending(models.map(\.number), "models")
        try Self.ascending(relations.map(\.number), "relations")
        var names: Set<String> = []
        var indexes: Set<UInt16> = []
        for model in models {
            try Self.check(name: model.name, model: model.name)
            guard names.insert(model.name).inserted else {
                throw SchemaError(
                    .duplicateName,
                    model: model.name,
                    message: "Two models have this name; rename one."
                )
            }
            try model.validate()
            for index in model.indexes where !indexes.insert(index.number).inserted {
                throw SchemaError(
                    .invalidIndex,
                    model: model.name,
                    message: "The index number \(index.number) is used twice; run verify."
                )
            }
            if let search = model.search, !indexes.insert(search.number).inserted {
                throw SchemaError(
                    .invalidIndex,
                    model: model.name,
                    message: "The index number \(search.number) is used twice; run verify."
                )
            }
        }
        try validateRelations()
    }

    static func check(
        name: String,
        model: String,
        attribute: String = ""
    ) throws(SchemaError) {
        func isLetter(_ byte: UInt8) -> Bool {
            byte == UInt8(ascii: "_") || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 32)
        }
        func isDigit(_ byte: UInt8) -> Bool {
            (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
        }
        let bytes = name.utf8
        guard let first = bytes.first, isLetter(first),
            bytes.allSatisfy({ isLetter($0) || isDigit($0) }), bytes.count <= nameByteCountMax
        else {
            throw SchemaError(
                .invalidName,
                model: model,
                attribute: attribute,
                message:
                    "\"\(name)\" is not a stored name; use [A-Za-z_][A-Za-z0-9_]*, at most 64 bytes."
            )
        }
    }

    private static func ascending(_ numbers: [UInt16], _ what: String) throws(SchemaError) {
        var previous: UInt16 = 0
        for number in numbers {
            guard number > previous else {
                throw SchemaError(
                    .corrupt,
                    model: "",
                    message: "The numbers of the \(what) do not ascend from 1; run verify."
                )
            }
            previous = number
        }
    }

    private func validateRelations() throws(SchemaError) {
        var claimed: Set<[Int]> = []
        var names: [UInt16: Set<String>] = [:]
        for model in models { names[model.number] = Set(model.attributes.map(\.name) + ["id"]) }
        for relation in relations {
            guard let source = model(relation.source.model),
                let target = model(relation.target.model), let name = relation.source.name
            else {
                throw SchemaError(
                    .missingModel,
                    model: "",
                    attribute: relation.source.name ?? "",
                    message: "Relation \(relation.number) has an end without a model; run verify."
                )
            }
            var slots: [(ModelDescription, Int, RelationDescription.End, DeleteRule)] = []
            var lists: [RelationDescription.End] = []
            switch relation.kind {
            case .reference(let slot):
                slots = [(source, slot, relation.source, relation.target.onDelete)]
                lists = [relation.target]
            case .pair(let sourceSlot, let targetSlot):
                slots = [
                    (source, sourceSlot, relation.source, relation.target.onDelete),
                    (target, targetSlot, relation.target, relation.source.onDelete),
                ]
            case .list:
                lists = [relation.source, relation.target]
            }
            for (model, slot, end, rule) in slots {
                let attribute = model.attribute(slot: slot)
                guard let attribute, attribute.type == .reference, attribute.name == end.name,
                    claimed.insert([Int(model.number), slot]).inserted
                else {
                    throw SchemaError(
                        .inverseClaimedTwice,
                        model: model.name,
                        attribute: end.name ?? name,
                        message:
                            "Slot \(slot) is not the to-one of exactly one relation; run verify."
                    )
                }
                guard attribute.isOptional || rule != .nullify else {
                    throw SchemaError(
                        .requiredCannotBeNullified,
                        model: model.name,
                        attribute: attribute.name,
                        message:
                            "It is required, so deleting its target cannot set it to nil; make it optional or use "
                            + "cascade or deny there."
                    )
                }
            }
            for end in lists {
                guard let name = end.name else { continue }
                let place = model(end.model)?.name ?? ""
                try Self.check(name: name, model: place, attribute: name)
                guard names[end.model, default: []].insert(name).inserted else {
                    throw SchemaError(
                        .duplicateName,
                        model: place,
                        attribute: name,
                        message: "The name is used twice; give every relationship its own."
                    )
                }
            }
        }
        for model in models {
            for attribute in model.attributes
            where attribute.type == .reference
                && !claimed.contains([Int(model.number), attribute.slot])
            {
                throw SchemaError(
                    .referenceWithoutRelation,
                    model: model.name,
                    attribute: attribute.name,
                    message: "The to-one belongs to no relation; run verify."
                )
            }
        }
    }
}

extension ModelDescription {
    fileprivate func validate() throws(SchemaError) {
        func fail(
            _ code: SchemaError.Code,
            _ attribute: String,
            _ message: String
        ) -> SchemaError {
            SchemaError(code, model: name, attribute: attribute, message: message)
        }
        guard slotCount >= 0, slotCount <= RowPayload.slotCountMax else {
            throw fail(
                .tooManyAttributes,
                "",
                "A model has at most \(RowPayload.slotCountMax) attributes, dropped ones included; divide it."
            )
        }
        var names: Set<String> = ["id"]
        var slots: [Int: AttributeDescription] = [:]
        for attribute in attributes {
            try SchemaDescription.check(
                name: attribute.name,
                model: name,
                attribute: attribute.name
            )
            guard names.insert(attribute.name).inserted else {
                throw fail(
                    .duplicateName,
                    attribute.name,
                    "The name is used twice, or is \"id\", which is the identifier's; rename it."
                )
            }
            guard (0..<slotCount).contains(attribute.slot),
                slots.updateValue(attribute, forKey: attribute.slot) == nil
            else { throw fail(.corrupt, attribute.name, "Its slot is not its own; run verify.") }
            guard attribute.type.isWellFormed else {
                throw fail(
                    .corrupt,
                    attribute.name,
                    "Its type holds a reference, a field name used twice, or is nested too deeply; simplify it."
                )
            }
        }
        var seen: Set<[Int]> = []
        for index in indexes {
            let place = index.slots.map { slots[$0]?.name ?? "?" }.joined(separator: ", ")
            guard index.number > 0, (1...4).contains(index.slots.count),
                Set(index.slots).count == index.slots.count,
                index.slots.allSatisfy({ slots[$0] != nil }), seen.insert(index.slots).inserted
            else {
                throw fail(
                    .invalidIndex,
                    place,
                    "An index has one to four different attributes and is declared once; correct it."
                )
            }
            guard index.slots.allSatisfy({ slots[$0]?.type.isIndexable == true }) else {
                throw fail(
                    .invalidIndex,
                    place,
                    "Lists, sets, maps and embedded structs have no order; index a scalar."
                )
            }
        }
        if let search {
            let fields = search.fields
            guard search.number > 0, (1...SearchDescription.fieldCountMax).contains(fields.count),
                Set(fields.map(\.slot)).count == fields.count,
                fields.allSatisfy({ $0.weight > 0 && slots[$0.slot]?.type == .string })
            else {
                throw fail(
                    .invalidIndex,
                    fields.map { slots[$0.slot]?.name ?? "?" }.joined(separator: ", "),
                    "A search index has one to 16 different attributes that hold text, with weights from 1; correct it."
                )
            }
        }
    }
}

extension ValueType {
    /// How deep types may nest.
    static let depthMax = 16

    /// Whether nesting is bounded, names are good and references stand only at the top.
    var isWellFormed: Bool { isWellFormed(depth: 0) }

    private func isWellFormed(depth: Int) -> Bool {
        guard depth < Self.depthMax else { return false }
        switch self {
        case .reference: return depth == 0
        case .list(let element, _), .set(let element, _), .map(let element, _):
            return element.isWellFormed(depth: depth + 1)
        case .embedded(let fields):
            guard fields.count <= RowPayload.slotCountMax,
                Set(fields.map(\.name)).count == fields.count
            else { return false }
            return fields.allSatisfy { field in
                (try? SchemaDescription.check(name: field.name, model: "")) != nil
                    && field.type.isWellFormed(depth: depth + 1)
            }
        default: return true
        }
    }
}
