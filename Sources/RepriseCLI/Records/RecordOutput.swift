import LegacyMigration
import Reprise

/// Shows entities one after the other in the form that was asked for.
struct RecordOutput {
    /// What an answer is written as.
    enum Form: Sendable {
        /// A table or blocks, for people.
        case text
        /// A line of JSON for each.
        case json
        /// A line of separated values for each, the names in the first.
        case csv
    }

    let form: Form
    let columns: RecordColumns
    /// How many were shown.
    private(set) var count = 0
    private let members: LineMembers
    private var layout: RecordLayout
    private var json = JSONWriter()
    private var csv = CSVWriter()

    init(
        _ form: Form,
        of model: ModelDescription,
        in schema: SchemaDescription,
        columns: RecordColumns,
        traits: TerminalTraits
    ) {
        self.form = form
        self.columns = columns
        members = LineMembers(of: model, in: schema)
        layout = RecordLayout(model: model, columns: columns, traits: traits)
    }

    mutating func add(_ record: Record, to output: inout OutputBuffer) throws(OutputError) {
        if count == 0 { try begin(&output) }
        count += 1
        switch form {
        case .text: try layout.add(record, to: &output)
        case .json:
            json.removeAll()
            json.entity(record, members, columns)
            json.endLine()
            try output.write(json.bytes)
        case .csv:
            for name in columns.names {
                if name == "id" {
                    csv.field(record.id)
                } else if columns.isList(name) {
                    csv.field(record.lists.first { $0.name == name }?.targets ?? [])
                } else {
                    csv.field(record[name])
                }
            }
            try endRow(&output)
        }
    }

    /// Shows what is still held back, and says what could not be shown as it is.
    mutating func finish(_ console: inout Console) throws(OutputError) {
        if count == 0 { try begin(&console.output) }
        try layout.finish(&console.output)
        if form == .json, columns.chosen == nil, count > 0, let warning = members.warning { console.note(warning) }
    }

    private mutating func begin(_ output: inout OutputBuffer) throws(OutputError) {
        guard form == .csv else { return }
        for name in columns.names { csv.field(name) }
        try endRow(&output)
    }

    private mutating func endRow(_ output: inout OutputBuffer) throws(OutputError) {
        csv.endRow()
        try output.write(csv.bytes)
        csv.removeAll()
    }
}
