import Reprise

/// `reprise schema history`: every declaration of the store with the steps that led to it, oldest first.
struct SchemaHistoryCommand: Command {
    var store: StoreLocation
    var isJSON = false

    var isQuestion: Bool { true }

    func run(in console: inout Console) throws -> Outcome {
        let declarations = try store.open(for: .reading) { store in
            try store.read { try $0.schemaDeclarations() }
        }
        let before = [.none] + declarations.dropLast()
        let changes = zip(before, declarations).map { before, declaration in
            Change(declaration: declaration, plan: SchemaPlan(from: before.schema, to: declaration.schema))
        }
        if isJSON {
            for change in changes { try console.json(change.write) }
        } else {
            try show(changes, &console)
        }
        return .done
    }

    private struct Change {
        let declaration: SchemaDeclaration
        /// What leads to it from the one before.
        let plan: SchemaPlan

        func write(to writer: inout JSONWriter) {
            writer.member("number", declaration.number)
            writer.member("position", declaration.position.rawValue)
            writer.member("at", declaration.at)
            writer.steps(plan)
        }

        var cells: [String] {
            let isFirst = declaration.number == 1
            let text =
                isFirst
                ? "declares \(Quantity.count(declaration.schema.models.count, "model"))"
                : plan.steps.map(\.description).joined(separator: "; ")
            return ["\(declaration.number)", "\(declaration.position)", Timestamp.text(declaration.at), text]
        }
    }

    private func show(_ changes: [Change], _ console: inout Console) throws(OutputError) {
        if changes.isEmpty { return console.noteNothing("No schema was declared yet.") }
        // Steps are cut off nowhere: a line that is too long for the screen goes on in the next.
        var traits = console.outputTraits
        traits.width = nil
        let table = TextTable(
            [
                .init(heading: "schema", isNumeric: true), .init(heading: "position", isNumeric: true),
                .init(heading: "declared"), .init(heading: "change"),
            ],
            sample: changes.map(\.cells),
            in: traits
        )
        try console.output.line(table.header)
        for change in changes {
            try console.output.line(table.line(change.cells))
            try console.refusals(change.plan)
        }
    }
}
