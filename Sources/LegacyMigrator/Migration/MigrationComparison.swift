import ExportFormats
import LegacyRecords
import Reprise

/// Compares an export with a store and writes nothing.
final class MigrationComparison {
    let pass: MigrationPass
    let store: Store
    private var pieces: [Piece] = []
    private var weight = 0
    private var orders: MemberOrders
    let given: RememberedKeys
    /// To-ones that name what had not come yet.
    let unresolved: LateReferences
    /// Records whose rows stay deleted unless what their to-ones name comes.
    var deletedUnless: PostponedRecords
    /// These rows; in the end those that do stay deleted.
    let undecided: RememberedKeys
    /// The rows that differ, of those that may be counted a second time.
    let different: RememberedKeys
    /// Rows whose records are refused: they were counted as nothing yet.
    private let uncounted: RememberedKeys
    let refused: RefusedRows
    /// Members that are not there yet, of lists that otherwise are as they shall be; and of such lists as are the other
    /// side of their to-ones, where they would not come last.
    let newEntries: AwaitedMembers
    /// The owners of these whose lists somebody else has changed.
    let changedHere: RememberedKeys
    let newPlaces: AwaitedMembers
    /// Members that lists take from others, by their model and to-one.
    let taken: RememberedKeys
    /// Hashes of what must be unique and new or changed rows want.
    let claimed: RememberedSet<UInt64>
    /// The rows that the export lacks and that go.
    var leaving: MissingRows
    /// How much of the source's rows the export replaces; nil where that is not asked.
    var replacement: Replacement?
    /// Whether only one thing is asked: is there anything to do?
    let stopsEarly: Bool
    private var shaper: SourceShape.Shaper

    private enum Piece {
        case record(ShapedRecord)
        case list(LegacyList)

        var weight: Int {
            switch self {
            case .record(let record): record.weightWithLists
            case .list(let list): 1 + list.members.weight
            }
        }
    }

    /// Enough to make the opening of a read cheap, few enough to keep it short.
    private static let weightPerRead = 512

    /// - Parameter asksReplacement: whether it is counted how many rows the export would delete and change.
    ///   It is counted to the end where the export may lack the newest data.
    init(
        _ pass: MigrationPass,
        in store: Store,
        asksReplacement: Bool,
        isOutdated: Bool,
        stopsEarly: Bool
    ) {
        self.pass = pass
        different = RememberedKeys(in: pass.memory)
        uncounted = RememberedKeys(in: pass.memory)
        orders = MemberOrders(in: pass.memory)
        unresolved = LateReferences(in: pass.memory)
        deletedUnless = PostponedRecords(PostponedRecords.bounds, in: pass.memory)
        undecided = RememberedKeys(in: pass.memory)
        refused = RefusedRows(in: pass.memory)
        newEntries = AwaitedMembers(in: pass.memory)
        changedHere = RememberedKeys(in: pass.memory)
        newPlaces = AwaitedMembers(in: pass.memory)
        taken = RememberedKeys(in: pass.memory)
        leaving = MissingRows(in: pass.memory)
        given = RememberedKeys(in: pass.memory)
        shaper = pass.shape.shaper()
        self.store = store
        self.stopsEarly = stopsEarly
        replacement = asksReplacement ? Replacement(rowCount: pass.rowCount, isCountedToEnd: isOutdated) : nil
        claimed = RememberedSet(in: pass.memory)
        pass.isPlan = true
    }

    /// Whether something was found before anything was foreseen of rows that want what others have.
    private(set) var hasFoundPlainly = false
    /// What a run may do otherwise than it is foreseen.
    var doubts = Doubts()
    /// Whether some of the rows that the export lacks go as things stand, where nothing but them was found.
    var goesForSure = true

    /// Whether there is something to write.
    var hasFound: Bool { pass.writtenCount > 0 || pass.agreements.count > 0 }
    /// Whether all that is asked is known.
    var mayStop: Bool { stopsEarly && hasFound && replacement?.keepsMost ?? true }

