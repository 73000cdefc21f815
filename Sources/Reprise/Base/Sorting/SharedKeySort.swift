/// Sorts very many keys on two threads, half of them on each.
enum SharedKeySort {
    /// How many keys are worth another thread.
    static let countMin = 1 << 15

    /// Some of the keys. Sendable because the two threads have different ones.
    @safe
    private struct Part: @unchecked Sendable {
        let items: UnsafeMutableBufferPointer<KeySort.Item>
        let spare: UnsafeMutableBufferPointer<KeySort.Item>

        /// - Parameter depth: how many bytes all keys have in common.
        func sort(at depth: Int) {
            unsafe PrefixSort.sort(spare, into: items)
            unsafe KeySort.sortWithinPrefixes(items, spare, at: depth)
        }
    }

    /// Sorts keys whose prefixes follow the `depth` bytes that all have in common.
    ///
    /// - Returns: false when their prefixes do not divide them; then nothing was done.
    static func sort(
        _ items: UnsafeMutableBufferPointer<KeySort.Item>,
        _ spare: UnsafeMutableBufferPointer<KeySort.Item>,
        at depth: Int
    ) -> Bool {
        guard let bound = unsafe PrefixSort.divide(items, into: spare) else { return false }
        let front = unsafe Part(
            items: UnsafeMutableBufferPointer(rebasing: items[..<bound]),
            spare: UnsafeMutableBufferPointer(rebasing: spare[..<bound])
        )
        let back = unsafe Part(
            items: UnsafeMutableBufferPointer(rebasing: items[bound...]),
            spare: UnsafeMutableBufferPointer(rebasing: spare[bound...])
        )
        let hasEnded = Signal()
        let isStarted = DetachedThread.startIfPossible {
            back.sort(at: depth)
            hasEnded.raise()
        }
        front.sort(at: depth)
        if isStarted { hasEnded.wait() } else { back.sort(at: depth) }
        return true
    }
}
