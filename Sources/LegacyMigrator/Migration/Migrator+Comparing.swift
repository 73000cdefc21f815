import LegacyRecords
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
        let comparison = comparison(pass, history, stopsEarly: true)
        let reading = try compare(comparison, progress)
        try checkReplacement(comparison, history, progress)
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

    /// Whether it matters how many rows the export would delete and change.
    private func asksReplacement(_ history: SourceHistory) -> Bool {
        history.hasFinished && !options.replacesEverything
    }

    /// A comparison of the export with the store.
    func comparison(_ pass: MigrationPass, _ history: SourceHistory, stopsEarly: Bool) -> MigrationComparison {
        MigrationComparison(
            pass,
            in: store,
            asksReplacement: asksReplacement(history),
            isOutdated: source.isOutdated,
            stopsEarly: stopsEarly
        )
    }

    /// Refuses an export that would take up an interrupted migration and replaces most of what is there.
    func checkReplacement(
        takingUp interrupted: MigrationRecord,
        _ shape: SourceShape,
        _ history: SourceHistory,
        _ progress: (MigrationProgress) -> Bool
    ) throws {
        guard asksReplacement(history) else { return }
        let pass = try MigrationPass(source, history, shape, in: store)
        pass.takeUp(interrupted)
        let comparison = comparison(pass, history, stopsEarly: true)
        _ = try compare(comparison, progress)
        try checkReplacement(comparison, history, progress)
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

    /// Refuses a newer export that would delete more than half of the rows of its source, or change more than half of
    /// those that both have, and one that may lack the newest data and would delete or change any. The export that was
    /// migrated last, byte for byte, is not refused, whatever has become of its rows, unless that migration was taken
    /// back.
    func checkReplacement(
        _ comparison: MigrationComparison,
        _ history: SourceHistory,
        _ progress: (MigrationProgress) -> Bool
    ) throws {
        guard let replacement = comparison.replacement, comparison.hasFound else { return }
        let updated = comparison.pass.counts.values.reduce(0) { $0 + $1.updated }
        let isOutdated = source.isOutdated && updated + replacement.missingCount > 0
        guard isOutdated || replacement.replacesMost, try !isLastExport(history, progress) else { return }
        throw isOutdated
            ? MigrationError.outdated(
                comparison.pass.warnings,
                deleted: replacement.missingCount,
                updated: updated
            )
            : MigrationError.replacesMost(source.identity, replacement)
    }
}
