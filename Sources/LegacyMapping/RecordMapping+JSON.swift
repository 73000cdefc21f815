package import ExportFormats

extension RecordMapping {
    /// Reads a mapping file (Specs/format/mapping.md).
    ///
    /// - Parameter targets: the schemas that the file may name beside the export's own.
    /// - Throws: ``LegacyError`` with the code `malformed`, and where in the file and why.
    /// - Complexity: O(bytes).
    package init(json bytes: [UInt8], targets: [any TargetRules]) throws(LegacyError) {
        let members = try MappingFile.root(bytes).members(MappingFile.names)
        var target = Target.own
        if let given = members["target"] {
            let names = (["own"] + targets.map(\.name)).map { "\"\($0)\"" }.joined(separator: " or ")
            let name = try given.text(names)
            if let named = targets.first(where: { $0.name == name }) {
                target = Target(named)
            } else if name != "own" {
                throw given.mistake(names)
            }
        }
        self.init(target: target)
        for (name, rule) in try members["classes"]?.entries() ?? [] {
            classes[name] = try Self.rule(ofClass: rule)
        }
    }

    private static func rule(ofClass value: MappingFile) throws(LegacyError) -> ClassRule {
        guard !value.isNull else { return ClassRule(isDropped: true) }
        let members = try value.members(MappingFile.namesOfClass)
        var rule = ClassRule(model: try members["model"]?.text("the name of a model"))
        if let id = members["id"] { rule.identifier = try identifier(id) }
        for (name, field) in try members["fields"]?.entries() ?? [] {
            rule.fields[name] = try Self.rule(ofField: field)
        }
        return rule
    }

    private static func identifier(_ value: MappingFile) throws(LegacyError) -> IdentifierRule {
        let expected = "the name of a field, or an array of such names"
        guard let elements = value.elements else { return .field(try value.text(expected)) }
        guard !elements.isEmpty else { throw value.mistake(expected) }
        var names: [String] = []
        for element in elements { names.append(try element.text("the name of a field")) }
        return .fields(names)
    }

    private static func rule(ofField value: MappingFile) throws(LegacyError) -> FieldRule {
        guard !value.isNull else { return FieldRule(isDropped: true) }
        if let name = value.text { return FieldRule(name: name) }
        let members = try value.members(MappingFile.namesOfField)
        var rule = FieldRule(name: try members["to"]?.text("the new name of the field"))
        if let trim = members["trim"] { rule.isTrimmed = try trim.flag() }
        if let type = members["type"] {
            let expected = "one of \(FieldType.names.joined(separator: ", "))"
            guard let found = FieldType(try type.text(expected)) else { throw type.mistake(expected) }
            rule.type = found
        }
        if let split = members["split"] {
            let expected = "a text that separates the parts of another, and is not empty"
            let separator = try split.text(expected)
            guard !separator.isEmpty else { throw split.mistake(expected) }
            rule.separator = separator
        }
        if let scalar = members["default"] { rule.defaultValue = try scalar.scalar() }
        return rule
    }
}
