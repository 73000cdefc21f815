import Reprise

/// Random questions, and plans that are only made.
extension Workload {
    func queryStep(_ generator: inout SeededGenerator) throws {
        let state = auditor.state
        try store.read { transaction in
            for _ in 0..<3 {
                let query = QueryMaker.query(auditor.schema, state, &generator)
                trail.append(.note("fetch \(query)"))
                tick("query")
                try compareAnswers(query, transaction, state)
            }
        }
    }

    /// By names and by types, and the count with and without limits.
    func compareAnswers<R: StateReading & ~Copyable>(
        _ query: AuditQuery,
        _ reader: borrowing R,
        _ state: AuditState
    ) throws {
        // One that names what a function has made since is refused (STO-91).
        if isBeforeConversion, release.conversions[query.model] != nil { return }
        let answer = state.answer(query, auditor.schema)
        var records = try reader.records(query.recordQuery)
        if records.count > 1 && saboteur.strikes(.lostRow, at: operationCount) {
            records.removeLast()
        }
        if records.count > 1 && saboteur.strikes(.misorderedRows, at: operationCount) {
            records.swapAt(0, 1)
        }
        try expectEqual(records.map { Text($0.id) }, answer, "the answer to \(query)")
        try expectEqual(try reader.count(query.recordQuery), answer.count, "the count of \(query)")
        try compareTypedAnswer(try model(Entity(query.model, "")), query, reader, answer)
        for record in records.prefix(2) {
            let values = [String: Datum](record.values.map { ($0.name, Datum($0.value)) }) { $1 }
            try expectEqual(
                values,
                state[Entity(query.model, Text(record.id))]?.values,
                "the values of \(record.id) in the answer to \(query)"
            )
        }
    }

    private func compareTypedAnswer<M: AuditedModel, R: StateReading & ~Copyable>(
        _ model: M.Type,
        _ query: AuditQuery,
        _ reader: borrowing R,
        _ answer: [Text]
    ) throws {
        let descriptor = query.descriptor(model)
        let found = try reader.fetch(descriptor)
        try expectEqual(found.map { Text($0.id.rawValue) }, answer, "the typed answer to \(query)")
        try expectEqual(try reader.count(descriptor), answer.count, "the typed count of \(query)")
    }

    /// Plans deletions without doing them.
    func planStep(_ generator: inout SeededGenerator) throws {
        try store.read { transaction in
            for _ in 0..<3 {
                let model = generator.pick(auditor.schema.models).name
                guard let id = generator.pickIfAny(auditor.state.ids(model)) else { continue }
                let entity = Entity(model, id)
                trail.append(.note("plan to delete \(entity)"))
                tick("plan")
                let plan = try transaction.plan(delete: EntityReference(entity))
                let predicted = auditor.plan(delete: entity)
                try expectEqual(plan.isDenied, !predicted.denials.isEmpty, "whether it is denied")
                try compare(AuditPlan(plan), predicted, "the plan to delete \(entity)")
            }
        }
    }
}
