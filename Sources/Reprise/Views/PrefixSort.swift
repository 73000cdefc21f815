/// Sorts items by their cached prefixes, those with the same prefix in the order in which they came.
///
/// Byte after byte from the most significant one, by counting (MSD radix sort; McIlroy, Bostic & McIlroy 1993,
/// "Engineering Radix Sort"): a comparison sort of a million random prefixes guesses the outcome of twenty million
/// comparisons wrongly half of the time.
enum PrefixSort {
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
            shift: 56
        )
    }

    private static func sort(
        _ items: UnsafeMutablePointer<KeySort.Item>,
        _ spare: UnsafeMutablePointer<KeySort.Item>,
        count: Int,
        shift: UInt64
    ) {
        if count <= insertionCountMax { return unsafe insertionSort(items, count: count) }
        // Index entries of one value come in the order of their identifiers.
        if unsafe isSorted(items, count: count) { return }
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
                unsafe spare[ends[byte]] = items[place]
                unsafe ends[byte] &+= 1
            }
            unsafe items.update(from: spare, count: count)
            guard shift > 0 else { return }
            start = 0
            for byte in 0..<256 {
                let end = unsafe ends[byte]
                if end &- start > 1 {
                    unsafe sort(items + start, spare, count: end &- start, shift: shift &- 8)
                }
                start = end
            }
        }
    }

    private static func isSorted(_ items: UnsafeMutablePointer<KeySort.Item>, count: Int) -> Bool {
        for place in 1..<count where unsafe items[place].prefix < items[place &- 1].prefix {
            return false
        }
        return true
    }

    private static func insertionSort(_ items: UnsafeMutablePointer<KeySort.Item>, count: Int) {
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
