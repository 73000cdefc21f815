extension Array {
    /// The first index of an element for which the condition holds, which holds for all behind it; the count where
    /// there is none. O(log n).
    func partitioningIndex(where isBehind: (Element) throws -> Bool) rethrows -> Int {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if try isBehind(self[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
