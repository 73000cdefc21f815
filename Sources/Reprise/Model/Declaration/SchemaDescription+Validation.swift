/// What holds for every description, whether it was declared in Swift or read from a log.
extension SchemaDescription {
    /// The most bytes of a stored name.
    static let nameByteCountMax = 64
    /// The most earlier names of one thing.
    static let earlierNameCountMax = 255

    /// Checks names, numbers, slots and rules. Throws the first mistake. O(size of the schema), apart from
    /// the search for names.
    package func validate() throws(SchemaError) {
        try Self.ascending(models.map(\.number), "models")
        try Self.ascending(relations.map(\.number), "relations")
        try Self.ascending(retiredModels.map(\.number), "removed models")
        try Self.ascending(retiredRelations.map(\.number), "removed relations")
        try Self.distinct(models.map(\.number), retiredModels.map(\.number))
        try Self.distinct(relations.map(\.number), retiredRelations.map(\.number))
        var names: Set<String> = []
        for model in models where !names.insert(model.name).inserted {
            throw SchemaError(
                .duplicateName,
                model: model.name,
                message: "Two models have this name; rename one."
            )
        }
        var indexes: Set<UInt16> = []
        for model in models + retiredModels {
            try Self.check(names: [model.name] + model.earlierNames, model: model.name)
            try model.validate()
            for number in model.indexNumbers where !indexes.insert(number).inserted {
                throw SchemaError(
                    .invalidIndex,
                    model: model.name,
                    message: "The index number \(number) is used twice; run verify."
                )
            }
        }
        for model in retiredModels where !model.indexNumbers.isEmpty {
            throw SchemaError(
                .invalidIndex,
                model: model.name,
                message: "A removed model has an index; run verify."
            )
        }
        try validateRelations()
    }

    private static func distinct(_ numbers: [UInt16], _ retired: [UInt16]) throws(SchemaError) {
        guard Set(numbers).isDisjoint(with: retired) else {
            throw SchemaError(
                .corrupt,
                model: "",
                message: "Something is both declared and removed; run verify."
            )
        }
    }

    /// Checks a stored name and those before it.
    static func check(
        names: [String],
        model: String,
        attribute: String = ""
    ) throws(SchemaError) {
        guard names.count <= earlierNameCountMax + 1 else {
            throw SchemaError(
                .invalidName,
                model: model,
                attribute: attribute,
                message: "It has more than \(earlierNameCountMax) earlier names; leave out the oldest."
            )
        }
        for name in names { try check(name: name, model: model, attribute: attribute) }
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
            guard names.insert(attribute.name).inserted else {
                throw fail(
                    .duplicateName,
                    attribute.name,
                    "The name is used twice, or is \"id\", which is the identifier's; rename it."
                )
            }
        }
        for attribute in attributes + retiredAttributes {
            try SchemaDescription.check(
                names: [attribute.name] + attribute.earlierNames,
                model: name,
                attribute: attribute.name
            )
            guard (0..<slotCount).contains(attribute.slot),
                attribute.origins.allSatisfy((0..<slotCount).contains),
                slots.updateValue(attribute, forKey: attribute.slot) == nil
            else { throw fail(.corrupt, attribute.name, "Its slot is not its own; run verify.") }
            guard attribute.type.isWellFormed else {
                throw fail(
                    .corrupt,
                    attribute.name,
                    "Its type holds a reference, a field name used twice, or is nested too deeply; simplify it."
                )
            }
            // The target of a to-one points back, and rows without a value would be in no list of it.
            let mayHaveDefault = !attribute.isOptional && attribute.type != .reference
            guard attribute.defaultValue == nil || (mayHaveDefault && attribute.defaultBytes != nil) else {
                throw fail(
                    .invalidDefault,
                    attribute.name,
                    "Only a required attribute that is no to-one has a default, of its own type; correct it."
                )
            }
        }
        for attribute in attributes + retiredAttributes where attribute.isWidened {
            let origin = attribute.origins.count == 1 ? slots[attribute.origins[0]] : nil
            guard let origin, origin.slot < attribute.slot, Widening.exists(from: origin.type, to: attribute.type)
            else { throw fail(.corrupt, attribute.name, "It was widened from no narrower attribute; run verify.") }
        }
        for attribute in retiredAttributes { slots[attribute.slot] = nil }
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
