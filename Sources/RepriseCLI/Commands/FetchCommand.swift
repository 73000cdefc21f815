import Reprise

/// `reprise fetch`: entities of one model, at the head or at a point in the past.
struct FetchCommand: Command {
    var store: StoreLocation
    var model: String
    /// One entity; excludes the rest of the query.
    var id: String?
    /// A where-expression.
    var filter: String?
    /// `key` or `key:desc`.
    var sort: [String] = []
    var limit: Int?
    var offset = 0
    var isCountOnly = false
    /// Show how the query is answered instead of its results.
    var isExplained = false
    /// Attributes; with them, or with aggregates, groups are shown and not entities.
    var groupKeys: [String] = []
    /// `count` or `figure(attribute)`.
    var aggregates: [String] = []
    /// The attributes and lists to show; nil for all.
    var columns: [String]?
    var point: Point = .head
    var isJSON = false
    var isCSV = false

    var form: RecordOutput.Form { isJSON ? .json : isCSV ? .csv : .text }

    var isQuestion: Bool { true }

    func run(in console: inout Console) throws -> Outcome {
        try store.open(for: .reading) { store in
            try point.check(in: store)
            return try store.read(asOf: point, underSchemaOfThen: true) { transaction in
                // The schema of the state that is read, which may be an older one.
                let model = try transaction.schema.model(typed: model)
                if let id {
                    try show(id, of: model, in: transaction, &console)
                } else if !groupKeys.isEmpty || !aggregates.isEmpty {
                    try showGroups(of: model, in: transaction, &console)
                } else if isExplained {
                    let query = try query(model, in: transaction.schema)
                    try show(try transaction.explain(query), &console)
                } else if isCountOnly {
                    let query = try query(model, in: transaction.schema)
                    try show(count: try transaction.count(query), &console)
                } else {
                    let query = try query(model, in: transaction.schema)
                    try show(query, of: model, in: transaction, &console)
                }
                return .done
            }
        }
    }

    private func show(
        _ id: String,
        of model: ModelDescription,
        in transaction: borrowing ReadTransaction,
        _ console: inout Console
    ) throws {
        let columns = try columns(of: model, in: transaction.schema)
        let record = try transaction.record(
            model: model.name,
            id: id,
            lists: !isCountOnly && columns.hasLists
        )
        if isCountOnly {
            try show(count: record == nil ? 0 : 1, &console)
            return
        }
        guard let record else { throw CommandFailure.missing(.init(model: model.name, id: id)) }
        if form == .text {
            let layout = RecordLayout(model: model, columns: columns, traits: console.outputTraits)
            try console.facts(layout.facts(record))
        } else {
            var rows = output(of: model, columns, in: transaction.schema, console)
            try rows.add(record, to: &console.output)
            try rows.finish(&console)
        }
    }

    private func show(count: Int, _ console: inout Console) throws {
        if isJSON {
            try console.json { $0.member("count", count) }
        } else {
            try console.output.line(String(count))
        }
    }

    private func show(
        _ query: RecordQuery,
        of model: ModelDescription,
        in transaction: borrowing ReadTransaction,
        _ console: inout Console
    ) throws {
        let columns = try columns(of: model, in: transaction.schema)
        var rows = output(of: model, columns, in: transaction.schema, console)
        try transaction.forEachRecord(query, lists: columns.hasLists) { record in
            if console.interruption.isRequested() { throw CommandFailure.interrupted }
            try rows.add(record, to: &console.output)
            return true
        }
        try rows.finish(&console)
        guard rows.count == 0, !isJSON else { return }
        console.noteNothing(
            transaction.position == .origin
                ? "The store was empty then." : "No \(model.name) fits."
        )
    }

    private func columns(
        of model: ModelDescription,
        in schema: SchemaDescription
    ) throws(CommandFailure) -> RecordColumns {
        try RecordColumns(typed: columns, of: model, in: schema)
    }

    private func output(
        of model: ModelDescription,
        _ columns: RecordColumns,
        in schema: SchemaDescription,
        _ console: Console
    ) -> RecordOutput {
        RecordOutput(form, of: model, in: schema, columns: columns, traits: console.outputTraits)
    }
}

/// What the options ask for.
extension FetchCommand {
    func query(
        _ model: ModelDescription,
        in schema: SchemaDescription
    ) throws(CommandFailure) -> RecordQuery {
        let vocabulary = WhereVocabulary(schema: schema, model: model)
        var query = RecordQuery(model: model.name)
        query.limit = limit
        query.offset = offset
        if let filter { query.filter = try Self.expression(filter, vocabulary) }
        for key in sort { query.sort.append(try Self.sortKey(key, vocabulary)) }
        return query
    }

    static func expression(
        _ text: String,
        _ vocabulary: WhereVocabulary
    ) throws(CommandFailure) -> FilterExpression {
        do throws(TextMistake) {
            return try WhereParser.parse(text, vocabulary: vocabulary)
        } catch {
            throw CommandFailure(
                .usage,
                error.sentence(in: text, called: "--where"),
                advice: "`reprise fetch --help` shows how expressions are written.",
                detail: error.excerpt(of: text)
            )
        }
    }

    private static func sortKey(
        _ text: String,
        _ vocabulary: WhereVocabulary
    ) throws(CommandFailure) -> SortKey {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        let isDescending = parts.count == 2 && parts[1] == "desc"
        guard isDescending || parts.count == 1 || (parts.count == 2 && parts[1] == "asc") else {
            throw CommandFailure(
                .usage,
                "The order in --sort `\(DisplayWidth.visible(text))` is neither asc nor desc.",
                advice: "Write the key alone for ascending, or key:desc."
            )
        }
        let path = try AggregateText.path(String(parts[0]), "--sort", vocabulary)
        return SortKey(path, descending: isDescending)
    }
}
