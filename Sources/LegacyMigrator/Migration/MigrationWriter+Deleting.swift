import LegacyRecords
import Reprise

/// Removing what the export no longer has.
extension MigrationWriter {
    /// Deletes the rows that an earlier migration of the source created, that the export lacks and that nobody has
    /// changed since. One that others point to, or that would take others with it which stay, is kept.
    ///
    /// - Parameter isLast: whether it has to be said what is kept; otherwise it is tried again.
    func deleteMissing(from store: Store, isLast: Bool, _ loader: inout BulkLoader) throws {
        guard pass.isRerun, !pass.isPartial else { return }
        try loader.publish()
        // What another process changes after this stays.
        let head = try store.read { $0.head }
        let missing = try pass.missing(from: store, warns: isLast)
        let free = try store.read { try pass.free(missing, in: $0) }
        var left = try delete(free, since: head, &loader)
        // Rows that only point to each other forbid each other to go.
        try loader.publish()
        let circles = try store.read { try pass.circles(among: left, in: $0) }
        if !circles.isEmpty {
            let known = try MissingRows(circles, in: pass.memory)
            try batches(.deleting, circles, &loader) { row, transaction in
                if try pass.holdsWorkOfOthers(row, since: head, in: transaction) { return }
                try open(row, into: known, &transaction)
            }
            left = try delete(left, since: head, &loader)
        }
        guard isLast else { return }
        let known = try MissingRows(missing, in: pass.memory)
        let wasFree = try MissingRows(free, in: pass.memory)
        let isLeft = try MissingRows(left, in: pass.memory)
        try store.read { state in
            for index in 0..<missing.count {
                let row = try missing.row(at: index)
                if try wasFree.contains(row), try !isLeft.contains(row) { continue }
                if try pass.holdsWorkOfOthers(row, since: head, in: state) {
                    pass.warnChanged(row)
                } else {
                    try pass.warnInUse(row, missing: known, in: state)
                }
            }
        }
    }

    /// Notes which rows both have deleted. That by itself is no reason to begin a migration: a row that the source has
    /// deleted may have stayed, and somebody may delete it whenever they like.
    func noteGone(from store: Store, _ loader: inout BulkLoader) throws {
        guard pass.isRerun else { return }
        try loader.publish()
        let gone = try pass.goneOnBothSides(in: store)
        var next = 0
        while next < gone.count {
            try batch(.deleting, &loader) { transaction in
                let end = min(gone.count, next + batchUnitCount)
                for index in next..<end {
                    try pass.noteGone(try gone.row(at: index), in: transaction)
                }
                next = end
            }
        }
    }

    /// Lets a row of a circle go of the others, as far as the store lets it.
    private func open(
        _ row: EntityReference,
        into circle: MissingRows,
        _ transaction: inout WriteTransaction
    ) throws {
        if try transaction.unlinkDenied(circle, from: row) > 0 { didWrite() }
        let values = try pass.openings(of: row, into: circle, in: transaction)
        guard !values.isEmpty else { return }
        do {
            try transaction.put(row, values: values)
        } catch let error as StoreError
            where error.isOfHolder || Self.refusals.contains(error.code)
        {
            // It stays, with all of the circle, which is said in the end.
            return
        }
        didWrite()
    }

    /// Deletes those rows that nothing keeps which stays; returns the others.
    ///
    /// - Parameter head: the position at which they were found; what somebody else has changed since stays.
    private func delete(
        _ rows: RememberedRows,
        since head: Position,
        _ loader: inout BulkLoader
    ) throws -> RememberedRows {
        var left = rows
        // First what goes alone, again and again, because that may free others; then what goes only together, and what
        // so many point to that it is severed from them first.
        for isThorough in [false, true] {
            while true {
                let kept = try deleteOnce(left, since: head, isThorough: isThorough, &loader)
                let isDone = kept.count == left.count
                // Of a chain each row frees the one before it: the next round goes the other way.
                kept.reverse()
                left = kept
                if isDone { break }
            }
        }
        return left
    }

    /// Goes through the rows once; returns those that could not go. A batch ends when it has enough, counting all that
    /// the rows take with them.
    ///
    /// - Parameter isThorough: whether what goes only with others may go, and what many others point to.
    private func deleteOnce(
        _ rows: RememberedRows,
        since head: Position,
        isThorough: Bool,
        _ loader: inout BulkLoader
    ) throws -> RememberedRows {
        let known = try MissingRows(rows, in: pass.memory)
        let trial = DeletionTrial(pass, known, since: head, isThorough: isThorough)
        let kept = RememberedRows(in: pass.memory)
        var next = 0
        // What is severed from others and from its entries, so that the next row can go; and what was.
        var severing: EntityReference?
        var severed: EntityReference?
        while next < rows.count {
            try batch(.deleting, &loader) { transaction in
                var unitCount = 0
                while next < rows.count, unitCount < batchUnitCount {
                    if let row = severing {
                        let countMax = batchUnitCount - unitCount
                        let count = try sever(row, upTo: countMax, &transaction)
                        unitCount += count
                        if count < countMax { (severing, severed) = (nil, row) }
                        continue
                    }
                    let row = try rows.row(at: next)
                    switch try trial.verdict(on: row, in: transaction) {
                    case .sever(let overfull) where overfull != severed:
                        // It is certain that the row goes.
                        severing = overfull
                        continue
                    case .sever:
                        // What it still has can only go with it.
                        unitCount += try delete(row, &transaction)
                    case .delete(let count):
                        unitCount += max(count, try delete(row, &transaction))
                    case .keep:
                        try kept.append(row)
                        unitCount += 1
                    case .skip: unitCount += 1
                    }
                    next += 1
                }
            }
        }
        return kept
    }

