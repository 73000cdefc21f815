import ExportFormats
import LegacyRecords

/// Which kinds of values were seen in one place of a file.
struct ValueKinds: OptionSet, Sendable {
    let rawValue: UInt32

    static let bool = Self(rawValue: 1)
    static let int = Self(rawValue: 1 << 1)
    static let double = Self(rawValue: 1 << 2)
    static let unusualNumber = Self(rawValue: 1 << 3)
    static let string = Self(rawValue: 1 << 4)
    static let data = Self(rawValue: 1 << 5)
    static let date = Self(rawValue: 1 << 6)
    static let uuid = Self(rawValue: 1 << 7)
    static let decimal = Self(rawValue: 1 << 8)
    static let objectID = Self(rawValue: 1 << 9)
    static let link = Self(rawValue: 1 << 10)
    static let object = Self(rawValue: 1 << 11)
    static let list = Self(rawValue: 1 << 12)
    static let set = Self(rawValue: 1 << 13)
    static let dictionary = Self(rawValue: 1 << 14)
}

/// What was seen in one place of a file: in a property, among the elements of its lists, or the values of its
/// dictionaries.
struct ValueSurvey: Sendable {
    private(set) var kinds: ValueKinds = []
    private(set) var nullCount = 0
    private(set) var valueCount = 0
    /// The classes that links name; two are as many as matter.
    private(set) var linkTargets: Set<String> = []
    /// The classes of objects; likewise.
    private(set) var objectClasses: Set<String> = []
    /// Whether an object had anything in it.
    private(set) var hasMembers = false
    private var intsFitDouble = true
    private var decimalsFit = true
    /// Whether every text is a date and time.
    private(set) var textsAreDates = true
    /// Whether every text spells a number or a truth value.
    private(set) var textsAreSpellings = true
    /// Whether every text is a number that JSON cannot say.
    private var textsAreNumbers = true

    /// Counts a value. Of an object only its class is noted here.
    mutating func add(_ typed: TypedJSON, objectClass: String) {
        if case .null = typed {
            nullCount += 1
            return
        }
        valueCount += 1
        switch typed {
        case .null: break
        case .bool: kinds.insert(.bool)
        case .integer(let value):
            kinds.insert(.int)
            if Double(exactly: value) == nil { intsFitDouble = false }
        case .double: kinds.insert(.double)
        case .unusualNumber: kinds.insert(.unusualNumber)
        case .string(let text):
            kinds.insert(.string)
            if textsAreDates, ScalarText.instant(text) == nil { textsAreDates = false }
            if textsAreSpellings, CanonicalText.double(text) == nil, CanonicalText.bool(text) == nil {
                textsAreSpellings = false
            }
            if textsAreNumbers, !Self.numberWords.contains(text) { textsAreNumbers = false }
        case .data: kinds.insert(.data)
        case .date: kinds.insert(.date)
        case .uuid: kinds.insert(.uuid)
        case .decimal(let text):
            kinds.insert(.decimal)
            if decimalsFit, ScalarText.decimal(text) == nil { decimalsFit = false }
        case .objectID: kinds.insert(.objectID)
        case .link(let table, _):
            kinds.insert(.link)
            if linkTargets.count < 2 { linkTargets.insert(table) }
        case .object(let members, let className):
            kinds.insert(.object)
            if !members.isEmpty { hasMembers = true }
            if objectClasses.count < 2 {
                objectClasses.insert(className.map(JSONSurvey.ownedClass) ?? objectClass)
            }
        case .list: kinds.insert(.list)
        case .set: kinds.insert(.set)
        case .dictionary: kinds.insert(.dictionary)
        }
    }

    /// How `reprise export` writes the numbers that JSON cannot say.
    private static let numberWords: Set<String> = ["nan", "inf", "-inf"]

    /// The narrowest type that holds every value; nil where none does. Where there was no value at all, text.
    ///
    /// - Parameter readsNumberWords: whether such texts as `"nan"` are numbers where all others are.
    func scalarType(readsNumberWords: Bool) -> ScalarType? {
        var kinds = kinds
        if readsNumberWords, textsAreNumbers, kinds.remove(.string) != nil {
            guard !kinds.isEmpty else { return .string }
            kinds.insert(.double)
        }
        switch kinds {
        case []: return .string
        case .bool: return .bool
        case .int: return .int
        case .double: return .double
        case [.int, .double]: return intsFitDouble ? .double : nil
        case .string: return .string
        case .data: return .data
        case .date: return .date
        case .uuid: return .uuid
        case .decimal: return decimalsFit ? .decimal : .string
        case [.int, .decimal], [.double, .decimal], [.int, .double, .decimal]:
            return decimalsFit ? .decimal : nil
        case .objectID: return .objectID
        default: return nil
        }
    }

    /// Whether every decimal fits the type `decimal`, texts included where the schema says that they are decimals.
    mutating func addDecimal(_ text: String) {
        if decimalsFit, ScalarText.decimal(text) == nil { decimalsFit = false }
    }

    /// The type for what the schema calls a decimal.
    var decimalType: ScalarType { decimalsFit ? .decimal : .string }
}

/// What was seen of one property.
struct PropertySurvey: Sendable {
    let name: String
    var direct = ValueSurvey()
    var elements = ValueSurvey()
    var values = ValueSurvey()
    /// How many values were not of the type that the schema gives.
    var misfitCount = 0

    /// Whether it holds nothing but objects with nothing in them.
    var isAlwaysEmpty: Bool { direct.kinds == .object && !direct.hasMembers }
}

/// What was seen of one class.
struct ClassSurvey: Sendable {
    /// The name that its model is made of.
    let name: String
    let isTopLevel: Bool
    private(set) var properties: [PropertySurvey] = []
    private(set) var index = ExactNames<Int>()
    private(set) var objectCount = 0
    /// Whether every object had the same names in it.
    private(set) var isUniform = true
    var key: KeySurvey

    /// - Parameter earlierKey: the property that was the key in an earlier export.
    init(name: String, isTopLevel: Bool, _ hashes: HashSets, earlierKey: String? = nil) {
        key = KeySurvey(hashes, earlier: earlierKey)
        self.name = name
        self.isTopLevel = isTopLevel
    }

    /// Counts an object with these names. Returns how many of them are new.
    mutating func begin(_ members: [JSONMember]) -> Int {
        let before = properties.count
        var distinct = Set<Int>(minimumCapacity: members.count)
        for member in members {
            if let place = index[member.name] {
                distinct.insert(place)
            } else {
                index[member.name] = properties.count
                distinct.insert(properties.count)
                properties.append(PropertySurvey(name: member.name))
            }
        }
        if distinct.count != properties.count || (objectCount > 0 && properties.count != before) {
            isUniform = false
        }
        objectCount += 1
        return properties.count - before
    }

    /// Whether every object says its number.
    var isNumbered: Bool { objectCount > 0 && key.numberedCount == objectCount }

    subscript(name: String) -> PropertySurvey? { index[name].map { properties[$0] } }

    mutating func update(_ place: Int, _ body: (inout PropertySurvey) -> Void) {
        body(&properties[place])
    }
}
