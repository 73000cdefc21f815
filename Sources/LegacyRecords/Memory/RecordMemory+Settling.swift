extension RecordMemory {
    /// Goes through places again and again, without those that are done, until a round gets none of them done, or there
    /// were so many rounds that others would take hours: long chains in no order need nearly one for each place, and a
    /// hostile export can have them. What is left then counts as not done.
    ///
    /// What is left is remembered at eight bytes a place.
    ///
    /// - Complexity: O(places) where chains are in order, forwards or backwards; otherwise it ends after
    ///   `lookCountMax`.
    /// - Parameters:
    ///   - lookCountMax: after how many looks, and four more at each place, no other round begins.
    ///   - isDone: whether a place is done; each may be done because another one is.
    package func settle(
        _ count: Int,
        lookCountMax: Int = 20_000_000,
        _ isDone: (Int) throws -> Bool
    ) throws {
        var left: RememberedIdentifiers?
        var leftCount = count
        var lookCount = 0
        while leftCount > 0, lookCount < lookCountMax + 4 * count {
            lookCount += leftCount
            let waiting = RememberedIdentifiers(in: self)
            for step in 0..<leftCount {
                // In a chain each waits for the one before it, or for the one after: every other round goes backwards.
                let place = try left?.number(at: leftCount - 1 - step) ?? step
                if try !isDone(place) { try waiting.append(.number(UInt64(place))) }
            }
            if waiting.count == leftCount { return }
            left = waiting
            leftCount = waiting.count
        }
    }
}
