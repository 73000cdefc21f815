internal import Logging
internal import RepriseLMDB
internal import RepriseLog

extension Store {
    /// Converts rows that a rollback has brought back as they were before a change of the schema (STO-86).
    ///
    /// Nothing is marked in the store: the log says which rollbacks there were, and an annotation when rows were
    /// converted last. A row that the function refuses stays as it is.
    func convertAgain(_ history: SchemaHistory) throws {
        let planned = conversions.withLock { $0 }
        guard !planned.isEmpty, !configuration.readOnly, try hasUnconverted(planned, history) else { return }
        let refusedCount = try writer.perform {
            try commit(CommitContext(intent: Self.conversionName)) { session in
                let refusedCount = try RowConversions(session: session).runAgain(planned)
                _ = try run({ try $0.annotate(name: Self.conversionName, key: "", payload: []) }, in: session)
                return refusedCount
            }
        }
        configuration.logger?.notice(
            "Rows that a rollback has brought back were converted.",
            metadata: ["path": "\(path)", "refused": "\(refusedCount)"]
        )
    }

    /// Whether a rollback has led to before one of these conversions since rows were converted last.
    private func hasUnconverted(_ planned: [PlannedConversion], _ history: SchemaHistory) throws -> Bool {
        let schemas = Array(zip(history.positions, [history.present] + history.earlier))
        let made = planned.compactMap { planned in
            schemas.last { $0.1.model(planned.model)?.attribute(slot: planned.slot) != nil }?.0
        }
        guard let last = made.max() else { return false }
        return try read { transaction in
            let converted = try transaction.annotation(name: Self.conversionName, key: "")
            let workspace = transaction.access.workspace
            return try Timeline(workspace.base, workspace.tables).rollbacks.contains {
                $0.to < last && $0.at > max(last, converted?.position.rawValue ?? 0)
            }
        }
    }
}
