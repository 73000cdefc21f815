import LegacyMigration
import MusicLibrary
import Reprise
import RepriseLMDB

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The one place where the command meets the migrator.
extension MigrateCommand {
    /// Runs the migration into the destination, which is created where it does not exist.
    func migrate(
        _ legacy: any LegacySource,
        progress: ProgressMeter,
        interruption: Interruption
    ) throws -> MigrationSummary {
        if isDryRun {
            let plan = try plan(legacy, progress, interruption)
            if isStrict, !plan.losses.isEmpty { throw lossy(plan, Self.untouched) }
            return plan
        }
        let hasFolder = FileManager.default.fileExists(atPath: destination)
        let (store, isNew) = try openDestination(legacy.schema)
        defer { store.close() }
        let head = try store.statistics().head
        // Somebody else may have made it at the same moment: one that is new has its schema in the log and no more.
        var stays = !isNew || head > Position(rawValue: 1)
        defer {
            if !stays { StoreRemoval.remove(store, unchangedSince: head, keepsFolder: hasFolder) }
        }
        let report: MigrationReport
        do {
            report = try export.advising {
                try Migrator(source: legacy, store: store, options: options).run { step in
                    progress.update(done: step.bytesRead, total: step.byteCount)
                    return !interruption.isRequested()
                }
            }
        } catch var failure as CommandFailure {
            failure.message += Self.nothingWritten
            throw failure
        } catch let error as LegacyError {
            var failure = error.failure
            failure.message += Self.nothingWritten
            throw failure
        } catch let error as MigrationError where error.code == .inProgress {
            // Somebody else uses the store, who may have made it at the same moment.
            stays = true
            throw error
        }
        var summary = MigrationSummary(report, legacy.schema)
        if report.isRefusedForLosses || isStrict && !report.isLossless { throw lossy(summary, Self.untouched) }
        stays = true
        if isNew { summary.lostClasses = legacy.lostSchema.classes.sorted() }
        return summary
    }

    private var options: Migrator.Options {
        Migrator.Options(replacesEverything: replacesAll, refusesLosses: isStrict)
    }

    private static let untouched = "nothing was written"
    private static let nothingWritten = " Nothing was written."

    private func lossy(
        _ summary: MigrationSummary,
        _ outcome: String
    ) -> CommandFailure {
        let isShownByPlan = summary.losses.hasMoreReasons
        return CommandFailure(
            .badData,
            "Not everything can be taken over as it is (\(summary.losses.summary)); \(outcome).",
            advice: "Migrate without --strict to take over what can be"
                + (isShownByPlan ? ", or look at more of it with --dry-run --json." : ".")
                + advice(on: summary),
            detail: summary.losses.detail
        )
    }

    /// How to lose less, or to know more of it; empty where there is nothing to say.
    func advice(on summary: MigrationSummary) -> String {
        if summary.warnings.entries.contains(where: { $0.kind == .leftOutPlaylist }) {
            return " With --built-in-playlists the lists come, too, that iTunes fills with a choice of its own."
        }
        return salvageAdvice(summary)
    }

    /// Where all losses of a damaged file are listed; empty where they are by now.
    private func salvageAdvice(_ summary: MigrationSummary) -> String {
        guard export.salvages, summary.warnings.lacksLossesOfDamage else { return "" }
        return
            " `reprise realm info \(DisplayWidth.visible(export.path)) --salvage` lists all losses."
    }

    /// Opens the store as it is, or makes one with the schema of the export.
    private func openDestination(
        _ schema: SchemaDescription
    ) throws -> (store: Store, isNew: Bool) {
        try CommandFailure.creating {
            if let store = try Self.existing(destination) {
                do {
                    try store.makeMusicSearchable()
                } catch {
                    store.close()
                    throw error
                }
                return (store, false)
            }
            let store = try Store.open(
                at: destination,
                schema: try Schema(schema),
                configuration: Self.configuration
            )
            return (store, true)
        }
    }

    private static let configuration = Store.Configuration(actor: StoreLocation.actor)

    /// Finds out what would be done, against an empty store where there is none yet.
    private func plan(
        _ legacy: any LegacySource,
        _ progress: ProgressMeter,
        _ interruption: Interruption
    ) throws -> MigrationSummary {
        let clock = ContinuousClock()
        let start = clock.now
        var scratch: Leftover?
        defer { scratch?.remove() }
        let store: Store
        if let existing = try Self.existing(destination) {
            store = existing
        } else {
            let made = try Leftover.makeDirectory(
                in: FileManager.default.temporaryDirectory.path(percentEncoded: false),
                namePrefix: "reprise-dry-run-"
            )
            scratch = made
            store = try Store.open(at: made.path + "/store", schema: try Schema(legacy.schema))
        }
        defer { store.close() }
        let digest = try store.read { $0.digest }
        let plan = try export.advising {
            try Migrator(source: legacy, store: store, options: options).plan { step in
                progress.update(done: step.bytesRead, total: step.byteCount)
                return !interruption.isRequested()
            }
        }
        var summary = MigrationSummary(
            plan,
            legacy.schema,
            digest: digest,
            duration: clock.now - start
        )
        if scratch != nil { summary.lostClasses = legacy.lostSchema.classes.sorted() }
        return summary
    }

