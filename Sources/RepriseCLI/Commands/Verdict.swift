import Reprise

/// What a check found.
struct Verdict: Equatable, Sendable {
    struct Fault: Equatable, Sendable {
        var kind: String
        var place: String
        var message: String
    }

    var eventCount = 0
    var rowCount = 0
    var faults: [Fault]
    /// Faults that were found besides.
    var omittedCount = 0

    init(faults: [Fault]) {
        self.faults = faults
    }

    init(_ report: VerificationReport) {
        eventCount = report.eventCount
        rowCount = report.rowCount
        omittedCount = report.omittedCount
        faults = report.faults.map {
            Fault(kind: $0.kind.rawValue, place: $0.place, message: $0.message)
        }
    }

    func show(isJSON: Bool, in console: inout Console) throws(OutputError) {
        if isJSON {
            try console.json(write)
            return
        }
        for fault in faults {
            try console.output.line(
                DisplayWidth.visible("\(fault.kind) at \(fault.place): \(fault.message)")
            )
        }
        let amount =
            "\(Quantity.count(eventCount, "event")) and \(Quantity.count(rowCount, "row")) checked"
        try console.output.line(
            faults.isEmpty
                ? "Sound: \(amount)."
                : "\(Quantity.count(faults.count + omittedCount, "fault")), \(amount)."
        )
    }

    private func write(to writer: inout JSONWriter) {
        writer.member("ok", faults.isEmpty)
        writer.member("events", eventCount)
        writer.member("rows", rowCount)
        writer.key("faults")
        writer.objects(faults) { fault, writer in
            writer.member("kind", fault.kind)
            writer.member("where", fault.place)
            writer.member("message", fault.message)
        }
        if omittedCount > 0 { writer.member("omitted", omittedCount) }
    }
}
