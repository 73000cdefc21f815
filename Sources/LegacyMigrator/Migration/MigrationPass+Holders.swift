import LegacyRecords
import Reprise

/// Who needs a row that the export lacks.
extension MigrationPass {
    /// How many are counted at most, where many need a row.
    private static let holderCountMax = 1000

    /// Says that a row is kept, and for whom: the first that the export does not lack itself, where there is one.
    ///
    /// - Parameter missing: the rows that the export lacks.
    /// - Complexity: O(those that need it, a thousand at most · log n).
    func warnInUse<State: StateReading & ~Copyable>(
        _ row: EntityReference,
        missing: MissingRows,
        in state: borrowing State
    ) throws {
        try warn(
            .deletedInSourceButInUse,
            "The export no longer has the \(row.model) \(LibraryReport.quoted(row.id)), but "
                + "\(try holder(of: row, missing, in: state) ?? "others need it"); it was kept."
        )
    }

    /// Who needs a row, as a clause; nil where that is nobody as things stand.
    private func holder<State: StateReading & ~Copyable>(
        of row: EntityReference,
        _ missing: MissingRows,
        in state: borrowing State
    ) throws -> String? {
        var first: EntityReference?
        var isFirstMissing = true
        var count = 0
        var last: EntityReference?
        try state.forEachConsequence(ofDeletingMissing: row) { consequence in
            let other: EntityReference
            switch consequence {
            case .deletes(let deleted): other = deleted
            case .isDenied(let denial): other = denial.partner
            case .nullifies(let reference): other = reference.entity
            case .unlinks(let entry): other = entry.owner
            // Nothing else comes after these.
            case .dropsEntry: return false
            }
            // One that has it several times in a list is one.
            if other != last { count += 1 }
            last = other
            if isFirstMissing {
                let isMissing = try missing.contains(other)
                if first == nil || !isMissing { first = other }
                isFirstMissing = isMissing
            }
            return count <= Self.holderCountMax
        }
        guard let first else { return nil }
        let others =
            switch count {
            case 1: ""
            case 2: " and one other"
            case ...Self.holderCountMax: " and \(count - 1) others"
            default: " and more than \(Self.holderCountMax - 1) others"
            }
        return "the \(first.model) \(LibraryReport.quoted(first.id))\(others) "
            + (count == 1 ? "needs it" : "need it")
    }
}
