import Reprise

/// Two models with every type of attribute, as data.
enum SampleSchema {
    static let book = ModelDescription(
        number: 1,
        name: "book",
        version: 1,
        slotCount: 14,
        attributes: attributes([
            ("title", .string, false), ("pages", .int, true), ("price", .decimal, true),
            ("weight", .double, true), ("score", .float, true), ("isLent", .bool, false),
            ("published", .date, true), ("cover", .data, true), ("key", .uuid, true),
            ("tags", .list(.string, nilElements: true), true),
            ("years", .set(.int, nilElements: false), true),
            ("notes", .map(.string, nilValues: false), true),
            (
                "size",
                .embedded([
                    EmbeddedField(name: "width", type: .double, isOptional: false),
                    EmbeddedField(name: "unit", type: .string, isOptional: true),
                ]), true
            ),
            ("author", .reference, true),
        ]),
        indexes: []
    )

    private static func attributes(
        _ list: [(name: String, type: ValueType, isOptional: Bool)]
    ) -> [AttributeDescription] {
        list.enumerated().map { slot, attribute in
            AttributeDescription(
                slot: slot,
                name: attribute.name,
                type: attribute.type,
                isOptional: attribute.isOptional
            )
        }
    }

    static let author = ModelDescription(
        number: 2,
        name: "author",
        version: 1,
        slotCount: 2,
        attributes: [
            AttributeDescription(slot: 0, name: "name", type: .string, isOptional: false),
            AttributeDescription(slot: 1, name: "born", type: .date, isOptional: true),
        ],
        indexes: []
    )

    static let schema = SchemaDescription(
        models: [book, author],
        relations: [
            RelationDescription(
                number: 1,
                kind: .reference(slot: 13),
                source: .init(model: 1, name: "author", onDelete: .nullify),
                target: .init(model: 2, name: "books", onDelete: .cascade)
            )
        ]
    )
}
