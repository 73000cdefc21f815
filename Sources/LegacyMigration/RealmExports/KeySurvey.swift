#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Which property of a class may be the key of its objects, where no schema says so.
struct KeySurvey: Sendable {
    /// Names that keys have by custom.
    private static let customaryNames: Set<String> = [
        "_id", "id", "uuid", "guid", "key", "identifier", "pk", "primaryKey", "primary_key",
    ]

    /// The property; nil where there is none.
    private(set) var candidate: String?
    /// Whether the name of the candidate is one that keys have by custom.
    private(set) var isCustomary = false
    /// How many objects said their number in `_key`.
    private(set) var numberedCount = 0
    /// Whether every key can be an identifier as it is, and no two are the same.
    private(set) var isExact = true
    private var hashes: Set<UInt64> = []
    private var isFirst = true

    /// Counts an object.
    mutating func add(_ members: [JSONMember], hasWrappers: Bool) {
        countNumber(members)
        if isFirst {
            isFirst = false
            let customary = members.first { Self.customaryNames.contains($0.name) }
            candidate = (customary ?? members.first { $0.name != "_key" })?.name
            isCustomary = customary != nil
        }
        guard let name = candidate else { return }
        guard let value = members[name], let text = KeyText(value, hasWrappers: hasWrappers)?.text,
            hashes.insert(Self.hash(text)).inserted
        else {
            candidate = nil
            isExact = false
            hashes = []
            return
        }
        if !KeyRegistry.isUsable(text) { isExact = false }
    }

    /// Notes whether an object says its number.
    mutating func countNumber(_ members: [JSONMember]) {
        if members.first?.name == "_key" { numberedCount += 1 }
    }

    /// Follows a property that a schema calls the primary key: whether its texts can be identifiers as they are.
    mutating func follow(_ value: JSONValue?, hasWrappers: Bool) {
        guard isExact else { return }
        guard let value, case .string(let text) = TypedJSON(value, hasWrappers: hasWrappers),
            KeyRegistry.isUsable(text), hashes.insert(Self.hash(text)).inserted
        else {
            isExact = false
            hashes = []
            return
        }
    }

    /// FNV-1a: the same from run to run. Should two keys have the same hash, another key is chosen, and nothing is
    /// lost.
    private static func hash(_ text: String) -> UInt64 {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in text.utf8 { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 }
        return hash
    }
}

/// The text of a value that names an object.
struct KeyText {
    let text: String

    /// A text as it is, a whole number in decimal digits, an ObjectId and a UUID in lower case; nil for others.
    init?(_ value: JSONValue, hasWrappers: Bool) {
        switch TypedJSON(value, hasWrappers: hasWrappers) {
        case .string(let value), .objectID(let value): text = value
        case .integer(let value): text = String(value)
        case .uuid(let value): text = value.uuidString.lowercased()
        default: return nil
        }
    }
}
