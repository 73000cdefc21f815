import Reprise

/// `reprise search`: the entities in whose searchable attributes words occur, the best first.
struct SearchCommand: Command {
    var store: StoreLocation
    var model: String
    /// Words, as a person types them.
    var text: String
    /// A where-expression.
    var filter: String?
    var limit: Int?
    /// The attributes and lists to show; nil for all.
    var columns: [String]?
    var point: Point = .head
    var isJSON = false

    var isQuestion: Bool { true }

    func run(in console: inout Console) throws -> Outcome {
        try store.open(for: .reading) { store in
            try point.check(in: store)
            return try store.read(asOf: point, underSchemaOfThen: true) { transaction in
                let model = try transaction.schema.model(typed: model)
                guard model.search != nil else { throw Self.unsearchable(model) }
                try show(model, in: transaction, &console)
                return .done
            }
        }
    }

    private func show(
        _ model: ModelDescription,
        in transaction: borrowing ReadTransaction,
        _ console: inout Console
    ) throws {
        let schema = transaction.schema
        let columns = try RecordColumns(typed: columns, of: model, in: schema)
        let vocabulary = WhereVocabulary(schema: schema, model: model)
        let search = RecordSearch(
            model: model.name,
            text: text,
            filter: try filter.map { try FetchCommand.expression($0, vocabulary) },
            limit: limit
        )
        var rows = RecordOutput(
            isJSON ? .json : .text,
            of: model,
            in: schema,
            columns: columns,
            traits: console.outputTraits
        )
        for hit in try transaction.records(search, lists: columns.hasLists) {
            if console.interruption.isRequested() { throw CommandFailure.interrupted }
            try rows.add(hit.record, to: &console.output)
        }
        try rows.finish(&console)
        if rows.count == 0, !isJSON { console.noteNothing("No \(model.name) has these words.") }
    }

    private static func unsearchable(_ model: ModelDescription) -> CommandFailure {
        CommandFailure(
            .usage,
            "The store has no search index of \(model.name).",
            advice: "Open it with a declaration that has `.searchable(…)`, or use `fetch --where` with contains[cd]."
        )
    }
}
