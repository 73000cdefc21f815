import ExportFormats
import LegacyRecords

/// A value in a mapping file, with where it is in it.
struct MappingFile {
    /// What there is in the file.
    static let names = ["target", "classes"]
    /// What there is in the rules of a class.
    static let namesOfClass = ["model", "id", "fields"]
    /// What there is in the rules of a field.
    static let namesOfField = ["to", "type", "trim", "split", "default"]

    private let value: JSONValue
    /// The names that lead to it, from the outside to the inside.
    private let place: [String]

    private init(_ value: JSONValue, _ place: [String]) {
        self.value = value
        self.place = place
    }

    /// The whole of a file.
    ///
    /// - Throws: ``LegacyError`` with the code `malformed` where it is no JSON in UTF-8, with the line.
    static func root(_ bytes: [UInt8]) throws(LegacyError) -> MappingFile {
        do {
            let reader = JSONReader(MemoryInput(bytes))
            let value = try reader.value(from: try reader.next())
            guard try reader.next() == .end else { throw reader.malformed("goes on after its end") }
            return MappingFile(value, [])
        } catch {
            let error = error as? LegacyError
            let reason = error.map { String($0.message.dropLast()) } ?? "It cannot be read"
            throw LegacyError(
                .malformed,
                "The mapping is no JSON in UTF-8: \(reason.prefix(1).lowercased() + reason.dropFirst()).",
                advice: "Correct it there, and start again.",
                byteOffset: error?.byteOffset,
                line: error?.line
            )
        }
    }

    var isNull: Bool { value == .null }

    /// The text, where it is one.
    var text: String? {
        if case .string(let text) = value { text } else { nil }
    }

    /// The elements, where it is an array.
    var elements: [MappingFile]? {
        guard case .array(let elements) = value else { return nil }
        return elements.enumerated().map { MappingFile($1, place + ["\($0)"]) }
    }

    /// A text.
    ///
    /// - Parameter expected: what has to stand there, for the error.
    func text(_ expected: String) throws(LegacyError) -> String {
        guard let text else { throw mistake(expected) }
        return text
    }

    func flag() throws(LegacyError) -> Bool {
        guard case .bool(let flag) = value else { throw mistake("true or false") }
        return flag
    }

    /// A text, a number or a truth value.
    func scalar() throws(LegacyError) -> LegacyValue {
        switch value {
        case .bool(let flag): return .bool(flag)
        case .string(let text): return .string(text)
        case .number(let number):
            if let integer = number.integer { return .integer(integer) }
            guard let double = number.double else { break }
            return Int64(exactly: double).map { .integer($0) } ?? .double(double)
        case .null, .array, .object: break
        }
        throw mistake("a text, a number that fits 64 bits, true or false")
    }

    /// The members of an object, whatever their names are.
    ///
    /// - Throws: ``LegacyError`` with the code `malformed` where it is none, or has a member twice: one of the two
    ///   would have no effect.
    func entries() throws(LegacyError) -> [(name: String, value: MappingFile)] {
        guard case .object(let members) = value else { throw mistake("an object, in braces") }
        var names: Set<String> = []
        for member in members where !names.insert(member.name).inserted {
            throw Self.malformed(
                "The mapping has the member \(Self.shown(member.name)) twice in one object\(whereabouts).",
                "Leave one of them out."
            )
        }
        return members.map { ($0.name, MappingFile($0.value, place + [$0.name])) }
    }

    /// The members of an object by their names, without those that are null. One that is not known is a mistake, and
    /// not a rule that need not apply.
    func members(_ known: [String]) throws(LegacyError) -> [String: MappingFile] {
        var members: [String: MappingFile] = [:]
        for (name, value) in try entries() {
            guard known.contains(name) else {
                throw Self.malformed(
                    "The mapping has a member \(Self.shown(name))\(whereabouts), which means nothing there.",
                    "Correct its name, or leave it out: there are \(known.joined(separator: ", "))."
                )
            }
            if !value.isNull { members[name] = value }
        }
        return members
    }

    // MARK: Mistakes

    /// That something else has to stand there.
    func mistake(_ expected: String) -> LegacyError {
        Self.malformed(
            "The mapping has \(found)\(whereabouts), where something else is expected.",
            "Write \(expected) there."
        )
    }

    private var found: String {
        switch value {
        case .null: "null"
        case .bool(let flag): flag ? "true" : "false"
        case .number(let number): "the number \(number.text.prefix(40))"
        case .string(let text): "the text \(Self.shown(text))"
        case .array: "an array"
        case .object: "an object"
        }
    }

    private var whereabouts: String {
        place.isEmpty ? "" : " at \(Self.shortened(place.joined(separator: ".")))"
    }

    private static func shown(_ text: String) -> String { "\"\(shortened(text))\"" }

    private static func shortened(_ text: String) -> String {
        text.unicodeScalars.count <= 200 ? text : "\(String(text.unicodeScalars.prefix(200)))…"
    }

    private static func malformed(_ message: String, _ advice: String) -> LegacyError {
        LegacyError(
            .malformed,
            message,
            advice: advice + " See the guide about mappings for what it may say."
        )
    }
}
