public import LegacyRecords
public import Reprise

/// How far a migration is.
public struct MigrationProgress: Sendable, Equatable {
    /// What is being done.
    public enum Phase: String, Sendable, Equatable {
        /// Reading the export.
        case reading
        /// Comparing what it says with the store, and writing the difference.
        case comparing
    }

    public internal(set) var phase: Phase
    /// Records read from the export so far in this phase.
    public internal(set) var recordsRead: Int
    /// Bytes of the export read so far in this phase.
    public internal(set) var bytesRead: UInt64
    /// Bytes of the export to be read in all. Grows once when a source needs a second pass.
    public internal(set) var byteCount: UInt64

    init(_ phase: Phase, byteCount: UInt64) {
        self.phase = phase
        self.byteCount = byteCount
        (recordsRead, bytesRead) = (0, 0)
    }
}

/// What a migration did to the records of one model.
public struct MigrationCounts: Sendable, Hashable {
    /// Records that the export has.
    public internal(set) var read = 0
    /// Records that the store did not have.
    public internal(set) var inserted = 0
    /// Records whose attributes or list changed. The owner of a list on the other side of a to-one is one where members
    /// that were in it come into another order, or others before one of them; not where some only come to its end.
    public internal(set) var updated = 0
    /// Records that were there and equal, or of which all that differs was changed in the store and stays
    /// (``LegacyWarning/Kind/localChangeKept``).
    public internal(set) var unchanged = 0
    /// Records that an earlier migration of the source wrote and the export no longer has.
    public internal(set) var deleted = 0

    /// Inserted and updated.
    public var written: Int { inserted + updated }

    public init() {}
}

/// What a completed migration did.
public struct MigrationReport: Sendable {
    /// The identifier of the migration, the correlation of all its commits: `m` and the position of
    /// the state that it began with. Where nothing had to be written, the migration that brought
    /// the store to where the export is.
    public let migration: String
    /// The library that was migrated.
    public let source: SourceIdentity
    /// The snapshot of the state before, or nil where nothing had to be written.
    public let snapshotBefore: String?
    /// Whether nothing was written because something would have been lost (``Migrator/Options/refusesLosses``).
    public let isRefusedForLosses: Bool
    /// What was done, by the stored name of the model: every model of the source.
    public let counts: [String: MigrationCounts]
    /// All warnings, by kind, those of the source included.
    public let warningCounts: [LegacyWarning.Kind: Int]
    /// The first few warnings of each kind.
    public let warnings: [LegacyWarning]
    /// What the source read, with the hash of the export.
    public let reading: LegacyReading
    /// In how many rows and lists the export came to say what somebody had changed in the store before. Nothing of them
    /// was written; the log says that the source has said it now (``Migrator``).
    public let agreedCount: Int
    /// How many events the run appended to the log, its own records included.
    public let eventCount: Int
    /// How long the run took.
    public let seconds: Double
    /// The digest of the state afterwards.
    public let digest: StateDigest

    /// Whether the export is in the store without any loss; notes are none.
    public var isLossless: Bool { warningCounts.keys.allSatisfy(\.isNote) }
    /// How many records were there and equal.
    public var unchangedCount: Int { counts.values.reduce(0) { $0 + $1.unchanged } }
    /// How many records were inserted, updated and deleted.
    public var writtenCount: Int { counts.values.reduce(0) { $0 + $1.written + $1.deleted } }
}

/// What a migration would do.
public struct MigrationPlan: Sendable {
    /// The library that would be migrated.
    public let source: SourceIdentity
    /// What would be done, by the stored name of the model.
    public let counts: [String: MigrationCounts]
    /// All warnings, by kind.
    public let warningCounts: [LegacyWarning.Kind: Int]
    /// The first few warnings of each kind.
    public let warnings: [LegacyWarning]
    /// What the source read, with the hash of the export.
    public let reading: LegacyReading
    /// In how many rows and lists the export says what somebody has changed in the store before. A migration would note
    /// that and write nothing of them.
    public let agreedCount: Int
    /// Whether a migration would note in the log what was asked for, such as the lists that iTunes makes, be there
    /// anything else to write or not.
    public let notesChoice: Bool
    /// Whether a run counts and says the same, if nobody writes to the store before. Otherwise there was no room to
    /// find out, and what becomes of rows that want what others have, or that hold others which are deleted, is
    /// estimated.
    public let isExact: Bool

