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
                try store.open(for: .reading) { store in
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
            try show(report, in: &console)
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
        writer.member("moreDifferences", report.differenceCount - report.differences.count)
        report.warningList.write(to: &writer)
        writer.member("sha256", report.reading.contentHash.description)
    }

    private func show(
        _ report: MigrationVerification,
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
        facts += report.warningList.facts(
            label: "not as in the export",
            shown: isStrict ? .max : WarningList.shownCount
        )
        for kind in MigrationDifference.Kind.allCases {
            guard let count = report.differenceCounts[kind] else { continue }
            facts.append(("difference", "\(kind.rawValue): \(Quantity.count(count))"))
        }
        try console.facts(facts)
        try showDifferences(report, in: &console)
        try console.output.line(Self.verdict(on: report))
    }

    private func showDifferences(
        _ report: MigrationVerification,
        in console: inout Console
    ) throws(OutputError) {
        for difference in report.differences.prefix(Self.shownDifferenceCount) {
            let note = difference.isChangedHere ? " (changed here since)" : ""
            try console.output.line(DisplayWidth.visible(difference.message) + note)
        }
        let more = report.differenceCount - min(report.differences.count, Self.shownDifferenceCount)
        guard more > 0 else { return }
        var line = "And \(Quantity.count(more, "more difference"))."
        if report.differences.count > Self.shownDifferenceCount {
            line += " --json lists the first \(Quantity.count(report.differences.count))."
        }
        try console.output.line(line)
    }

    private static func verdict(on report: MigrationVerification) -> String {
        if !report.isEqual { return "The store and the export differ." }
        let losses = Set(report.warningCounts.keys.filter { !$0.isNote })
        if !losses.isEmpty, losses.isSubset(of: [.vanishedClass, .vanishedProperty]) {
            return "The store holds what the export says, and what earlier exports had besides."
        }
        if losses == [.missingLog] {
            return "The store holds what this file says. Its log is missing, so nobody can know whether it says all."
        }
        return losses.isEmpty
            ? "The store holds what the export says."
            : "The store holds what could be taken over, but not all that the export says."
    }

    private static let shownDifferenceCount = 50
}

extension MigrationVerification {
    /// All differences, those included of which nothing more is known.
    fileprivate var differenceCount: Int { differenceCounts.values.reduce(0, +) }
    fileprivate var warningList: WarningList { WarningList(warningCounts, warnings) }
}
