import LegacyRecords
import Reprise

/// How much of what a row may hold a collection of values takes, at least.
///
/// A list of millions of zeros takes some kilobytes in a Realm file. Of one that no store can hold, not more is kept
/// than that; the store refuses it as it refuses every value that is too large.
struct StoredSize {
    /// The length before each element.
    private static let lengthByteCount = 4

    private(set) var byteCount = 0

    /// Whether it is more than a store can hold.
    var isTooLarge: Bool { byteCount > rowByteCountMax }

    /// Counts an element.
    mutating func add(_ value: LegacyValue) {
        byteCount += Self.lengthByteCount + Self.byteCount(of: value)
    }

    /// Counts the key of an entry.
    mutating func add(key: String) { byteCount += Self.lengthByteCount + key.utf8.count }

    private static func byteCount(of value: LegacyValue) -> Int {
        switch value {
        case .string(let text), .reference(let text): text.utf8.count
        case .data(let data): data.count
        case .integer, .double, .date: 8
        case .float: 4
        case .uuid: 16
        case .bool: 1
        // Collections within collections count when they are read.
        case .null, .decimal, .list, .set, .map, .references: 0
        }
    }
}