    /// The store at a path, nil where there is none; nothing is made.
    private static func existing(_ path: String) throws -> Store? {
        do {
            return try StoreLocation(path: path).telling(.writing) {
                try Store.open(existing: path, configuration: configuration)
            }
        } catch let error as StoreError where error.code == .storeNotFound {
            return nil
        }
    }
}

extension MigrationSummary {
    init(_ report: MigrationReport, _ schema: SchemaDescription) {
        self.init(
            migration: report.migration,
            snapshotBefore: report.snapshotBefore,
            read: Self.counts(report.counts, \.read, schema),
            written: Self.counts(report.counts, \.written, schema),
            unchanged: report.unchangedCount,
            warnings: WarningList(report.warningCounts, report.warnings),
            eventCount: UInt64(report.eventCount),
            duration: .seconds(report.seconds),
            digest: report.digest.description
        )
        deleted = Self.counts(report.counts, \.deleted, schema)
        agreed = report.agreedCount
    }

    init(
        _ plan: MigrationPlan,
        _ schema: SchemaDescription,
        digest: StateDigest,
        duration: Duration
    ) {
        self.init(
            migration: nil,
            snapshotBefore: nil,
            read: Self.counts(plan.counts, \.read, schema),
            written: Self.counts(plan.counts, \.written, schema),
            unchanged: plan.counts.values.reduce(0) { $0 + $1.unchanged },
            warnings: WarningList(plan.warningCounts, plan.warnings),
            eventCount: 0,
            duration: duration,
            digest: digest.description
        )
        deleted = Self.counts(plan.counts, \.deleted, schema)
        agreed = plan.agreedCount
        notesChoice = plan.notesChoice
        isExact = plan.isExact
    }

    /// In the order of the source's schema; then the classes that only earlier exports had.
    private static func counts(
        _ counts: [String: MigrationCounts],
        _ count: (MigrationCounts) -> Int,
        _ schema: SchemaDescription
    ) -> [Count] {
        let names = schema.models.map(\.name)
        let gone = counts.keys.filter { !names.contains($0) }.sorted()
        return (names + gone).map { name in
            Count(name: name, count: counts[name].map(count) ?? 0)
        }
    }
}

extension LegacyError {
    /// What the command says and returns for an export that cannot be read.
    var failure: CommandFailure {
        let outcome: Outcome =
            switch code {
            case .noSuchFile, .notAFile, .permissionDenied: .noInput
            case .inputOutput, .changedWhileReading: .inputOutput
            case .empty, .unknownFormat, .binaryPropertyList, .truncated, .malformed, .invalidText,
                .unsupportedEncoding, .forbiddenDeclaration, .limitExceeded, .notALibrary,
                .wrongKey, .unsupportedVersion, .damaged:
                .badData
            case .cancelled: .interrupted
            }
        return CommandFailure(outcome, message + place, advice: advice)
    }
}

extension MigrationError {
    /// What the command says and returns for a migration that stopped.
    var failure: CommandFailure {
        let outcome: Outcome =
            switch code {
            case .cancelled: .interrupted
            case .unreadableRecord: .badData
            case .neverMigrated: .no
            case .changedMeanwhile, .inProgress: .inUse
            case .identityTooLong: .usage
            case .schemaMismatch, .replacesMost, .outdatedExport: .badData
            }
        let advice =
            switch code {
            case .replacesMost:
                "If it is a newer export of the same library, say --replace-all; if it is another library, give it a"
                    + " name of its own with --source."
            case .outdatedExport:
                "Copy the newest data with all files that belong to it, and migrate that copy. If this export is the"
                    + " newest, say --replace-all."
            case .schemaMismatch:
                "Say --mapping own or --mapping music, as the store was made of an earlier export. An export of another"
                    + " program goes into a new store, or into that of an app by a mapping file that says which model"
                    + " a class becomes."
            default: advice
            }
        let detail = replacement.map { _ in exampleLines.joined(separator: "\n") }
        return CommandFailure(outcome, message, advice: advice, detail: detail)
    }

    /// The rows that a newer export would change or delete, as a user sees them.
    var exampleLines: [String] { (replacement?.examples ?? []).map { "  " + DisplayWidth.visible($0) } }
}

extension CommandFailure {
    /// The user has said no.
    static let declined = CommandFailure(.no, "Nothing was written.", advice: "The store is as it was.")
}

extension Store {
    /// Gives a music library that was made before its words could be searched the index of them (CLI-12).
    fileprivate func makeMusicSearchable() throws {
        let plan = SchemaPlan(from: try schema, to: MusicLibrary.schema.description)
        guard !plan.isRefused, !plan.steps.isEmpty else { return }
        guard plan.steps.allSatisfy({ $0.kind == "addsSearchIndex" }) else { return }
        try change(to: MusicLibrary.schema)
    }
}
