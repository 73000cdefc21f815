import LegacyMigration
import Reprise

/// `reprise export`: a whole state, models in the schema's order, rows in the order of their
/// identifiers, so that two equal states give equal bytes.
struct ExportCommand: Command {
    /// How an export is written.
    enum Format: String, CaseIterable, Sendable {
        /// Newline-delimited JSON.
        case ndjson
        /// What `realm2json` prints of a Realm file.
        case realmJSON = "realm-json"
        /// A SQLite database.
        case sqlite
    }

    var store: StoreLocation
    var point: Point = .head
    var format: Format = .ndjson
    /// The file to write; nil for standard output.
    var output: String?
    /// Where the types go that Realm's form does not say.
    var schemaFile: String?

    /// A file that is not finished is removed by the command itself, which then has to come to its end.
    var isQuestion: Bool { output == nil }

    func run(in console: inout Console) throws -> Outcome {
        let progress = console.progress("Exporting", unit: "row")
        do {
            defer { progress.finish() }
            return try store.open(for: .reading) { store in
                try point.check(in: store)
                return try store.read(asOf: point, underSchemaOfThen: true) { transaction in
                    switch format {
                    case .ndjson: try writeLines(of: transaction, progress, &console)
                    case .realmJSON: try writeRealmJSON(of: transaction, progress, &console)
                    case .sqlite: try writeDatabase(of: transaction, progress, &console)
                    }
                    return Outcome.done
                }
            }
        } catch let error as ExportError {
            throw error.failure
        }
    }
}

// MARK: - Formats

extension ExportCommand {
    private func writeLines(
        of transaction: borrowing ReadTransaction,
        _ progress: ProgressMeter,
        _ console: inout Console
    ) throws {
        let file = try output.map { try NewFile(path: $0) }
        var writer = JSONWriter()
        var count: UInt64 = 0
        var warnings: [LegacyWarning] = []
        for model in transaction.schema.models {
            let members = LineMembers(of: model, in: transaction.schema)
            let countBefore = count
            try transaction.forEachRecord(RecordQuery(model: model.name)) { record in
                if console.interruption.isRequested() { throw CommandFailure.interrupted }
                writer.removeAll()
                writer.entity(record, members)
                writer.endLine()
                if let file {
                    try file.write(writer.bytes)
                } else {
                    try console.output.write(writer.bytes)
                }
                count += 1
                progress.update(done: count)
                return true
            }
            if count > countBefore, let warning = members.warning { warnings.append(warning) }
        }
        try file?.publish()
        progress.finish()
        if count == 0 { console.noteNothing("The store was empty then.") }
        for warning in warnings { console.note(warning) }
    }

    private func writeRealmJSON(
        of transaction: borrowing ReadTransaction,
        _ progress: ProgressMeter,
        _ console: inout Console
    ) throws {
        // Names that cannot be used are refused before anything is written.
        let file = try output.map { try NewFile(path: $0) }
        let schema = try schemaFile.map { try NewFile(path: $0) }
        let interruption = console.interruption
        let report = try RealmJSONExport().write(transaction) { bytes in
            if let file { try file.write(bytes) } else { try console.output.write(bytes) }
        } progress: { step in
            try Self.show(step, progress, interruption)
        }
        try schema?.write(Array(RealmJSONExport.schemaText(of: transaction.schema).utf8))
        try schema?.publish()
        do {
            try file?.publish()
        } catch {
            schema?.withdraw()
            throw error
        }
        progress.finish()
        report.showWarnings(in: console)
    }

    private func writeDatabase(
        of transaction: borrowing ReadTransaction,
        _ progress: ProgressMeter,
        _ console: inout Console
    ) throws {
        guard let output else {
            throw CommandFailure(
                .usage,
                "A SQLite database cannot be written to standard output.",
                advice: "Name a new file with --output."
            )
        }
        let interruption = console.interruption
        let report = try SQLiteExport().write(transaction, to: output) { step in
            try Self.show(step, progress, interruption)
        }
        progress.finish()
        report.showWarnings(in: console)
    }

    /// Shows how far the export is; throws when the user wants it to stop.
    private static func show(
        _ step: ExportProgress,
        _ progress: ProgressMeter,
        _ interruption: Interruption
    ) throws(CommandFailure) {
        if interruption.isRequested() { throw CommandFailure.interrupted }
        progress.update(done: step.rowsDone, total: step.rowCount)
    }
}

extension ExportReport {
    /// Says on standard error what the format could not say: a line for each kind, with the first of it.
    func showWarnings(in console: Console) {
        for (kind, count) in warningCounts.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
            guard let first = warnings.first(where: { $0.kind == kind }) else { continue }
            let more = count > 1 ? " And \(Quantity.count(count - 1)) more." : ""
            console.note(first, more: more)
        }
    }
}

extension Console {
    /// Says on standard error what a format could not say as it is.
    ///
    /// - Parameter more: what follows the sentence, after a space.
    func note(_ warning: LegacyWarning, more: String = "") {
        let label = TextStyle.bold.applied(to: "Warning:", in: diagnosticsTraits)
        note("\(label) \(warning.kind.rawValue): \(DisplayWidth.visible(warning.message))\(more)")
    }
}

extension ExportError {
    /// What the command says and returns for an export that could not be written.
    var failure: CommandFailure {
        let outcome: Outcome =
            switch code {
            case .fileExists, .cannotCreate: .cannotCreate
            case .noSpace, .inputOutput: .inputOutput
            case .limitExceeded: .badData
            }
        return CommandFailure(outcome, message, advice: advice)
    }
}
