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
        // First what goes alone, again and again, because that may free others; then what goes only together.
        for mayCascade in [false, true] {
            while true {
                let known = try MissingRows(left, in: pass.memory)
                let kept = RememberedRows(in: pass.memory)
                try batches(.deleting, left, &loader) { row, transaction in
                    guard try exists(row.model, row.id, in: transaction) else { return }
                    let plan = try transaction.plan(delete: row)
                    guard plan.deleted.count == 1 || mayCascade, try known.isFree(plan) else {
                        try kept.append(row)
                        return
                    }
                    for gone in try transaction.delete(row).deleted {
                        pass.count(gone.model) { $0.deleted += 1 }
                    }
                    didWrite()
                }
                let isDone = kept.count == left.count
                // Of a chain each row frees the one before it: the next round goes the other way.
                kept.reverse()
                left = kept
                if isDone { break }
            }
        }
        return left
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
                    if try !isChangedHere(row, record, in: state) {
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
