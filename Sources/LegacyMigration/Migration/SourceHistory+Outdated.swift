import Reprise

extension SourceHistory {
    /// Refuses older data of a source that has newer data in the store: what is damaged now was sound then.
    ///
    /// What was migrated by itself goes on: the same export again, and a first migration that was interrupted.
    func refuseOutdated(
        _ source: some LegacySource,
        _ interrupted: MigrationRecord?,
        _ progress: (MigrationProgress) -> Bool
    ) throws {
        guard source.isOutdated, let last else { return }
        if let interrupted {
            let start = interrupted.firstPosition.rawValue
            if owned.ranges.allSatisfy({ $0.lowerBound >= start }) { return }
        } else if let hash = last.contentHash {
            let found = try contentHash(of: source, progress)
            guard found.description != hash else { return }
        }
        throw MigrationError(
            .outdatedExport,
            "The newest version of the data cannot be read, and the one before it may be older than what the store has"
                + " of this source.",
            advice: "Migrate it into a new store, or under another name, beside what is there."
        )
    }

    /// The hash of an export's bytes, which are read for it.
    func contentHash(
        of source: some LegacySource,
        _ progress: (MigrationProgress) -> Bool
    ) throws -> ContentHash {
        try source.contentHash { step in
            let state = MigrationProgress(
                phase: .comparing,
                recordsRead: 0,
                recordsWritten: 0,
                bytesRead: step.bytesRead,
                byteCount: step.byteCount
            )
            guard progress(state) else { throw MigrationError.cancelled(nil) }
        }
    }
}
