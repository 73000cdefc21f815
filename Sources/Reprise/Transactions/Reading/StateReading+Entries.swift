internal import RepriseLog

/// Long lists, a few entries at a time.
extension StateReading where Self: ~Copyable {
    /// Hands over the entries of a list in order, one after the other, without holding them all.
    ///
    /// ```swift
    /// // The first hundred.
    /// var first: [EntryID] = []
    /// try store.read { state in
    ///     try state.forEachEntry(of: "members", model: "team", id: "blue") { entry in
    ///         first.append(entry)
    ///         return first.count < 100
    ///     }
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - relationship: the stored name of a to-many relationship; of a derived side its owners are handed over, those
    ///     of each one after the other.
    ///   - name: the stored name of the owner's model.
    ///   - id: the owner. One that does not exist has no entries.
    ///   - entry: the entry behind which to begin; nil for the first.
    ///   - body: gets one entry; returns false to stop. It must not change the list.
    /// - Throws: ``StoreError``: `unknownModel`, `unknownRelationship`, `entryMissing` for `entry`, `corrupted` for an
    ///   entry that does not match its checksum; and what `body` throws.
    /// - Complexity: O(log n + entries handed over); of a derived side those before `entry` as well. In a write
    ///   transaction what it has changed in the list is sorted once.
    public func forEachEntry(
        of relationship: String,
        model name: String,
        id: String,
        after entry: EntryID? = nil,
        _ body: (EntryID) throws -> Bool
    ) throws {
        try access.run {
            let model = try access.model(named: name)
            let list = try access.list(relationship, of: model, id: id)
            try access.forEachEntry(list, behind: entry) { entry in
                try access.lettingGo { try body(entry) }
            }
        }
    }

    /// The entries of a list that lead to one target, in order.
    ///
    /// - Parameters:
    ///   - relationship: the stored name of a to-many relationship.
    ///   - name: the stored name of the owner's model.
    ///   - id: the owner. One that does not exist has no entries.
    ///   - target: the identifier that they lead to.
    ///   - entry: the entry behind which they stand; nil for all.
    ///   - limit: how many at most, the first ones.
    /// - Throws: as ``forEachEntry(of:model:id:after:_:)``.
    /// - Complexity: O(log n) for each that is found, however long the list is; of a derived side O(its entries).
    public func entries(
        of relationship: String,
        model name: String,
        id: String,
        to target: String,
        after entry: EntryID? = nil,
        limit: Int = .max
    ) throws -> [EntryID] {
        try access.run {
            let model = try access.model(named: name)
            let list = try access.list(relationship, of: model, id: id)
            return try access.entries(list, to: target, behind: entry, limit: limit)
        }
    }
}
