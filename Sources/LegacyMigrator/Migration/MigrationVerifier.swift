public import LegacyRecords
public import Reprise

/// Compares an export, read anew, with what a store holds: every record, every attribute, every list with its order,
/// from both of its sides.
///
/// It shares with the migrator the reading of the export and the naming of records, and nothing of the writing: rows
/// are read by names, not through the models that wrote them.
public struct MigrationVerifier: Sendable {
    /// How a comparison is done.
    public struct Options: Sendable {
        /// How many differences are kept with their message; all are counted.
        public var differenceCountMax: Int

        public init(differenceCountMax: Int = 1000) {
            self.differenceCountMax = differenceCountMax
        }
    }

    private let source: any LegacySource
    private let store: Store
    private let options: Options

    /// - Parameters:
    ///   - source: the export.
    ///   - store: the store that it was migrated into.
    public init(source: any LegacySource, store: Store, options: Options = Options()) {
        self.source = source
        self.store = store
        self.options = options
    }

    /// Compares.
    ///
    /// - Parameter progress: called now and then; returning false cancels.
    /// - Returns: what was found. That the store differs is no error.
    /// - Throws: ``LegacyError`` when the export cannot be read, ``MigrationError`` with `neverMigrated` when the store
    ///   knows nothing of this source, with `changedMeanwhile` when the store is written to at the same time, or with
    ///   `cancelled`; and `StoreError`.
    /// - Complexity: O(bytes of the export) and one lookup a record and list entry.
    public func run(
        progress: (MigrationProgress) -> Bool = { _ in true }
    ) throws -> MigrationVerification {
        let history = try SourceHistory(of: source.identity, in: store)
        guard history.last != nil else {
            throw MigrationError(
                .neverMigrated,
                "Nothing of \(source.identity) was ever migrated into this store.",
                advice: "Migrate it first, or give the name that it was migrated under."
            )
        }
        if let source = try history.understood(source, in: store, cancelled: .verificationCancelled, progress) {
            return try MigrationVerifier(source: source, store: store, options: options)
                .run(history, progress)
        }
        return try run(history, progress)
    }

    private func run(
        _ history: SourceHistory,
        _ progress: (MigrationProgress) -> Bool
    ) throws -> MigrationVerification {
        let head = try store.read { $0.head }
        let shape = try SourceShape(of: source, history, in: try store.schema)
        let pass = try MigrationPass(source, history, shape, in: store)
        let comparison = try RecordComparison(
            pass,
            in: store,
            differenceCountMax: options.differenceCountMax
        )
        var state = MigrationProgress(.comparing, byteCount: source.byteCount)
        let reading = try source.read { event in
            switch event {
            case .record(let record):
                state.recordsRead += 1
                try comparison.consume(record)
            case .list(let list): try comparison.consume(list)
            case .warning(let warning): pass.note(warning)
            case .progress(let step):
                state.bytesRead = step.bytesRead
                state.byteCount = step.byteCount
                guard progress(state) else { throw MigrationError.verificationCancelled }
            }
        }
        var report = try comparison.finish()
        guard try store.read({ $0.head }) == head else {
            throw MigrationError(
                .changedMeanwhile,
                "The store was changed while it was compared.",
                advice: "Compare again while nothing writes."
            )
        }
        report.reading = reading
        report.warningCounts = pass.warningCounts(reading)
        report.warnings = pass.warnings
        return report
    }
}

extension MigrationError {
    fileprivate static let verificationCancelled = MigrationError(
        .cancelled,
        "The comparison was cancelled.",
        advice: "Start it again when you like."
    )
}
