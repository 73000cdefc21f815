import ExportFormats
import LegacyRecords
import Reprise

/// What a comparison can only estimate: what becomes of it depends on the order in which a run does things, and on what
/// the store answers then.
extension MigrationComparison {
    /// What is not certain.
    struct Doubts: OptionSet {
        let rawValue: Int

        /// How much of what is done is counted and said, and as what.
        static let counts = Doubts(rawValue: 1)
        /// Whether anything is done at all.
        static let outcome = Doubts(rawValue: 2)
    }

    /// What is said where rows are refused, kept or overwritten: who is then depends on more than two of them.
    private static let doubtful: Set<LegacyWarning.Kind> = [
        .deletedInSourceButInUse, .disputedPartner, .entryAddedHere, .localChangeOverwritten,
        .refusedRecord, .uniqueValueTaken,
    ]

    /// Whether it is certain that there is something to do, where anything was found: what becomes of rows that want
    /// each other's values and partners, that need each other, or that go when others point elsewhere, only the store
    /// itself knows.
    var isCertain: Bool {
        if !hasFound { return true }
        // That all of it is what an export came to say is not certain either, where rows are refused.
        guard doubts.isDisjoint(with: .outcome), pass.writtenCount > 0 else { return false }
        return hasFoundPlainly || refused.takenCount == 0 && goesForSure
    }

    /// Whether a run would count and say what has been found, if nobody writes to the store before.
    var isExact: Bool {
        doubts.isEmpty && isCertain && refused.takenCount == 0 && pass.agreements.count == 0
            && !pass.hasWarned(ofAny: Self.doubtful)
    }

    /// Notes what somebody else has done to a row that makes it depend on others what is counted of it.
    func noteDoubts(of row: MigrationPass.Row, _ standing: MigrationPass.LocalStanding) {
        switch standing {
        case .deletedUnless: doubts.insert(.outcome)
        case .deleted: doubts.insert(.counts)
        case .written where !row.overwritten.isEmpty: doubts.insert(.counts)
        case .written: break
        }
    }

    /// What is written to one side of a one-to-one changes the other, whose record then finds it as it shall be.
    func doubtPartner() {
        if pass.isRerun { doubts.insert(.counts) }
    }

    /// What is taken into a list on the other side of a to-one changes the member, and the list that it was in.
    func doubtMembers(of list: ClassShape.ToMany) {
        if list.memberToOne != nil { doubts.insert(.counts) }
    }

    /// Notes what a row wants that must be unique: of two that want the same one is refused, though nobody has it now.
    func noteClaims(of row: MigrationPass.Row, _ values: [Value?]) throws(LegacyError) {
        if stopsEarly { return }
        for places in row.shape.uniquePlaces where doubts.isEmpty {
            let wanted = places.map { values[$0] }
            if wanted.contains(.null) || wanted.allSatisfy({ $0 == nil }) { continue }
            var hasher = Hasher()
            hasher.combine(row.shape.model)
            hasher.combine(places)
            hasher.combine(wanted)
            let isNew = try claimed.insert(UInt64(bitPattern: Int64(hasher.finalize())))
            // With what the row has of it already it may be what another one wants.
            if !isNew || wanted.contains(nil) { doubts.insert(.counts) }
        }
    }

    /// Rows that take others along, that others forbid to go, or that rows lead to which stay: which of them go depends
    /// on what was written before, and on which goes first.
    ///
    /// - Complexity: O(consequences of the deletions · log n).
    func noteDoubts(ofDeleting rows: RememberedRows) throws {
        try store.read { state in
            for index in 0..<rows.count where doubts.isEmpty {
                try state.forEachConsequence(ofDeletingMissing: try rows.row(at: index)) { consequence in
                    switch consequence {
                    case .deletes, .isDenied: doubts.insert(.counts)
                    case .nullifies(let reference):
                        if try !leaving.contains(reference.entity) { doubts.insert(.counts) }
                    case .unlinks: break
                    case .dropsEntry: return false
                    }
                    return doubts.isEmpty
                }
            }
        }
    }
}
