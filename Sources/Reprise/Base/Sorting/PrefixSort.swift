/// Sorts items by their cached prefixes, those with the same prefix in the order in which they came.
///
/// Byte after byte from the most significant one, by counting (MSD radix sort; McIlroy, Bostic & McIlroy 1993,
/// "Engineering Radix Sort"): a comparison sort of a million random prefixes guesses the outcome of twenty million
/// comparisons wrongly half of the time. Each byte moves the items between the two rooms, and only those that end up in
/// the wrong one move once more.
enum PrefixSort {
    typealias Items = UnsafeMutablePointer<KeySort.Item>

    private static let insertionCountMax = 24

    /// - Parameter spare: room for as many items, whatever is in it.
    static func sort(
        _ items: UnsafeMutableBufferPointer<KeySort.Item>,
        _ spare: UnsafeMutableBufferPointer<KeySort.Item>
    ) {
        guard items.count > 1 else { return }
        unsafe sort(
            items.baseAddress.unsafelyUnwrapped,
            spare.baseAddress.unsafelyUnwrapped,
            count: items.count,
            shift: 56,
            movesOver: false
        )
    }

    /// As ``sort(_:_:)`` for items that end up in another room; whatever is in theirs afterwards.
    static func sort(
        _ items: UnsafeMutableBufferPointer<KeySort.Item>,
        into target: UnsafeMutableBufferPointer<KeySort.Item>
    ) {
        guard items.count > 0 else { return }
        unsafe sort(
            items.baseAddress.unsafelyUnwrapped,
            target.baseAddress.unsafelyUnwrapped,
            count: items.count,
            shift: 56,
            movesOver: true
        )
    }

    /// Moves the items to `target`, about half of them, with the lesser prefixes, to its front, each part in the order
    /// in which it was.
    ///
    /// - Returns: how many are in the front. Nil where the first byte of their prefixes does not divide them; then
    ///   nothing was moved.
    static func divide(
        _ items: UnsafeMutableBufferPointer<KeySort.Item>,
        into target: UnsafeMutableBufferPointer<KeySort.Item>
    ) -> Int? {
        guard let start = target.baseAddress else { return nil }
        let shift: UInt64 = 56
        return unsafe withUnsafeTemporaryAllocation(of: Int.self, capacity: 256) { counts in
            unsafe counts.initialize(repeating: 0)
            for place in items.indices {
                unsafe counts[Int(items[place].prefix &>> shift)] &+= 1
            }
            var (bound, frontCount) = (0, 0)
            while frontCount < items.count / 2 {
                unsafe frontCount += counts[bound]
                bound += 1
            }
            guard frontCount < items.count else { return nil }
            var front = unsafe start
            var back = unsafe start + frontCount
            for place in items.indices {
                let item = unsafe items[place]
                if item.prefix &>> shift < UInt64(bound) {
                    unsafe front.initialize(to: item)
                    unsafe front += 1
                } else {
                    unsafe back.initialize(to: item)
                    unsafe back += 1
                }
            }
            return frontCount
        }
    }

    /// - Parameter movesOver: whether the items end up in `other` instead of where they are.
    private static func sort(
        _ items: Items,
        _ other: Items,
        count: Int,
        shift: UInt64,
        movesOver: Bool
    ) {
        if count <= insertionCountMax {
            if movesOver { unsafe other.update(from: items, count: count) }
            return unsafe insertionSort(movesOver ? other : items, count: count)
        }
        // Index entries of one value come in the order of their identifiers.
        if unsafe isSorted(items, count: count) {
            if movesOver { unsafe other.update(from: items, count: count) }
            return
        }
        unsafe withUnsafeTemporaryAllocation(of: Int.self, capacity: 256) { ends in
            let ends = unsafe ends.baseAddress.unsafelyUnwrapped
            var shift = shift
            while true {
                unsafe ends.initialize(repeating: 0, count: 256)
                for place in 0..<count {
                    unsafe ends[Int(items[place].prefix &>> shift & 0xFF)] &+= 1
                }
                let first = unsafe Int(items[0].prefix &>> shift & 0xFF)
                if unsafe ends[first] < count { break }
                // All have this byte in common; they are not sorted, so a later one differs.
                shift &-= 8
            }
            var start = 0
            for byte in 0..<256 {
                let size = unsafe ends[byte]
                unsafe ends[byte] = start
                start &+= size
            }
            for place in 0..<count {
                let byte = unsafe Int(items[place].prefix &>> shift & 0xFF)
                unsafe other[ends[byte]] = items[place]
                unsafe ends[byte] &+= 1
            }
            guard shift > 0 else {
                if !movesOver { unsafe items.update(from: other, count: count) }
                return
            }
            start = 0
            for byte in 0..<256 {
                let end = unsafe ends[byte]
                if end > start {
                    unsafe sort(
                        other + start,
                        items + start,
                        count: end &- start,
                        shift: shift &- 8,
                        movesOver: !movesOver
                    )
                }
                start = end
            }
        }
    }

    private static func isSorted(_ items: Items, count: Int) -> Bool {
        for place in 1..<count where unsafe items[place].prefix < items[place &- 1].prefix {
            return false
        }
        return true
    }

    private static func insertionSort(_ items: Items, count: Int) {
        guard count > 1 else { return }
        for place in 1..<count {
            let item = unsafe items[place]
            var hole = place
            while hole > 0, unsafe items[hole &- 1].prefix > item.prefix {
                unsafe items[hole] = items[hole &- 1]
                hole &-= 1
            }
            unsafe items[hole] = item
        }
    }
}
