import ExportFormats
import LegacyRecords

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Which property of a class may be the key of its objects, where no schema says so.
///
/// A key stays the key when a newer export repeats it or lacks it in some objects: these alone are named otherwise. So
/// what counts is that a property tells more than half of the objects apart.
struct KeySurvey: Sendable {
    /// Names that keys have by custom, the likeliest first.
    static let customaryNames = [
        "_id", "id", "uuid", "guid", "identifier", "pk", "primaryKey", "primary_key", "key",
    ]
    private static let ranks = Dictionary(
        uniqueKeysWithValues: customaryNames.enumerated().map { ($1, $0) }
    )

    /// A property, and which of the objects it tells apart.
    struct Candidate: Sendable {
        let name: String
        let isCustomary: Bool
        /// What ``KeySurvey/add(_:hasWrappers:content:)`` was given of the objects that were the first with their key.
        let contents: HashSets.Place
        private let keys: HashSets.Place
        private let hashes: HashSets
        /// How many different keys there are.
        fileprivate private(set) var keyCount = 0
        private var isUsable = true

        fileprivate init(name: String, isCustomary: Bool, _ hashes: HashSets) {
            self.name = name
            self.isCustomary = isCustomary
            self.hashes = hashes
            contents = hashes.add()
            keys = hashes.add()
        }

        /// Whether each of so many objects has a key of its own that can be an identifier as it is.
        fileprivate func isExact(_ objectCount: Int) -> Bool {
            isUsable && keyCount == objectCount
        }

        /// Whether it was the key of an object.
        func hasKey(_ text: String) throws(LegacyError) -> Bool {
            try hashes.contains(TextHash.of(text), at: keys)
        }

        fileprivate mutating func add(_ text: String, _ content: UInt64?) throws(LegacyError) {
            if !KeyRegistry.isUsable(text) { isUsable = false }
            guard try hashes.insert(TextHash.of(text), at: keys) else { return }
            keyCount += 1
            if let content { try hashes.insert(content, at: contents) }
        }
    }

    /// When the first property of the first object is the key, where no customary name is.
    enum FirstProperty {
        case never
        /// Where it tells all objects apart, which it must do as a primary key.
        case ifExact
        /// Where it tells most objects apart.
        case ifMostly
    }

    /// How many objects said their number in `_key`.
    private(set) var numberedCount = 0
    private var objectCount = 0
    /// By rank.
    private var customary: [Int: Candidate] = [:]
    private var first: Candidate?
    /// What a schema calls the primary key.
    private var known: Candidate?
    /// What was the key in an earlier export.
    private var earlier: Candidate?
    private let hashes: HashSets

    /// - Parameter earlier: the property that was the key in an earlier export.
    init(_ hashes: HashSets, earlier: String? = nil) {
        self.hashes = hashes
        self.earlier = earlier.map { Candidate(name: $0, isCustomary: false, hashes) }
    }

    /// Counts an object.
    ///
    /// - Parameter content: a hash of what the object holds, where it has to be found again by it.
    mutating func add(
        _ members: [JSONMember],
        hasWrappers: Bool,
        content: UInt64? = nil
    ) throws(LegacyError) {
        countNumber(members)
        if objectCount == 0, let member = members.first(where: { $0.name != "_key" }),
            Self.ranks[member.name] == nil
        {
            first = Candidate(name: member.name, isCustomary: false, hashes)
        }
        objectCount += 1
        for member in members {
            let rank = Self.ranks[member.name]
            let wasKey = earlier?.name.hasSameBytes(as: member.name) ?? false
            guard rank != nil || wasKey || member.name == first?.name,
                let text = KeyText(member.value, hasWrappers: hasWrappers)?.text
            else { continue }
            if wasKey { try earlier?.add(text, content) }
            if let rank {
                try customary[
                    rank,
                    default: Candidate(name: member.name, isCustomary: true, hashes)
                ]
                .add(text, content)
            } else if member.name == first?.name {
                try first?.add(text, content)
            }
        }
    }

    /// Notes whether an object says its number.
    mutating func countNumber(_ members: [JSONMember]) {
        if members.first?.name == "_key" { numberedCount += 1 }
    }

    /// Follows a property that a schema calls the primary key: whether its texts can be identifiers as they are.
    mutating func follow(
        _ name: String,
        _ value: JSONValue?,
        hasWrappers: Bool
    ) throws(LegacyError) {
        objectCount += 1
        guard let value, case .string(let text) = TypedJSON(value, hasWrappers: hasWrappers)
        else { return }
        if known == nil { known = Candidate(name: name, isCustomary: false, hashes) }
        try known?.add(text, nil)
    }

    /// The property that is the key; nil where there is none.
    ///
    /// A hash stands in for each key. Should two be the same, the property tells one object less apart, and nothing is
    /// lost.
    func key(_ firstProperty: FirstProperty) -> Candidate? {
        let named = Self.customaryNames.indices.compactMap { customary[$0] }
        let mostly = named.first(where: isMostly)
        switch firstProperty {
        case .never: return mostly
        case .ifExact:
            return (named + [first].compactMap { $0 }).first { $0.keyCount == objectCount }
                ?? mostly
        case .ifMostly: return mostly ?? first.flatMap { isMostly($0) ? $0 : nil }
        }
    }

    /// The property that was the key in an earlier export; nil where no object has a key there any more.
    var earlierKey: Candidate? { earlier.flatMap { $0.keyCount > 0 ? $0 : nil } }

    /// The key of an earlier export, or the one with a customary name; nil where there is neither.
    var likelyKey: Candidate? { earlierKey ?? key(.never) }

    private func isMostly(_ candidate: Candidate) -> Bool { candidate.keyCount * 2 > objectCount }

    /// Whether a property holds a key in each object, each can be an identifier as it is, and no two are the same.
    func isExact(_ name: String) -> Bool {
        let candidates = [known, earlier, first].compactMap { $0 } + customary.values
        return candidates.contains { $0.name == name && $0.isExact(objectCount) }
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
