public import LegacyRecords

/// What an export wrote, and what its format could not say.
public struct ExportReport: Sendable, Equatable {
    /// The rows of one model.
    public struct Count: Sendable, Equatable {
        /// The model's stored name.
        public let model: String
        /// How many of its rows were written.
        public let rowCount: UInt64
    }

    /// What was written of each model, in the order of the schema.
    public let counts: [Count]
    /// How often something was written in another way than it is in the store, by kind.
    public let warningCounts: [LegacyWarning.Kind: Int]
    /// The first warnings of each kind, at most 20.
    public let warnings: [LegacyWarning]

    /// All rows.
    public var rowCount: UInt64 { counts.reduce(0) { $0 + $1.rowCount } }
}

/// How far an export is.
public struct ExportProgress: Sendable, Equatable {
    /// The rows that are written.
    public let rowsDone: UInt64
    /// The rows that there are.
    public let rowCount: UInt64
}

/// Gathers what an export has to say while it goes on.
struct ExportLedger {
    /// After how many rows progress is told.
    static let rowsPerProgress: UInt64 = 1024

    private var counts: [ExportReport.Count] = []
    private var warnings: [LegacyWarning] = []
    private var tally = WarningTally()
    private let rowCount: UInt64
    private var rowsDone: UInt64 = 0

    init(rowCount: UInt64) {
        self.rowCount = rowCount
    }

    /// What there is to say so far.
    var report: ExportReport {
        ExportReport(counts: counts, warningCounts: tally.counts, warnings: warnings)
    }

    mutating func warn(_ kind: LegacyWarning.Kind, _ message: @autoclosure () -> String) {
        guard tally.count(kind) else { return }
        warnings.append(LegacyWarning(kind: kind, message: message()))
    }

    /// Counts a row of the model begun last.
    mutating func addRow(_ progress: (ExportProgress) throws -> Void) throws {
        rowsDone += 1
        if rowsDone % Self.rowsPerProgress == 0 { try tell(progress) }
    }

    func tell(_ progress: (ExportProgress) throws -> Void) throws {
        try progress(ExportProgress(rowsDone: rowsDone, rowCount: max(rowCount, rowsDone)))
    }

    /// Notes that a model is written.
    mutating func end(_ model: String) {
        let before = counts.reduce(0) { $0 + $1.rowCount }
        counts.append(ExportReport.Count(model: model, rowCount: rowsDone - before))
    }
}
