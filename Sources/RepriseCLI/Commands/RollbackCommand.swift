import Reprise

/// `reprise rollback`: makes the head equal to an earlier state. Nothing is erased.
struct RollbackCommand: Command {
    var store: StoreLocation
    var point: Point
    var isJSON = false

    func run(in console: inout Console) throws -> Outcome {
        let report = try store.open(for: .writing) { store in
            try point.check(in: store)
            return try store.rollback(to: point, context: CommitContext(intent: "rollback"))
        }
        if isJSON {
            try console.json { writer in
                writer.member("from", report.from.rawValue)
                writer.member("to", report.to.rawValue)
                writer.member("head", report.head.rawValue)
                writer.member("changed", report.changedCount)
                writer.member("digest", report.digest.description)
                if report.rowVersion < report.schemaVersion {
                    writer.member("rowVersion", report.rowVersion)
                    writer.member("schemaVersion", report.schemaVersion)
                }
            }
        } else {
            try console.output.line(
                "Rolled back from \(report.from) to \(report.to): "
                    + "\(Quantity.count(report.changedCount, "change")), head \(report.head)."
            )
            if report.rowVersion < report.schemaVersion {
                try console.output.line(
                    "The rows are as version \(report.rowVersion) of the app's schema left them. The schema is at "
                        + "version \(report.schemaVersion); its code does not run again."
                )
            }
            try console.output.line("To undo it: reprise rollback \(store.path) \(report.from)")
        }
        return .done
    }
}
