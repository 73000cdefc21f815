/// Brings the declarations of all models into the normal form of a ``SchemaDescription``: each
/// relationship once, with both ends, whichever sides declare it.
struct SchemaBuilder {
    private(set) var declarations: [ModelDeclaration]
    let numbers: [ObjectIdentifier: UInt16]

    var relations: [RelationDescription] = []
    private var indexCount = 0

    init(declarations: [ModelDeclaration], numbers: [ObjectIdentifier: UInt16]) {
        self.declarations = declarations
        self.numbers = numbers
    }

    /// Throws the first mistake found.
    mutating func build() throws(SchemaError) -> SchemaDescription {
        var models: [ModelDescription] = []
        for (index, declaration) in declarations.enumerated() {
            try check(declaration)
            models.append(try describe(declaration, number: UInt16(index + 1)))
        }
        for index in declarations.indices { try nameInverses(index) }
        for index in declarations.indices { try relate(index) }
        let description = SchemaDescription(models: models, relations: relations)
        try description.validate()
        return description
    }

    /// Looks up the stored names of inverses that are given by their properties (VAL-10).
    private mutating func nameInverses(_ index: Int) throws(SchemaError) {
        let declaration = declarations[index]
        for (place, list) in declaration.lists.enumerated() {
            guard let property = list.inverseProperty else { continue }
            let target = declarations[try find(list.target, from: declaration, list.name)]
            guard let field = target.fields.first(where: { ($0.keyPath as AnyKeyPath) == property }) else {
                throw SchemaError(
                    .unknownInverse,
                    model: declaration.name,
                    attribute: list.name,
                    message:
                        "Its inverse is a property of \"\(target.name)\" that is not declared; declare it with .toOne."
                )
            }
            declarations[index].lists[place].inverse = field.name
        }
    }

    private func check(_ declaration: ModelDeclaration) throws(SchemaError) {
        guard declaration.fields.count - declaration.stored.count == 1 else {
            throw SchemaError(
                .missingIdentifier,
                model: declaration.name,
                message: "A model has exactly one identifier; declare it with .id(\"id\", \\.id)."
            )
        }
        guard UInt32(exactly: declaration.version) != nil else {
            throw SchemaError(
                .incompatible,
                model: declaration.name,
                message:
                    "The version \(declaration.version) is not in 0...4294967295; choose one that is."
            )
        }
        for field in declaration.stored where field.type == .reference {
            if case .value = field.role {
                throw SchemaError(
                    .referenceWithoutRelation,
                    model: declaration.name,
                    attribute: field.name,
                    message: "An identifier of a model is a relationship; declare it with .toOne."
                )
            }
        }
        for field in declaration.stored where field.isOptional && field.defaultValue != nil {
            throw SchemaError(
                .invalidDefault,
                model: declaration.name,
                attribute: field.name,
                message: "An optional attribute has nil for its default; make it required, or leave the default out."
            )
        }
        for field in declaration.stored { try check(field, of: declaration) }
        if let mistake = declaration.orderMistake() { throw mistake }
        let names = declaration.fields.map(\.name) + declaration.lists.map(\.name)
        for conversion in declaration.conversions { try check(conversion, of: declaration) }
        for name in declaration.removed where names.contains(name) {
            throw SchemaError(
                .incompatible,
                model: declaration.name,
                attribute: name,
                message: "It is declared and removed at once; leave one of them out."
            )
        }
        var seen: Set<String> = []
        for name in names where !seen.insert(name).inserted {
            throw SchemaError(
                .duplicateName,
                model: declaration.name,
                attribute: name,
                message: "The name is used twice; give every attribute its own."
            )
        }
    }

    private func check(_ field: Field, of declaration: ModelDeclaration) throws(SchemaError) {
        func mistake(_ code: SchemaError.Code, _ message: String) -> SchemaError {
            SchemaError(code, model: declaration.name, attribute: field.name, message: message)
        }
        if field.unknown != nil {
            switch field.type {
            case .list, .set, .map:
                throw mistake(.invalidDefault, "Nothing can stand for one of several raw values; leave unknown: out.")
            default: break
            }
        }
        guard let codable = field.codable else { return }
        if codable.isRawRepresentable {
            throw mistake(.incompatible, "An enum with a raw value is a StoredValue by itself; leave CodableValue out.")
        }
        if case .value(let indexed, let unique) = field.role, indexed || unique {
            throw mistake(
                .invalidIndex,
                "A CodableValue can be neither indexed nor unique: equal values may have different texts. Make an"
                    + " attribute of its own of the part that is asked for."
            )
        }
    }

