import Reprise

/// `reprise verify`: checks a store's structure, log and views against each other, in this process.
///
/// A damaged file can kill the process that maps it; ``SupervisedVerifyCommand`` guards against that.
struct VerifyCommand: Command {
    var store: StoreLocation
    var isJSON = false

    func run(in console: inout Console) throws -> Outcome {
        let verdict = try verdict(&console)
        try verdict.show(isJSON: isJSON, in: &console)
        return verdict.faults.isEmpty ? .done : .no
    }

    private func verdict(_ console: inout Console) throws -> Verdict {
        let progress = console.progress("Verifying", unit: "event")
        let interruption = console.interruption
        defer { progress.finish() }
        do {
            let report = try store.open { store in
                try store.verify { step in
                    progress.update(done: step.done, total: step.total)
                    return !interruption.isRequested()
                }
            }
            return Verdict(report)
        } catch let error as StoreError where error.code.isDamage {
            // A file too damaged to be opened is a fault that was found.
            return Verdict(
                faults: [
                    .init(kind: "\(error.code)", place: store.path, message: error.message)
                ]
            )
        }
    }
}

/// What a check found.
struct Verdict: Equatable, Sendable {
    struct Fault: Equatable, Sendable {
        var kind: String
        var place: String
        var message: String
    }

    var eventCount: UInt64 = 0
    var rowCount: UInt64 = 0
    var faults: [Fault]

    init(eventCount: UInt64 = 0, rowCount: UInt64 = 0, faults: [Fault]) {
        self.eventCount = eventCount
        self.rowCount = rowCount
        self.faults = faults
    }

    init(_ report: VerificationReport) {
        self.init(
            eventCount: UInt64(report.eventCount),
            rowCount: UInt64(report.rowCount),
            faults: report.faults.map {
                Fault(kind: "\($0.kind)", place: $0.place, message: $0.message)
            }
        )
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
                ? "Sound: \(amount)." : "\(Quantity.count(faults.count, "fault")), \(amount)."
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
    }
}
