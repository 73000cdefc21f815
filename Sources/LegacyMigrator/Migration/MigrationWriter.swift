import ExportFormats
import LegacyRecords
import Reprise

/// Turns the records of an export into batches.
///
/// Where a batch ends depends on the export alone, never on what the store has: a run that takes up an interrupted one
/// does in each batch what that one would have done, and arrives at the same state, order keys included.
final class MigrationWriter {
    /// One piece of work.
    enum Item {
        /// A record, and the lists that it holds.
        case record(ShapedRecord, [ListInProgress])
        /// The entries `range` of a list, whose owner came before.
        case entries(ListInProgress, Range<Int>)

        var unitCount: Int {
            switch self {
            case .record(let record, _): record.weight
            case .entries(_, let range): range.count
            }
        }
    }

    /// What became of a record.
    enum Outcome {
        case inserted, updated, unchanged, leftOut
        /// It was refused, and is tried again when others have been written.
        case postponed
    }

    let pass: MigrationPass
    let store: Store
    let migration: MigrationRecord
    let context: CommitContext
    let batchUnitCount: Int
    let longBounds: LongList.Bounds
    let report: (MigrationProgress.Phase) throws -> Void

    /// What the next batch is made of, and how much of it has come so far.
    var items: [Item] = []
    var unitCount = 0
    var hasMetList = false
    /// The long list that is being put in order, and respaced.
    var arranging: NotedList?
    var respacing: NotedList?
    /// The one that an interrupted run was putting in order: it is long, whatever has gone from it since.
    var interrupted: NotedList?
    private(set) var orders: MemberOrders
    /// The rows that were counted as inserted or updated.
    private let written: RememberedKeys
    /// Rows that are there and whose records were refused: they were counted as nothing yet.
    private let uncounted: RememberedKeys
    /// When the rows that the batch has written were made and changed where they come from.
    var times = RecordedTimes()
    /// Rows that wait for a unique value, in this run and in those that it takes up.
    var waitingRows: WaitingRows
    /// Those of them whose to-ones are among the late ones.
    let lateRows: RememberedKeys
    /// What is respaced in the end.
    let disturbed: DisturbedLists
    /// Where a run that is taken up goes back to; nil until all records are there.
    var settling: Settling?
    /// Whether rows that wait come into lists now: at the end.
    var placesWaitingRows = false
    /// The last position that was there after a batch.
    var head: UInt64?
    /// The first position that this run may have written, also where it takes up another one.
    var firstBatchStart: UInt64?
    /// Whether the batch that is being made has changed anything.
    var hasWritten = false
    /// Whether nothing is written: the first change is an error.
    var isRehearsal = false

    var lateReferences: LateReferences
    /// Records that were refused because another row still has what must be unique.
    var postponed: PostponedRecords
    /// To-ones that were refused for the same reason.
    var refusedReferences: [LateReference] = []
    /// To-ones that were set between deletions.
    var settled = SettledReferences()
    /// What rows that are tried again have wanted in vain.
    var claims = RefusedClaims()
    /// Lists whose owners are among those.
    var postponedLists: PostponedLists
    /// The list that is being written.
    var currentList: ListInProgress?
    /// The lists that the export gives, by their owners, where those that it does not give may have entries.
    let given: RememberedKeys

    /// - Parameter report: called after every batch; throwing ends the run.
    init(
        _ pass: MigrationPass,
        _ store: Store,
        _ migration: MigrationRecord,
        _ waitingRows: WaitingRows,
        _ postponed: PostponedRecords,
        _ longBounds: LongList.Bounds,
        options: Migrator.Options,
        report: @escaping (MigrationProgress.Phase) throws -> Void
    ) {
        self.pass = pass
        self.store = store
        orders = MemberOrders(in: pass.memory, waiting: pass.shape)
        lateReferences = LateReferences(in: pass.memory)
        postponedLists = PostponedLists(in: pass.memory)
        disturbed = DisturbedLists(in: pass.memory)
        written = RememberedKeys(in: pass.memory)
        uncounted = RememberedKeys(in: pass.memory)
        given = RememberedKeys(in: pass.memory)
        lateRows = RememberedKeys(in: pass.memory)
        self.migration = migration
        self.waitingRows = waitingRows
        self.postponed = postponed
        self.longBounds = longBounds
        self.report = report
        batchUnitCount = max(1, options.batchRecordCount)
        context = CommitContext(
            intent: Migrator.intent,
            actor: options.actor,
            correlation: migration.id
        )
    }

