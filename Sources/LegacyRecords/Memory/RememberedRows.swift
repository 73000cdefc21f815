package import ExportFormats
package import Reprise

/// Rows in an order: sixteen bytes each where their identifiers are sixteen upper-case hexadecimal digits, otherwise
/// eighteen more than these are long; beyond a ``RecordMemory`` on disk.
package final class RememberedRows {
    private var models: [String] = []
    private let modelOfRow: RememberedIdentifiers
    private let identifiers: RememberedIdentifiers
    /// Whether the last one comes first.
    private var isReversed = false

    package init(in memory: RecordMemory) {
        modelOfRow = RememberedIdentifiers(in: memory)
        identifiers = RememberedIdentifiers(in: memory)
    }

    package var count: Int { identifiers.count }
    package var isEmpty: Bool { count == 0 }

    /// Adds a row at the end, as long as the order was not reversed.
    ///
    /// - Throws: ``LegacyError`` with the code `inputOutput` where what does not fit into memory cannot be put aside.
    package func append(_ row: EntityReference) throws(LegacyError) {
        precondition(!isReversed, "Rows are added before they are reversed.")
        // Most rows are of the model of the one before.
        let model = models.lastIndex(of: row.model) ?? models.count
        if model == models.count { models.append(row.model) }
        try modelOfRow.append(.number(UInt64(model)))
        try identifiers.append(RecordKey(row.id))
    }

    package func row(at index: Int) throws(LegacyError) -> EntityReference {
        let place = isReversed ? count - 1 - index : index
        return EntityReference(
            model: models[try modelOfRow.number(at: place)],
            id: try identifiers.key(at: place).text
        )
    }

    /// Turns the order round.
    package func reverse() { isReversed.toggle() }
}
