import Reprise

/// `reprise schema diff`: the steps between the schemas in force at two points.
struct SchemaDiffCommand: Command {
    var store: StoreLocation
    var from: Point
    var to: Point = .head
    var isJSON = false

    var isQuestion: Bool { true }

    func run(in console: inout Console) throws -> Outcome {
        let (old, new) = try store.open(for: .reading) { store in
            for point in [from, to] { try point.check(in: store) }
            return (try store.schemaDeclaration(asOf: from), try store.schemaDeclaration(asOf: to))
        }
        let plan = SchemaPlan(from: old.schema, to: new.schema)
        if isJSON {
            try console.json { writer in
                for (key, declaration) in [("from", old), ("to", new)] {
                    writer.key(key)
                    writer.object { writer in
                        writer.member("number", declaration.number)
                        writer.member("position", declaration.position.rawValue)
                    }
                }
                writer.steps(plan)
            }
        } else if old.number == new.number {
            try console.output.line("\(Self.name(new)) is in force at both points.")
        } else if plan.steps.isEmpty, !plan.isRefused {
            try console.output.line("\(Self.name(old)) and \(Self.name(new)) do not differ.")
        } else {
            try console.output.line("From \(Self.name(old)) to \(Self.name(new)):")
            try console.steps(plan)
        }
        return .done
    }

    private static func name(_ declaration: SchemaDeclaration) -> String {
        declaration.number == 0 ? "no schema" : "schema \(declaration.number)"
    }
}