    // MARK: Records

    /// - Returns: a long list that has to be arranged first, where the item is the beginning of one.
    func write(_ item: Item, _ transaction: inout WriteTransaction) throws -> LongList? {
        switch item {
        case .record(let record, let lists):
            let outcome = try write(record, mayPostpone: true, isFirstTry: true, &transaction)
            for list in lists { list.owner = outcome }
            return nil
        case .entries(let list, let range): return try write(list, range, &transaction)
        }
    }

    /// Inserts a record's row or updates it.
    ///
    /// - Parameters:
    ///   - mayPostpone: whether a record that is refused may be tried again at the end.
    ///   - isFirstTry: whether it has not been tried before.
    @discardableResult
    func write(
        _ record: ShapedRecord,
        mayPostpone: Bool,
        isFirstTry: Bool = false,
        _ transaction: inout WriteTransaction
    ) throws -> Outcome {
        guard var row = try pass.row(record, isFirstTry: isFirstTry, in: transaction) else {
            return .leftOut
        }
        switch try pass.leaveLocalChanges(&row, isLast: !mayPostpone, in: transaction) {
        case .deleted: return .leftOut
        case .deletedUnless:
            if isFirstTry { try waitToReturn(&row) }
            try postpone(record, row)
            return .postponed
        case .written: break
        }
        let mayBeLate = pass.isRerun || row.shape.mayNameLater
        // A record that is tried again has its place already.
        if isFirstTry {
            try orders.place(row, inAnyOrder: pass.isRerun || row.shape.mayWait)
        }
        let waits = try waitingRows.contains(row.shape.model, row.id)
        if waits, !isFirstTry { try leaveLists(&row) }
        for toOne in mayBeLate ? row.shape.toOnes : [] where toOne.mayComeLater || pass.isRerun {
            guard case .reference(let target)? = row.values[toOne.place] else { continue }
            let hasCome = try pass.hasSeen(toOne.target, target)
            // What has waited in an interrupted run may be there by now.
            let hasWaited = try waitingRows.contains(toOne.target, target)
            if hasCome, !hasWaited { continue }
            if !row.shape.attributes[toOne.place].isOptional {
                if hasCome, !(isFirstTry && mayPostpone) { continue }
                // One that was there before will be there, whatever it waits for and whosever it is.
                if try isKept(toOne.target, target, in: transaction) { continue }
                // A row that needs its target waits for it.
                if mayPostpone {
                    let holder = EntityReference(model: toOne.target, id: target)
                    try postpone(record, row, holder: holder)
                    return .postponed
                }
            }
            try setLater(toOne, target, &row)
        }
        let isLeftOut = try !isFirstTry && waitingRows.isLeftOut(row.reference)
        if mayPostpone, !isFirstTry, try isLeftOut || isClaimed(row, in: transaction) {
            try postpone(record, row)
            return .postponed
        }
        if isLeftOut {
            warnOfLeftOut(row.reference)
            try leaveUncounted(row)
            return .leftOut
        }
        if waits, isFirstTry {
            try leaveLists(&row)
            // Though it may have been written by now: then it waits as it would have otherwise.
            try postpone(record, row)
            return .postponed
        }
        do {
            do {
                return try write(row, &transaction)
            } catch let error as StoreError where error.code == .targetMissing {
                for toOne in row.shape.toOnes {
                    guard case .reference(let target)? = row.values[toOne.place],
                        try !exists(toOne.target, target, in: transaction)
                    else { continue }
                    if mayPostpone, !row.shape.attributes[toOne.place].isOptional {
                        let holder = EntityReference(model: toOne.target, id: target)
                        try postpone(record, row, holder: holder)
                        return .postponed
                    }
                    try setLater(toOne, target, &row)
                }
                return try write(row, &transaction)
            }
        } catch let error as StoreError where error.isOfHolder {
            // In a store that had no rows no value is ever given up.
            let mayBeFreed = pass.isRerun || error.isOfPartner
            if mayPostpone {
                // It may have been tried before, when it lacked what it must have.
                if !waits { try writeRest(row, error, &transaction) }
                if !isFirstTry, postponed.fitTogether { claims.insert(row) }
                if !waits, mayBeFreed {
                    let isNew = try !exists(row.shape.model, row.id, in: transaction)
                    try waitingRows.append(row.reference, isNew: isNew)
                    try leaveLists(&row)
                }
                try postpone(record, row, holder: error.holder)
                return .postponed
            }
            warnOfTaken(row.reference, error)
            if mayBeFreed { try waitingRows.leaveOut(row.reference) }
            try leaveUncounted(row)
            return .leftOut
        } catch let error as StoreError where Self.refusals.contains(error.code) {
            warnOfRefusal(row.reference, error)
            try leaveUncounted(row)
            return .leftOut
        }
    }

