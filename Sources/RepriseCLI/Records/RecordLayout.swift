import Reprise

/// Shows entities to people: a table where it fits the screen, otherwise a block of lines for each.
///
/// The first rows are held back to measure the columns; after them rows stream.
struct RecordLayout {
    /// The rows that decide the columns.
    static let sampleCount = 200
    /// The elements of a list that a cell names.
    private static let listedCountMax = 3

    private enum Form {
        case undecided
        case table(TextTable)
        case blocks
    }

    private let model: ModelDescription
    private let columns: RecordColumns
    private let traits: TerminalTraits
    private var form = Form.undecided
    private var names: [String] = []
    private var sample: [Record] = []
    private var isFirst = true

    init(model: ModelDescription, columns: RecordColumns, traits: TerminalTraits) {
        self.model = model
        self.columns = columns
        self.traits = traits
    }

    mutating func add(_ record: Record, to output: inout OutputBuffer) throws(OutputError) {
        switch form {
        case .undecided:
            sample.append(record)
            if sample.count == Self.sampleCount { try decide(&output) }
        case .table(let table): try output.line(table.line(cells(record)))
        case .blocks: try block(record, &output)
        }
    }

    /// Shows what is still held back.
    mutating func finish(_ output: inout OutputBuffer) throws(OutputError) {
        if case .undecided = form, !sample.isEmpty { try decide(&output) }
    }

    private mutating func decide(_ output: inout OutputBuffer) throws(OutputError) {
        let held = sample
        sample = []
        names = columns.chosen ?? used(held)
        let table = TextTable(headings(), sample: held.map(cells), in: traits)
        if table.fits {
            form = .table(table)
            try output.line(table.header)
        } else {
            form = .blocks
        }
        for record in held { try add(record, to: &output) }
    }

    /// A column in which nothing stands would only take room.
    private func used(_ records: [Record]) -> [String] {
        var used: Set<String> = ["id"]
        for record in records {
            used.formUnion(record.values.lazy.filter { !$0.value.isNull }.map(\.name))
            used.formUnion(record.lists.lazy.map(\.name))
        }
        return columns.names.filter(used.contains)
    }

    private func headings() -> [TextTable.Column] {
        names.map { name in
            TextTable.Column(
                heading: name,
                isNumeric: model.attribute(named: name)?.type.isNumeric ?? false
            )
        }
    }

    private func cells(_ record: Record) -> [String] {
        names.map { name in
            if name == "id" { return record.id }
            if let value = record.values.first(where: { $0.name == name })?.value {
                return value.cell
            }
            return Self.cell(record.lists.first { $0.name == name }?.targets ?? [])
        }
    }

    private static func cell(_ targets: [String]) -> String {
        let shown = targets.prefix(listedCountMax).joined(separator: ", ")
        let rest = targets.count - listedCountMax
        return rest > 0 ? "\(shown) and \(Quantity.count(rest)) more" : shown
    }

    private mutating func block(
        _ record: Record,
        _ output: inout OutputBuffer
    ) throws(OutputError) {
        if !isFirst { try output.line() }
        isFirst = false
        let facts = self.facts(record)
        let width = facts.map { DisplayWidth.of($0.name) }.max() ?? 0
        for fact in facts {
            let padding = String(repeating: " ", count: width - DisplayWidth.of(fact.name))
            let name = TextStyle.dim.applied(to: fact.name, in: traits)
            let value = DisplayWidth.visible(fact.value)
            let room = traits.width.map { max(1, $0 - width - 2) }
            let text = room.map { DisplayWidth.truncated(value, to: $0) } ?? value
            try output.line("\(name)\(padding)  \(text)")
        }
    }

    /// Everything that an entity has, or the columns that were chosen, a line for each; lists in full.
    func facts(_ record: Record) -> [(name: String, value: String)] {
        let values =
            record.values.filter { !$0.value.isNull }.map { ($0.name, $0.value.cell) }
            + record.lists.map { ($0.name, $0.targets.joined(separator: ", ")) }
        guard let chosen = columns.chosen else { return [(record.model, record.id)] + values }
        return chosen.compactMap { name in
            name == "id" ? (name, record.id) : values.first { $0.0 == name }
        }
    }
}
