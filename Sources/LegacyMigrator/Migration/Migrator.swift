public import LegacyRecords
public import Reprise

/// Brings the export of another program into a store.
///
/// A migration is one commit with the intent `migrate`, which the log has as a whole or not at all. A snapshot of the
/// state before is part of it. The same source again is a newer export of the same library: what the export says now is
/// compared with what it said last, and the difference is merged. A value that only the export has changed comes; one
/// that was only changed in the store stays; where both have changed the same, the export counts, with a warning. A row
/// that the export has no more goes, unless it was changed here or something that stays needs it. Rows of other sources
/// are never touched. An export that says nothing new writes nothing.
public struct Migrator: Sendable {
    /// How a migration is done.
    public struct Options: Sendable {
        /// Who is named as the actor of the commit; nil takes that of the store.
        public var actor: String?
        /// Whether a newer export of a source may delete more than half of its rows, or change more than half of those
        /// that both have. Otherwise it is refused (``MigrationError/Code/replacesMost``).
        public var replacesEverything: Bool
        /// Whether nothing is written where something would have to be left out, rounded or given a default:
        /// ``MigrationReport/isRefusedForLosses`` says so then.
        public var refusesLosses: Bool

        public init(actor: String? = nil, replacesEverything: Bool = false, refusesLosses: Bool = false) {
            self.actor = actor
            self.replacesEverything = replacesEverything
            self.refusesLosses = refusesLosses
        }
    }

    /// The intent of the commit of a migration.
    public static let intent = "migrate"
    /// What the names of the snapshots begin with; a number follows.
    public static let snapshotPrefix = "before-migration-"

    let source: any LegacySource
    let store: Store
    let options: Options

    /// - Parameters:
    ///   - source: the export.
    ///   - store: a store with the source's schema, or one that has some of its models.
    public init(source: any LegacySource, store: Store, options: Options = Options()) {
        self.source = source
        self.store = store
        self.options = options
    }

    /// Migrates.
    ///
    /// - Parameter progress: called about every four megabytes of the export, and now and then while it is compared and
    ///   written, on the caller's thread. Returning false cancels: nothing was written then. It must not write to the
    ///   store: a write on that thread throws a `StoreError` with the code `writeInCallback`.
    /// - Returns: what was done.
    /// - Throws: ``LegacyError`` when the export cannot be read; ``MigrationError`` when it was cancelled, when another
    ///   migration into the store is being made (`inProgress`), where it would replace most of what is there
    ///   (`replacesMost`, `outdatedExport`); and `StoreError`. Nothing was written in any of these cases, but for the
    ///   places of a schema that has grown with the export.
    /// - Complexity: O(bytes of the export · log rows). Memory does not grow with the number of records, but with the
    ///   rows of which the export says the times, with those that were changed in the store and differ from the export,
    ///   and with one list that is in another order than before.
    public func run(
        progress: (MigrationProgress) -> Bool = { _ in true }
    ) throws -> MigrationReport {
        let start = ContinuousClock.now
        let lock = try MigrationLock(store)
        defer { withExtendedLifetime(lock) {} }
        let history = try SourceHistory(of: source.identity, in: store)
        let understood = try history.understood(source, in: store, cancelled: .cancelled, progress)
        let migrator = Migrator(source: understood ?? source, store: store, options: options)
        return try migrator.run(history, since: start, progress)
    }

    private func run(
        _ history: SourceHistory,
        since start: ContinuousClock.Instant,
        _ progress: (MigrationProgress) -> Bool
    ) throws -> MigrationReport {
        // What the store has no place for is said before anything is written.
        var shape = try SourceShape(of: source, history, in: try store.schema)
        var hasGrown = false
        if let growth = try SchemaGrowth.schema(for: source, history, in: store) {
            // An export that is refused leaves no trace.
            if history.hasFinished { _ = try takeIn(shape, history, isPlan: true, progress) }
            hasGrown = true
            try grow(to: growth, history)
            shape = try SourceShape(of: source, history, in: try store.schema)
        }
        let head = try store.read { $0.head }
        let outcome = try takeIn(shape, history, isPlan: false, asksReplacement: !hasGrown, progress)
        let (record, events) = (outcome.record, try store.read { $0.head.rawValue } - head.rawValue)
        return MigrationReport(
            migration: record?.id ?? history.last?.id ?? "",
            source: source.identity,
            snapshotBefore: record?.snapshotBefore,
            isRefusedForLosses: outcome.isRefusedForLosses,
            counts: outcome.counts,
            warningCounts: outcome.warningCounts,
            warnings: outcome.warnings,
            reading: outcome.reading,
            agreedCount: outcome.agreedCount,
            eventCount: Int(clamping: events),
            seconds: (ContinuousClock.now - start).inSeconds,
            digest: try store.read { $0.digest }
        )
    }

