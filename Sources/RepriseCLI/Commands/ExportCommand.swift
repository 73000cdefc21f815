import Reprise

/// `reprise export`: a whole state, models in the schema's order, rows in the order of their
/// identifiers, so that two equal states give equal bytes.
struct ExportCommand: Command {
    /// How an export is written.
    enum Format: String, CaseIterable, Sendable {
        /// Newline-delimited JSON.
        case ndjson
    }

    var store: StoreLocation
    var point: Point = .head
    var format: Format = .ndjson

    func run(in console: inout Console) throws -> Outcome {
        let progress = console.progress("Exporting", unit: "row")
        defer { progress.finish() }
        return try store.open { store in
            try store.read(asOf: point) { transaction in
                var writer = JSONWriter()
                var count: UInt64 = 0
                for model in transaction.schema.models {
                    try transaction.forEachRecord(RecordQuery(model: model.name)) { record in
                        if console.interruption.isRequested() { throw CommandFailure.interrupted }
                        writer.removeAll()
                        writer.entity(record)
                        writer.endLine()
                        try console.output.write(writer.bytes)
                        count += 1
                        progress.update(done: count)
                        return true
                    }
                }
            }
            return .done
        }
    }
}
