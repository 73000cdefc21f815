public import LegacyMapping
import LegacyMigrator
public import LegacyRecords
public import Reprise
import SQLiteSources
import TableSources

/// How an export was understood: what it has, by what its records are told apart, and why.
public struct ExportExplanation: Sendable {
    /// The classes and fields, as a store would have them.
    public let schema: SchemaDescription
    /// How many records there are, by class.
    public let counts: [String: Int]
    /// What was decided where the export does not say, each in a sentence.
    public let decisions: [String]
    /// What the reader of the export has to say, notes included.
    public let warnings: [LegacyWarning]

    /// Reads an export to its end.
    ///
    /// - Parameters:
    ///   - source: the export.
    ///   - progress: called now and then; returning false cancels.
    /// - Throws: ``LegacyError``.
    /// - Complexity: O(bytes).
    public init(_ source: some LegacySource, progress: (LegacyProgress) -> Bool = { _ in true }) throws {
        var warnings: [LegacyWarning] = []
        let reading = try source.read { event in
            switch event {
            case .warning(let warning): warnings.append(warning)
            case .progress(let step): guard progress(step) else { throw MigrationError.cancelled }
            case .record, .list: break
            }
        }
        schema = source.schema
        counts = reading.recordCounts
        decisions = source.interpretation.sentences
        self.warnings = warnings
    }

    /// A mapping that changes nothing, to be edited.
    public var mapping: RecordMapping {
        var classes: [String: RecordMapping.ClassRule] = [:]
        for model in schema.models {
            let names = model.attributes.map(\.name) + schema.toManys(of: model).map(\.name)
            let fields = names.map { ($0, RecordMapping.FieldRule(name: $0)) }
            classes[model.name] = RecordMapping.ClassRule(
                model: model.name,
                fields: Dictionary(fields, uniquingKeysWith: { first, _ in first })
            )
        }
        return RecordMapping(target: .own, classes: classes)
    }
}

extension SourceInterpretation {
    /// What was decided on keys and lists, in sentences. Types stand in the schema.
    fileprivate var sentences: [String] {
        choices.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }.compactMap { subject, choice in
            let words = subject.split(separator: " ", maxSplits: 1).map(String.init)
            guard let kind = words.first, let first = choice.first else { return nil }
            let rows = words.count > 1 ? "The records of \(words[1])" : "The records"
            let names = choice.dropFirst().joined(separator: ", ")
            switch (kind, first) {
            case ("key", DatabaseChoice.rowNumber): return "\(rows) are told apart by the numbers of their rows."
            case ("key", TextChoice.number): return "\(rows) are told apart by their numbers in the file."
            case ("key", TextChoice.none): return "\(rows) have no key; what they hold, or where they stand, stands in."
            case ("key", TextChoice.playlist): return "The rows are the entries of a playlist, in their order."
            case ("key", _): return "\(rows) are told apart by \(names)."
            case ("list", DatabaseChoice.list):
                return "\(words.last ?? "") is a list: \(choice.dropFirst().prefix(2).joined(separator: " has "))"
                    + (choice.count > 3 ? ", in the order of \(choice[3])." : ".")
            case ("class", TextChoice.member): return "\(names) names the class of each line."
            default: return nil
            }
        }
    }
}
