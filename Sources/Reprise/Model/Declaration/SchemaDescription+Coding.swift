/// The bytes of a description, which are the body of `schemaDeclared` events: see
/// `Specs/format/schema.md`.
extension SchemaDescription {
    private static let magic: [UInt8] = [0x52, 0x50, 0x53, 0x44]  // "RPSD"

    /// The lowest version that can say it: 2 has search indexes, 3 what a change of the schema leaves behind, 4 widened
    /// attributes. So one schema has one form, and what older code has written keeps its bytes.
    private var encodingVersion: UInt8 {
        if hasWidened { return 4 }
        if isChanged { return 3 }
        return models.contains { $0.search != nil } ? 2 : 1
    }

    /// Whether an attribute, removed ones included, was widened.
    private var hasWidened: Bool {
        (models + retiredModels).contains { model in
            model.attributes.contains(where: \.isWidened) || model.retiredAttributes.contains(where: \.isWidened)
        }
    }

    /// Whether anything is there that only version 3 can say.
    private var isChanged: Bool {
        func isChanged(_ attribute: AttributeDescription) -> Bool {
            !attribute.earlierNames.isEmpty || attribute.defaultValue != nil || !attribute.origins.isEmpty
        }
        return version > 0 || floor > 0 || !retiredModels.isEmpty || !retiredRelations.isEmpty
            || relations.contains { !$0.source.earlierNames.isEmpty || !$0.target.earlierNames.isEmpty }
            || models.contains {
                !$0.earlierNames.isEmpty || !$0.retiredAttributes.isEmpty || $0.attributes.contains(where: isChanged)
            }
    }

    /// The canonical bytes: equal descriptions have equal bytes. Models and relations are written in
    /// the order they have.
    package func encode() -> [UInt8] {
        var writer = SchemaWriter(version: encodingVersion)
        writer.bytes += Self.magic
        writer.u8(writer.version)
        if writer.version >= 3 {
            writer.u32(version)
            writer.u32(floor)
        }
        writer.models(models)
        writer.relations(relations)
        if writer.version >= 3 {
            writer.models(retiredModels)
            writer.relations(retiredRelations)
        }
        return writer.bytes
    }

    /// Reads a description and validates it. Throws ``SchemaError`` whatever the bytes are; never
    /// reserves more than the bytes warrant.
    package init(decoding bytes: [UInt8]) throws(SchemaError) {
        var reader = SchemaReader(bytes: bytes)
        for byte in Self.magic where try reader.u8() != byte { throw reader.corrupt() }
        reader.version = try reader.u8()
        guard (1...4).contains(reader.version) else { throw SchemaReader.newerForm }
        let isNew = reader.version >= 3
        self.init(
            models: [],
            relations: [],
            version: isNew ? try reader.u32() : 0,
            floor: isNew ? try reader.u32() : 0
        )
        models = try reader.models()
        relations = try reader.relations()
        if isNew {
            retiredModels = try reader.models()
            retiredRelations = try reader.relations()
        }
        guard reader.isAtEnd, reader.version == encodingVersion else { throw reader.corrupt() }
        try validate()
    }
}
