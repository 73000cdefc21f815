internal import RepriseLMDB
internal import RepriseLog

/// What has led to a state.
extension ReadTransaction {
    /// The stretches of the log whose events have led to the state that is read, ascending: what a rollback took back
    /// is in none of them (HIS-46).
    ///
    /// So a program whose annotations survive rollbacks (HIS-23) can tell which of them still count.
    ///
    /// - Throws: ``StoreError``: `corrupted` where the views cannot be read.
    /// - Complexity: O(rollbacks).
    package func liveRanges() throws -> [ClosedRange<Position>] {
        try access.run {
            let workspace = access.workspace
            return try Timeline(of: workspace)
                .liveRanges(upTo: access.position)
                .map { Position($0.lowerBound)...Position($0.upperBound) }
        }
    }

    /// Hands over the entities of a model that were deleted and are not there, with the position of the event that
    /// deleted each, in no particular order (STO-55).
    ///
    /// - Parameters:
    ///   - name: the stored name of the model.
    ///   - body: gets one entity; returns false to stop.
    /// - Throws: ``StoreError``; `unknownModel`, `corrupted` where the views cannot be read, and what `body` throws.
    /// - Complexity: O(entities of the model that were deleted · log n).
    package func forEachDeletion(
        of name: String,
        _ body: (EntityReference, Position) throws -> Bool
    ) throws {
        try access.run {
            let workspace = access.workspace
            let model = try access.model(named: name)
            func handOver(_ key: UnsafeRawBufferPointer, _ position: UInt64) throws -> Bool {
                if position == 0 { return true }
                let id = unsafe String(decoding: key.dropFirst(2), as: UTF8.self)
                return try body(EntityReference(model: name, id: id), Position(position))
            }
            // Of a state of the past some is in memory, ahead of the views.
            for index in workspace.rows.sortedIndices() {
                let row = workspace.rows[index]
                guard unsafe Workspace.modelNumber(of: row.keyBytes) == model.number, !row.isLive
                else { continue }
                guard try unsafe handOver(row.keyBytes, row.revision) else { return }
            }
            let prefix = unsafe withUnsafeBytes(of: model.number.bigEndian) { unsafe Array($0) }
            try unsafe prefix.withUnsafeBytes { prefix in
                var cursor = try workspace.base.cursor(workspace.tables.tombstones)
                var isThere = try unsafe cursor.seek(atOrAfter: prefix)
                while isThere, unsafe cursor.key.starts(with: prefix) {
                    let found = try unsafe workspace.find(cursor.key)
                    if found.pending == nil, found.row == nil {
                        let position = try unsafe workspace.lastPosition(
                            of: cursor.key,
                            found: found
                        )
                        guard try unsafe handOver(cursor.key, position) else { return }
                    }
                    isThere = try cursor.next()
                }
            }
        }
    }
}
