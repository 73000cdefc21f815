internal import Logging
internal import RepriseLMDB
internal import RepriseLog

extension Store {
    /// Converts rows that a rollback has brought back as they were before a change of the schema (STO-86).
    ///
    /// A row that the function refuses stays as it is.
    func convertAgain(_ history: SchemaHistory) throws {
        if configuration.readOnly || !hasConversions(in: history.present) { return }
        let planned = try read { transaction in
            try unconverted(history, at: transaction.state.log.head, transaction.access.workspace)
        }
        if planned.isEmpty { return }
        let refusedCount = try writer.perform {
            try commit(CommitContext(intent: Self.conversionName)) { session in
                let refusedCount = try RowConversions(session: session).runAgain(planned)
                let key = "\(session.builder.nextPosition)"
                _ = try run({ try $0.annotate(name: Self.conversionName, key: key, payload: []) }, in: session)
                return refusedCount
            }
        }
        configuration.logger?.notice(
            "Rows that a rollback has brought back were converted.",
            metadata: ["path": "\(path)", "refused": "\(refusedCount)"]
        )
    }

    /// Whether functions of the program or the rule of the format have made attributes of a schema.
    func hasConversions(in present: SchemaDescription) -> Bool {
        !conversions.withLock { $0.isEmpty } || present.hasWidenings
    }

    /// The conversions whose attributes the state at a position does not have: it has come neither through
    /// the declaration of the attribute nor through a later conversion of rows that were brought back.
    func unconverted(
        _ history: SchemaHistory,
        at position: UInt64,
        _ workspace: Workspace
    ) throws -> [PlannedConversion] {
        let missing = try missingAttributes(history, at: position, workspace)
        let planned = conversions.withLock { $0 } + history.present.widenings
        return planned.filter { missing.contains($0.place) }.map { $0.reading(before: missing) }
    }

    /// The attributes that functions of the program or the rule of the format have made, and that the state at a
    /// position does not have yet; removed ones included, of which others were made.
    func missingAttributes(
        _ history: SchemaHistory,
        at position: UInt64,
        _ workspace: Workspace
    ) throws -> UnconvertedAttributes {
        if !hasConversions(in: history.present) { return UnconvertedAttributes() }
        let conversions = try ConversionHistory(history, Timeline(of: workspace), workspace.labelScan)
        return conversions.missing(history.present.convertedSlots, at: position)
    }
}