    private func check(_ conversion: Conversion, of declaration: ModelDeclaration) throws(SchemaError) {
        let field = declaration.stored.first { $0.name == conversion.attribute }
        let message: String? =
            if field == nil {
                "There is no attribute of this name; correct the name in .converting."
            } else if field?.type == .reference || conversion.type == .reference {
                "A relationship is not made by .converting; make it in a change by code."
            } else if field?.type != conversion.type || (conversion.isOptional && field?.isOptional == false) {
                "The function in .converting returns another type than the attribute has; let it return that one."
            } else if conversion.sources.contains(where: { $0.name.isEmpty || $0.type == .reference })
                || !(1...Conversion.sourceCountMax).contains(conversion.sources.count)
            {
                "The function in .converting takes one to 16 values, one for each name behind from:; correct them."
            } else if let field, conversion.sources.contains(where: { source in
                source.name == field.name && source.type == field.type && source.isOptional == field.isOptional
            }) {
                "The function in .converting takes the type that the attribute has; change values in a change by code."
            } else {
                nil
            }
        guard let message else { return }
        throw SchemaError(
            .incompatible,
            model: declaration.name,
            attribute: conversion.attribute,
            message: message
        )
    }

    private mutating func describe(
        _ declaration: ModelDeclaration,
        number: UInt16
    ) throws(SchemaError) -> ModelDescription {
        let attributes = declaration.stored.enumerated().map { slot, field in
            AttributeDescription(
                slot: slot,
                name: field.name,
                earlierNames: field.earlierNames,
                type: field.type,
                isOptional: field.isOptional,
                defaultValue: field.defaultValue
            )
        }
        var indexes: [IndexDescription] = []
        for (slot, field) in declaration.stored.enumerated() {
            guard case .value(let indexed, let unique) = field.role, indexed || unique else {
                continue
            }
            indexes.append(try nextIndex([slot], isUnique: unique, declaration, field.name))
        }
        for index in declaration.indexes {
            let place = index.names.joined(separator: ", ")
            guard (2...4).contains(index.names.count) else {
                throw SchemaError(
                    .invalidIndex,
                    model: declaration.name,
                    attribute: place,
                    message:
                        "A composite index has two to four attributes; for one use indexed: true."
                )
            }
            var slots: [Int] = []
            for name in index.names {
                guard let slot = attributes.first(where: { $0.name == name })?.slot else {
                    throw SchemaError(
                        .invalidIndex,
                        model: declaration.name,
                        attribute: name,
                        message: "The index names an attribute that is not there; correct the name."
                    )
                }
                slots.append(slot)
            }
            indexes.append(try nextIndex(slots, isUnique: index.isUnique, declaration, place))
        }
        let search = try searchIndex(declaration, attributes)
        return ModelDescription(
            number: number,
            name: declaration.name,
            earlierNames: declaration.earlierNames,
            version: UInt32(declaration.version),
            slotCount: attributes.count,
            attributes: attributes,
            indexes: indexes,
            search: search
        )
    }

    /// The index of words, whose number follows those of the model's other indexes.
    private mutating func searchIndex(
        _ declaration: ModelDeclaration,
        _ attributes: [AttributeDescription]
    ) throws(SchemaError) -> SearchDescription? {
        guard !declaration.searchable.isEmpty else { return nil }
        var fields: [SearchDescription.Field] = []
        for (name, weight) in declaration.searchable {
            guard let attribute = attributes.first(where: { $0.name == name }),
                let weight = UInt8(exactly: weight)
            else {
                throw SchemaError(
                    .invalidIndex,
                    model: declaration.name,
                    attribute: name,
                    message:
                        "A search index names attributes that are there, with weights from 1 to 255; correct it."
                )
            }
            fields.append(SearchDescription.Field(slot: attribute.slot, weight: weight))
        }
        let place = declaration.searchable.map(\.name).joined(separator: ", ")
        return SearchDescription(number: try nextNumber(declaration, place), fields: fields)
    }

    private mutating func nextIndex(
        _ slots: [Int],
        isUnique: Bool,
        _ declaration: ModelDeclaration,
        _ place: String
    ) throws(SchemaError) -> IndexDescription {
        IndexDescription(
            number: try nextNumber(declaration, place),
            slots: slots,
            isUnique: isUnique
        )
    }

    private mutating func nextNumber(
        _ declaration: ModelDeclaration,
        _ place: String
    ) throws(SchemaError) -> UInt16 {
        indexCount += 1
        guard let number = UInt16(exactly: indexCount) else {
            throw SchemaError(
                .invalidIndex,
                model: declaration.name,
                attribute: place,
                message: "A schema has at most 65535 indexes; remove some."
            )
        }
        return number
    }
}
