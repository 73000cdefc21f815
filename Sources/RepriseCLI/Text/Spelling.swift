/// Finds the word that was probably meant.
enum Spelling {
    /// The candidate nearest to `word`, or nil when none is near enough to be worth naming.
    ///
    /// Near is at most one edit for three characters (and at least one), so that short words do not
    /// attract each other. The first of equally near candidates wins. A candidate that `word` begins
    /// is always near.
    static func nearest(to word: String, in candidates: some Sequence<String>) -> String? {
        // Words longer than any name are not worth a quadratic comparison.
        guard word.utf8.count <= 64 else { return nil }
        var best: (candidate: String, distance: Int)?
        let limit = max(1, word.count / 3)
        for candidate in candidates where candidate.utf8.count <= 64 {
            let isStart = word.count > 1 && candidate.lowercased().hasPrefix(word.lowercased())
            let distance = isStart ? 1 : distance(word.lowercased(), candidate.lowercased())
            if distance <= limit, distance < best?.distance ?? .max {
                best = (candidate, distance)
            }
        }
        return best?.candidate
    }

    /// The number of insertions, deletions, replacements and swaps of neighbours that turn one word
    /// into the other (optimal string alignment). Complexity: O(*n m*).
    static func distance(_ left: String, _ right: String) -> Int {
        let left = Array(left)
        let right = Array(right)
        var beforeLast = [Int](repeating: 0, count: right.count + 1)
        var last = Array(0...right.count)
        for i in left.indices {
            var row = [Int](repeating: i + 1, count: right.count + 1)
            for j in right.indices {
                let replaced = last[j] + (left[i] == right[j] ? 0 : 1)
                row[j + 1] = min(replaced, last[j + 1] + 1, row[j] + 1)
                let isSwap =
                    i > 0 && j > 0 && left[i] == right[j - 1] && left[i - 1] == right[j]
                if isSwap { row[j + 1] = min(row[j + 1], beforeLast[j - 1] + 1) }
            }
            beforeLast = last
            last = row
        }
        return last[right.count]
    }
}
