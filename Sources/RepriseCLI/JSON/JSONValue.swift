/// A JSON text that was read: a value given on the command line.
///
/// Numbers keep their text, so that 64-bit integers and decimals lose nothing; objects keep the order
/// of their keys.
indirect enum JSONValue: Equatable, Sendable {
    case null
    case bool(Bool)
    case number(String)
    case string(String)
    case array([JSONValue])
    case object([Member])

    struct Member: Equatable, Sendable {
        var name: String
        var value: JSONValue
    }

    /// How a reader would call it, with an article.
    var kindName: String {
        switch self {
        case .null: "null"
        case .bool: "a bool"
        case .number(let text): "the number \(text)"
        case .string: "a string"
        case .array: "an array"
        case .object: "an object"
        }
    }
}

extension JSONValue {
    /// The levels that arrays and objects may nest.
    static let depthMax = 100

    /// Reads exactly one JSON value (RFC 8259), with white space around it.
    ///
    /// Stricter than the standard in one point: two equal keys in one object are a mistake, since
    /// keeping either would lose data in silence.
    init(parsing text: String) throws(TextMistake) {
        var parser = JSONParser(scanner: TextScanner(text))
        self = try parser.document()
    }
}

private struct JSONParser {
    var scanner: TextScanner

    mutating func document() throws(TextMistake) -> JSONValue {
        let value = try value(depth: 0)
        scanner.skipSpace()
        guard scanner.isAtEnd else { throw scanner.mistake("the end") }
        return value
    }

    private mutating func value(depth: Int) throws(TextMistake) -> JSONValue {
        scanner.skipSpace()
        switch scanner.current {
        case UInt8(ascii: "{"): return .object(try members(depth: try deeper(depth)))
        case UInt8(ascii: "["): return .array(try elements(depth: try deeper(depth)))
        case UInt8(ascii: "\""): return .string(try scanner.string())
        default: break
        }
        if scanner.startsNumber { return .number(try scanner.number()) }
        if scanner.take("true") { return .bool(true) }
        if scanner.take("false") { return .bool(false) }
        if scanner.take("null") { return .null }
        throw scanner.mistake("a JSON value")
    }

    private func deeper(_ depth: Int) throws(TextMistake) -> Int {
        guard depth < JSONValue.depthMax else {
            throw scanner.mistake("at most \(JSONValue.depthMax) levels of nesting")
        }
        return depth + 1
    }

    private mutating func elements(depth: Int) throws(TextMistake) -> [JSONValue] {
        var elements: [JSONValue] = []
        scanner.advance()
        scanner.skipSpace()
        if scanner.take("]") { return elements }
        while true {
            elements.append(try value(depth: depth))
            scanner.skipSpace()
            if scanner.take("]") { return elements }
            guard scanner.take(",") else { throw scanner.mistake("`,` or `]`") }
        }
    }

    private mutating func members(depth: Int) throws(TextMistake) -> [JSONValue.Member] {
        var members: [JSONValue.Member] = []
        var names: Set<[UInt8]> = []
        scanner.advance()
        scanner.skipSpace()
        if scanner.take("}") { return members }
        while true {
            scanner.skipSpace()
            let place = scanner.offset
            let name = try scanner.string()
            // Bytes: String equality would call two normal forms of one key the same.
            guard names.insert(Array(name.utf8)).inserted else {
                throw scanner.mistake("a key that does not occur before", at: place)
            }
            scanner.skipSpace()
            guard scanner.take(":") else { throw scanner.mistake("`:`") }
            members.append(.init(name: name, value: try value(depth: depth)))
            scanner.skipSpace()
            if scanner.take("}") { return members }
            guard scanner.take(",") else { throw scanner.mistake("`,` or `}`") }
        }
    }
}
