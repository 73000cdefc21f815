/// A stretch of keys: from `lower` on, up to and not including `upper`, in the order of bytes.
struct KeyRange: Hashable, Sendable {
    var lower: [UInt8]
    var upper: [UInt8]

    /// All keys that begin with these bytes.
    static func beginning(with prefix: [UInt8]) -> KeyRange {
        KeyRange(lower: prefix, upper: successor(of: prefix))
    }

    /// The least byte string that is greater than every one beginning with `prefix`.
    static func successor(of prefix: [UInt8]) -> [UInt8] {
        var bytes = prefix
        while let last = bytes.popLast() {
            if last < 0xFF {
                bytes.append(last + 1)
                return bytes
            }
        }
        // Keys begin with a number that is never FF FF throughout their length.
        return Array(repeating: 0xFF, count: prefix.count + 1)
    }

    func contains(_ key: [UInt8]) -> Bool {
        !key.lexicographicallyPrecedes(lower) && key.lexicographicallyPrecedes(upper)
    }

    var isEmpty: Bool { !lower.lexicographicallyPrecedes(upper) }

    /// What both have in common.
    func intersection(_ other: KeyRange) -> KeyRange {
        KeyRange(
            lower: lower.lexicographicallyPrecedes(other.lower) ? other.lower : lower,
            upper: upper.lexicographicallyPrecedes(other.upper) ? upper : other.upper
        )
    }
}
