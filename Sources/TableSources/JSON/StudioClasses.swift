import ExportFormats
import LegacyRecords

/// The classes of a file of Realm Studio and how their objects are named, which tells links from objects inside others.
struct StudioClasses: Sendable {
    /// A class at the top.
    private struct Entry: Sendable {
        /// The names of the properties of its first object.
        var names: Set<String> = []
        var survey: KeySurvey
        var objectCount = 0
        /// Whether objects have a `$refId`.
        var hasReferenceIDs = false
        /// The properties that hold the key of the `$refId` in every object that has one, in the order of the file.
        var referenceKeys: [String] = []
        /// Whether the keys of all `$refId`s are whole numbers.
        var hasNumericReferences = true
        /// Whether the key of a `$refId` is that of a null.
        var hasNullKey = false
        /// The property that names its objects, once all of them were seen; nil where a number does.
        var key: String?
        /// Whether each object has a key of its own.
        var isExact = true
        /// Whether `$refId`s say the numbers of objects that a property names, as it did in an earlier export.
        var hasNumbersBesides = false
        /// What the objects hold that can be named, as ``StudioClasses/content(of:)`` says it.
        var contents: HashSets.Place?

        init(_ hashes: HashSets, earlierKey: String?) {
            survey = KeySurvey(hashes, earlier: earlierKey)
        }
    }

    private var entries = ExactNames<Entry>()
    private var order: [String] = []
    /// The only class whose objects have these properties; nil where there are several.
    private var byNames: [Set<String>: String?] = [:]
    private let schema: RealmSchemaFile?
    private let earlier: SourceInterpretation
    private let hashes = HashSets()

    /// - Parameter earlier: what an earlier export has decided.
    init(_ schema: RealmSchemaFile?, asIn earlier: SourceInterpretation = SourceInterpretation()) {
        self.schema = schema
        self.earlier = earlier
    }

    // MARK: Finding out

    mutating func addClass(_ name: String) throws(LegacyError) {
        guard entries[name] == nil else { return }
        guard entries.count < JSONSurvey.classCountMax else { throw JSONSurvey.tooManyClasses }
        let key = TextChoice.member(of: earlier[TextChoice.key(of: name)])
        entries[name] = Entry(hashes, earlierKey: key)
        order.append(name)
    }

    mutating func add(_ given: [JSONMember], to name: String) throws(LegacyError) {
        guard var entry = entries.removeValue(forKey: name) else { return }
        let members = given.withoutRepeats.filter { $0.name != Self.referenceID }
        if entry.objectCount == 0 { entry.names = Set(members.map(\.name)) }
        entry.objectCount += 1
        try entry.survey.add(members, hasWrappers: true, content: Self.content(of: members))
        if let reference = Self.reference(given[Self.referenceID]) {
            Self.note(reference.key, members, &entry)
        }
        entries[name] = entry
    }

    /// Notes which properties hold what the `$refId` of an object says.
    private static func note(_ key: String, _ members: [JSONMember], _ entry: inout Entry) {
        let matching = members.filter { member in
            if member.value == .null { return key == "null" }
            return KeyText(member.value, hasWrappers: true)?.text == key
        }
        let names = matching.map(\.name)
        entry.referenceKeys =
            entry.hasReferenceIDs ? entry.referenceKeys.filter { names.contains($0) } : names
        entry.hasReferenceIDs = true
        if Int64(key) == nil { entry.hasNumericReferences = false }
        if matching.contains(where: { $0.value == .null }) { entry.hasNullKey = true }
    }

    /// After all objects.
    ///
    /// - Parameter hasPlaces: whether the places of objects stand in where none has a key.
    mutating func finish(hasPlaces: Bool) {
        for name in order {
            guard var entry = entries.removeValue(forKey: name) else { continue }
            if let known = schema?[name] {
                entry.key = known.primaryKey
                if let candidate = entry.survey.key(.ifMostly), candidate.name == entry.key {
                    entry.contents = candidate.contents
                }
            } else if !decide(&entry, asIn: earlier[TextChoice.key(of: name)], hasPlaces: hasPlaces) {
                Self.decide(&entry)
            }
            entries[name] = entry
            guard entry.objectCount > 0 else { continue }
            byNames.updateValue(byNames[entry.names] == nil ? name : nil, forKey: entry.names)
        }
    }

    /// Names the objects of a class by what they hold.
    private static func decide(_ entry: inout Entry) {
        if entry.hasReferenceIDs {
            entry.key = referenceKey(of: entry)
        } else if let candidate = entry.survey.key(.ifMostly) {
            entry.key = candidate.name
            entry.isExact = entry.survey.isExact(candidate.name)
            entry.contents = candidate.contents
        }
    }

    /// Names the objects of a class as an earlier export did; returns whether they can be.
    private func decide(_ entry: inout Entry, asIn choice: [String]?, hasPlaces: Bool) -> Bool {
        switch choice {
        case [TextChoice.none]?: return true
        case [TextChoice.number]?: return entry.hasReferenceIDs || hasPlaces
        default:
            guard let candidate = entry.survey.earlierKey else { return false }
            if entry.hasReferenceIDs, !entry.referenceKeys.contains(candidate.name) {
                guard entry.hasNumericReferences else { return false }
                entry.hasNumbersBesides = true
            }
            entry.key = candidate.name
            entry.isExact = entry.survey.isExact(candidate.name)
            entry.contents = candidate.contents
            return true
        }
    }

