import Reprise

/// `reprise schema show`: the schema that was in force at a point.
struct SchemaShowCommand: Command {
    var store: StoreLocation
    var point: Point = .head
    var isJSON = false

    var isQuestion: Bool { true }

    func run(in console: inout Console) throws -> Outcome {
        let declaration = try store.open(for: .reading) { store in
            try point.check(in: store)
            return try store.schemaDeclaration(asOf: point)
        }
        if isJSON {
            try console.json { $0.declaration(declaration) }
        } else if declaration.number == 0 {
            try console.output.line("No schema was declared then.")
        } else {
            try console.output.line("schema \(declaration.number), declared at position \(declaration.position)")
            let layout = SchemaLayout(schema: declaration.schema, traits: console.outputTraits)
            try layout.show(in: &console.output)
        }
        return .done
    }
}
