import Reprise

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Why a text or a JSON value is not a value of an attribute's type.
struct ValueMistake: Error, Equatable, Sendable {
    /// What the type takes.
    var expected: String
    /// What was given.
    var found: String
    /// Where inside a list, map or embedded struct: `[3].street`.
    var place = ""

    func inside(_ outer: String) -> ValueMistake {
        var copy = self
        copy.place = outer + place
        return copy
    }
}

/// Values in the JSON of the command: dates are ISO 8601, data is base64, references are identifiers, and
/// numbers that JSON lacks are the strings `"nan"`, `"inf"` and `"-inf"`.
extension JSONWriter {
    mutating func value(_ value: Value) {
        switch value {
        case .null: null()
        case .bool(let content): self.value(content)
        case .int(let content): self.value(content)
        case .double(let content): self.value(content)
        case .float(let content): self.value(content)
        case .string(let content), .reference(let content): self.value(content)
        case .data(let content): self.value(content)
        case .date(let content): self.value(content)
        case .uuid(let content): self.value(content.uuidString)
        case .decimal(let content): number(content)
        case .list(let elements), .set(let elements):
            array { writer in
                for element in elements { writer.value(element) }
            }
        case .map(let entries):
            object { writer in
                for entry in entries { writer.member(entry.name, entry.value) }
            }
        case .embedded(let fields):
            object { writer in
                for field in fields where !field.value.isNull {
                    writer.member(field.name, field.value)
                }
            }
        }
    }

    mutating func member(_ name: String, _ content: Value) {
        key(name)
        value(content)
    }

    /// A decimal is written as a number with all its digits; whoever needs them reads it as text.
    private mutating func number(_ decimal: Decimal) {
        if decimal.isNaN { value("nan") } else { value(numberText: decimal.description) }
    }
}

extension Value {
    /// Reads a JSON value as a value of `type`. `null` is ``null``; whether that may be is for the
    /// caller to say, and for containers it is checked here.
    init(_ json: JSONValue, as type: ValueType) throws(ValueMistake) {
        if json == .null {
            self = .null
            return
        }
        switch type {
        case .list(let element, let nilElements):
            self = .list(try Self.elements(json, element, nilElements))
        case .set(let element, let nilElements):
            self = .set(try Self.elements(json, element, nilElements))
        case .map(let value, let nilValues): self = .map(try Self.entries(json, value, nilValues))
        case .embedded(let fields): self = .embedded(try Self.fields(json, fields))
        default: self = try Value(literal: json, as: type)
        }
    }

    /// Reads a JSON scalar as a value of a scalar type.
    init(literal json: JSONValue, as type: ValueType) throws(ValueMistake) {
        switch (type, json) {
        case (.bool, .bool(let value)): self = .bool(value)
        case (.string, .string(let text)): self = .string(text)
        case (.reference, .string(let text)): self = .reference(text)
        case (.int, .number(let text)), (.double, .number(let text)), (.float, .number(let text)),
            (.decimal, .number(let text)):
            self = try Value(text: text, as: type)
        case (.double, .string(let text)), (.float, .string(let text)),
            (.decimal, .string(let text)),
            (.data, .string(let text)), (.date, .string(let text)), (.uuid, .string(let text)):
            self = try Value(text: text, as: type)
        default: throw ValueMistake(expected: type.expectation, found: json.kindName)
        }
    }

    private static func elements(
        _ json: JSONValue,
        _ type: ValueType,
        _ nilAllowed: Bool
    ) throws(ValueMistake) -> [Value] {
        guard case .array(let elements) = json else {
            throw ValueMistake(expected: "a JSON array", found: json.kindName)
        }
        var values: [Value] = []
        for (index, element) in elements.enumerated() {
            values.append(try part(element, type, nilAllowed, "[\(index)]"))
        }
        return values
    }

    private static func entries(
        _ json: JSONValue,
        _ type: ValueType,
        _ nilAllowed: Bool
    ) throws(ValueMistake) -> [Entry] {
        var entries: [Entry] = []
        for member in try members(json) {
            let value = try part(member.value, type, nilAllowed, ".\(member.name)")
            entries.append(Entry(member.name, value))
        }
        return entries
    }

    private static func fields(
        _ json: JSONValue,
        _ fields: [EmbeddedField]
    ) throws(ValueMistake) -> [Entry] {
        let members = try members(json)
        for member in members where !fields.contains(where: { $0.name == member.name }) {
            throw ValueMistake(
                expected: "one of the fields " + fields.map(\.name).joined(separator: ", "),
                found: "`\(member.name)`"
            )
        }
        var entries: [Entry] = []
        for field in fields {
            let given = members.first { $0.name == field.name }?.value ?? .null
            let value = try part(given, field.type, field.isOptional, ".\(field.name)")
            if !value.isNull { entries.append(Entry(field.name, value)) }
        }
        return entries
    }

    private static func members(_ json: JSONValue) throws(ValueMistake) -> [JSONValue.Member] {
        guard case .object(let members) = json else {
            throw ValueMistake(expected: "a JSON object", found: json.kindName)
        }
        return members
    }

    private static func part(
        _ json: JSONValue,
        _ type: ValueType,
        _ nilAllowed: Bool,
        _ place: String
    ) throws(ValueMistake) -> Value {
        do throws(ValueMistake) {
            guard nilAllowed || json != .null else {
                throw ValueMistake(expected: type.expectation, found: "null")
            }
            return try Value(json, as: type)
        } catch {
            throw error.inside(place)
        }
    }
}
