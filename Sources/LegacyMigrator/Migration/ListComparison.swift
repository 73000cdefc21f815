import LegacyRecords
import Reprise

/// How a list of the store stands to a wanted one, found out without holding it.
struct ListComparison {
    private(set) var foundCount = 0
    let wantedCount: Int
    /// The first place where they differ, as far as the shorter one goes.
    private(set) var firstDifference: Int?
    /// Whether all that is wanted is there in its order, whatever stands among it.
    let hasAllInOrder: Bool

    /// Whether both are the same.
    var isSame: Bool { firstDifference == nil && foundCount == wantedCount }

    /// - Complexity: O(entries of the list).
    init(
        _ wanted: RememberedIdentifiers,
        _ list: String,
        of owner: EntityReference,
        in state: borrowing ReadTransaction
    ) throws {
        var foundCount = 0
        var firstDifference: Int?
        var inOrderCount = 0
        try state.forEachEntry(of: list, model: owner.model, id: owner.id) { entry in
            let target = RecordKey(entry.target)
            if foundCount < wanted.count, firstDifference == nil,
                try wanted.key(at: foundCount) != target
            {
                firstDifference = foundCount
            }
            if inOrderCount < wanted.count, try wanted.key(at: inOrderCount) == target {
                inOrderCount += 1
            }
            foundCount += 1
            return true
        }
        wantedCount = wanted.count
        self.foundCount = foundCount
        self.firstDifference = firstDifference
        hasAllInOrder = inOrderCount == wanted.count
    }
}
