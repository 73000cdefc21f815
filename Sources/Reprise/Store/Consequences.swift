/// The events of a commit in the making that followed from others of it: what comes before each of them in the history
/// of its entity, which the log cannot say yet.
struct Consequences {
    /// In the order of their positions.
    private var events: [(position: UInt64, previous: UInt64)] = []

    mutating func append(_ position: UInt64, previous: UInt64) {
        events.append((position, previous))
    }

    /// The position of the event of the same entity before the one at `position`; 0 where that is its first, nil where
    /// it followed from no other.
    ///
    /// - Complexity: O(log n).
    func previous(of position: UInt64) -> UInt64? {
        guard let last = events.last, position <= last.position else { return nil }
        var low = 0
        var high = events.count
        while low < high {
            let middle = low + (high - low) / 2
            if events[middle].position < position { low = middle + 1 } else { high = middle }
        }
        return events[low].position == position ? events[low].previous : nil
    }
}
