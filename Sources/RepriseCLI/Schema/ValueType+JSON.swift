import Reprise

/// A type in JSON: a word for a scalar and a to-one, an object for what has parts.
extension ValueType {
    private static let words: [(word: String, type: ValueType)] = [
        ("bool", .bool), ("int", .int), ("double", .double), ("float", .float), ("string", .string),
        ("data", .data), ("date", .date), ("uuid", .uuid), ("decimal", .decimal), ("reference", .reference),
    ]

    /// The word of a type without parts.
    var word: String? { Self.words.first { $0.type == self }?.word }

    func write(to writer: inout JSONWriter) {
        if let word { return writer.value(word) }
        writer.object { writer in
            switch self {
            case .list(let element, let hasNils): Self.write("list", of: element, hasNils, to: &writer)
            case .set(let element, let hasNils): Self.write("set", of: element, hasNils, to: &writer)
            case .map(let element, let hasNils): Self.write("map", of: element, hasNils, to: &writer)
            case .embedded(let fields):
                writer.member("kind", "embedded")
                writer.key("fields")
                writer.objects(fields) { field, writer in
                    writer.typed(field.name, field.type, isOptional: field.isOptional)
                }
            default: break
            }
        }
    }

    private static func write(
        _ kind: String,
        of element: ValueType,
        _ hasNils: Bool,
        to writer: inout JSONWriter
    ) {
        writer.member("kind", kind)
        writer.key("of")
        element.write(to: &writer)
        writer.member("optional", hasNils)
    }

    /// Reads what ``write(to:)`` writes.
    init(_ value: JSONValue, at place: String) throws(JSONMistake) {
        if case .string(let word) = value {
            guard let type = Self.words.first(where: { $0.word == word })?.type else {
                let hint = Spelling.nearest(to: word, in: Self.words.map(\.word)).map { "; did you mean \"\($0)\"?" }
                throw JSONMistake(message: "\(place) is \"\(word)\", which is no type\(hint ?? ".")")
            }
            self = type
            return
        }
        self = try JSONMembers.read(value, at: place) { (object) throws(JSONMistake) in
            let kind = try object.word("kind", of: ["list", "set", "map", "embedded"])
            if kind == "embedded" {
                return .embedded(
                    try object.objects("fields") { (field) throws(JSONMistake) in
                        EmbeddedField(
                            name: try field.text("name"),
                            type: try field.type(),
                            isOptional: try field.flag("optional")
                        )
                    }
                )
            }
            let element = try ValueType(try object.need("of"), at: object.place(of: "of"))
            let hasNils = try object.flag("optional")
            switch kind {
            case "list": return .list(element, nilElements: hasNils)
            case "set": return .set(element, nilElements: hasNils)
            default: return .map(element, nilValues: hasNils)
            }
        }
    }
}

extension JSONMembers {
    /// The type that an attribute or a field must have.
    mutating func type() throws(JSONMistake) -> ValueType {
        try ValueType(try need("type"), at: place(of: "type"))
    }
}

extension JSONWriter {
    /// The members of something that has a name and a type.
    mutating func typed(_ name: String, _ type: ValueType, isOptional: Bool) {
        member("name", name)
        key("type")
        type.write(to: &self)
        member("optional", isOptional)
    }
}
