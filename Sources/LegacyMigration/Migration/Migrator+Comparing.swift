import Reprise

/// Finding out what there is to do.
extension Migrator {
    /// What a run finds that has nothing to do; nil where it has.
    func outcomeWithoutChange(
        _ shape: SourceShape,
        _ history: SourceHistory,
        _ progress: (MigrationProgress) -> Bool
    ) throws -> MigrationRun.Outcome? {
        let pass = try MigrationPass(source, history, shape, in: store, seesAll: true)
        let comparison = MigrationComparison(pass, in: store, options, stopsEarly: true)
        let reading = try compare(comparison, progress)
        try checkRelated(comparison, history, progress)
        return try outcomeWithoutChange(comparison, reading, shape, history, progress)
    }

    /// As ``outcomeWithoutChange(_:_:_:)`` after a comparison.
    func outcomeWithoutChange(
        _ comparison: MigrationComparison,
        _ reading: LegacyReading,
        _ shape: SourceShape,
        _ history: SourceHistory,
        _ progress: (MigrationProgress) -> Bool
    ) throws -> MigrationRun.Outcome? {
        if comparison.isCertain {
            if !comparison.hasFound { return MigrationRun.Outcome(comparison.pass, reading) }
            if try !isLastExport(history, progress) { return nil }
        }
        return try rehearse(shape, history, progress)
    }

    /// Finds out whether an export that would take up an interrupted migration has enough of what the source had
    /// before that, where nothing but the name of the file says that they belong together: nothing is written before
    /// that is known. It is, where it was asked of this very export before.
    ///
    /// - Returns: what the log is to say of the export; nil where it is the one of which it says so already, or it says
    ///   nothing of any.
    func checkRelated(
        toWhatWasBefore interrupted: MigrationRecord,
        _ shape: SourceShape,
        _ history: SourceHistory,
        _ progress: (MigrationProgress) -> Bool
    ) throws -> Admission? {
        guard source.identity.isFileName, !options.replacesEverything else { return nil }
        let admitted = try admission(to: interrupted)
        let own = try admitted == nil ? nil : ownAdmission(history, progress)
        if let admitted, let own, own.isSame(as: admitted) { return nil }
        let pass = try MigrationPass(source, history, shape, in: store)
        pass.takeUp(interrupted)
        let comparison = MigrationComparison(pass, in: store, options, stopsEarly: true)
        _ = try compare(comparison, progress)
        try checkRelated(comparison, history, progress)
        return own
    }

    /// Stops a comparison that has found what it looked for.
    private struct Found: Error {}

    func compare(
        _ comparison: MigrationComparison,
        _ progress: (MigrationProgress) -> Bool
    ) throws -> LegacyReading {
        let pass = comparison.pass
        var state = MigrationProgress(
            phase: .comparing,
            recordsRead: 0,
            recordsWritten: 0,
            bytesRead: 0,
            byteCount: source.byteCount
        )
        do {
            let reading = try source.read { event in
                switch event {
                case .record(let record): try comparison.consume(record)
                case .list(let list): try comparison.consume(list)
                case .warning(let warning): pass.note(warning)
                case .progress(let step):
                    state.bytesRead = step.bytesRead
                    state.byteCount = step.byteCount
                    state.recordsRead = pass.readCount
                    guard progress(state) else { throw MigrationError.cancelled(nil) }
                }
                if comparison.mayStop { throw Found() }
            }
            try comparison.finish()
            return reading
        } catch is Found {
            return LegacyReading()
        }
    }

    /// An export that has too little of what an earlier one of the same file name had is another one, as a rule: both
    /// are called `export.csv`. The one that was migrated last is none, whatever has become of its records here,
    /// unless that migration was taken back; nor does one matter that changes nothing.
    func checkRelated(
        _ comparison: MigrationComparison,
        _ history: SourceHistory,
        _ progress: (MigrationProgress) -> Bool
    ) throws {
        guard comparison.isUnrelated, comparison.hasFound, try !isLastExport(history, progress) else { return }
        let before = "an earlier export called \(source.identity)"
        let common = comparison.common
        let outcome = common.outcome
        let message =
            if outcome != ClassLikeness.Outcome() {
                "The export has too little in common with \(before): about \(Int(outcome.supporting.rounded())) records"
                    + " are likely the same, \(Int(outcome.agreeing.rounded()) + outcome.bareCount) may be,"
                    + " \(Int(outcome.contradicting.rounded())) have only their keys in common, and"
                    + " \(common.goneCount) are missing; what is missing or other would be replaced."
            } else if common.missingCount > 0 {
                "Nothing in the export says that it is of what \(before) had; \(common.missingCount) records of that"
                    + " would be deleted."
            } else {
                "The export has no entry of the list that \(before) had; all of them would be taken out."
            }
        throw MigrationError(
            .unrelatedExport,
            message,
            advice: "Give this one a name of its own, or say that it replaces everything."
        )
    }
}
