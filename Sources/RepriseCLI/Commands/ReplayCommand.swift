import Reprise

/// `reprise replay`: rebuilds every view from the log, in place or into a new store.
struct ReplayCommand: Command {
    var store: StoreLocation
    /// How far; only with ``destination``.
    var point: Point = .head
    /// A store that does not exist yet.
    var destination: String?
    var isJSON = false

    func run(in console: inout Console) throws -> Outcome {
        let progress = console.progress("Replaying", unit: "event")
        let interruption = console.interruption
        let report = try store.open(for: destination == nil ? .writing : .reading) { store in
            defer { progress.finish() }
            try point.check(in: store)
            guard let destination else {
                return try store.replay { progress.note($0, interruption) }
            }
            return try CommandFailure.creating {
                try store.replay(upTo: point, into: destination) {
                    progress.note($0, interruption)
                }
            }
        }
        if isJSON {
            try console.json { writer in
                writer.member("events", report.eventCount)
                writer.member("seconds", Quantity.seconds(report.duration))
                writer.member("eventsPerSecond", report.eventsPerSecond.rounded())
                writer.member("digest", report.digest.description)
            }
        } else {
            try console.output.line(
                "Replayed \(Quantity.count(report.eventCount, "event")) in "
                    + "\(Quantity.duration(report.duration)), digest \(report.digest)."
            )
        }
        return .done
    }
}
