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

    /// Takes the deletion of an entity and what it led to, backwards, and with it what the same commit had taken away
    /// from the entity right before: entries of its lists, and where its to-ones led. A merge does so before it
    /// deletes.
    ///
    /// - Parameters:
    ///   - model: that of the entity.
    ///   - position: that of the event that deleted it.
    mutating func takeBackDeletion(_ model: CompiledModel, at position: UInt64, _ log: LogReader) throws {
        guard let commit = try log.commit(holding: position) else { return }
        var consequences: Set<UInt64> = [position]
        var previous: UInt64 = 0
        // A cause comes before what it leads to.
        try log.forEachEvent(in: position...commit.lastPosition) { event, _ in
            if event.position == position { previous = event.previous }
            if consequences.contains(event.cause) { consequences.insert(event.position) }
            return true
        }
        try log.forEachEvent(in: position...commit.lastPosition, reversed: true) { event, _ in
            if consequences.contains(event.position) { try add(event, isUndone: true) }
            return true
        }
        while previous >= commit.firstPosition {
            var isTaken = true
            var next: UInt64 = 0
            try log.forEachEvent(in: previous...previous) { event, _ in
                next = event.previous
                if event.cause != 0 { return true }
                isTaken = try Self.isTaking(event, model, commit)
                if isTaken { try add(event, isUndone: true) }
                return true
            }
            guard isTaken, next < previous else { return }
            previous = next
        }
    }

    /// Whether an event only takes out an entry that was in the list before the commit, or only empties to-ones.
    private static func isTaking(_ event: EventView, _ model: CompiledModel, _ commit: CommitView) throws -> Bool {
        switch try Change(event) {
        case .unlinked(_, _, let serial, _): !(commit.firstPosition...commit.lastPosition).contains(serial)
        case .updated(let changes):
            changes.slots.allSatisfy { change in
                unsafe change.to == nil && model.referenceSlots.contains { $0.slot == change.slot }
            }
        default: false
        }
    }
}
