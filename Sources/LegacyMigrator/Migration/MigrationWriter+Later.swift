import ExportFormats
import LegacyRecords
import Reprise

/// A to-one whose target had not come when its record was written.
struct LateReference: Sendable {
    let row: EntityReference
    /// How many records came before the row's in the export.
    let number: Int
    let place: Int
    let name: String
    let targetModel: String
    let target: String

}

extension LateReference {
    init(_ row: MigrationPass.Row, _ toOne: ClassShape.ToOne, _ target: String) {
        self.init(
            row: row.reference,
            number: row.number,
            place: toOne.place,
            name: toOne.name,
            targetModel: toOne.target,
            target: target
        )
    }

    /// The to-one itself, as the log names it where it was left out.
    var toOne: EntityReference { EntityReference(model: "\(row.model).\(name)", id: row.id) }
}

/// What cannot be written before all records are there.
extension MigrationWriter {
    /// Whether anything is tried again when rows have been deleted.
    var isWaiting: Bool {
        !(postponed.isEmpty && lateReferences.isEmpty && postponedLists.isEmpty)
    }

    /// Leaves a to-one as it is until all records are there.
    func setLater(
        _ toOne: ClassShape.ToOne,
        _ target: String,
        _ row: inout MigrationPass.Row
    ) throws(LegacyError) {
        // Others may stand in its way.
        if !toOne.standsAlone { try disturbed.insert(row.reference) }
        try lateReferences.append(LateReference(row, toOne, target))
        row.values[toOne.place] = nil
    }

    /// Whether a new row is not to come into lists yet, be it there or not: when a row that waits is inserted depends
    /// on what an interrupted run has done already, and its places must not.
    func isHeldBack(_ model: String, _ id: String) throws(LegacyError) -> Bool {
        if placesWaitingRows { return false }
        return try waitingRows.containsNew(model, id)
    }

    /// Whether a row is there that was there before the migration, and stays. What a run of it that was interrupted has
    /// inserted does not count: an unbroken run would not have found it.
    func isKept(
        _ model: String,
        _ id: String,
        in transaction: borrowing WriteTransaction
    ) throws -> Bool {
        guard let found = try transaction.revision(of: EntityReference(model: model, id: id)),
            found.created < migration.firstPosition || !pass.isOurs(found.created)
        else { return false }
        return try pass.resolves(model, id, in: transaction)
    }

    /// Leaves a row that waits out of the lists on the other side of its to-ones until all records are there: when it
    /// is written depends on what an interrupted run has done already.
    func leaveLists(_ row: inout MigrationPass.Row) throws(LegacyError) {
        let isFirst = try lateRows.insert(row.reference)
        for toOne in row.shape.toOnes where toOne.standsAlone {
            guard case .reference(let target)? = row.values[toOne.place] else { continue }
            if isFirst { try setLater(toOne, target, &row) }
            row.values[toOne.place] = nil
        }
    }

    /// Whether a row is there.
    func exists(
        _ model: String,
        _ id: String,
        in state: borrowing WriteTransaction
    ) throws -> Bool {
        try state.revision(of: EntityReference(model: model, id: id)) != nil
    }

    /// Tries a record again when others have been written.
    ///
    /// - Parameter holder: the row that stands in its way, where one does.
    func postpone(
        _ record: ShapedRecord,
        _ row: MigrationPass.Row,
        holder: EntityReference? = nil
    ) throws(LegacyError) {
        try leaveUncounted(row)
        try pass.forget(row)
        try disturbed.insert(row.reference)
        try postponed.append(record, row.reference, holder: holder)
    }

    /// Writes of a row that is there what another row does not stand in the way of, so that it keeps nothing that is to
    /// go meanwhile, and finds its places in lists when they are made.
    ///
    /// - Parameter error: what forbids the whole; nil where that has to be found out.
    /// - Returns: whether anything was written.
    @discardableResult
    func writeRest(
        _ row: MigrationPass.Row,
        _ error: StoreError?,
        _ transaction: inout WriteTransaction
    ) throws -> Bool {
        guard pass.isRerun else { return false }
        var rest = row
        if let error, !rest.keepWhatIsTaken(error) { return false }
        while case .different(let isChangedHere) = try pass.standing(of: rest, in: transaction) {
            do {
                try transaction.put(rest.reference, inOrder: rest.values)
                if isChangedHere { try pass.warnOverwritten(rest.reference) }
                if try didWrite(rest) { pass.count(rest.shape) { $0.updated += 1 } }
                return true
            } catch let error as StoreError where error.isOfHolder {
                if !rest.keepWhatIsTaken(error) { return false }
            } catch let error as StoreError where Self.refusals.contains(error.code) {
                // It is said when the record is tried again.
                return false
            }
        }
        return false
    }

