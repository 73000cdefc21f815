import ExportFormats
import LegacyRecords

/// What becomes of the objects of one class: the attributes, the relationships and the keys of their records.
struct ClassPlan: Sendable {
    /// How the objects are named.
    enum Key: Sendable, Equatable {
        /// By a property, the primary key.
        case property(String)
        /// By the number that the file gives as `_key`.
        case number
        /// By their place among the objects of their class.
        case position
        /// By their owner's key and where they are in it.
        case owner
    }

    /// Whether the objects say themselves what they are called.
    var isNamedByProperty: Bool { if case .property = key { true } else { false } }

    /// What a property becomes.
    enum Shape: Sendable, Equatable {
        case scalar(ScalarType)
        case list(ScalarType)
        case set(ScalarType)
        case map(ScalarType)
        /// A to-one relationship, to the class at an index.
        case reference(Int)
        /// An ordered to-many relationship.
        case references(Int)
        /// An object inside its owner.
        case owned(Int)
        /// Objects inside their owner, in order.
        case ownedList(Int)
        /// Nothing: the identifier says it already, or it is the number in `_key`.
        case none
        /// Nothing any more: in an earlier export it was a link or an object, of which there is none left, and whatever
        /// else it has is left out.
        case gone
    }

    struct Column: Sendable {
        let property: String
        /// The stored name.
        var name: String
        let shape: Shape
        let isOptional: Bool
        /// Whether lists, sets and maps may hold nil.
        let hasNilElements: Bool
        let isIndexed: Bool
        /// Whether an earlier export has decided a narrower type.
        var isWidened = false
    }

    /// The name in the file.
    let className: String
    /// What the stored name is made of: for a class that the file does not name, what tells it from all others.
    var nameSource: String
    /// The stored name of the model.
    var model = ""
    var key: Key
    var columns: [Column] = []
    /// Where the column of a property is.
    var places = ExactNames<Int>()
    /// Whether its objects have a primary key and say their numbers beside, which is what links name then: as
    /// realm-core up to version 13 prints them in mode 0.
    var hasNumbers = false
    /// Whether its objects are the Realm SDK's own, and left out.
    var isSkipped = false
    /// Whether it has an ordered to-many relationship, or owns objects that have.
    var hasLists = false

    init(className: String, key: Key) {
        self.className = className
        self.key = key
        nameSource = className
    }

    mutating func append(_ column: Column) {
        guard places[column.property] == nil else { return }
        places[column.property] = columns.count
        columns.append(column)
    }
}

/// What becomes of all classes of a file.
struct ExportPlan: Sendable {
    var classes: [ClassPlan] = []
    /// The classes at the top by name.
    var topLevel = ExactNames<Int>()
    /// What was decided on where no schema does.
    var interpretation = SourceInterpretation()
    /// What became of names that cannot be typed everywhere.
    var notes: [LegacyWarning] = []

    /// The key of the record of an object, from what names the object.
    ///
    /// As for the objects of a Realm file (Specs/format/migration.md): the text itself where it can be a key, otherwise
    /// made from `reprise realm`, the name of the class and the text.
    static func recordKey(className: String, text: String?) -> String {
        if let text, KeyRegistry.isUsable(text) { return text }
        return ContentKey(["reprise realm", className, text]).text
    }

    /// The key of the record of an object without a primary key, by its number.
    static func recordKey(className: String, number: String) -> String {
        ContentKey(["reprise realm", className, number]).text
    }

    /// The key of the record of an object that has only its place.
    static func recordKey(className: String, position: Int) -> String {
        ContentKey(["reprise position", className, String(position)]).text
    }

    /// What the keys of the objects inside an object at the top begin with: `class/key`. Objects of two classes may
    /// have the same key and hold objects of one class.
    static func ownerKey(className: String, key: String) -> String {
        hasSlash(className) || hasSlash(key)
            ? ContentKey(["reprise owner", className, key]).text : "\(className)/\(key)"
    }

    /// The key of the record of an object inside its owner: `owner/property` or `owner/property/index`.
    ///
    /// - Parameter owner: of an object at the top what ``ownerKey(className:key:)`` says, of one inside another its
    ///   key.
    static func recordKey(owner: String, property: String, index: Int?) -> String {
        let place = index.map { String($0) }
        guard !hasSlash(property) else {
            return ContentKey(["reprise owned", owner, property, place]).text
        }
        let text = "\(owner)/\(property)" + (place.map { "/\($0)" } ?? "")
        return KeyRegistry.isUsable(text) ? text : ContentKey(["reprise owned", text]).text
    }

    private static func hasSlash(_ text: String) -> Bool { text.utf8.contains(UInt8(ascii: "/")) }
}
