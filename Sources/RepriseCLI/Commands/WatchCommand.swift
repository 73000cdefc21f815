import LegacyMigration
import Reprise

/// `reprise watch`: the results of a query now, and again after each commit of any process that changes them (CLI-17).
///
/// Ctrl-C is how it ends, and no failure.
struct WatchCommand: Command {
    /// What is asked, and how it is shown.
    var fetch: FetchCommand

    func run(in console: inout Console) throws -> Outcome {
        try fetch.store.open(for: .reading) { store in
            let schema = try store.schema
            let model = try schema.model(typed: fetch.model)
            let columns = try RecordColumns(typed: fetch.columns, of: model, in: schema)
            let query = try fetch.query(model, in: schema)
            let changes = LiveChanges(store.observe(query, lists: columns.hasLists))
            defer { changes.stop() }
            let members = LineMembers(of: model, in: schema)
            var shown: [Record]?
            while let update = try changes.next(unless: console.interruption) {
                if fetch.isJSON {
                    try Self.write(update, after: shown ?? [], members, columns, &console)
                } else {
                    if shown != nil { try console.output.line() }
                    try Self.showHead(update, model.name, &console)
                    var rows = RecordOutput(
                        .text,
                        of: model,
                        in: schema,
                        columns: columns,
                        traits: console.outputTraits
                    )
                    for record in update.results { try rows.add(record, to: &console.output) }
                    try rows.finish(&console)
                }
                // A reader sees each change at once.
                try console.output.flush()
                shown = update.results
            }
            return .done
        }
    }

    private static func showHead(
        _ update: LiveUpdate<Record>,
        _ model: String,
        _ console: inout Console
    ) throws(OutputError) {
        let text = "at position \(update.position): \(Quantity.records(update.results.count, model))"
        try console.output.line(TextStyle.bold.applied(to: text, in: console.outputTraits))
    }

    /// A line for each entity that left, came, changed or only moved. At first all have come.
    private static func write(
        _ update: LiveUpdate<Record>,
        after old: [Record],
        _ members: LineMembers,
        _ columns: RecordColumns,
        _ console: inout Console
    ) throws(OutputError) {
        let difference = update.difference
        let changed = Set(difference.updated.map(\.to))
        let moved = difference.moved.map(\.to).filter { !changed.contains($0) }
        for place in difference.removed where place < old.count {
            try line("removed", old[place], update, &console) { writer, record in
                writer.object { $0.members(EntityReference(model: record.model, id: record.id)) }
            }
        }
        let present = [("inserted", difference.inserted), ("updated", changed.sorted()), ("moved", moved)]
        for (change, places) in present {
            for place in places {
                try line(change, update.results[place], update, &console) { writer, record in
                    writer.entity(record, members, columns)
                }
            }
        }
    }

    private static func line(
        _ change: String,
        _ record: Record,
        _ update: LiveUpdate<Record>,
        _ console: inout Console,
        _ entity: (inout JSONWriter, Record) -> Void
    ) throws(OutputError) {
        try console.json { writer in
            writer.member("position", update.position.rawValue)
            writer.member("change", change)
            writer.key("entity")
            entity(&writer, record)
        }
    }
}