    /// The property that the `$refId`s of a class name: one with a customary name, else the first of the object, else
    /// any that holds texts. A number that some property happens to have is the object's own.
    private static func referenceKey(of entry: Entry) -> String? {
        for name in KeySurvey.customaryNames where entry.referenceKeys.contains(name) {
            return name
        }
        if let candidate = entry.survey.key(.ifMostly)?.name,
            entry.referenceKeys.contains(candidate)
        {
            return candidate
        }
        return entry.hasNumericReferences ? nil : entry.referenceKeys.first
    }

    /// The property that names the objects of a class; nil where only a number does.
    func key(of name: String) -> String? { entries[name]?.key }

    /// Whether the `$refId`s of a class say numbers.
    private func saysNumbers(_ name: String) -> Bool {
        guard let entry = entries[name] else { return true }
        return entry.key == nil || entry.hasNumbersBesides
    }

    /// Whether links to the objects of a class have to say their numbers: some have no key of their own.
    func isNumbered(_ name: String) -> Bool {
        guard let entry = entries[name] else { return true }
        return entry.key == nil || !entry.isExact
    }

    /// A hash of the values of an object that are neither objects nor lists.
    private static func content(of members: [JSONMember]) -> UInt64 {
        var hash = TextHash()
        for member in members {
            switch member.value {
            case .null, .array, .object: continue
            case .bool, .number, .string:
                hash.add(member.name)
                hash.add(0)
                hash.add(member.value.text)
                hash.add(1)
            }
        }
        return hash.value
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
    func linked(
        _ members: [JSONMember],
        of className: String
    ) throws(LegacyError) -> [JSONMember] {
        var result: [JSONMember] = []
        if let reference = Self.reference(members[Self.referenceID]), saysNumbers(className) {
            result.append(JSONMember(name: "_key", value: Self.number(reference.key)))
        }
        return try result + inside(members, of: className)
    }

    /// The members of an object of a class that may be known.
    private func inside(
        _ members: [JSONMember],
        of className: String?
    ) throws(LegacyError) -> [JSONMember] {
        let known = className.flatMap { schema?[$0] }
        var result: [JSONMember] = []
        for member in members where member.name != Self.referenceID {
            let property = known?.properties.first { $0.name == member.name }
            result.append(
                JSONMember(name: member.name, value: try linked(member.value, property))
            )
        }
        return result
    }

    /// The recursion ends where the reader's limit on depth does.
    private func linked(
        _ value: JSONValue,
        _ property: RealmSchemaFile.Property?
    ) throws(LegacyError) -> JSONValue {
        switch value {
        case .null, .bool, .number, .string: return value
        case .array(let elements): return try array(elements, property)
        case .object(let members):
            guard property?.collection == .dictionary else { return try element(value, property) }
            var entries: [JSONMember] = []
            for member in members {
                entries.append(
                    JSONMember(name: member.name, value: try element(member.value, property))
                )
            }
            return .object(entries)
        }
    }

    private func array(
        _ elements: [JSONValue],
        _ property: RealmSchemaFile.Property?
    ) throws(LegacyError) -> JSONValue {
        var result: [JSONValue] = []
        result.reserveCapacity(elements.count)
        for value in elements { result.append(try element(value, property)) }
        return .array(result)
    }

    /// A value of a property, or an element of one.
    private func element(
        _ value: JSONValue,
        _ property: RealmSchemaFile.Property?
    ) throws(LegacyError) -> JSONValue {
        guard case .object(let members) = value else {
            guard case .array(let elements) = value else { return value }
            return try array(elements, property)
        }
        if members.count == 1, let reference = Self.reference(members["$ref"]) {
            return link(to: reference.className, key: reference.key) ?? value
        }
        if let reference = Self.reference(members[Self.referenceID]) {
            if let link = link(to: reference.className, key: reference.key) { return link }
            return .wrapped(
                "$embedded",
                [
                    JSONMember(name: "table", value: .string(reference.className)),
                    JSONMember(
                        name: "value",
                        value: .object(try inside(members, of: reference.className))
                    ),
                ]
            )
        }
        guard let property else { return try guessed(members) }
        guard let target = property.target else {
            return property.type == "mixed" ? try guessed(members) : value
        }
        if schema?[target]?.isEmbedded != true, let name = key(of: target), let key = members[name]
        {
            return .link(table: target, key: key)
        }
        return .object(try inside(members, of: target))
    }

    /// A link where an object at the top holds the same, otherwise an object inside its owner.
    private func guessed(_ members: [JSONMember]) throws(LegacyError) -> JSONValue {
        if let name = byNames[Set(members.map(\.name))] ?? nil, let entry = entries[name],
            let property = entry.key, let key = members[property],
            let contents = entry.contents,
            try hashes.contains(Self.content(of: members), at: contents)
        {
            return .link(table: name, key: key)
        }
        return .object(try inside(members, of: nil))
    }

    private func link(to name: String, key: String) -> JSONValue? {
        guard let entry = entries[name] else { return nil }
        guard !saysNumbers(name) else { return .link(table: name, key: Self.number(key)) }
        let isNull = key == "null" && entry.hasNullKey
        return .link(table: name, key: isNull ? .null : .string(key))
    }

    /// What names an object beside its properties: a number or, where it is none, the text itself.
    private static func number(_ key: String) -> JSONValue {
        let isNumber = Int64(key).map { String($0) } == key
        return isNumber ? .number(JSONNumber(text: key)) : .string(key)
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