    /// Changes the schema of the store.
    func grow(to growth: SchemaDescription, _ history: SourceHistory) throws {
        do {
            try store.change(to: try Schema(growth))
        } catch let error as StoreError where error.code == .invalidValue && !source.widenedFields.isEmpty {
            // Of a whole number that no double is the digits are kept as text.
            let schema = try SchemaGrowth.schema(for: source, history, in: store, asText: true)
            try store.change(to: try Schema(schema ?? growth))
        }
    }

    // MARK: Taking in

    /// What became of an export.
    struct Outcome {
        /// The migration; nil where nothing was written.
        let record: MigrationRecord?
        let isRefusedForLosses: Bool
        let counts: [String: MigrationCounts]
        let warningCounts: [LegacyWarning.Kind: Int]
        let warnings: [LegacyWarning]
        let reading: LegacyReading
        let agreedCount: Int
        /// Whether what was asked for is noted, be there anything else to write or not.
        let notesChoice: Bool
    }

    /// Thrown where something would be lost that shall not be.
    private struct Losses: Error {
        let report: IntakeReport
    }

    /// Reads the export, compares it with the store, and merges the difference.
    ///
    /// - Parameters:
    ///   - isPlan: whether it is only looked at what would be done.
    ///   - asksReplacement: whether an export that replaces most is refused. Where the schema has grown that was asked
    ///     before: what has become wider is no other value.
    func takeIn(
        _ shape: SourceShape,
        _ history: SourceHistory,
        isPlan: Bool,
        asksReplacement: Bool = true,
        _ progress: (MigrationProgress) -> Bool
    ) throws -> Outcome {
        try withoutActuallyEscaping(progress) { progress in
            // What is called back must not wait for the writer, who waits for it.
            func go(_ state: MigrationProgress) throws {
                guard store.refusingWrites({ progress(state) }) else { throw MigrationError.cancelled }
            }
            let reader = try ExportReader(source, history, shape, in: store)
            let reading = try reader.read(go)
            let pass = reader.pass
            let findings = MigrationFindings(pass, isPlan: isPlan, byteCount: source.byteCount, progress: go)
            let id = "m\(try store.read { $0.head.rawValue })"
            let isChosen = history.recorded.lacksAsked(of: source.interpretation)
            let commit = MigrationCommit(self, id, history, findings, pass, reading) { report in
                try source.checkUnchanged()
                try checkBase(history)
                if asksReplacement { try checkReplacement(findings, report, history, progress) }
                findings.finish(report)
                let isMade = isChosen || history.base == nil || !report.isEmpty
                let isLossy = !pass.warningCounts(reading).keys.allSatisfy(\.isNote)
                if options.refusesLosses, isLossy, isMade, !isPlan { throw Losses(report: report) }
                return isMade
            }
            var report: IntakeReport
            var isRefused = false
            do {
                report = try store.takeIn(
                    reader.intake,
                    since: history.base?.position,
                    deviations: history.base?.deviations ?? Deviations(),
                    saysKept: history.base?.saysKept ?? true,
                    observer: findings,
                    isPlan: isPlan,
                    context: CommitContext(intent: Self.intent, actor: options.actor, correlation: id),
                    notes: commit
                )
            } catch let losses as Losses {
                (report, isRefused) = (losses.report, true)
            }
            return Outcome(
                record: commit.record,
                isRefusedForLosses: isRefused,
                counts: findings.counts(report),
                warningCounts: pass.warningCounts(reading),
                warnings: pass.warnings,
                reading: reading,
                agreedCount: report.agreedCount,
                notesChoice: isChosen
            )
        }
    }

    /// Refuses to go on where a rollback has taken back meanwhile what the export was compared with.
    private func checkBase(_ history: SourceHistory) throws {
        let now = try SourceHistory(of: source.identity, in: store)
        guard now.base?.position != history.base?.position else { return }
        throw MigrationError(
            .changedMeanwhile,
            "Another program has gone back to an earlier state of the store while the export was read.",
            advice: "Nothing was written. Migrate again."
        )
    }

    /// Refuses a newer export that would delete more than half of the rows of its source, or change more than half of
    /// those that both have, and one that may lack the newest data and would delete or change any. The export that was
    /// migrated last, byte for byte, is not refused, whatever has become of its rows, unless that migration was taken
    /// back.
    private func checkReplacement(
        _ findings: MigrationFindings,
        _ report: IntakeReport,
        _ history: SourceHistory,
        _ progress: (MigrationProgress) -> Bool
    ) throws {
        guard history.hasFinished, !options.replacesEverything, !report.isEmpty else { return }
        let replacement = findings.replacement
        let updated = report.counts.values.reduce(0) { $0 + $1.updated }
        let isOutdated = source.isOutdated && updated + replacement.missingCount > 0
        guard isOutdated || replacement.replacesMost, try !history.isLastExport(source, in: store, progress) else {
            return
        }
        throw isOutdated
            ? MigrationError.outdated(findings.pass.warnings, deleted: replacement.missingCount, updated: updated)
            : MigrationError.replacesMost(source.identity, replacement)
    }
}

extension Duration {
    fileprivate var inSeconds: Double {
        Double(components.seconds) + Double(components.attoseconds) * 1e-18
    }
}
