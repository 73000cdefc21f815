import Reprise

/// One `key=value` of `put`.
///
/// `key=text` takes the text as it stands, containers as JSON; `key=` sets nil; `key:=JSON` takes a JSON
/// value, which is the way to write an empty string: `title:=""`.
struct Assignment: Equatable, Sendable {
    var name: String
    var value: Value

    /// Reads an assignment to an attribute of `model`.
    ///
    /// - Parameter lists: the lists of the model, which other commands change.
    /// - Throws: `CommandFailure`: `usage` for a name that does not exist, `badData` for a value that the
    ///   attribute cannot hold.
    init(
        _ argument: String,
        model: ModelDescription,
        lists: [String] = []
    ) throws(CommandFailure) {
        guard let sign = argument.firstIndex(of: "=") else {
            throw CommandFailure(
                .usage,
                "`\(DisplayWidth.visible(argument))` is not of the form key=value.",
                advice: "Write the name of an attribute, = and its value; quote them for the shell."
            )
        }
        var key = argument[..<sign]
        let isJSON = key.last == ":"
        if isJSON { key.removeLast() }
        let attribute = try Self.attribute(String(key), of: model, lists)
        let text = String(argument[argument.index(after: sign)...])
        name = attribute.name
        do throws(ValueMistake) {
            value = try Self.value(text, isJSON: isJSON, attribute)
        } catch {
            throw CommandFailure(
                .badData,
                "\(model.name).\(name)\(error.place) takes \(error.expected), not \(error.found).",
                advice: "Correct the value; `reprise put --help` shows how each kind is written."
            )
        }
        guard attribute.isOptional || !value.isNull else {
            throw CommandFailure(
                .badData,
                "\(model.name).\(name) cannot be nil.",
                advice: attribute.type == .string
                    ? "Give it a value; an empty text is written \(name):=\"\"."
                    : "Give it a value."
            )
        }
    }

    private static func value(
        _ text: String,
        isJSON: Bool,
        _ attribute: AttributeDescription
    ) throws(ValueMistake) -> Value {
        guard isJSON else {
            return text.isEmpty ? .null : try Value(text: text, as: attribute.type)
        }
        let json: JSONValue
        do {
            json = try JSONValue(parsing: text)
        } catch {
            throw ValueMistake(
                expected: error.expected,
                found: (error.found ?? "that") + " at character \(error.column(in: text))"
            )
        }
        return try Value(json, as: attribute.type)
    }

    private static func attribute(
        _ name: String,
        of model: ModelDescription,
        _ lists: [String]
    ) throws(CommandFailure) -> AttributeDescription {
        if let attribute = model.attribute(named: name) { return attribute }
        guard name != "id" else {
            throw CommandFailure(
                .usage,
                "The identifier of a \(model.name) cannot be assigned.",
                advice: "Name the entity with --id."
            )
        }
        guard !lists.contains(name) else {
            throw CommandFailure(
                .usage,
                "\(model.name) has no attribute `\(DisplayWidth.visible(name))`; it is a list.",
                advice: "Use `reprise link`, `unlink` and `move`."
            )
        }
        let names = model.attributes.map(\.name)
        let advice =
            Spelling.nearest(to: name, in: names).map { "Did you mean \($0)?" }
            ?? "It has " + names.joined(separator: ", ") + "."
        throw CommandFailure(
            .usage,
            "\(model.name) has no attribute `\(DisplayWidth.visible(name))`.",
            advice: advice
        )
    }
}
