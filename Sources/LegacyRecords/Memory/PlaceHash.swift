package import SQLiteFile

/// What the place of a file is remembered by: the same for texts that are canonically equivalent, as they are for
/// `String`, and in this process only.
///
/// Two hashes with a key that nobody knows: where `Int` has 64 bits, among 2^40 places two have the same by chance once
/// in 2^49 times. (With `SWIFT_DETERMINISTIC_HASHING` in the environment the key is known.)
package struct PlaceHash: Sendable, RememberedKey {
    package static var columns: [String] { ContentKey.columns }

    private let high: UInt64
    private let low: UInt64

    package init(_ place: String) {
        high = Self.hash(place, 0)
        low = Self.hash(place, 1)
    }

    /// Swift's own hash of a text is the one that does not depend on its normal form.
    private static func hash(_ place: String, _ number: UInt8) -> UInt64 {
        var hasher = Hasher()
        hasher.combine(number)
        hasher.combine(place)
        return UInt64(truncatingIfNeeded: hasher.finalize())
    }

    package func bind(to statement: SQLiteStatement) throws(SQLiteFileError) {
        try statement.bind(.integer(Int64(bitPattern: high)), at: 1)
        try statement.bind(.integer(Int64(bitPattern: low)), at: 2)
    }
}
