/// What can stay where it is when a list comes into another order.
enum LongestAscent {
    /// The indices of a longest ascending subsequence, ascending (patience sorting; Fredman 1975). O(n log n).
    static func indices(of values: [Int]) -> [Int] {
        // For each length the index of the least value that such a subsequence can end with.
        var ends: [Int] = []
        var before = [Int](repeating: -1, count: values.count)
        for (index, value) in values.enumerated() {
            var low = 0
            var high = ends.count
            while low < high {
                let middle = (low + high) / 2
                if values[ends[middle]] < value { low = middle + 1 } else { high = middle }
            }
            if low > 0 { before[index] = ends[low - 1] }
            if low == ends.count { ends.append(index) } else { ends[low] = index }
        }
        var ascent: [Int] = []
        ascent.reserveCapacity(ends.count)
        var index = ends.last ?? -1
        while index >= 0 {
            ascent.append(index)
            index = before[index]
        }
        return ascent.reversed()
    }
}
