/// A mistake in a JSON value that could be read: where it is, and what is wrong there.
struct JSONMistake: Error, Equatable, Sendable {
    /// A whole sentence.
    var message: String
}

/// Takes an object apart member by member. A member that nothing asked for is a mistake, since it says something that
/// would be lost.
struct JSONMembers {
    /// Where the object stands, as `models[0].attributes[2]`; empty for the value as a whole.
    private let place: String
    private var left: [JSONValue.Member]
    private var asked: [String] = []

    /// Reads an object with all of its members.
    static func read<R>(
        _ value: JSONValue,
        at place: String = "",
        _ body: (inout JSONMembers) throws(JSONMistake) -> R
    ) throws(JSONMistake) -> R {
        guard case .object(let members) = value else {
            throw Self.mistake(at: place, "must be an object and is \(value.kindName)")
        }
        var object = JSONMembers(place: place, left: members)
        let result = try body(&object)
        guard let unknown = object.left.first else { return result }
        let hint = Spelling.nearest(to: unknown.name, in: object.asked).map { "; did you mean \"\($0)\"?" } ?? "."
        let subject = place.isEmpty ? "The object" : place
        throw JSONMistake(message: "\(subject) has a key \"\(unknown.name)\", which has no meaning there\(hint)")
    }

    private init(place: String, left: [JSONValue.Member]) {
        self.place = place
        self.left = left
    }

    /// The place of a member.
    func place(of name: String) -> String { place.isEmpty ? name : "\(place).\(name)" }

    /// The value of a member; nil where there is none.
    mutating func take(_ name: String) -> JSONValue? {
        asked.append(name)
        guard let index = left.firstIndex(where: { $0.name == name }) else { return nil }
        return left.remove(at: index).value
    }

    /// A value that must be there.
    mutating func need(_ name: String) throws(JSONMistake) -> JSONValue {
        guard let value = take(name) else { throw Self.mistake(at: place(of: name), "is missing") }
        return value
    }

    /// A text that must be there.
    mutating func text(_ name: String) throws(JSONMistake) -> String {
        try Self.text(try need(name), at: place(of: name))
    }

    /// A text; nil where there is none.
    mutating func textIfThere(_ name: String) throws(JSONMistake) -> String? {
        guard let value = take(name) else { return nil }
        return try Self.text(value, at: place(of: name))
    }

    /// One of some words; nil where there is no member.
    mutating func wordIfThere(_ name: String, of words: [String]) throws(JSONMistake) -> String? {
        guard let text = try textIfThere(name) else { return nil }
        if words.contains(text) { return text }
        throw Self.mistake(at: place(of: name), "is \"\(text)\" and must be one of \(words.joined(separator: ", "))")
    }

    /// One of some words, which must be there.
    mutating func word(_ name: String, of words: [String]) throws(JSONMistake) -> String {
        guard let word = try wordIfThere(name, of: words) else {
            throw Self.mistake(at: place(of: name), "is missing")
        }
        return word
    }

    /// False where there is no member.
    mutating func flag(_ name: String) throws(JSONMistake) -> Bool {
        switch take(name) {
        case nil: return false
        case .bool(let flag): return flag
        case .some(let value): throw Self.mistake(at: place(of: name), "must be a bool and is \(value.kindName)")
        }
    }

    /// A whole number; a default where there is no member.
    mutating func number<N: FixedWidthInteger>(_ name: String, orElse standard: N) throws(JSONMistake) -> N {
        guard let value = take(name) else { return standard }
        if case .number(let text) = value, let number = N(text) { return number }
        throw Self.mistake(
            at: place(of: name),
            "must be a whole number from \(N.min) to \(N.max) and is \(value.kindName)"
        )
    }

    /// The elements of an array with the place of each; none where there is no member.
    mutating func elements(_ name: String) throws(JSONMistake) -> [(place: String, value: JSONValue)] {
        guard let value = take(name) else { return [] }
        let place = place(of: name)
        guard case .array(let elements) = value else {
            throw Self.mistake(at: place, "must be an array and is \(value.kindName)")
        }
        return elements.enumerated().map { (place: "\(place)[\($0.offset)]", value: $0.element) }
    }

    /// The objects of an array; none where there is no member.
    mutating func objects<R>(
        _ name: String,
        _ body: (inout JSONMembers) throws(JSONMistake) -> R
    ) throws(JSONMistake) -> [R] {
        var results: [R] = []
        for (place, value) in try elements(name) { results.append(try Self.read(value, at: place, body)) }
        return results
    }

    /// The texts of an array with the place of each; none where there is no member.
    mutating func texts(_ name: String) throws(JSONMistake) -> [(place: String, text: String)] {
        var texts: [(place: String, text: String)] = []
        for (place, value) in try elements(name) { texts.append((place, try Self.text(value, at: place))) }
        return texts
    }

    private static func text(_ value: JSONValue, at place: String) throws(JSONMistake) -> String {
        guard case .string(let text) = value else {
            throw mistake(at: place, "must be a string and is \(value.kindName)")
        }
        return text
    }

    static func mistake(at place: String, _ predicate: String) -> JSONMistake {
        JSONMistake(message: "\(place.isEmpty ? "The value" : place) \(predicate).")
    }
}
