import Reprise

extension JSONWriter {
    /// The members of what leads from one schema to another.
    mutating func steps(_ plan: SchemaPlan, withRows: Bool = false) {
        key("steps")
        objects(plan.steps) { step, writer in
            writer.member("kind", step.kind)
            writer.member("model", step.model)
            writer.key("names")
            writer.array { writer in
                for name in step.names { writer.value(name) }
            }
            if withRows {
                writer.member("rows", step.rowCount)
                writer.member("buildsIndex", step.buildsIndex)
            }
            writer.member("text", step.description)
        }
        key("refusals")
        array { writer in
            for refusal in plan.refusals { writer.value(refusal) }
        }
    }
}

extension Console {
    /// Writes a line for each step and each refusal, indented.
    mutating func steps(_ plan: SchemaPlan) throws(OutputError) {
        for step in plan.steps {
            let rows = step.rowCount > 0 ? " (reads \(Quantity.count(step.rowCount, "row")))" : ""
            try output.line(DisplayWidth.visible("  \(step.description)\(rows)"))
        }
        try refusals(plan)
    }

    mutating func refusals(_ plan: SchemaPlan) throws(OutputError) {
        for refusal in plan.refusals { try output.line(DisplayWidth.visible("  \(refusal)")) }
    }
}
