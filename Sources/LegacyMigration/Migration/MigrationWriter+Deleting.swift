import MusicLibrary
import Reprise

/// Removing what the export no longer has.
extension MigrationWriter {
    /// Deletes the rows that an earlier migration of the source created, that the export lacks and
    /// that nobody has changed since. Tracks go before albums, so that an album goes only when no
    /// track is left on it; folders go when they are empty.
    func deleteMissing(from store: Store, _ loader: inout BulkLoader) throws {
        guard pass.isRerun else { return }
        try loader.publish()
        try delete(
            try pass.missing(Playlist.self, from: store),
            holding: Playlist.children,
            &loader
        )
        try delete(try pass.missing(Track.self, from: store), &loader)
        try delete(try pass.missing(Album.self, from: store), holding: Album.tracks, &loader)
    }

    private func delete<M: Model>(_ rows: [Identifier<M>], _ loader: inout BulkLoader) throws {
        var next = 0
        while next < rows.count {
            let end = min(rows.count, next + batchUnitCount)
            try batch(.deleting, &loader) { transaction in
                for id in rows[next..<end] { try delete(id, &transaction) }
            }
            next = end
        }
    }

    /// Deletes the rows whose list is empty, again and again, because that may empty others.
    private func delete<M: Model, Member>(
        _ rows: [Identifier<M>],
        holding list: Relationship<M, Member>,
        _ loader: inout BulkLoader
    ) throws {
        var left = rows
        while true {
            var kept: [Identifier<M>] = []
            var next = 0
            while next < left.count {
                let end = min(left.count, next + batchUnitCount)
                try batch(.deleting, &loader) { transaction in
                    for id in left[next..<end] {
                        if try transaction.entries(list, of: id).isEmpty {
                            try delete(id, &transaction)
                        } else {
                            kept.append(id)
                        }
                    }
                }
                next = end
            }
            if kept.count == left.count { break }
            left = kept
        }
        for id in left { pass.warnInUse(id) }
    }

    private func delete<M: Model>(
        _ id: Identifier<M>,
        _ transaction: inout WriteTransaction
    ) throws {
        try transaction.delete(M.self, id: id)
        pass.count(M.schema.name) { $0.deleted += 1 }
        didWrite()
    }
}

extension MigrationPass {
    /// The rows of the source that the export lacks and that may be deleted; warns of the others.
    ///
    /// - Complexity: O(rows of the model).
    func missing<M: Model>(
        _ type: M.Type,
        from store: Store,
        warns: Bool = true
    ) throws -> [Identifier<M>] {
        let model = M.schema.name
        var missing: [Identifier<M>] = []
        try store.read { state in
            try state.forEachRecord(RecordQuery(model: model), lists: false) { record in
                guard owned.contains(record.created), !hasSeen(model, record.id) else {
                    return true
                }
                if owned.contains(record.revision.position) {
                    missing.append(Identifier(record.id))
                } else if warns {
                    warn(
                        .deletedInSourceButChanged,
                        "The export no longer has the \(model) \(LibraryReport.quoted(record.id)),"
                            + " but it was changed here since; it was kept."
                    )
                }
                return true
            }
        }
        return missing
    }

    func warnInUse<M: Model>(_ id: Identifier<M>) {
        warn(
            .deletedInSourceButInUse,
            "The export no longer has the \(M.schema.name) \(LibraryReport.quoted(id.rawValue)),"
                + " but others are in it; it was kept."
        )
    }
}
