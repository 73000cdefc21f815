internal import Logging
internal import RepriseLMDB
internal import RepriseLog

extension Store {
    /// Opens a file beside the store to read a state of the past from it on; nil where it cannot be used (HIS-102).
    func open(_ entry: CheckpointFolder.Entry, for past: PastState) -> Checkpoint? {
        let sealed = Result { try SealedFile(opening: entry.path) }
        let stamp = try? sealed.get().stamp
        let schemaPosition = past.state.schemaPosition
        if unusableFiles.withLock({ $0.contains(entry.path, stamp, schemaPosition) }) { return nil }
        do {
            let file = try CheckpointFile(sealed.get())
            let log = LogReader(past.reader, table: tables.log, head: past.state.log.head)
            try file.check(entry, log, past.schema)
            try file.checkData()
            return try Checkpoint(file, shared)
        } catch let error as LMDBError where error.code == .noSuchStore {
            // Another process has just removed the file.
            return nil
        } catch {
            let isFinal = error is Unusable
            let isNew = unusableFiles.withLock { files in
                files.insert(
                    entry.path,
                    stamp,
                    schemaPosition,
                    for: isFinal ? nil : Checkpoints.pauseAfterFailure
                )
            }
            if isNew { warn(entry, error) }
            return nil
        }
    }

    private func warn(_ entry: CheckpointFolder.Entry, _ error: any Error) {
        let reason =
            switch (error as? Unusable)?.fault {
            case .damaged: "It is damaged."
            case .newerFormat: "A newer version of Reprise has made it."
            case .otherLog: "It is no state of this store's log."
            case .otherSchema: "The schema has changed since it was made."
            case nil: "\(StoreError.wrapping(error))"
            }
        configuration.logger?.warning(
            "A kept checkpoint is passed over. \(reason)",
            metadata: ["path": "\(entry.path)"]
        )
    }
}
