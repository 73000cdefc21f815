internal import RepriseLMDB
internal import RepriseLog

extension DeltaGathering {
    /// Takes the deletion of an entity and what it led to, backwards, and with it what the same commit had taken away
    /// before: entries of the entity's lists, where its to-ones led, and the entries and to-ones that led to it. A
    /// merge does so before it deletes. All else that the commit has done stays (HIS-58).
    ///
    /// - Parameters:
    ///   - entity: what was deleted.
    ///   - position: that of the event that deleted it.
    /// - Returns: says which of the others the commit has deleted for another reason.
    /// - Complexity: O(events of the commit).
    mutating func takeBackDeletion(
        of entity: EntityKey,
        at position: UInt64,
        _ schema: CompiledSchema,
        _ log: LogReader
    ) throws -> DeletionTrace {
        let commit = try log.commit(holding: position)
        let positions = commit.map { $0.firstPosition...$0.lastPosition } ?? position...position
        var trace = DeletionTrace(of: entity, at: position, schema, positions)
        try log.forEachEvent(in: positions) { event, _ in
            try trace.note(event)
            return true
        }
        try log.forEachEvent(in: positions, reversed: true) { event, _ in
            switch try trace.part(event) {
            case .none: break
            case .all: try add(event, isUndone: true)
            case .slots(let changes):
                try add(event, isUndone: true, part: changes)
                try add(event, isUndone: true, isPassed: true)
            case .passed: try add(event, isUndone: true, isPassed: true)
            }
            return true
        }
        try takeBackTaking(from: entity, at: trace.previous, schema, positions, log)
        return trace
    }

    /// Takes what a commit has taken away from an entity right before it deleted that.
    ///
    /// - Parameter position: that of the last event of the entity before.
    private mutating func takeBackTaking(
        from entity: EntityKey,
        at position: UInt64,
        _ schema: CompiledSchema,
        _ positions: ClosedRange<UInt64>,
        _ log: LogReader
    ) throws {
        let model = try schema.model(entity.model)
        var previous = position
        while previous >= positions.lowerBound {
            var isTaken = true
            var next: UInt64 = 0
            try log.forEachEvent(in: previous...previous) { event, _ in
                next = event.previous
                if event.cause != 0 { return true }
                isTaken = try Self.isTaking(event, model, positions)
                if isTaken { try add(event, isUndone: true) }
                return true
            }
            guard isTaken, next < previous else { return }
            previous = next
        }
    }

    /// Whether an event only takes out an entry that was in the list before the commit, or only empties to-ones.
    private static func isTaking(
        _ event: EventView,
        _ model: CompiledModel,
        _ positions: ClosedRange<UInt64>
    ) throws -> Bool {
        switch try Change(event) {
        case .unlinked(_, _, let serial, _): !positions.contains(serial)
        case .updated(let changes):
            changes.slots.allSatisfy { change in
                unsafe change.to == nil && model.referenceSlots.contains { $0.slot == change.slot }
            }
        default: false
        }
    }
}
