import ExportFormats
import Reprise

/// The fewest changes that turn one list into another, in which members may repeat.
///
/// What stays is a longest common subsequence, found as a longest increasing one over the pairs of
/// equal members (J. W. Hunt, T. G. Szymanski: A fast algorithm for computing longest common
/// subsequences, Communications of the ACM 20, 1977). Of the rest, equal members are moved instead
/// of being removed and added.
struct ListDifference {
    /// What becomes of each wanted place.
    enum Step: Equatable {
        /// The entry at this index of the present list stays where it is.
        case stay(Int)
        /// The entry at this index of the present list is moved here.
        case move(Int)
        /// There is no entry for it yet.
        case add
    }

    /// For each wanted member in order.
    let steps: [Step]
    /// The indices of the present list that nothing is wanted of, ascending.
    let surplus: [Int]

    /// More pairs than this would cost more than a few moves too many.
    private static let pairCountMax = 4_000_000

    /// - Complexity: O((n + pairs) · log n), where pairs counts the equal members of both lists.
    init(from present: [String], to wanted: [String]) {
        var isTaken = [Bool](repeating: false, count: present.count)
        var steps = [Step](repeating: .add, count: wanted.count)
        let places = Dictionary(grouping: present.indices) { ExactText(present[$0]) }
        for (place, index) in Self.common(places, wanted) {
            steps[place] = .stay(index)
            isTaken[index] = true
        }
        var nextOf: [ExactText: Int] = [:]
        for place in wanted.indices where steps[place] == .add {
            let member = ExactText(wanted[place])
            guard let indices = places[member] else { continue }
            var next = nextOf[member, default: 0]
            while next < indices.count, isTaken[indices[next]] { next += 1 }
            if next < indices.count {
                steps[place] = .move(indices[next])
                isTaken[indices[next]] = true
                next += 1
            }
            nextOf[member] = next
        }
        self.steps = steps
        surplus = present.indices.filter { !isTaken[$0] }
    }

    /// The places that stay, each with the index of its entry.
    private static func common(
        _ places: [ExactText: [Int]],
        _ wanted: [String]
    ) -> [(place: Int, index: Int)] {
        var candidates = wanted.map { places[ExactText($0)] ?? [] }
        if candidates.reduce(0, { $0 + $1.count }) > pairCountMax {
            var nextOf: [ExactText: Int] = [:]
            for place in wanted.indices {
                let next = nextOf[ExactText(wanted[place]), default: 0]
                nextOf[ExactText(wanted[place])] = next + 1
                candidates[place] = next < candidates[place].count ? [candidates[place][next]] : []
            }
        }
        var chains: [(place: Int, index: Int, before: Int)] = []
        // The chain that ends with the smallest index, for each length.
        var tails: [Int] = []
        for place in wanted.indices {
            for index in candidates[place].reversed() {
                var low = 0
                var high = tails.count
                while low < high {
                    let middle = (low + high) / 2
                    if chains[tails[middle]].index < index {
                        low = middle + 1
                    } else {
                        high = middle
                    }
                }
                chains.append((place, index, low == 0 ? -1 : tails[low - 1]))
                if low == tails.count {
                    tails.append(chains.count - 1)
                } else {
                    tails[low] = chains.count - 1
                }
            }
        }
        var found: [(place: Int, index: Int)] = []
        var chain = tails.last ?? -1
        while chain >= 0 {
            found.append((chains[chain].place, chains[chain].index))
            chain = chains[chain].before
        }
        return found
    }
}

extension Collection<EntryID> {
    /// Whether the entries lead to `members`, one by one, compared by bytes.
    func hasTargets(_ members: [String]) -> Bool {
        count == members.count && hasTargets(beginning: members)
    }

    /// Whether both lists are the same as far as the shorter one goes.
    func hasTargets(beginning members: [String]) -> Bool {
        zip(self, members).allSatisfy { $0.target.utf8.elementsEqual($1.utf8) }
    }
}
