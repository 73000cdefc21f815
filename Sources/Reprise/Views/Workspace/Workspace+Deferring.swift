internal import RepriseLMDB
internal import RepriseLog

/// Changes that a bulk load does not keep in memory (STO-25).
extension Workspace {
    /// Forgets the changes in memory but for what later inserts will ask; they must be in the log.
    ///
    /// - Parameter makeDeferred: makes the place for the first of them.
    func deferChanges(_ makeDeferred: () throws -> DeferredChanges) throws {
        for list in Array(lists.keys) { _ = try lastOrderKey(of: list) }
        let deferred = try deferred ?? makeDeferred()
        for (list, pending) in lists {
            if case .some(let last) = pending.last { deferred.noteLastOrderKey(last, of: list) }
        }
        deferred.note(rows)
        for (claim, holder) in uniqueClaims {
            if let position = try revision(ofHolder: holder, of: claim) {
                deferred.noteClaim(claim, at: position)
            }
        }
        self.deferred = deferred
        removeAll()
    }

    /// Brings the views up to date with the log, so that everything can be asked of them again.
    ///
    /// Rows that were handed out before lie in memory that this may change.
    func settle() throws {
        guard deferred != nil, let foldDeferred else { return }
        deferred = nil
        hasSettled = true
        try foldDeferred()
        for index in 0..<rows.count {
            let isInViews = try unsafe base.get(tables.rows, rows[index].keyBytes) != nil
            rows.setInViews(isInViews, at: index)
        }
    }

    /// Whether there is a row under `key`, without looking at what it holds.
    func contains(_ key: UnsafeRawBufferPointer) throws -> Bool {
        if let index = unsafe rows.index(of: key) { return rows[index].isLive }
        if let deferred {
            if let standing = unsafe deferred.standing(of: key) { return standing.isLive }
            if unsafe !deferred.mayBeInViews(key) { return false }
        }
        return try unsafe base.get(tables.rows, key) != nil
    }

    func contains(_ key: EntityKey) throws -> Bool {
        keyBuffer.setRow(key)
        return try unsafe contains(keyBuffer.bytes)
    }

    /// Takes a row that is only in the log back into memory.
    func recall(_ key: UnsafeRawBufferPointer, _ standing: DeferredChanges.Standing) throws -> Found
    {
        var isInViews = unsafe deferred?.mayBeInViews(key) == true
        if isInViews { isInViews = try unsafe base.get(tables.rows, key) != nil }
        guard standing.isLive, let deferred else {
            return Found(row: nil, isInViews: isInViews, pending: nil)
        }
        let row = try unsafe deferred.row(key, standing, over: base, tables)
        try unsafe schema.model(Self.modelNumber(of: key)).check(RowPayload(trusting: row.payload))
        unsafe rows.put(
            key: key,
            isInViews: isInViews,
            created: row.created,
            revision: row.revision,
            contentPosition: deferred.contentPosition(of: key, standing),
            payload: row.payload
        )
        let index = unsafe rows.index(of: key)
        return Found(row: index.flatMap { rows[$0].row }, isInViews: isInViews, pending: index)
    }

    private func revision(ofHolder holder: [UInt8], of claim: [UInt8]) throws -> UInt64? {
        // A claim begins with the number of its index, which says whose it is.
        let number = UInt16(claim[0]) << 8 | UInt16(claim[1])
        for model in schema.allModels
        where model.uniqueIndexes.contains(where: { $0.number == number }) {
            keyBuffer.setRow(EntityKey(model: model.number, id: holder))
            return unsafe rows.index(of: keyBuffer.bytes).map { rows[$0].revision }
        }
        return nil
    }
}
