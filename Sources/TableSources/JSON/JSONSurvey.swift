import ExportFormats
import LegacyRecords

/// Finds out what the classes of a file hold: which properties there are, and of which type every value is.
///
/// Memory: a few hundred bytes a property, and sixteen an object for each property that may be the key, up to 128 MiB;
/// what is beyond them is put into a temporary file.
struct JSONSurvey {
    /// The most properties of all classes together: more than any store has attributes.
    static let propertyCountMax = 65_535
    /// The most classes.
    static let classCountMax = 4096
    /// How deep objects inside objects become records of their own where neither file nor schema names their class;
    /// deeper ones stay JSON text.
    static let ownedDepthMax = 16
    /// Objects with more names than this are dictionaries.
    static let ownedPropertyCountMax = 512

    let hasWrappers: Bool
    let schema: RealmSchemaFile?
    private let knownClasses: ExactNames<RealmSchemaFile.Class>
    private let knownProperties: ExactNames<ExactNames<RealmSchemaFile.Property>>
    private(set) var classes = ExactNames<ClassSurvey>()
    /// The classes at the top in the order of the file.
    private(set) var order: [String] = []
    /// Whether a wrapper such as `$date` was met.
    private(set) var hasTypedValues = false
    /// Classes that a link named by a typed value, as links to classes with a primary key do.
    private(set) var linkedByValue: Set<String> = []
    /// Classes that a link named by a bare number, as links to classes without a primary key do.
    private(set) var linkedByNumber: Set<String> = []
    private var propertyCount = 0
    private let earlier: SourceInterpretation
    private let hashes = HashSets()

    /// - Parameter earlier: what an earlier export has decided.
    init(hasWrappers: Bool, schema: RealmSchemaFile?, asIn earlier: SourceInterpretation = SourceInterpretation()) {
        self.earlier = earlier
        self.hasWrappers = hasWrappers
        self.schema = schema
        var classes = ExactNames<RealmSchemaFile.Class>()
        var properties = ExactNames<ExactNames<RealmSchemaFile.Property>>()
        for known in schema?.classes ?? [] {
            let place = known.isEmbedded ? Self.ownedClass(known.name) : known.name
            classes[place] = known
            properties[place] = known.properties.reduce(into: ExactNames()) { $0[$1.name] = $1 }
        }
        knownClasses = classes
        knownProperties = properties
    }

    /// What the schema says of the class at a place.
    func known(_ place: String) -> RealmSchemaFile.Class? { knownClasses[place] }

    /// Notes that there is a class, even if it has no objects.
    mutating func addClass(_ name: String) throws(LegacyError) {
        guard classes[name] == nil else { return }
        guard classes.count < Self.classCountMax else { throw Self.tooManyClasses }
        let key = TextChoice.member(of: earlier[TextChoice.key(of: name)])
        classes[name] = ClassSurvey(name: name, isTopLevel: true, hashes, earlierKey: key)
        order.append(name)
    }

    /// Adds an object at the top.
    mutating func add(_ members: [JSONMember], to className: String) throws {
        try addClass(className)
        try add(members, className, depth: 0)
    }

    private mutating func add(_ given: [JSONMember], _ className: String, depth: Int) throws {
        let members = given.withoutRepeats
        // Taken out while it changes, so that it is not copied.
        guard var survey = classes.removeValue(forKey: className) else { return }
        let newCount = survey.begin(members)
        propertyCount += newCount
        guard propertyCount <= Self.propertyCountMax else {
            throw LegacyError(
                .limitExceeded,
                "The file has more than \(Self.propertyCountMax) properties.",
                advice: "Check that it is an export of a library, or take over only some of it."
            )
        }
        if survey.isTopLevel {
            if let name = knownClasses[className]?.primaryKey {
                survey.key.countNumber(members)
                try survey.key.follow(name, members[name], hasWrappers: hasWrappers)
            } else {
                try survey.key.add(members, hasWrappers: hasWrappers)
            }
        }
        var owned: [(members: [JSONMember], className: String, name: String)] = []
        for member in members {
            guard let place = survey.index[member.name] else { continue }
            let property = knownProperties[className]?[member.name]
            survey.update(place) { survey in
                if let property {
                    note(member.value, property, &survey, &owned)
                } else {
                    note(member.value, of: className, &survey, &owned)
                }
            }
        }
        classes[className] = survey
        for object in owned where depth < Self.ownedDepthMax || Self.isNamed(object.className) {
            if classes[object.className] == nil {
                guard classes.count < Self.classCountMax else { throw Self.tooManyClasses }
                classes[object.className] = ClassSurvey(
                    name: object.name,
                    isTopLevel: false,
                    hashes
                )
            }
            if let found = classes[object.className], !found.isTopLevel,
                found.properties.count <= Self.ownedPropertyCountMax
            {
                try add(object.members, object.className, depth: depth + 1)
            }
        }
    }