    func consume(_ record: LegacyRecord) throws {
        if let record = shaper.shaped(record) { try add(.record(record)) }
    }

    func consume(_ list: LegacyList) throws { try add(.list(list)) }

    private func add(_ piece: Piece) throws {
        pieces.append(piece)
        weight += piece.weight
        if weight >= Self.weightPerRead { try compare() }
    }

    /// Compares what is left, the orders, and what the export lacks.
    func finish() throws {
        try compare()
        try compareDeleted()
        if pass.isRerun { try compareRest() }
        hasFoundPlainly = hasFound && goesForSure
        try refused.settle(of: self, in: store)
        try countAwaiting()
        try countAwaitedMembers()
        try compareUnresolved()
        try countTaken(in: store)
    }

    private func compareRest() throws {
        for (key, lists) in try orders.grouped() { try compareOrders(key, lists) }
        if pass.isPartial { return }
        for model in pass.shape.models {
            if stopsEarly, hasFound { break }
            guard let shape = pass.shape.classes[model] else { continue }
            for list in shape.lists.values {
                let owners = try pass.ownersOfSurplus(list, of: shape, given, in: store)
                for index in 0..<owners.count {
                    let owner = try owners.row(at: index)
                    try store.read { state in
                        guard try hasSurplus(list, of: owner, in: state) else { return }
                        guard try pass.hasSeen(owner.model, owner.id) else { return }
                        try didFind(owner, list, LegacyReferences(), in: state)
                    }
                }
            }
        }
        try countMissing()
    }

    private func compare() throws {
        try store.read { state in
            for piece in pieces {
                switch piece {
                case .record(let record): try compare(record, in: state)
                case .list(let list):
                    guard let shape = pass.shape.classes[list.className],
                        let toMany = shape.lists[list.name]
                    else { continue }
                    try compare(list.members, toMany, of: list.key, shape, in: state)
                }
            }
        }
        pieces.removeAll(keepingCapacity: true)
        weight = 0
    }

    private func compare(_ record: ShapedRecord, in state: borrowing ReadTransaction) throws {
        guard var row = try pass.row(record, in: state) else { return }
        let standing = try pass.leaveLocalChanges(&row, isLast: false, in: state)
        noteDoubts(of: row, standing)
        switch standing {
        case .written: break
        case .deletedUnless: return try noteUndecided(row, record)
        case .deleted: return try noteDeleted(row, record)
        }
        try compare(row, record, in: state)
    }

    /// Compares a record with a row that it is written into, as far as somebody else's changes do not stand in the way.
    func compare(
        _ row: MigrationPass.Row,
        _ record: ShapedRecord,
        in state: borrowing ReadTransaction
    ) throws {
        var row = row
        try orders.place(row, inAnyOrder: pass.isRerun)
        var late: [LateReference] = []
        for toOne in row.shape.toOnes {
            guard case .reference(let target)? = row.values[toOne.place],
                try !pass.hasSeen(toOne.target, target)
                    || refused.mayStayAway(EntityReference(model: toOne.target, id: target))
            else { continue }
            if try pass.hasSeen(toOne.target, target) { doubts.insert(.outcome) }
            if toOne.isPaired { doubtPartner() }
            // Whether it leads anywhere is known when all records have come.
            late.append(LateReference(row, toOne, target))
            row.values[toOne.place] = nil
        }
        for reference in late { try unresolved.append(reference) }
        let mayBeWritten = try count(row, unresolved: late, in: state)
        for given in record.lists {
            // The lists of a record that is refused are not written either.
            if !mayBeWritten {
                try noteGiven(given.list, of: row.reference)
                continue
            }
            try compare(given.members, given.list, of: record.key, row.shape, in: state)
        }
    }

