import Reprise

/// What can be said of deleting a row that the export lacks, from what it does at first hand.
enum DeletionOutlook: Equatable {
    /// Nothing that stays keeps it, and it goes by itself.
    case alone(DeletionBurden)
    /// So many lose what they point to, or what is in their lists, that it was not looked through.
    case heavy
    /// Rows that the export lacks, too, go along or forbid it.
    case withOthers
    /// Something that stays keeps it.
    case stays
}

/// How much a deletion takes with it into its commit.
struct DeletionBurden: Equatable {
    /// To-ones that become empty, and entries that leave lists of others.
    var severedCount = 0
    /// Entries of the row's own lists, which stand in one event with it.
    var ownedCount = 0

    /// Whether the row has to be severed from others, or from its entries, before it goes.
    func exceeds(_ bounds: DeletionBounds) -> Bool {
        severedCount > bounds.severedCountMax || ownedCount > bounds.ownedCountMax
    }

    /// What it counts for where a batch ends.
    var unitCount: Int { 1 + severedCount + ownedCount }
}

extension MissingRows {
    /// Finds out whether a row goes by itself. Of entries of its own no more are counted than it may have.
    ///
    /// - Parameter stopsWhereHeavy: whether to stop where more lose something than may in one commit.
    /// - Complexity: O(consequences looked at · log n); the first that says no is the last.
    func outlook<State: StateReading & ~Copyable>(
        of row: EntityReference,
        within bounds: DeletionBounds,
        stopsWhereHeavy: Bool,
        in state: borrowing State
    ) throws -> DeletionOutlook {
        var burden = DeletionBurden()
        var outlook: DeletionOutlook?
        try state.forEachConsequence(ofDeletingMissing: row) { consequence in
            switch consequence {
            case .deletes(let other):
                outlook = try contains(other) ? .withOthers : .stays
            case .isDenied(let denial):
                outlook = try contains(denial.partner) ? .withOthers : .stays
            case .nullifies(let reference):
                if try contains(reference.entity) {
                    burden.severedCount += 1
                } else {
                    outlook = .stays
                }
            case .unlinks(let entry):
                if try contains(entry.owner) {
                    burden.severedCount += 1
                } else {
                    outlook = .stays
                }
            case .dropsEntry:
                burden.ownedCount += 1
                return burden.ownedCount <= bounds.ownedCountMax
            }
            if stopsWhereHeavy, outlook == nil, burden.severedCount > bounds.severedCountMax {
                outlook = .heavy
            }
            return outlook == nil
        }
        return outlook ?? .alone(burden)
    }
}