    /// Tries again what was refused because of a value that must be unique, and the lists of such records.
    ///
    /// - Parameter isLast: whether what is refused once more is left out, or tried again when rows have been deleted.
    func writePostponed(isLast: Bool, _ loader: inout BulkLoader) throws {
        if isLast { placesWaitingRows = true }
        let lists = postponedLists
        postponedLists = PostponedLists(in: pass.memory)
        // What has found its place may have made one for others.
        let roundCountMax = isLast ? Self.lastRoundCountMax : Self.roundCountMax
        for _ in 0..<roundCountMax where !postponed.isEmpty {
            try writePostponedRecords(mayPostpone: true, &loader)
            if try writeTogether(isLast: isLast, &loader) { continue }
            // Otherwise the same export would find something to do once more.
            guard isLast, try writeRests(&loader) else { break }
        }
        if isLast { try writePostponedRecords(mayPostpone: false, &loader) }
        // What is missing in them once more may be postponed once more.
        for index in 0..<lists.count { try add(try lists.list(at: index), &loader) }
        try flush(&loader)
        if isLast { try writeLateReferences(isLast: true, &loader) }
    }

    private func writePostponedRecords(mayPostpone: Bool, _ loader: inout BulkLoader) throws {
        claims.removeAll()
        try writeAgain(takePostponed(), &loader) { record, transaction in
            try write(record, mayPostpone: mayPostpone, &transaction)
        }
    }

    /// Does something with each record, as many in a batch as fit.
    func writeAgain(
        _ records: PostponedRecords,
        _ loader: inout BulkLoader,
        _ write: (ShapedRecord, inout WriteTransaction) throws -> Void
    ) throws {
        var last = -1
        var work: [ShapedRecord] = []
        repeat {
            work.removeAll()
            var weight = 0
            while weight < batchUnitCount, let next = try records.first(after: last) {
                last = next.number
                weight += next.record.weight
                work.append(next.record)
            }
            try batches(.writing, work, &loader, write)
        } while !work.isEmpty
    }

    /// All that wait; none does after that.
    func takePostponed() -> PostponedRecords {
        let records = postponed
        postponed = PostponedRecords(records.bounds, in: pass.memory)
        return records
    }

    /// How many to-ones of or to rows that waited are set in one commit.
    private static let togetherCountMax = 20_000

    /// How often the records that wait are gone through: each time frees something for others, as a rule everything.
    private static let roundCountMax = 4
    /// How often in the end, when what could be done and is not is left for the next run.
    static let lastRoundCountMax = 16

    /// Sets the to-ones that name what came later. One whose target never came is left empty, with a warning.
    func writeLateReferences(isLast: Bool, _ loader: inout BulkLoader) throws {
        let references = lateReferences
        lateReferences = LateReferences(in: pass.memory)
        // How often they were put off depends on where a run has ended.
        let order =
            try disturbed.isEmpty && waitingRows.isEmpty ? .asNoted : references.recordOrder()
        var together: [LateReference] = []
        if isLast {
            // What was placed by half would be put in order before the other half comes.
            var walk = try references.walk(order)
            while together.count <= Self.togetherCountMax, let reference = try walk.next() {
                if try isOfWaitingRow(reference) { together.append(reference) }
            }
        }
        // A commit has bounds: where there are too many they come first, in as many as they need.
        let isTooMuch = together.count > Self.togetherCountMax
        if isTooMuch { together = [] }
        let isOther: (LateReference) throws -> Bool = { try !self.isOfWaitingRow($0) }
        var turns = [isLast ? isOther : { _ in true }]
        if isTooMuch { turns.insert(isOfWaitingRow, at: 0) }
        var walk = try references.walk(order)
        while !turns.isEmpty {
            var work: [LateReference] = []
            while work.count < batchUnitCount, let isItsTurn = turns.first {
                guard let reference = try walk.next() else {
                    turns.removeFirst()
                    walk = try references.walk(order)
                    continue
                }
                if try isItsTurn(reference) { work.append(reference) }
            }
            try batches(.writing, work, &loader) { reference, transaction in
                try write(reference, &transaction)
            }
        }
        if !together.isEmpty {
            try batch(.writing, &loader) { transaction in
                for reference in together { try write(reference, &transaction) }
            }
        }
        try writeRefusedReferences(isLast: isLast, &loader)
    }

    /// Whether it is of or to a row that waits for a unique value.
    private func isOfWaitingRow(_ reference: LateReference) throws(LegacyError) -> Bool {
        if try waitingRows.containsNew(reference.row.model, reference.row.id) { return true }
        return try waitingRows.containsNew(reference.targetModel, reference.target)
    }

