/// A value with everything in it, for one record at a time.
package enum JSONValue: Sendable, Equatable {
    case null
    case bool(Bool)
    case number(JSONNumber)
    case string(String)
    case array([JSONValue])
    case object([JSONMember])

    /// Compact JSON. Names and values are in the order of the file, numbers as they were written; what is no number
    /// is a string, `"nan"`, `"inf"` or `"-inf"`.
    package var text: String {
        var text = ""
        write(to: &text)
        return text
    }

    private func write(to text: inout String) {
        switch self {
        case .null: text += "null"
        case .bool(let value): text += value ? "true" : "false"
        case .number(let number):
            text += number.double?.isFinite ?? true ? number.text : "\"\(number.text)\""
        case .string(let string): Self.write(string, to: &text)
        case .array(let elements):
            text += "["
            for (place, element) in elements.enumerated() {
                if place > 0 { text += "," }
                element.write(to: &text)
            }
            text += "]"
        case .object(let members):
            text += "{"
            for (place, member) in members.enumerated() {
                if place > 0 { text += "," }
                Self.write(member.name, to: &text)
                text += ":"
                member.value.write(to: &text)
            }
            text += "}"
        }
    }

    private static func write(_ string: String, to text: inout String) {
        text += "\""
        for scalar in string.unicodeScalars {
            switch scalar {
            case "\"": text += "\\\""
            case "\\": text += "\\\\"
            case "\n": text += "\\n"
            case "\r": text += "\\r"
            case "\t": text += "\\t"
            case "\u{0}"..."\u{1F}":
                let digits = String(scalar.value, radix: 16)
                text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: text.unicodeScalars.append(scalar)
            }
        }
        text += "\""
    }
}

/// A name and its value in an object.
package struct JSONMember: Sendable, Equatable {
    package let name: String
    package let value: JSONValue

    package init(name: String, value: JSONValue) {
        self.name = name
        self.value = value
    }
}

extension [JSONMember] {
    /// The last value of this name: what most readers of JSON keep.
    package subscript(name: String) -> JSONValue? {
        last { $0.name.hasSameBytes(as: name) }?.value
    }

    /// Where the first member of this name is.
    package func firstPlace(of name: String) -> Int? {
        firstIndex { $0.name.hasSameBytes(as: name) }
    }

    /// The last of those that have the same name.
    package var withoutRepeats: [JSONMember] {
        guard Set(map(\.name)).count < count else { return self }
        var names: Set<ExactText> = []
        return reversed().filter { names.insert(ExactText($0.name)).inserted }.reversed()
    }
}

extension JSONReader {
    /// Reads the rest of a value whose first token was read.
    ///
    /// - Throws: `.limitExceeded` where it has too many values or bytes; at most `limits.depthMax` levels are nested.
    package func value(from token: Token) throws -> JSONValue {
        var budget = Budget(values: limits.treeValueCountMax, end: offset + limits.treeByteCountMax)
        return try value(from: token, &budget)
    }

    private struct Budget {
        var values: Int
        let end: UInt64
    }

    private func value(from token: Token, _ budget: inout Budget) throws -> JSONValue {
        budget.values -= 1
        guard budget.values >= 0, offset <= budget.end else {
            throw LegacyError(
                .limitExceeded,
                "One object in the file is larger than any export writes.",
                advice: "Export the library again; do not trust this file.",
                byteOffset: offset,
                line: line
            )
        }
        switch token {
        case .string(let text): return .string(text)
        case .number(let number): return .number(number)
        case .bool(let value): return .bool(value)
        case .null: return .null
        case .beginArray:
            var elements: [JSONValue] = []
            while true {
                let token = try next()
                if token == .endArray { return .array(elements) }
                elements.append(try value(from: token, &budget))
            }
        case .beginObject:
            var members: [JSONMember] = []
            while case .name(let name) = try next() {
                members.append(JSONMember(name: name, value: try value(from: try next(), &budget)))
            }
            return .object(members)
        case .endObject, .endArray, .name, .end:
            throw malformed("has no value where one must be")
        }
    }

    /// Passes over the rest of a value whose first token was read.
    package func skip(from token: Token) throws {
        guard token == .beginObject || token == .beginArray else { return }
        let outside = depth - 1
        while depth > outside { _ = try next() }
    }
}
