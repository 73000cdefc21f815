/// The bytes of a description, which are the body of `schemaDeclared` events: see
/// `Specs/format/schema.md`.
extension SchemaDescription {
    private static let magic: [UInt8] = [0x52, 0x50, 0x53, 0x44]  // "RPSD"
    /// Version 2 has search indexes. A schema without any is written in version 1, so that its bytes stay the same.
    private var version: UInt8 { models.contains { $0.search != nil } ? 2 : 1 }

    /// The canonical bytes: equal descriptions have equal bytes. Models and relations are written in
    /// the order they have.
    package func encode() -> [UInt8] {
        var writer = SchemaWriter()
        writer.bytes += Self.magic
        writer.u8(version)
        writer.count(models.count)
        for model in models {
            writer.u16(model.number)
            writer.text(model.name)
            writer.u32(model.version)
            writer.count(model.slotCount)
            writer.count(model.attributes.count)
            for attribute in model.attributes {
                writer.count(attribute.slot)
                writer.text(attribute.name)
                writer.u8(attribute.isOptional ? 1 : 0)
                writer.type(attribute.type)
            }
            writer.count(model.indexes.count)
            for index in model.indexes {
                writer.u16(index.number)
                writer.u8(index.isUnique ? 1 : 0)
                writer.count(index.slots.count)
                for slot in index.slots { writer.count(slot) }
            }
            if version == 2 { writer.search(model.search) }
        }
        writer.count(relations.count)
        for relation in relations {
            writer.u16(relation.number)
            switch relation.kind {
            case .reference(let slot):
                writer.u8(1)
                writer.count(slot)
            case .pair(let sourceSlot, let targetSlot):
                writer.u8(2)
                writer.count(sourceSlot)
                writer.count(targetSlot)
            case .list:
                writer.u8(3)
            }
            for end in [relation.source, relation.target] {
                writer.u16(end.model)
                writer.text(end.name ?? "")
                writer.u8(end.onDelete.rawValue)
            }
        }
        return writer.bytes
    }

    /// Reads a description and validates it. Throws ``SchemaError`` whatever the bytes are; never
    /// reserves more than the bytes warrant.
    package init(decoding bytes: [UInt8]) throws(SchemaError) {
        var reader = SchemaReader(bytes: bytes)
        for byte in Self.magic where try reader.u8() != byte { throw reader.corrupt() }
        reader.version = try reader.u8()
        guard (1...2).contains(reader.version) else { throw SchemaReader.newerForm }
        var models: [ModelDescription] = []
        for _ in 0..<(try reader.count()) { models.append(try reader.model()) }
        var relations: [RelationDescription] = []
        for _ in 0..<(try reader.count()) { relations.append(try reader.relation()) }
        guard reader.isAtEnd else { throw reader.corrupt() }
        // Version 2 is only for what version 1 cannot say: one schema, one form.
        guard reader.version == 1 || models.contains(where: { $0.search != nil }) else {
            throw reader.corrupt()
        }
        self.init(models: models, relations: relations)
        try validate()
    }
}

/// Little-endian numbers, length-prefixed text.
private struct SchemaWriter {
    var bytes: [UInt8] = []

    mutating func u8(_ value: UInt8) { bytes.append(value) }

    mutating func u16(_ value: UInt16) {
        u8(UInt8(truncatingIfNeeded: value))
        u8(UInt8(value >> 8))
    }

    mutating func u32(_ value: UInt32) {
        u16(UInt16(truncatingIfNeeded: value))
        u16(UInt16(value >> 16))
    }

    /// Counts and slots: a validated schema has at most 65535 of anything.
    mutating func count(_ value: Int) { u16(UInt16(clamping: value)) }

    mutating func text(_ value: String) {
        let content = Array(value.utf8)
        u8(UInt8(clamping: content.count))
        bytes += content
    }

    mutating func type(_ type: ValueType) {
        switch type {
        case .bool: u8(1)
        case .int: u8(2)
        case .double: u8(3)
        case .float: u8(4)
        case .string: u8(5)
        case .data: u8(6)
        case .date: u8(7)
        case .uuid: u8(8)
        case .decimal: u8(9)
        case .reference: u8(10)
        case .list(let element, let nils): container(16, element, nils)
        case .set(let element, let nils): container(17, element, nils)
        case .map(let element, let nils): container(18, element, nils)
        case .embedded(let fields):
            u8(19)
            count(fields.count)
            for field in fields {
                text(field.name)
                u8(field.isOptional ? 1 : 0)
                self.type(field.type)
            }
        }
    }

    mutating func search(_ search: SearchDescription?) {
        guard let search else { return u8(0) }
        u8(SearchDescription.tokenizer)
        u16(search.number)
        u8(UInt8(clamping: search.fields.count))
        for field in search.fields {
            count(field.slot)
            u8(field.weight)
        }
    }

    private mutating func container(_ code: UInt8, _ element: ValueType, _ nils: Bool) {
        u8(code)
        u8(nils ? 1 : 0)
        type(element)
    }
}

/// Reads what ``SchemaWriter`` writes; bounds-checked.
private struct SchemaReader {
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

    mutating func model() throws(SchemaError) -> ModelDescription {
        var model = ModelDescription(
            number: try u16(),
            name: try text(),
            version: try u32(),
            slotCount: try count(),
            attributes: [],
            indexes: []
        )
        for _ in 0..<(try count()) {
            let slot = try count()
            let name = try text()
            let isOptional = try flag()
            let type = try type()
            model.attributes.append(
                AttributeDescription(slot: slot, name: name, type: type, isOptional: isOptional)
            )
        }
        for _ in 0..<(try count()) {
            let number = try u16()
            let isUnique = try flag()
            var slots: [Int] = []
            for _ in 0..<(try count()) { slots.append(try count()) }
            model.indexes.append(
                IndexDescription(number: number, slots: slots, isUnique: isUnique)
            )
        }
        if version == 2 { model.search = try search() }
        return model
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

    mutating func relation() throws(SchemaError) -> RelationDescription {
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
        guard let rule = DeleteRule(rawValue: try u8()) else { throw corrupt() }
        return RelationDescription.End(
            model: model,
            name: name.isEmpty ? nil : name,
            onDelete: rule
        )
    }
}
