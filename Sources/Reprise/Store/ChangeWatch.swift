/// Counts the rows that a change of the schema has looked at, tells of them, and stops when it is cancelled (STO-94).
final class ChangeWatch {
    private let report: (@Sendable (SchemaPlan.Progress) -> Bool)?
    private let totalCount: Int
    private let start = ContinuousClock.now
    private var rowCount = 0

    init(
        _ change: SchemaChange,
        from old: CompiledSchema,
        _ counts: [Int],
        _ report: (@Sendable (SchemaPlan.Progress) -> Bool)?
    ) {
        self.report = report
        let known = old.description.indexNumbers
        totalCount = change.schema.models.reduce(0) { sum, model in
            let place = Int(model.number) - 1
            guard counts.indices.contains(place) else { return sum }
            var walks = 0
            if change.conversions.contains(where: { $0.model == model.number }) { walks += 1 }
            if !model.newlyRequired(since: old.description).isEmpty { walks += 1 }
            if model.indexNumbers.contains(where: { !known.contains($0) }) { walks += 1 }
            return sum + walks * counts[place]
        }
    }

    func advance(_ count: Int) throws(StoreError) {
        rowCount += count
        guard let report else { return }
        let progress = SchemaPlan.Progress(
            rowCount: rowCount,
            totalCount: max(totalCount, rowCount),
            elapsed: ContinuousClock.now - start
        )
        if !report(progress) { throw StoreError.cancelled }
    }
}