    /// How many records would be inserted, updated and deleted.
    public var writtenCount: Int { counts.values.reduce(0) { $0 + $1.written + $1.deleted } }
}

/// Why a migration stopped. What stops it for other reasons is a ``LegacyError`` or a `StoreError`.
public struct MigrationError: Error, Sendable, Equatable, CustomStringConvertible {
    /// What sort of reason.
    public enum Code: String, Sendable, Equatable {
        /// The progress callback said so.
        case cancelled
        /// The record of an earlier migration in the log cannot be understood.
        case unreadableRecord
        /// Nothing of the source was ever migrated into the store.
        case neverMigrated
        /// The store was written to while it was compared, or somebody went back to an earlier state of it while the
        /// migration was made.
        case changedMeanwhile
        /// Another migration into the store is being made.
        case inProgress
        /// The store has a model for no class of the export.
        case schemaMismatch
        /// The export may lack the newest data of its source, and would delete or change rows that the store has.
        case outdatedExport
        /// The source's identity has more than 400 bytes.
        case identityTooLong
        /// The export would delete more than half of the rows of its source, or change more than half of those that
        /// both have (``MigrationError/replacement``, ``Migrator/Options/replacesEverything``).
        case replacesMost
    }

    public let code: Code
    /// One sentence: what happened.
    public let message: String
    /// One sentence: what to do.
    public let advice: String
    /// What the export would delete and change, where that is the reason.
    public let replacement: Replacement?

    init(
        _ code: Code,
        _ message: String,
        advice: String,
        replacement: Replacement? = nil
    ) {
        self.code = code
        self.message = message
        self.advice = advice
        self.replacement = replacement
    }

    public var description: String { "\(message) \(advice)" }

    static func inProgress(path: String) -> MigrationError {
        MigrationError(
            .inProgress,
            "Another migration into the store \"\(path)\" is being made.",
            advice: "Let it come to its end, or end it, and start this one again."
        )
    }

    /// A newer export would take most of what the source gave before.
    static func replacesMost(_ source: SourceIdentity, _ replacement: Replacement) -> MigrationError {
        var parts: [String] = []
        let (common, missing) = (replacement.commonCount, replacement.missingCount)
        func rows(_ count: Int) -> String { count == 1 ? "row" : "rows" }
        if missing > 0 { parts.append("delete \(missing) of \(missing + common) \(rows(missing + common))") }
        if replacement.changedCount > 0 {
            parts.append("change \(replacement.changedCount) of the \(common) \(rows(common)) that both have")
        }
        return MigrationError(
            .replacesMost,
            "The export would \(parts.joined(separator: " and ")), compared with the earlier export of \(source).",
            advice: "If it is a newer export of the same library, say that it may replace everything; if it is another"
                + " library, give this one a name of its own.",
            replacement: replacement
        )
    }

    /// An export that may lack the newest data would delete or change rows.
    ///
    /// - Parameter warnings: those of the export, which say why it may lack it.
    static func outdated(
        _ warnings: [LegacyWarning],
        deleted: Int,
        updated: Int
    ) -> MigrationError {
        let parts = [(deleted, "delete"), (updated, "change")].filter { $0.0 > 0 }
            .map { count, verb in "\(verb) \(count) \(count == 1 ? "row" : "rows")" }
        let reason = warnings.first { $0.kind == .missingLog || $0.kind == .olderVersion }
        return MigrationError(
            .outdatedExport,
            (reason.map { $0.message + " " } ?? "")
                + "So the export may be older than what the store has of it, and it would "
                + parts.joined(separator: " and ") + ".",
            advice: "Copy the newest data with all files that belong to it, and migrate that copy. If this export has"
                + " all of them, say that it may replace everything."
        )
    }

    package static let cancelled = MigrationError(
        .cancelled,
        "The migration was cancelled; nothing was written.",
        advice: "Start it again when you like."
    )
}
