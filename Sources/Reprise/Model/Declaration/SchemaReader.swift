/// Reads what ``SchemaWriter`` writes; bounds-checked.
struct SchemaReader {
    let bytes: [UInt8]
    var offset = 0
    var version: UInt8 = 1

    init(bytes: [UInt8]) { self.bytes = bytes }

    var isAtEnd: Bool { offset == bytes.count }

    static var newerForm: SchemaError {
        SchemaError(
            .newerForm,
            model: "",
            message: "The schema is written in a newer form; open the store with a newer version."
        )
    }

    func corrupt() -> SchemaError {
        SchemaError(
            .corrupt,
            model: "",
            message:
                "The stored schema is damaged at byte \(offset); restore the store from a copy."
        )
    }

    mutating func u8() throws(SchemaError) -> UInt8 {
        guard offset < bytes.count else { throw corrupt() }
        defer { offset += 1 }
        return bytes[offset]
    }

    mutating func u16() throws(SchemaError) -> UInt16 {
        UInt16(try u8()) | UInt16(try u8()) << 8
    }

    mutating func u32() throws(SchemaError) -> UInt32 {
        UInt32(try u16()) | UInt32(try u16()) << 16
    }

    mutating func count() throws(SchemaError) -> Int { Int(try u16()) }

    mutating func flag() throws(SchemaError) -> Bool {
        let byte = try u8()
        guard byte <= 1 else { throw corrupt() }
        return byte == 1
    }

    mutating func text() throws(SchemaError) -> String {
        let count = Int(try u8())
        guard bytes.count - offset >= count,
            let text = String(validating: bytes[offset..<offset + count], as: UTF8.self)
        else { throw corrupt() }
        offset += count
        return text
    }

    mutating func type(depth: Int = 0) throws(SchemaError) -> ValueType {
        guard depth < ValueType.depthMax else { throw corrupt() }
        switch try u8() {
        case 1: return .bool
        case 2: return .int
        case 3: return .double
        case 4: return .float
        case 5: return .string
        case 6: return .data
        case 7: return .date
        case 8: return .uuid
        case 9: return .decimal
        case 10: return .reference
        case 16:
            let nils = try flag()
            return .list(try type(depth: depth + 1), nilElements: nils)
        case 17:
            let nils = try flag()
            return .set(try type(depth: depth + 1), nilElements: nils)
        case 18:
            let nils = try flag()
            return .map(try type(depth: depth + 1), nilValues: nils)
        case 19:
            var fields: [EmbeddedField] = []
            for _ in 0..<(try count()) {
                let name = try text()
                let isOptional = try flag()
                let type = try type(depth: depth + 1)
                fields.append(EmbeddedField(name: name, type: type, isOptional: isOptional))
            }
            return .embedded(fields)
        default: throw corrupt()
        }
    }

    mutating func models() throws(SchemaError) -> [ModelDescription] {
        var models: [ModelDescription] = []
        for _ in 0..<(try count()) { models.append(try model()) }
        return models
    }

    private mutating func model() throws(SchemaError) -> ModelDescription {
        var model = ModelDescription(
            number: try u16(),
            name: try text(),
            earlierNames: version >= 3 ? try names() : [],
            version: try u32(),
            slotCount: try count(),
            attributes: try attributes(),
            indexes: []
        )
        for _ in 0..<(try count()) {
            let number = try u16()
            let isUnique = try flag()
            model.indexes.append(
                IndexDescription(number: number, slots: try slots(), isUnique: isUnique)
            )
        }
        if version >= 2 { model.search = try search() }
        if version >= 3 { model.retiredAttributes = try attributes() }
        return model
    }

    private mutating func attributes() throws(SchemaError) -> [AttributeDescription] {
        var attributes: [AttributeDescription] = []
        for _ in 0..<(try count()) {
            var attribute = AttributeDescription(
                slot: try count(),
                name: try text(),
                earlierNames: version >= 3 ? try names() : [],
                type: .bool,
                isOptional: try flag()
            )
            attribute.type = try type()
            if version >= 3 {
                attribute.defaultValue = try defaultValue(of: attribute.type)
                attribute.origins = try slots()
            }
            if version >= 4 { attribute.isWidened = try flag() }
            attributes.append(attribute)
        }
        return attributes
    }

    private mutating func defaultValue(of type: ValueType) throws(SchemaError) -> Value? {
        guard try flag() else { return nil }
        let count = Int(try u32())
        guard count <= bytes.count - offset else { throw corrupt() }
        defer { offset += count }
        do {
            return try unsafe bytes[offset..<offset + count].withUnsafeBytes {
                try unsafe Value(decoding: $0, as: type)
            }
        } catch {
            throw corrupt()
        }
    }

    private mutating func names() throws(SchemaError) -> [String] {
        var names: [String] = []
        for _ in 0..<(try u8()) { names.append(try text()) }
        return names
    }

    private mutating func slots() throws(SchemaError) -> [Int] {
        var slots: [Int] = []
        for _ in 0..<(try count()) { slots.append(try count()) }
        return slots
    }

    private mutating func search() throws(SchemaError) -> SearchDescription? {
        switch try u8() {
        case 0: return nil
        case SearchDescription.tokenizer: break
        default: throw Self.newerForm
        }
        var search = SearchDescription(number: try u16(), fields: [])
        for _ in 0..<(try u8()) {
            let slot = try count()
            search.fields.append(SearchDescription.Field(slot: slot, weight: try u8()))
        }
        return search
    }

    mutating func relations() throws(SchemaError) -> [RelationDescription] {
        var relations: [RelationDescription] = []
        for _ in 0..<(try count()) { relations.append(try relation()) }
        return relations
    }

    private mutating func relation() throws(SchemaError) -> RelationDescription {
        let number = try u16()
        let kind: RelationDescription.Kind
        switch try u8() {
        case 1: kind = .reference(slot: try count())
        case 2: kind = .pair(sourceSlot: try count(), targetSlot: try count())
        case 3: kind = .list
        default: throw corrupt()
        }
        return RelationDescription(
            number: number,
            kind: kind,
            source: try end(),
            target: try end()
        )
    }

    private mutating func end() throws(SchemaError) -> RelationDescription.End {
        let model = try u16()
        let name = try text()
        let earlierNames = version >= 3 ? try names() : []
        guard let rule = DeleteRule(rawValue: try u8()) else { throw corrupt() }
        return RelationDescription.End(
            model: model,
            name: name.isEmpty ? nil : name,
            earlierNames: earlierNames,
            onDelete: rule
        )
    }
}
