import ExportFormats
import LegacyMapping
package import LegacyRecords
package import Reprise

/// What the log says of a source before a migration.
package struct SourceHistory {
    /// The last migration of the source, or nil when there is none.
    let last: MigrationRecord?
    /// Every position that migrations of the source have written.
    package let owned: PositionRanges
    /// Every position that migrations of other sources have written.
    let foreign: PositionRanges
    /// The attributes and lists that exports of the source had, by model.
    let fields: [String: Set<String>]
    /// How the exports of the source so far were understood.
    let recorded: RecordedInterpretation
    /// Whether a migration of the source has ever come to its end.
    let hasFinished: Bool
    /// What the last migration left that no rollback has taken back: a newer export is compared with that.
    let base: Base?
    /// Whether annotations say that a migration left something otherwise than its export said it.
    let hasDeviations: Bool

    /// Where a migration ended.
    struct Base {
        let position: Position
        /// What it left otherwise than its export said it, as far as that is noted.
        let deviations: Deviations
        /// Whether all of it is noted: an older version did not.
        let saysKept: Bool
    }

    /// - Complexity: O(migrated sources).
    package init(of source: SourceIdentity, in store: Store) throws {
        let key = source.description
        guard key.utf8.count <= Self.identityByteCountMax else {
            throw MigrationError(
                .identityTooLong,
                "The identity of the source has \(key.utf8.count) bytes.",
                advice: "Give the source a shorter name."
            )
        }
        var last: MigrationRecord?
        var owned = PositionRanges()
        var foreign = PositionRanges()
        var fields: [String: Set<String>] = [:]
        var recorded = RecordedInterpretation()
        var hasFinished = false
        var base: Base?
        var hasDeviations = false
        try store.read { state in
            hasDeviations = try RecordedDeviations.isThere(of: key, in: state)
            for begun in try state.annotations(named: MigrationLog.started) {
                let entry = try MigrationLog.Entry(source: begun.key, in: state)
                if begun.key.utf8.elementsEqual(key.utf8) {
                    last = entry.record
                    owned = entry.owned
                    fields = entry.fields
                    recorded = try RecordedInterpretation(
                        of: key,
                        unfinished: entry.record.isFinished ? nil : entry.record.id,
                        in: state
                    )
                    hasFinished = entry.hasFinished
                    base = try Base(of: entry, in: state)
                } else {
                    foreign.insert(entry.owned)
                }
            }
        }
        self.last = last
        self.owned = owned
        self.foreign = foreign
        self.fields = fields
        self.recorded = recorded
        self.hasFinished = hasFinished
        self.base = base
        self.hasDeviations = hasDeviations
    }

    /// A source as it is to be compared or written: understood as its last export was, with the names that it had.
    ///
    /// - Parameter cancelled: what is thrown when the progress callback says so.
    /// - Returns: nil where it is understood so already.
    func understood(
        _ source: any LegacySource,
        in store: Store,
        cancelled: MigrationError,
        _ progress: (MigrationProgress) -> Bool
    ) throws -> (any LegacySource)? {
        let found = try understood(source, in: store, cancelled, progress)
        return try (found ?? source).named(asIn: store.schema) ?? found
    }

    /// How the exports so far were understood, and whether types that they decided may become wider.
    func earlier(in store: Store) throws -> SourceInterpretation {
        var earlier = recorded.earlier
        earlier.mayWiden = try !store.declaresModels && isOfMigrations(store)
        return earlier
    }

    private func understood(
        _ source: any LegacySource,
        in store: Store,
        _ cancelled: MigrationError,
        _ progress: (MigrationProgress) -> Bool
    ) throws -> (any LegacySource)? {
        guard source.interpretation.differs(from: recorded.earlier) else { return nil }
        let earlier = try earlier(in: store)
        do throws(LegacyError) {
            return try understood(as: earlier, source, progress)
        } catch where error.code == .cancelled {
            throw cancelled
        }
    }

    private func understood<Source: LegacySource>(
        as earlier: SourceInterpretation,
        _ source: Source,
        _ progress: (MigrationProgress) -> Bool
    ) throws(LegacyError) -> Source {
        // Nothing of what is to be compared or written is done by that.
        func goesOn(_ step: LegacyProgress) -> Bool {
            progress(MigrationProgress(.reading, byteCount: step.byteCount))
        }
        return try source.understood(as: earlier, progress: goesOn)
    }

    private static let identityByteCountMax = 400

    /// Whether the types of a store were guessed by migrations: nothing but schemas and snapshots came before the first
    /// one. A store that a program had written to before has the program's types.
    private func isOfMigrations(_ store: Store) throws -> Bool {
        let first = [owned, foreign].compactMap { $0.ranges.first?.lowerBound }.min() ?? 0
        guard first > 1 else { return true }
        var isOurs = true
        try store.read { state in
            try state.forEachCommit(
                to: Position(rawValue: first - 1),
                where: { !["schemaDeclared", "snapshotCreated", "annotated"].contains($0.type) }
            ) { _ in
                isOurs = false
                return false
            }
        }
        return isOurs
    }

    /// Whether no rollback has gone behind the beginning of a migration since.
    private func isInForce(_ last: MigrationRecord, in store: Store) throws -> Bool {
        var isInForce = true
        try store.read { state in
            guard state.head > last.lastPosition else { return }
            try state.forEachCommit(
                from: Position(rawValue: last.lastPosition.rawValue + 1),
                where: { $0.type == "rolledBack" }
            ) { commit in
                for event in commit.events {
                    guard case .int(let target) = event.changes.first?.to else { continue }
                    if UInt64(clamping: target) < last.firstPosition.rawValue { isInForce = false }
                }
                return isInForce
            }
        }
        return isInForce
    }

    /// Whether an export is the one that was migrated last, byte for byte and in its place, and that migration still
    /// counts.
    func isLastExport(
        _ source: some LegacySource,
        in store: Store,
        _ progress: (MigrationProgress) -> Bool
    ) throws -> Bool {
        guard let last, let hash = last.contentHash, try isInForce(last, in: store) else { return false }
        guard (source.folder ?? "").utf8.elementsEqual((last.folder ?? "").utf8) else { return false }
        return try contentHash(of: source, progress).description == hash
    }

    /// The hash of an export's bytes, which are read for it.
    func contentHash(
        of source: some LegacySource,
        _ progress: (MigrationProgress) -> Bool
    ) throws -> ContentHash {
        try source.contentHash { step in
            var state = MigrationProgress(.reading, byteCount: step.byteCount)
            state.bytesRead = step.bytesRead
            guard progress(state) else { throw MigrationError.cancelled }
        }
    }
}

