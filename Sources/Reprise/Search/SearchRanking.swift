#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// How good a match is: Okapi BM25 (Robertson, Zaragoza: "The Probabilistic Relevance Framework: BM25 and Beyond",
/// 2009) over all attributes as one text in which a word counts as often as its weight says (SRC-21).
struct SearchRanking {
    /// At most this many entries of a word are looked at to learn how frequent it is (SRC-22).
    static let sampleCountMax = 10_000

    private static let saturation = 1.2
    private static let lengthInfluence = 0.75

    /// For each word of the query how much it tells.
    private let weights: [Double]
    private let meanLength: Double

    /// - Parameters:
    ///   - rowCount: the rows of the model.
    ///   - entryCounts: for each word of the query the entries that were looked at.
    ///   - lengthSum: the lengths that they name, added up.
    init(rowCount: Int, entryCounts: [Int], lengthSum: Int) {
        weights = entryCounts.map { count in
            let count = Double(min(count, Self.sampleCountMax, rowCount))
            return log(1 + (Double(rowCount) - count + 0.5) / (count + 0.5))
        }
        let sum = entryCounts.reduce(0, +)
        meanLength = sum > 0 ? max(1, Double(lengthSum) / Double(sum)) : 1
    }

    func score(_ frequencies: [Int], length: Int) -> Double {
        let norm = 1 - Self.lengthInfluence + Self.lengthInfluence * Double(length) / meanLength
        var score = 0.0
        for (index, weight) in weights.enumerated() {
            let frequency = Double(frequencies[index])
            score +=
                weight * frequency * (Self.saturation + 1) / (frequency + Self.saturation * norm)
        }
        return score
    }
}

/// The best matches so far: the best first, equals by identifier (SRC-20).
struct BestMatches {
    struct Match {
        let score: Double
        let id: [UInt8]

        /// What is wrong where there is no such row.
        var missing: StoreError {
            .damage("The search index names \"\(String(decoding: id, as: UTF8.self))\", which does not exist.")
        }
    }

    private let limit: Int
    /// A heap whose root is the worst.
    private var heap: [Match] = []

    init(limit: Int) {
        self.limit = limit
    }

    mutating func add(_ score: Double, _ id: UnsafeRawBufferPointer) {
        guard limit > 0 else { return }
        if heap.count == limit {
            let worst = heap[0]
            guard score >= worst.score else { return }
            if score == worst.score {
                guard unsafe worst.id.withUnsafeBytes({ unsafe id.precedes($0) }) else { return }
            }
            heap[0] = Match(score: score, id: unsafe [UInt8](id))
            sink()
            return
        }
        heap.append(Match(score: score, id: unsafe [UInt8](id)))
        // Only a full heap is asked for its worst.
        if heap.count == limit { heap.sort { Self.precedes($1, $0) } }
    }

    func sorted() -> [Match] { heap.sorted(by: Self.precedes) }

    private mutating func sink() {
        var index = 0
        while true {
            var worst = index
            for child in [2 * index + 1, 2 * index + 2]
            where child < heap.count && Self.precedes(heap[worst], heap[child]) {
                worst = child
            }
            if worst == index { return }
            heap.swapAt(index, worst)
            index = worst
        }
    }

    private static func precedes(_ left: Match, _ right: Match) -> Bool {
        if left.score != right.score { return left.score > right.score }
        return unsafe left.id.withUnsafeBytes { left in
            unsafe right.id.withUnsafeBytes { unsafe left.precedes($0) }
        }
    }
}
