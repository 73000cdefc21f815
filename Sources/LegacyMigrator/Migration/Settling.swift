import LegacyRecords
import Reprise

/// Where a migration began to settle what waits: the state in which all records of the export were there.
///
/// Which of those that want the same gets it depends on what stands in whose way at that moment, and so on every step
/// before. A run that takes up an interrupted one does not find that out again from what is left: it takes back those
/// steps, and makes them anew (Specs/format/migration.md, "Settling").
struct Settling: Equatable {
    let start: Position
    /// The last annotation about what waits, then.
    let note: Position?

    init(start: Position, note: Position?) {
        self.start = start
        self.note = note
    }

    /// What the log has of it; nil where that cannot be.
    init?(_ positions: [UInt64]?) {
        guard let positions, positions.count == 2, positions[1] <= positions[0] else { return nil }
        start = Position(rawValue: positions[0])
        note = positions[1] == 0 ? nil : Position(rawValue: positions[1])
    }

    /// What it has in the log, as JSON.
    var positions: [String] { ["\(start)", "\(note ?? .origin)"] }

    /// Where the last batch of an interrupted migration says that it began; nil where it says nothing of that.
    init?(of migration: MigrationRecord, in state: borrowing ReadTransaction) throws {
        let last = try state.annotation(name: MigrationLog.progress, key: migration.source)
        guard let last, last.position > migration.firstPosition else { return nil }
        let payload = try MigrationLog.decode(MigrationLog.Progress.self, last)
        guard payload.migration == migration.id, payload.settling != nil else { return nil }
        self.init(payload.settling)
        guard start >= migration.firstPosition, start < last.position,
            try note.map({ try Self.isNote(at: $0, of: migration, in: state) }) ?? true
        else { return nil }
        // Another process may have come to the end since.
        let end = try state.annotation(name: MigrationLog.finished, key: migration.source)
        if let end, end.position > migration.firstPosition { return nil }
    }

    private static func isNote(
        at position: Position,
        of migration: MigrationRecord,
        in state: borrowing ReadTransaction
    ) throws -> Bool {
        var isNote = false
        try state.forEachCommit(
            from: position,
            to: position,
            where: { $0.position == position && $0.annotation?.name == WaitingRows.name }
        ) { commit in
            isNote = commit.isOf(migration)
            return false
        }
        return isNote
    }

    // MARK: Going back

    /// The positions to go back to, one after the other, the last of them the start: each takes back whole commits.
    /// Empty where the state is that of the start.
    ///
    /// - Parameter eventCount: about how many events each takes back.
    func stops(
        every eventCount: Int,
        in state: borrowing ReadTransaction
    ) throws -> [Position] {
        var stops: [Position] = []
        /// What lies after this was taken back before.
        var end = state.head
        var first = state.head
        var count = 0
        // Each batch has an annotation; what has neither that nor is a rollback changes nothing.
        try state.forEachCommit(
            from: start.next,
            reversed: true,
            where: { $0.annotation != nil || $0.type == "rolledBack" }
        ) { commit in
            guard commit.position <= end else { return true }
            if let target = commit.rollbackTarget {
                end = target
                return target > start
            }
            first = commit.position
            count += Int(clamping: commit.lastPosition.rawValue - first.rawValue + 1)
            if count >= eventCount {
                stops.append(first.previous)
                count = 0
            }
            return true
        }
        if count > 0 { stops.append(start) }
        return stops
    }

    /// Whether nobody but the migration has changed anything since.
    func isUndisturbed(
        of migration: MigrationRecord,
        _ owned: PositionRanges,
        in state: borrowing ReadTransaction
    ) throws -> Bool {
        var isUndisturbed = true
        try state.forEachCommit(
            from: start.next,
            where: { !Self.labels.contains($0.type) }
        ) { commit in
            let isBatch = commit.events.allSatisfy { owned.contains($0.position) }
            let isReturn = commit.rollbackTarget.map { $0 >= start } ?? false
            isUndisturbed = commit.isOf(migration) && (isBatch || isReturn)
            return isUndisturbed
        }
        return isUndisturbed
    }

    /// Events that no state depends on.
    private static let labels: Set<String> = ["snapshotCreated", "snapshotDeleted", "annotated"]
}

extension Position {
    fileprivate var next: Position { Position(rawValue: rawValue + 1) }
    fileprivate var previous: Position { Position(rawValue: rawValue - 1) }
}

extension CommitRecord {
    /// Whether a run of the migration has made it.
    fileprivate func isOf(_ migration: MigrationRecord) -> Bool {
        correlation == migration.id && intent == Migrator.intent
    }

    /// Where it went back to, where it is a rollback.
    fileprivate var rollbackTarget: Position? {
        guard let event = events.first, event.type == "rolledBack",
            case .int(let target) = event.changes.first?.to
        else { return nil }
        return Position(rawValue: UInt64(clamping: target))
    }
}

extension Migrator {
    /// Takes back what an interrupted run has settled, in as many commits as that needs.
    ///
    /// - Returns: where the store is then; nil where it is as it was, because nothing waited, or because somebody else
    ///   has changed something since: that is not taken back.
    func goBack(
        _ migration: MigrationRecord,
        _ history: SourceHistory,
        _ progress: (MigrationProgress) -> Bool
    ) throws -> Settling? {
        var head = Position.origin
        var stops: [Position] = []
        let settling = try store.read { state -> Settling? in
            guard let settling = try Settling(of: migration, in: state),
                try settling.isUndisturbed(of: migration, history.owned, in: state)
            else { return nil }
            head = state.head
            stops = try settling.stops(every: options.batchRecordCount, in: state)
            return settling
        }
        let context = CommitContext(
            intent: Self.intent,
            actor: options.actor,
            correlation: migration.id
        )
        let step = MigrationProgress(
            phase: .returning,
            recordsRead: 0,
            recordsWritten: 0,
            bytesRead: 0,
            byteCount: source.byteCount
        )
        for stop in stops {
            do {
                let report = try store.rollback(
                    to: .position(stop),
                    expecting: head,
                    context: context
                )
                head = report.head
            } catch let error as StoreError where error.code == .revisionConflict {
                // Somebody writes at this moment.
                return nil
            }
            guard progress(step) else { throw MigrationError.cancelled(migration) }
        }
        return settling
    }
}
