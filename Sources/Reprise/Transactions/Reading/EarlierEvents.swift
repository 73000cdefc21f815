/// What comes before each event of a commit in the making in the history of its entity, which the log cannot say yet.
struct EarlierEvents {
    /// Of an event that is not the first of its entity.
    struct Link {
        /// The position of the event of the same entity before it.
        let previous: UInt64
        /// Whether it followed from another event of the commit.
        let isConsequence: Bool
    }

    /// In the order of their positions; what is linked, twice the previous position and one more for a consequence.
    private var events: [(position: UInt64, packed: UInt64)] = []

    mutating func append(_ position: UInt64, previous: UInt64, isConsequence: Bool) {
        // A position is less than 2^63.
        events.append((position, previous << 1 | (isConsequence ? 1 : 0)))
    }

    /// What links the event at `position` to the history of its entity; nil where it is the first of it, or of no
    /// commit in the making.
    ///
    /// - Complexity: O(log n).
    func link(of position: UInt64) -> Link? {
        guard let last = events.last, position <= last.position else { return nil }
        var low = 0
        var high = events.count
        while low < high {
            let middle = low + (high - low) / 2
            if events[middle].position < position { low = middle + 1 } else { high = middle }
        }
        guard events[low].position == position else { return nil }
        let packed = events[low].packed
        return Link(previous: packed >> 1, isConsequence: packed & 1 == 1)
    }
}
