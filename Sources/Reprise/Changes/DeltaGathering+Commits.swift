internal import RepriseLMDB
internal import RepriseLog

extension DeltaGathering {
    /// Takes the events of a commit, backwards: what has to happen so that it is as if it had not been. Of several
    /// commits the newest comes first.
    ///
    /// - Parameters:
    ///   - untouched: rows that stay as they are.
    ///   - isPassing: whether older commits that are taken back may have changed these rows, too.
    mutating func takeBack(
        _ commit: CommitView,
        but untouched: UntouchedRows? = nil,
        isPassing: Bool = false,
        _ log: LogReader
    ) throws {
        try log.forEachEvent(in: commit.firstPosition...commit.lastPosition, reversed: true) { event, _ in
            let isPassed = try untouched?.contains(event) ?? false
            if !isPassed || isPassing { try add(event, isUndone: true, isPassed: isPassed) }
            return true
        }
    }

    /// Takes the deletion of an entity and what it led to, backwards. What was deleted comes back as it was before the
    /// commit, or before its deletion where the commit has made it.
    ///
    /// - Parameter position: that of the event that deleted it.
    mutating func takeBackDeletion(at position: UInt64, _ log: LogReader) throws {
        guard let commit = try log.commit(holding: position) else { return }
        var consequences: Set<UInt64> = [position]
        var deletions: [EntityKey: UInt64] = [:]
        // A cause comes before what it leads to.
        try log.forEachEvent(in: position...commit.lastPosition) { event, _ in
            if consequences.contains(event.cause) { consequences.insert(event.position) }
            if event.type == .deleted, consequences.contains(event.position) {
                deletions[event.entity] = event.position
            }
            return true
        }
        try log.forEachEvent(in: commit.firstPosition...position) { event, _ in
            if event.type == .inserted { deletions[event.entity] = nil }
            return true
        }
        try log.forEachEvent(in: commit.firstPosition...commit.lastPosition, reversed: true) { event, _ in
            if consequences.contains(event.position) || event.position < deletions[event.entity] ?? 0 {
                try add(event, isUndone: true)
            }
            return true
        }
    }
}

extension EventView {
    fileprivate var entity: EntityKey { unsafe EntityKey(model: model, id: id) }
}
