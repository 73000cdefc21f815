/// The classes of a file of Realm Studio and how their objects are named, which tells links from objects inside others.
struct StudioClasses: Sendable {
    /// A class at the top.
    struct Entry: Sendable {
        /// The names of the properties of its first object.
        var names: Set<String> = []
        var survey = KeySurvey()
        var objectCount = 0
        /// Whether objects have a `$refId`, and whether that is their key in all of them.
        var hasReferenceIDs = false
        var isReferenceIDTheKey = true
        /// The primary key as a schema has it.
        var knownKey: String?
    }

    private(set) var entries: [String: Entry] = [:]
    /// The only class whose objects have these properties; nil where there are several.
    private var byNames: [Set<String>: String?] = [:]
    private let schema: RealmSchemaFile?

    init(_ schema: RealmSchemaFile?) {
        self.schema = schema
    }

    // MARK: Finding out

    mutating func addClass(_ name: String) throws(LegacyError) {
        guard entries[name] == nil else { return }
        guard entries.count < JSONSurvey.classCountMax else { throw JSONSurvey.tooManyClasses }
        entries[name] = Entry(knownKey: schema?[name]?.primaryKey)
    }

    mutating func add(_ given: [JSONMember], to name: String) {
        guard var entry = entries.removeValue(forKey: name) else { return }
        let members = given.filter { $0.name != Self.referenceID }
        if entry.objectCount == 0 { entry.names = Set(members.map(\.name)) }
        entry.objectCount += 1
        entry.survey.add(members, hasWrappers: true)
        if let reference = Self.reference(given[Self.referenceID]) {
            entry.hasReferenceIDs = true
            let key = (entry.knownKey ?? entry.survey.candidate).flatMap { members[$0] }
            let text = key.flatMap { KeyText($0, hasWrappers: true)?.text }
            if text != reference.key { entry.isReferenceIDTheKey = false }
        }
        entries[name] = entry
    }

    /// After all objects.
    mutating func finish() {
        for (name, entry) in entries where entry.objectCount > 0 {
            byNames.updateValue(byNames[entry.names] == nil ? name : nil, forKey: entry.names)
        }
    }

    /// The property that names the objects of a class; nil where only a number does.
    func key(of name: String) -> String? {
        guard let entry = entries[name] else { return nil }
        if entry.hasReferenceIDs, !entry.isReferenceIDTheKey { return nil }
        if schema?[name] != nil { return entry.knownKey }
        return entry.survey.candidate
    }

    // MARK: Links

    private static let referenceID = "$refId"

    /// The class and the key that `Class#key` says (realm-js 10, `Object.prototype.toJSON`).
    private static func reference(_ value: JSONValue?) -> (className: String, key: String)? {
        guard case .string(let text)? = value, let mark = text.firstIndex(of: "#") else {
            return nil
        }
        return (String(text[..<mark]), String(text[text.index(after: mark)...]))
    }

    /// An object at the top with links in place of linked objects, and its number where that is what names it.
    func linked(_ members: [JSONMember], of className: String) -> [JSONMember] {
        var result: [JSONMember] = []
        if let reference = Self.reference(members[Self.referenceID]), key(of: className) == nil {
            result.append(JSONMember(name: "_key", value: .number(JSONNumber(text: reference.key))))
        }
        for member in members where member.name != Self.referenceID {
            result.append(JSONMember(name: member.name, value: linked(member.value)))
        }
        return result
    }

    /// The recursion ends where the reader's limit on depth does.
    private func linked(_ value: JSONValue) -> JSONValue {
        switch value {
        case .null, .bool, .number, .string: return value
        case .array(let elements): return .array(elements.map { linked($0) })
        case .object(let members):
            if members.count == 1, let reference = Self.reference(members["$ref"]) {
                return link(to: reference.className, key: reference.key) ?? value
            }
            let rest = members.filter { $0.name != Self.referenceID }
            if let reference = Self.reference(members[Self.referenceID]) {
                if let link = link(to: reference.className, key: reference.key) { return link }
                let inner = rest.map { JSONMember(name: $0.name, value: linked($0.value)) }
                return .wrapped(
                    "$embedded",
                    [
                        JSONMember(name: "table", value: .string(reference.className)),
                        JSONMember(name: "value", value: .object(inner)),
                    ]
                )
            }
            if let name = byNames[Set(rest.map(\.name))] ?? nil, let property = key(of: name),
                let key = members[property]
            {
                return .link(table: name, key: key)
            }
            return .object(rest.map { JSONMember(name: $0.name, value: linked($0.value)) })
        }
    }

    private func link(to name: String, key: String) -> JSONValue? {
        guard entries[name] != nil else { return nil }
        let isNumber = self.key(of: name) == nil
        return .link(table: name, key: isNumber ? .number(JSONNumber(text: key)) : .string(key))
    }
}

extension JSONValue {
    /// An object with one member.
    static func wrapped(_ name: String, _ members: [JSONMember]) -> JSONValue {
        .object([JSONMember(name: name, value: .object(members))])
    }

    /// A link as `realm2json` marks it.
    static func link(table: String, key: JSONValue) -> JSONValue {
        .wrapped(
            "$link",
            [JSONMember(name: "table", value: .string(table)), JSONMember(name: "key", value: key)]
        )
    }
}
