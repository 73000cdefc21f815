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
        var left = try delete(try pass.missing(from: store, warns: isLast), &loader)
        // Rows that only point to each other forbid each other to go.
        try loader.publish()
        let circles = try store.read { try pass.circles(among: left, in: $0) }
        if !circles.isEmpty {
            let known = try MissingRows(circles, in: pass.memory)
            try batches(.deleting, circles, &loader) { row, transaction in
                let values = try pass.openings(of: row, into: known, in: transaction)
                guard !values.isEmpty else { return }
                try transaction.put(row, values: values)
                didWrite()
            }
            left = try delete(left, &loader)
        }
        guard isLast else { return }
        for index in 0..<left.count { pass.warnInUse(try left.row(at: index)) }
    }

    /// Deletes those rows that nothing keeps which stays; returns the others.
    private func delete(
        _ rows: RememberedRows,
        _ loader: inout BulkLoader
    ) throws -> RememberedRows {
        var left = rows
        // First what goes alone, again and again, because that may free others; then what goes only together, and what
        // so many point to that it is severed from them first.
        for isThorough in [false, true] {
            while true {
                let kept = try deleteOnce(left, isThorough: isThorough, &loader)
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
        isThorough: Bool,
        _ loader: inout BulkLoader
    ) throws -> RememberedRows {
        let known = try MissingRows(rows, in: pass.memory)
        let trial = DeletionTrial(pass, known, isThorough: isThorough)
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
        let deleted = try transaction.delete(row).deleted
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
        let count = try transaction.sever(row, upTo: countMax)
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
    private let isThorough: Bool

    init(_ pass: MigrationPass, _ known: MissingRows, isThorough: Bool) {
        self.pass = pass
        self.known = known
        self.isThorough = isThorough
        closures = DeletionClosures(among: known, within: pass.deletionBounds, in: pass.memory)
    }

    func verdict(
        on row: EntityReference,
        in transaction: borrowing WriteTransaction
    ) throws -> Verdict {
        guard try transaction.revision(of: row) != nil else { return .skip }
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
            return closure.overfull.map { .sever($0) } ?? .delete(unitCount: closure.unitCount)
        case .withOthers, .heavy, .stays: return .keep
        }
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
                    if try !holdsWorkOfOthers(row, in: state) {
                        try missing.append(row)
                    } else if warns {
                        warn(
                            .deletedInSourceButChanged,
                            "The export no longer has the \(model) \(LibraryReport.quoted(record.id)), but it was"
                                + " changed here since; it was kept."
                        )
                    }
                    return true
                }
            }
        }
        return missing
    }

    func warnInUse(_ row: EntityReference) {
        warn(
            .deletedInSourceButInUse,
            "The export no longer has the \(row.model) \(LibraryReport.quoted(row.id)), but others need it; it was"
                + " kept."
        )
    }
}
