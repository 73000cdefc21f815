import ExportFormats
import Reprise

/// Which required attributes have rows for which SQLite has no value: numbers that are none, and dates that no text
/// tells.
struct SQLiteExportSurvey {
    /// By model, in the order of the schema: the slots of the attributes.
    private var gaps: [Set<Int>]

    /// Reads every row once.
    ///
    /// - Parameter beat: called now and then; what it throws ends the reading.
    /// - Complexity: O(rows).
    init<State: StateReading & ~Copyable>(
        _ state: borrowing State,
        _ beat: () throws -> Void
    ) throws {
        let schema = state.schema
        gaps = schema.models.map { _ in [] }
        for (place, model) in schema.models.enumerated() {
            var open = model.attributes.filter { !$0.isOptional }
            guard !open.isEmpty else { continue }
            var found: Set<Int> = []
            var rowCount: UInt64 = 0
            try state.forEachRecord(RecordQuery(model: model.name), lists: false) { record in
                for attribute in open where !Self.canSay(record[attribute.name]) {
                    found.insert(attribute.slot)
                    open.removeAll { $0.slot == attribute.slot }
                }
                rowCount += 1
                if rowCount % ExportLedger.rowsPerProgress == 0 { try beat() }
                return !open.isEmpty
            }
            gaps[place] = found
        }
    }

    /// A survey that found nothing missing.
    init(of schema: SchemaDescription) {
        gaps = schema.models.map { _ in [] }
    }

    /// Whether every row of a model has a value of an attribute.
    func isComplete(_ attribute: AttributeDescription, ofModelAt place: Int) -> Bool {
        !attribute.isOptional && !gaps[place].contains(attribute.slot)
    }

    private static func canSay(_ value: Value) -> Bool {
        switch value {
        case .null: false
        case .double(let number): !number.isNaN
        case .float(let number): !number.isNaN
        case .date(let date): ExportText.date(date, .threeOrMore) != nil
        default: true
        }
    }
}
