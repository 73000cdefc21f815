import LegacyMigration
import Reprise

/// `reprise migrate --explain`: how an export is understood, and a mapping file to correct that.
struct ExplainCommand: Command {
    var export: ExportLocation
    /// A store that may know more of the source, or an empty text.
    var store: String
    /// Whether the mapping file is printed instead.
    var isJSON = false

    func run(in console: inout Console) throws -> Outcome {
        let source = try export.source(into: store, in: console)
        let interruption = console.interruption
        let progress = console.progress("Reading", unit: "byte")
        let explanation: ExportExplanation
        do {
            defer { progress.finish() }
            explanation = try export.advising {
                try ExportExplanation(source) { step in
                    progress.update(done: step.bytesRead, total: step.byteCount)
                    return !interruption.isRequested()
                }
            }
        }
        if isJSON {
            for line in Self.lines(explanation.mapping) { try console.output.line(line) }
        } else {
            try show(explanation, source.identity, in: &console)
        }
        return .done
    }

    private func show(
        _ explanation: ExportExplanation,
        _ identity: SourceIdentity,
        in console: inout Console
    ) throws(OutputError) {
        let counts = explanation.schema.models.map { Quantity.records(explanation.counts[$0.name] ?? 0, $0.name) }
        var facts = [("source", identity.description)]
        facts.append(("records", counts.isEmpty ? "none" : counts.joined(separator: ", ")))
        facts += explanation.decisions.map { ("decided", $0) }
        for warning in explanation.warnings.prefix(Self.warningCountMax) {
            facts.append((warning.kind.isNote ? "note" : "warning", warning.message))
        }
        try console.facts(facts)
        let layout = SchemaLayout(schema: explanation.schema, traits: console.outputTraits)
        try layout.show(in: &console.output)
        try console.output.line()
        try console.output.line("To correct it, edit what --explain --json prints, and give that file with --mapping.")
    }

    private static let warningCountMax = 40

    /// The mapping file, a line for each field. Names that a store can have need no escapes.
    private static func lines(_ mapping: RecordMapping) -> [String] {
        let classes = mapping.classes.sorted { $0.key < $1.key }.map { name, rule in
            let fields = rule.fields.sorted { $0.key < $1.key }.map { field, rule in
                "        \"\(field)\": \"\(rule.name ?? field)\""
            }
            return """
                    "\(name)": {
                      "model": "\(rule.model ?? name)",
                      "fields": {
                \(fields.joined(separator: ",\n"))
                      }
                    }
                """
        }
        return ["{", "  \"target\": \"own\",", "  \"classes\": {", classes.joined(separator: ",\n"), "  }", "}"]
    }
}