    /// Notes that a row which was deleted here waits for what would bring it back: a run that is taken up when it has
    /// come back lets it wait again.
    private func waitToReturn(_ row: inout MigrationPass.Row) throws {
        try orders.place(row, inAnyOrder: true)
        if try !waitingRows.contains(row.shape.model, row.id) {
            try waitingRows.append(row.reference, isNew: true)
        }
        try leaveLists(&row)
    }

    /// The row of a record that is tried again, without what somebody else has changed of it and the source has not;
    /// nil where it was deleted and stays so.
    func rowAgain(
        _ record: ShapedRecord,
        in transaction: borrowing WriteTransaction
    ) throws -> MigrationPass.Row? {
        guard var row = try pass.row(record, isFirstTry: false, in: transaction) else {
            return nil
        }
        if case .deleted = try pass.leaveLocalChanges(&row, isLast: false, in: transaction) {
            return nil
        }
        return row
    }

    func leaveUncounted(_ row: MigrationPass.Row) throws(LegacyError) {
        guard pass.isRerun else { return }
        try uncounted.insert(row.id, of: row.shape.model)
    }

    private func write(
        _ row: MigrationPass.Row,
        _ transaction: inout WriteTransaction
    ) throws -> Outcome {
        switch try pass.standing(of: row, in: transaction) {
        case .absent:
            let losers = try pass.losers(to: row, in: transaction)
            let wasDeletedHere = try pass.wasDeletedHere(row.reference, in: transaction)
            try transaction.put(row.reference, inOrder: pass.newValues(row), expecting: .absent)
            if wasDeletedHere { try pass.warnRestored(row.reference) }
            for loser in losers { try pass.warn(of: loser) }
            pass.countInserted(row.reference, row.shape)
            try didWrite(row)
            return .inserted
        case .same:
            if try !isWritten(row.reference) { pass.count(row.shape) { $0.unchanged += 1 } }
            try uncounted.remove(row.id, of: row.shape.model)
            return .unchanged
        case .different(let isChangedHere):
            let losers = try pass.losers(to: row, in: transaction)
            try transaction.put(row.reference, inOrder: row.values)
            for loser in losers { try pass.warn(of: loser) }
            try didUpdate(row, isChangedHere: isChangedHere)
            return .updated
        }
    }

    /// Counts a row that was updated to what its record says.
    func didUpdate(_ row: MigrationPass.Row, isChangedHere: Bool) throws(LegacyError) {
        if isChangedHere { try pass.warnOverwritten(row.reference) }
        // One that waited may have been counted because of its lists, or what could be written of it before.
        if try didWrite(row) { pass.count(row.shape) { $0.updated += 1 } }
    }

    /// Returns whether the row was not counted before.
    @discardableResult
    func didWrite(_ row: MigrationPass.Row) throws(LegacyError) -> Bool {
        hasWritten = true
        if let known = row.times { times.append(row.reference, known) }
        return try noteWritten(row.reference)
    }

    /// Remembers a row that may be counted a second time, because of a list or a reference that is set later. Returns
    /// whether it was not counted before.
    private func noteWritten(_ row: EntityReference) throws(LegacyError) -> Bool {
        guard pass.isRerun else { return true }
        return try written.insert(row.id, of: row.model)
    }

    /// Counts a row as updated of which its record said that it is unchanged.
    func didUpdate(_ row: EntityReference) throws(LegacyError) {
        guard pass.isRerun, try written.insert(row.id, of: row.model) else { return }
        let wasUncounted = try uncounted.contains(row.id, of: row.model)
        // It may be the owner of a list, and somebody else's.
        let hasRecord = try pass.hasSeen(row.model, row.id)
        pass.count(row.model) {
            if hasRecord, !wasUncounted { $0.unchanged -= 1 }
            $0.updated += 1
        }
    }

    /// Whether a row was counted as inserted or updated.
    func isWritten(_ row: EntityReference) throws(LegacyError) -> Bool {
        try written.contains(row.id, of: row.model)
    }
}
