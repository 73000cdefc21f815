import Reprise

/// `reprise put`: inserts an entity, or changes the attributes that are named.
struct PutCommand: Command {
    var store: StoreLocation
    var model: String
    var id: String
    /// `key=value`, `key=` or `key:=JSON`.
    var assignments: [String]
    var isJSON = false

    func run(in console: inout Console) throws -> Outcome {
        let outcome = try store.open(for: .writing) { store in
            let schema = try store.schema
            let model = try schema.model(typed: model)
            let values = try values(for: model, schema.lists(of: model))
            return try store.write(CommitContext(intent: "put")) { transaction in
                try transaction.put(EntityReference(model: model.name, id: id), values: values)
            }
        }
        if isJSON {
            try console.json { writer in
                writer.members(EntityReference(model: model, id: id))
                writer.member("outcome", outcome.word)
            }
        } else {
            try console.output.line("\(model) \"\(DisplayWidth.visible(id))\" \(outcome.word)")
        }
        return .done
    }

    private func values(
        for model: ModelDescription,
        _ lists: [String]
    ) throws(CommandFailure) -> [String: Value] {
        var values: [String: Value] = [:]
        for argument in assignments {
            let assignment = try Assignment(argument, model: model, lists: lists)
            guard values.updateValue(assignment.value, forKey: assignment.name) == nil else {
                throw CommandFailure(
                    .usage,
                    "\(assignment.name) is assigned twice.",
                    advice: "Assign each attribute once."
                )
            }
        }
        return values
    }
}

extension WriteTransaction.PutOutcome {
    fileprivate var word: String {
        switch self {
        case .inserted: "inserted"
        case .updated: "updated"
        case .unchanged: "unchanged"
        }
    }
}