    static var tooManyClasses: LegacyError {
        LegacyError(
            .limitExceeded,
            "The file has more than \(classCountMax) classes.",
            advice: "Check that it is an export of a library, or take over only some of it."
        )
    }

    /// The place of a class of objects inside others.
    static func ownedClass(_ name: String) -> String { "\u{0}\(name)" }

    /// Whether file or schema names the class at a place, or one that it is in: then objects of it may be in each other
    /// as deep as the file goes, without a class for every level.
    private static func isNamed(_ place: String) -> Bool { place.utf8.first == 0 }

    /// Whether file or schema names the class at a place itself: its objects need not be alike, and are no
    /// dictionaries.
    static func isNamedClass(_ place: String) -> Bool {
        isNamed(place) && !place.utf8.dropFirst().contains(0)
    }

    /// The place of a class whose name the file does not say.
    static func ownedClass(_ owner: String, _ property: String) -> String {
        "\(owner)\u{0}\(property)"
    }

    // MARK: Values

    private typealias Owned = [(members: [JSONMember], className: String, name: String)]

    private mutating func note(
        _ value: JSONValue,
        of className: String,
        _ survey: inout PropertySurvey,
        _ owned: inout Owned
    ) {
        let typed = TypedJSON(value, hasWrappers: hasWrappers)
        note(value, typed)
        let implicit: String
        let name: String
        switch typed {
        case .object, .list, .set:
            implicit = Self.ownedClass(className, survey.name)
            name = implicit.replacing("\u{0}", with: "_")
        default: (implicit, name) = ("", "")
        }
        survey.direct.add(typed, objectClass: implicit)
        switch typed {
        case .object(let members, let explicit):
            owned.append((members, explicit.map(Self.ownedClass) ?? implicit, explicit ?? name))
            for member in members where explicit == nil {
                survey.values.add(
                    TypedJSON(member.value, hasWrappers: hasWrappers),
                    objectClass: ""
                )
            }
        case .dictionary(let members):
            for member in members {
                let typed = TypedJSON(member.value, hasWrappers: hasWrappers)
                note(member.value, typed)
                survey.values.add(typed, objectClass: "")
            }
        case .list(let elements), .set(let elements):
            for element in elements {
                let typed = TypedJSON(element, hasWrappers: hasWrappers)
                note(element, typed)
                survey.elements.add(typed, objectClass: implicit)
                if case .object(let members, let explicit) = typed {
                    owned.append(
                        (members, explicit.map(Self.ownedClass) ?? implicit, explicit ?? name)
                    )
                }
            }
        default: break
        }
    }

    /// A value of a property that the schema knows: whether it is what the schema says.
    private mutating func note(
        _ value: JSONValue,
        _ property: RealmSchemaFile.Property,
        _ survey: inout PropertySurvey,
        _ owned: inout Owned
    ) {
        let typed = TypedJSON(value, hasWrappers: hasWrappers)
        note(value, typed)
        survey.direct.add(typed, objectClass: property.target ?? "")
        if case .null = typed { return }
        var parts = [value]
        switch (property.collection, typed) {
        case (.none, _): break
        case (.dictionary, _):
            if let entries = value.entries(hasWrappers: hasWrappers) {
                parts = entries.map(\.value)
            }
        case (_, .list(let elements)), (_, .set(let elements)): parts = elements
        default: break
        }
        for part in parts {
            if let target = property.target {
                let place = Self.ownedClass(target)
                guard knownClasses[place] != nil else { continue }
                if let members = part.ownedMembers(hasWrappers: hasWrappers) {
                    owned.append((members, place, target))
                }
            } else if let type = ScalarType(realmName: property.type) {
                let typed = TypedJSON(part, hasWrappers: hasWrappers)
                note(part, typed)
                survey.elements.add(typed, objectClass: "")
                if type == .decimal, case .string(let text) = typed {
                    survey.elements.addDecimal(text)
                }
                if case .misfit = type.convert(part, hasWrappers: hasWrappers) {
                    survey.misfitCount += 1
                }
            }
        }
    }

    private mutating func note(_ value: JSONValue, _ typed: TypedJSON) {
        guard hasWrappers, case .object(let members) = value, members.count == 1,
            members[0].name.hasPrefix("$")
        else { return }
        guard case .link(let table, let key) = typed else {
            hasTypedValues = true
            return
        }
        // A class without a primary key is named by a bare number.
        if case .number = key {
            if linkedByNumber.count < Self.propertyCountMax { linkedByNumber.insert(table) }
            return
        }
        if linkedByValue.count < Self.propertyCountMax { linkedByValue.insert(table) }
    }
}