    /// Deletes a row with all that goes along; returns how many rows that are.
    private func delete(_ row: EntityReference, _ transaction: inout WriteTransaction) throws -> Int
    {
        let deleted = try transaction.delete(missing: row).deleted
        for gone in deleted { pass.count(gone.model) { $0.deleted += 1 } }
        didWrite()
        return deleted.count
    }

    /// Severs a row from some of those that point to it, and from some of its entries; returns from how many.
    private func sever(
        _ row: EntityReference,
        upTo countMax: Int,
        _ transaction: inout WriteTransaction
    ) throws -> Int {
        // Another process may have deleted it.
        guard try exists(row.model, row.id, in: transaction) else { return 0 }
        var count = try transaction.sever(row, upTo: countMax)
        count += try transaction.emptyDenyingLists(of: row, upTo: countMax - count)
        if count > 0 { didWrite() }
        return count
    }
}

/// Finds out what can be done with one row after the other, in one round.
private struct DeletionTrial {
    enum Verdict {
        /// It can go, and counts for so much in a batch.
        case delete(unitCount: Int)
        /// It can go when this row, itself or one that goes with it, was severed from what a commit has no room for.
        case sever(EntityReference)
        case keep
        /// It has gone already.
        case skip
    }

    private let pass: MigrationPass
    private let known: MissingRows
    private let closures: DeletionClosures
    /// The position at which the rows were found.
    private let head: Position
    private let isThorough: Bool

    init(_ pass: MigrationPass, _ known: MissingRows, since head: Position, isThorough: Bool) {
        self.pass = pass
        self.known = known
        self.head = head
        self.isThorough = isThorough
        closures = DeletionClosures(among: known, within: pass.deletionBounds, in: pass.memory)
    }

    func verdict(
        on row: EntityReference,
        in transaction: borrowing WriteTransaction
    ) throws -> Verdict {
        guard try transaction.revision(of: row) != nil else { return .skip }
        if try isChanged(row, in: transaction) { return .keep }
        let bounds = pass.deletionBounds
        let outlook = try known.outlook(
            of: row,
            within: bounds,
            stopsWhereHeavy: !isThorough,
            in: transaction
        )
        switch outlook {
        case .alone(let burden):
            return burden.exceeds(bounds) ? .sever(row) : .delete(unitCount: burden.unitCount)
        case .withOthers where isThorough:
            guard
                let closure = try closures.closure(of: row, mayBeDenied: false, in: transaction)
            else { return .keep }
            for index in 0..<closure.members.count {
                let member = try closure.members.row(at: index)
                if try isChanged(member, in: transaction) { return .keep }
            }
            return closure.overfull.map { .sever($0) } ?? .delete(unitCount: closure.unitCount)
        case .withOthers, .heavy, .stays: return .keep
        }
    }

    /// Whether another process has changed a row between two batches; it stays then.
    private func isChanged(
        _ row: EntityReference,
        in transaction: borrowing WriteTransaction
    ) throws -> Bool {
        guard try pass.holdsWorkOfOthers(row, since: head, in: transaction) else { return false }
        try known.remove(row)
        return true
    }
}

extension MigrationPass {
    /// The rows of the source that the export lacks and that may be deleted; warns of the others. Models that others
    /// come after are last, so that members go before their owners.
    ///
    /// - Parameter warns: whether it is said which ones stay because somebody changed them.
    /// - Complexity: O(rows of the source's models).
    func missing(from store: Store, warns: Bool = true) throws -> RememberedRows {
        let missing = RememberedRows(in: memory)
        try store.read { state in
            for model in shape.models.reversed() {
                try state.forEachRecord(RecordQuery(model: model), lists: false) { record in
                    guard owned.contains(record.created), try !hasSeen(model, record.id),
                        try !isWaiting(model, record.id)
                    else { return true }
                    let row = EntityReference(model: model, id: record.id)
                    let isOthers = try holdsWorkOfOthers(
                        row,
                        record.revision,
                        created: record.created,
                        in: state
                    )
                    if !isOthers {
                        try missing.append(row)
                    } else if warns {
                        warnChanged(row)
                    }
                    return true
                }
            }
        }
        return missing
    }

    func warnChanged(_ row: EntityReference) {
        warn(
            .deletedInSourceButChanged,
            "The export no longer has the \(row.model) \(LibraryReport.quoted(row.id)), but it was changed here since;"
                + " it was kept."
        )
    }
}
