import LegacyMigration
import Reprise

/// `reprise verify-migration`: whether a store holds what an export says.
struct VerifyMigrationCommand: Command {
    var export: ExportLocation
    var store: StoreLocation
    /// Whether anything that was skipped, rounded or left out is a fault, too.
    var isStrict = false
    var isJSON = false

    func run(in console: inout Console) throws -> Outcome {
        let source = try export.source(into: store.path, in: console)
        let progress = console.progress("Comparing", unit: "byte")
        let interruption = console.interruption
        let report: MigrationVerification
        do {
            defer { progress.finish() }
            report = try export.advising {
                try store.open { store in
                    try MigrationVerifier(source: source, store: store).run { step in
                        progress.update(done: step.bytesRead, total: step.byteCount)
                        return !interruption.isRequested()
                    }
                }
            }
        }
        let isGood = report.isEqual && (!isStrict || report.isLossless)
        if isJSON {
            try console.json { write(report, isGood: isGood, to: &$0) }
        } else {
            try show(report, isGood: isGood, in: &console)
        }
        return isGood ? .done : .no
    }

    private func write(_ report: MigrationVerification, isGood: Bool, to writer: inout JSONWriter) {
        writer.member("ok", isGood)
        writer.member("source", report.source.description)
        writer.key("records")
        writer.object { writer in
            for (model, count) in report.recordCounts.sorted(by: { $0.key < $1.key }) {
                writer.member(model, count)
            }
        }
        writer.member("values", report.valueCount)
        writer.member("entries", report.entryCount)
        writer.key("differenceCounts")
        writer.object { writer in
            for kind in MigrationDifference.Kind.allCases {
                guard let count = report.differenceCounts[kind] else { continue }
                writer.member(kind.rawValue, count)
            }
        }
        writer.key("differences")
        writer.objects(report.differences) { difference, writer in
            writer.member("kind", difference.kind.rawValue)
            writer.member("model", difference.model)
            writer.member("id", difference.id)
            if let name = difference.name { writer.member("name", name) }
            writer.member("changedHere", difference.isChangedHere)
            writer.member("message", difference.message)
        }
        writer.key("warnings")
        writer.object { writer in
            for (kind, count) in report.sortedWarningCounts { writer.member(kind, count) }
        }
        writer.member("sha256", report.reading.contentHash.description)
    }

    private func show(
        _ report: MigrationVerification,
        isGood: Bool,
        in console: inout Console
    ) throws(OutputError) {
        let records = report.recordCounts.sorted { $0.key < $1.key }
            .filter { $0.value > 0 }
            .map { Quantity.records($0.value, $0.key) }
        var facts: [(name: String, value: String)] = [
            ("compared", records.isEmpty ? "nothing" : records.joined(separator: ", ")),
            (
                "",
                "\(Quantity.count(report.valueCount, "value")), \(Quantity.count(report.entryCount)) entries of lists"
            ),
        ]
        for (kind, count) in report.sortedWarningCounts {
            let isNote = LegacyWarning.Kind(rawValue: kind).isNote
            let label = isNote ? "note" : "not as in the export"
            facts.append((label, "\(kind): \(Quantity.count(count))"))
        }
        for kind in MigrationDifference.Kind.allCases {
            guard let count = report.differenceCounts[kind] else { continue }
            facts.append(("difference", "\(kind.rawValue): \(Quantity.count(count))"))
        }
        try console.facts(facts)
        for difference in report.differences.prefix(Self.shownDifferenceCount) {
            let note = difference.isChangedHere ? " (changed here since)" : ""
            try console.output.line(DisplayWidth.visible(difference.message) + note)
        }
        for warning in isStrict ? report.warnings : [] {
            try console.output.line(DisplayWidth.visible(warning.message))
        }
        if report.isEqual {
            try console.output.line(
                report.isLossless
                    ? "The store holds what the export says."
                    : "The store holds what could be taken over, but not all that the export says."
            )
        } else {
            try console.output.line("The store and the export differ.")
        }
    }

    private static let shownDifferenceCount = 50
}

extension MigrationVerification {
    fileprivate var sortedWarningCounts: [(String, Int)] {
        warningCounts.map { ($0.key.rawValue, $0.value) }.sorted { $0.0 < $1.0 }
    }
}
