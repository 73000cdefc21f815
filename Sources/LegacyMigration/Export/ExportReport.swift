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

extension LegacyWarning.Kind {
    /// A struct became an embedded object, which is told as a record of its own when it is read back.
    public static let embeddedStruct = Self(rawValue: "embeddedStruct")
    /// An attribute nests collections, which became a value of any type (`mixed`).
    public static let keptAsMixed = Self(rawValue: "keptAsMixed")
    /// A collection that is nil; the format only knows empty ones.
    public static let nilCollection = Self(rawValue: "nilCollection")
    /// What becomes of others when a row is deleted, or that values are unique, cannot be said in the format.
    public static let lostRule = Self(rawValue: "lostRule")
    /// A name that the format does not allow.
    public static let unusualName = Self(rawValue: "unusualName")
    /// A name that is taken in the format, where upper and lower case are the same or the name says something else; a
    /// number was put after it.
    public static let changedName = Self(rawValue: "changedName")
    /// The key of a map that the format does not allow.
    public static let unusualMapKey = Self(rawValue: "unusualMapKey")
    /// An identifier that a migration does not take over as it is: empty, or longer than 200 bytes.
    public static let unusualKey = Self(rawValue: "unusualKey")
    /// A number that is none, where the format has one at most or none at all.
    public static let lostNaN = Self(rawValue: "lostNaN")
    /// A negative zero, where the format has one zero.
    public static let lostSign = Self(rawValue: "lostSign")
    /// A date outside of what the format can say.
    public static let unusualDate = Self(rawValue: "unusualDate")
    /// A decimal with more digits than the format has.
    public static let longDecimal = Self(rawValue: "longDecimal")
    /// An attribute of structs or collections, which became JSON text.
    public static let collectionAsText = Self(rawValue: "collectionAsText")
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