    /// Whether the record that is named is there. One that was refused itself is as good as none.
    private func isThere(
        _ reference: LateReference,
        in state: borrowing WriteTransaction
    ) throws -> Bool {
        try exists(reference.targetModel, reference.target, in: state)
            && pass.resolves(reference.targetModel, reference.target, in: state)
    }

    private func write(
        _ reference: LateReference,
        _ transaction: inout WriteTransaction
    ) throws {
        if try waitingRows.isLeftOut(reference.toOne) { return warnOfLeftOut(reference.row) }
        let isHeldBack = try !placesWaitingRows && isOfWaitingRow(reference)
        if isHeldBack { try lateReferences.append(reference) }
        guard
            let row = try transaction.record(
                model: reference.row.model,
                id: reference.row.id,
                lists: false
            )
        else { return }
        var wanted = Value.reference(reference.target)
        var isSettled = !isHeldBack
        if isHeldBack {
            // Until the end nothing is held by what was there.
            let attributes = pass.shape.classes[reference.row.model]?.attributes
            guard row[reference.name] != wanted, !pass.isPartial,
                attributes?[reference.place].isOptional == true,
                try !pass.isKept(reference, .null, isSaid: false, in: transaction)
            else { return }
            wanted = .null
        } else if try !isThere(reference, in: transaction) {
            if !postponed.isEmpty {
                // It may be one that is tried again at the end; until then nothing is held by what was there.
                try lateReferences.append(reference)
                isSettled = false
            } else {
                try pass.warnOfMissing(reference, in: transaction)
            }
            if pass.isPartial { return }
            wanted = .null
        } else if try waitingRows.isRefused(reference.toOne) {
            // Though it may be set by now: then it waits as it would have otherwise.
            return try refuse(reference)
        }
        if row[reference.name] == wanted {
            if isSettled { try pass.noteAgreement(reference, wanted, in: transaction) }
            return
        }
        guard try isHeldBack || !pass.isKept(reference, wanted, isSaid: true, in: transaction)
        else { return }
        let isChangedHere = try pass.isChangedHere(
            reference.row,
            to: reference.name,
            in: transaction
        )
        let loser = try loser(by: reference, in: transaction)
        do {
            try transaction.put(reference.row, values: [reference.name: wanted])
        } catch let error as StoreError where error.isOfHolder {
            guard case .reference = wanted else { return warnOfTaken(reference.row, error) }
            return try refuse(reference)
        } catch let error as StoreError where Self.refusals.contains(error.code) {
            // The record that it names was refused itself.
            warnOfRefusal(reference.row, error)
            return
        }
        if let loser, !wanted.isNull { try pass.warn(of: loser) }
        try didSet(reference, isChangedHere: isChangedHere)
    }

    /// Who loses a partner when a to-one is set.
    func loser(
        by reference: LateReference,
        in transaction: borrowing WriteTransaction
    ) throws -> MigrationPass.Loser? {
        guard let toOne = pass.toOne(reference) else { return nil }
        return try pass.loser(of: toOne, reference.target, to: reference.row, in: transaction)
    }

    /// Puts a to-one among those that are set together because others stand in their way.
    private func refuse(_ reference: LateReference) throws(LegacyError) {
        // One of a record that was tried again comes once more.
        if let last = refusedReferences.last, last.number == reference.number,
            last.place == reference.place
        {
            return
        }
        if mayRefuseMore {
            refusedReferences.append(reference)
            try waitingRows.refuse(reference.toOne)
        } else {
            warnOfLeftOut(reference.row)
            try waitingRows.leaveOut(reference.toOne)
        }
    }

    /// Counts a to-one that was set.
    func didSet(_ reference: LateReference, isChangedHere: Bool) throws {
        if isChangedHere { try pass.warnOverwritten(reference.row) }
        didWrite()
        try didUpdate(reference.row)
        try settled.insert(reference)
    }

    /// Whether one row more than those that wait for their to-ones can be updated together with them.
    private var mayRefuseMore: Bool {
        let width = pass.shape.classes.values.reduce(0) { max($0, $1.attributes.count) }
        return refusedReferences.count < postponed.bounds.countMax
            && refusedReferences.count * width * MemoryLayout<Value?>.stride
                < postponed.bounds.byteCountMax
    }

    /// Does many small things, one to each row, as many to a batch as fit.
    func batches(
        _ phase: MigrationProgress.Phase,
        _ rows: RememberedRows,
        _ loader: inout BulkLoader,
        _ write: (EntityReference, inout WriteTransaction) throws -> Void
    ) throws {
        for start in stride(from: 0, to: rows.count, by: batchUnitCount) {
            let end = min(rows.count, start + batchUnitCount)
            let work = try (start..<end).map { try rows.row(at: $0) }
            try batches(phase, work, &loader, write)
        }
    }
}
