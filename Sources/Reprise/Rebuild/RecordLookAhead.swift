/// Looks at records in memory shortly before they are read in the order of their keys.
///
/// In that order they lie all over the memory. One by one, each of them is waited for; looked at in a row, they are
/// fetched at the same time.
struct RecordLookAhead {
    private static let count = 16

    /// What was looked at; kept so that looking is not left out.
    private var seen: UInt8 = 0

    /// To be called for one place after the other.
    @inline(__always)
    mutating func look(at items: [KeySort.Item], from place: Int) {
        if place % Self.count == 0 { lookAhead(at: items, from: place) }
    }

    private mutating func lookAhead(at items: [KeySort.Item], from place: Int) {
        var seen: UInt8 = 0
        for place in place..<min(items.count, place + Self.count) {
            let item = items[place]
            let start = unsafe item.key - ExternalSort.headerByteCount
            // Most records lie in two lines of the memory at the most.
            unsafe seen ^= start.load(as: UInt8.self)
            unsafe seen ^= item.key.load(fromByteOffset: item.keyCount - 1, as: UInt8.self)
        }
        self.seen ^= seen
    }
}
