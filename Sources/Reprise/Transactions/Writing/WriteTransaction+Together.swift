extension WriteTransaction {
    /// Updates rows together: a unique value or a partner that one of them gives up another one may take, so that two
    /// can swap theirs (STO-48). A row that cannot be updated, and one that waits for what such a row keeps, stays as
    /// it is; the others are updated.
    ///
    /// Partners change with them. A row that stays may get another partner, or lose the one that it has, because a row
    /// that is updated says so; a row that is not given may lose its partner where it may be without one.
    ///
    /// - Returns: for each row what forbids it, as ``StateReading/refusals(together:)``; nil where it was updated.
    /// - Throws: ``StoreError``. Before anything is changed: `unknownModel`, `invalidValue` where a row is given twice,
    ///   and what reading the store throws (`corrupted`, `inputOutput`). Half-way, where the commit becomes too large
    ///   for the log or an ordered list has no more places behind its end (`valueTooLarge`), or the store cannot be
    ///   read or written: then the transaction can only end, and leaves no trace.
    /// - Complexity: O(rows · (log n + attributes)).
    package mutating func update(together rows: [RowValues]) throws -> [StoreError?] {
        try access.run {
            try access.workspace.settle()
            let update = try JointUpdate(rows, in: access)
            try session.change {
                // First all rows by themselves: no partner is told yet, so that nobody is without one in between.
                var positions: [UInt64] = []
                for (row, refusal) in zip(rows, update.refusals) {
                    guard refusal == nil else {
                        positions.append(0)
                        continue
                    }
                    let model = try access.model(named: row.reference.model)
                    let id = row.reference.id
                    let old = try access.row(model, id)
                    try access.encode(row.values, over: old, model, id)
                    _ = try session.update(model, id: id, isOneOfSeveral: true)
                    positions.append(try access.row(model, id)?.revision ?? 0)
                }
                try session.pair(update.partners.map { ($0.wish, positions[$0.row]) })
            }
            return update.refusals
        }
    }
}

extension StateReading where Self: ~Copyable {
    /// What forbids each of several rows that ``WriteTransaction/update(together:)`` is to update, as things stand; nil
    /// where nothing does (STO-48).
    ///
    /// - Returns: errors with the code `entityMissing`, `invalidIdentifier`, `invalidValue`, `valueTooLarge`,
    ///   `targetMissing` or `uniqueViolation`. Where a partner is in the way the code is `invalidValue`; the cause is
    ///   `partnerNeeded` with the row that needs one, or `partnerDecided` with the row that comes first. A partner that
    ///   has no room to point back is `valueTooLarge`, as is a change that no event has room for.
    /// - Throws: ``StoreError``: `unknownModel`, `invalidValue` where a row is given twice, and what reading the store
    ///   throws (`corrupted`, `inputOutput`).
    /// - Complexity: O(rows · (log n + attributes)).
    package func refusals(together rows: [RowValues]) throws -> [StoreError?] {
        try access.run { try JointUpdate(rows, in: access).refusals }
    }
}