    /// - Parameter late: the row's to-ones whose targets have not come yet.
    /// - Returns: false where the record is refused for good.
    private func count(
        _ row: MigrationPass.Row,
        unresolved late: [LateReference],
        in state: borrowing ReadTransaction
    ) throws -> Bool {
        let standing = try pass.standing(of: row, in: state)
        try noteReplacement(of: row, standing, in: state)
        if case .same = standing {
            pass.count(row.shape) { $0.unchanged += 1 }
            return true
        }
        var values = row.values
        var isAwaiting = false
        if case .absent = standing {
            // A row that is not there yet needs the targets of its required to-ones.
            for reference in late where !row.shape.attributes[reference.place].isOptional {
                values[reference.place] = .reference(reference.target)
                isAwaiting = true
            }
            var whole = row
            whole.values = values
            values = pass.newValues(whole)
        }
        if isAwaiting { doubts.insert(.outcome) }
        if row.shape.hasPairs { doubtPartner() }
        try noteClaims(of: row, values)
        if let error = try state.refusal(of: row.reference, inOrder: values) {
            try uncounted.insert(row.id, of: row.shape.model)
            guard error.isOfHolder else {
                if case .absent = standing {
                    try refused.addAbsent(row.reference)
                } else {
                    try noteHeld(by: row, in: state)
                }
                warnRefused(row.reference, .refusedRecord, error.message)
                return false
            }
            try refused.addTaken(
                row.reference,
                ShapedRecord(row, late),
                standing,
                error,
                isAwaiting: isAwaiting
            )
            if case .different = standing { try countRest(row, error, in: state) }
        } else if !isAwaiting {
            for loser in try pass.losers(to: row, in: state) { try pass.warn(of: loser) }
            if case .absent = standing, try pass.wasDeletedHere(row.reference, in: state) {
                try pass.warnRestored(row.reference)
            }
            try count(row.reference, standing)
        }
        if !isAwaiting { return true }
        for reference in late where !row.shape.attributes[reference.place].isOptional {
            try refused.addAwaited(reference)
        }
        return true
    }

    /// Counts a row of which something is written though another row stands in the way of the rest.
    private func countRest(
        _ row: MigrationPass.Row,
        _ error: StoreError,
        in state: borrowing ReadTransaction
    ) throws {
        guard pass.isRerun else { return }
        var rest = row
        var refusal: StoreError? = error
        while let error = refusal, error.isOfHolder, rest.keepWhatIsTaken(error) {
            refusal = try state.refusal(of: rest.reference, inOrder: rest.values)
        }
        guard refusal == nil,
            case .different(let isChangedHere) = try pass.standing(of: rest, in: state)
        else { return }
        if isChangedHere { try pass.warnOverwritten(row.reference) }
        try didFind(row.reference)
    }

    func count(_ row: EntityReference, _ standing: MigrationPass.Standing) throws(LegacyError) {
        switch standing {
        case .absent:
            if let shape = pass.shape.classes[row.model] { pass.countInserted(row, shape) }
            try note(row)
        case .same: break
        case .different(let isChangedHere):
            guard try different.insert(row.id, of: row.model) else { return }
            pass.count(row.model) { $0.updated += 1 }
            if isChangedHere { try pass.warnOverwritten(row) }
        }
    }

    func warnRefused(
        _ row: EntityReference,
        _ kind: LegacyWarning.Kind,
        _ message: String
    ) {
        pass.warn(
            kind,
            "The \(row.model) \(LibraryReport.quoted(row.id)) is not as in the export: \(message)"
        )
    }

    private func note(_ row: EntityReference) throws(LegacyError) {
        guard pass.isRerun else { return }
        try different.insert(row.id, of: row.model)
    }

    /// Counts a row as different of which its record said that it is the same.
    func didFind(_ row: EntityReference) throws(LegacyError) {
        guard try different.insert(row.id, of: row.model) else { return }
        let wasUncounted = try uncounted.contains(row.id, of: row.model)
        let hasRecord = try pass.hasSeen(row.model, row.id)
        pass.count(row.model) {
            if hasRecord, !wasUncounted { $0.unchanged -= 1 }
            $0.updated += 1
        }
    }
}
