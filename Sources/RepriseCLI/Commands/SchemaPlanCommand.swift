import Reprise

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// `reprise schema plan`: what opening a store with a declaration would do. Nothing is done.
struct SchemaPlanCommand: Command {
    var store: StoreLocation
    /// The path of a JSON file as `reprise schema show --json` prints it, or of a store.
    var declaration: String
    var isJSON = false

    var isQuestion: Bool { true }

    func run(in console: inout Console) throws -> Outcome {
        let plan = try store.plan(try declaredSchema())
        if isJSON {
            try console.json { writer in
                writer.member("refused", plan.isRefused)
                writer.member("older", plan.isOlder)
                writer.steps(plan, withRows: true)
            }
        } else {
            try console.output.line(Self.headline(plan))
            // Of a refused declaration no step is done.
            if plan.isRefused { try console.refusals(plan) } else { try console.steps(plan) }
        }
        return plan.isRefused ? .no : .done
    }

    private static func headline(_ plan: SchemaPlan) -> String {
        switch (plan.isRefused, plan.isOlder) {
        case (true, true): "The declaration is older than the store and too old for it. Opening is refused:"
        case (true, false): "Opening is refused and changes nothing:"
        case (false, true): "The declaration is older than the store. Opening leaves the store as it is."
        case (false, false):
            plan.steps.isEmpty
                ? "The store has this schema. Opening changes nothing."
                : "Opening changes the schema in one commit:"
        }
    }

    // MARK: The declaration

    private func declaredSchema() throws -> Schema {
        // A directory has no contents: it is a store.
        guard let data = FileManager.default.contents(atPath: declaration) else {
            let schema = try StoreLocation(path: declaration).open(for: .reading) { try $0.schema }
            return try checked { try Schema(schema) }
        }
        guard let text = String(validating: data, as: UTF8.self) else {
            throw failure("It is not UTF-8.")
        }
        let value: JSONValue
        do throws(TextMistake) {
            value = try JSONValue(parsing: text)
        } catch {
            throw failure(error.sentence(in: text, called: "The text"), detail: error.excerpt(of: text))
        }
        return try checked { try SchemaReading.schema(value) }
    }

    private func checked(_ body: () throws -> Schema) throws -> Schema {
        do {
            return try body()
        } catch let mistake as JSONMistake {
            throw failure(mistake.message)
        } catch let error as SchemaError {
            throw failure("\(error)")
        }
    }

    private func failure(_ reason: String, detail: String? = nil) -> CommandFailure {
        CommandFailure(
            .badData,
            "The declaration \"\(DisplayWidth.visible(declaration))\" cannot be used. \(DisplayWidth.visible(reason))",
            advice: "`reprise schema show --json` prints one as it should be.",
            detail: detail
        )
    }
}

extension StoreLocation {
    /// What opening the store with a schema would do.
    fileprivate func plan(_ schema: Schema) throws -> SchemaPlan {
        try telling(.reading) {
            try Store.plan(
                schema,
                at: path,
                configuration: Store.Configuration(
                    actor: Self.actor,
                    checkedAtOpeningByteCountMax: Self.checkedAtOpeningByteCountMax
                )
            )
        }
    }
}
