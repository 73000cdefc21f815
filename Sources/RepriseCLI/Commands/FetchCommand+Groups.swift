import Reprise

/// `--group-by` and `--aggregate`.
extension FetchCommand {
    func showGroups(
        of model: ModelDescription,
        in transaction: borrowing ReadTransaction,
        _ console: inout Console
    ) throws {
        let vocabulary = WhereVocabulary(schema: transaction.schema, model: model)
        let keys = try groupKeys.map { try AggregateText.path($0, "--group-by", vocabulary) }
        let figures = try (aggregates.isEmpty ? ["count"] : aggregates).map {
            try AggregateText($0, vocabulary)
        }
        let rows = RecordQuery(
            model: model.name,
            filter: try filter.map { try Self.expression($0, vocabulary) }
        )
        let names = groupKeys + figures.map(\.name)
        let query = AggregateQuery(
            rows,
            by: keys,
            figures.map(\.aggregate),
            order: try sort.map { try Self.groupOrder($0, groupKeys, figures.map(\.name)) },
            limit: limit.map { offset.addingReportingOverflow($0) }.map {
                $0.overflow ? .max : $0.partialValue
            }
        )
        let groups = try transaction.groups(query).dropFirst(offset)
        if isJSON {
            var writer = JSONWriter()
            for group in groups {
                writer.removeAll()
                writer.object { writer in
                    for (name, value) in zip(names, group.keys + group.values)
                    where !value.isNull { writer.member(name, value) }
                }
                writer.endLine()
                try console.output.write(writer.bytes)
            }
            return
        }
        if isCSV {
            var writer = CSVWriter()
            for name in names { writer.field(name) }
            writer.endRow()
            for group in groups {
                for value in group.keys + group.values { writer.field(value) }
                writer.endRow()
            }
            return try console.output.write(writer.bytes)
        }
        let rowsOfCells = groups.map { ($0.keys + $0.values).map(\.cell) }
        let columns = zip(
            names,
            keys.map { try? vocabulary.type(of: $0.components) } + figures.map { _ in .int }
        )
        .map { name, type in
            TextTable.Column(heading: name, isNumeric: type?.isNumeric ?? false)
        }
        let table = TextTable(columns, sample: rowsOfCells, in: console.outputTraits)
        try console.output.line(table.header)
        for cells in rowsOfCells { try console.output.line(table.line(cells)) }
    }

    /// Reads `genre`, `count:desc` or `sum(duration):desc`.
    private static func groupOrder(
        _ text: String,
        _ keys: [String],
        _ figures: [String]
    ) throws(CommandFailure) -> GroupSortKey {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        let order = parts.count == 2 ? String(parts[1]) : "asc"
        let name = String(parts[0])
        guard parts.count <= 2, ["asc", "desc"].contains(order) else {
            throw CommandFailure(
                .usage,
                "The order in --sort `\(DisplayWidth.visible(text))` is neither asc nor desc.",
                advice: "Write the key alone for ascending, or key:desc."
            )
        }
        if let index = keys.firstIndex(of: name) {
            return GroupSortKey(.key(index), descending: order == "desc")
        }
        if let index = figures.firstIndex(of: name) {
            return GroupSortKey(.aggregate(index), descending: order == "desc")
        }
        throw CommandFailure(
            .usage,
            "Groups cannot be sorted by `\(DisplayWidth.visible(name))`.",
            advice: "Sort them by \((keys + figures).joined(separator: " or "))."
        )
    }

    func show(_ explanation: QueryExplanation, _ console: inout Console) throws {
        if isJSON {
            for step in explanation.steps {
                try console.json { writer in
                    writer.member("step", step.name)
                    writer.member("what", step.detail)
                    if let estimated = step.estimated { writer.member("estimated", estimated) }
                    if let actual = step.actual { writer.member("actual", actual) }
                }
            }
            return
        }
        let columns = [
            TextTable.Column(heading: "step"), TextTable.Column(heading: "what"),
            TextTable.Column(heading: "estimated", isNumeric: true),
            TextTable.Column(heading: "actual", isNumeric: true),
        ]
        let rows = explanation.steps.map { step in
            [
                step.name, step.detail, step.estimated.map(Quantity.count) ?? "",
                step.actual.map(Quantity.count) ?? "",
            ]
        }
        let table = TextTable(columns, sample: rows, in: console.outputTraits)
        try console.output.line(table.header)
        for row in rows { try console.output.line(table.line(row)) }
    }
}