extension SourceHistory.Base {
    /// - Parameter last: the last migration of the source.
    /// - Returns: nil where rollbacks have taken back all of them.
    /// - Complexity: O(rollbacks); where a rollback has taken back the last one, O(events back to the one before it).
    fileprivate init?(of last: MigrationLog.Entry, in state: borrowing ReadTransaction) throws {
        let live = try state.liveRanges()
        let (record, source) = (last.record, last.record.source)
        if live.contains(where: { $0.contains(record.lastPosition) }) {
            position = record.lastPosition
            let form = last.progress?.form ?? 0
            deviations = form == 0 ? Deviations() : try RecordedDeviations.read(of: record, in: state)
            saysKept = form >= MigrationLog.form
            return
        }
        for range in live.reversed() {
            var found: (position: Position, annotations: [Annotation], form: UInt64?)?
            try state.forEachCommit(
                from: range.lowerBound,
                to: range.upperBound,
                reversed: true,
                where: { $0.annotation.map { $0.key == source && ($0.name.hasPrefix("migration.")) } ?? false }
            ) { commit in
                let annotations = commit.events.compactMap(\.annotation)
                guard let noted = annotations.first(where: { $0.name == MigrationLog.progress }) else { return true }
                let progress = try MigrationLog.decode(MigrationLog.Progress.self, noted)
                found = (commit.lastPosition, annotations, progress.form)
                return false
            }
            guard let found else { continue }
            position = found.position
            let form = found.form ?? 0
            deviations = form == 0 ? Deviations() : try RecordedDeviations.read(found.annotations)
            saysKept = form >= MigrationLog.form
            return
        }
        return nil
    }
}
