import Reprise

/// Shows a schema to people: for each model a table of its attributes and relationships, and a line for each index.
struct SchemaLayout {
    let schema: SchemaDescription
    let traits: TerminalTraits

    func show(in output: inout OutputBuffer) throws(OutputError) {
        for model in schema.models {
            try output.line()
            let name = TextStyle.bold.applied(to: model.name, in: traits)
            try output.line("\(name), version \(model.version)\(Self.earlier(model.earlierNames))")
            try table(model, &output)
            for index in model.indexes {
                let names = index.slots.map { model.name(slot: $0) }.joined(separator: ", ")
                try output.line("\(index.isUnique ? "unique index" : "index") of \(names)")
            }
            if let search = model.search {
                let fields = search.fields.map { "\(model.name(slot: $0.slot)) (weight \($0.weight))" }
                try output.line("search index of \(fields.joined(separator: ", "))")
            }
            try notes(model, &output)
        }
        if schema.retiredModels.isEmpty { return }
        try output.line()
        try output.line("removed models: \(schema.retiredModels.map(\.name).joined(separator: ", "))")
    }

    /// What changes of the schema have left behind.
    private func notes(_ model: ModelDescription, _ output: inout OutputBuffer) throws(OutputError) {
        for attribute in model.attributes {
            if !attribute.earlierNames.isEmpty {
                try output.line("\(attribute.name)\(Self.earlier(attribute.earlierNames))")
            }
            if !attribute.origins.isEmpty {
                let names = attribute.origins.map { model.recordedName(slot: $0) }.joined(separator: ", ")
                try output.line("\(attribute.name) was made of \(names) by the program")
            }
            if let value = attribute.defaultValue {
                try output.line("\(attribute.name) is \(value.cell) in rows that are older than it")
            }
        }
        let removed = schema.removedMembers(of: model.name)
        if !removed.isEmpty { try output.line("removed: \(removed.joined(separator: ", "))") }
    }

    private static func earlier(_ names: [String]) -> String {
        names.isEmpty ? "" : ", called \(names.joined(separator: ", ")) before"
    }

    private func table(_ model: ModelDescription, _ output: inout OutputBuffer) throws(OutputError) {
        let sides = sides(of: model)
        var rows: [[String]] = []
        for attribute in model.attributes {
            let side = sides.first { $0.name == attribute.name }
            let type = side?.target ?? attribute.type.detail
            rows.append([attribute.name, type + (attribute.isOptional ? "?" : "")] + Self.cells(side))
        }
        for side in sides where side.isList { rows.append([side.name, "[\(side.target)]"] + Self.cells(side)) }
        if rows.isEmpty { return try output.line("no attributes") }
        var headings = ["attribute", "type"]
        if sides.isEmpty { rows = rows.map { Array($0.prefix(2)) } } else { headings += ["inverse", "on delete"] }
        let table = TextTable(headings.map { TextTable.Column(heading: $0) }, sample: rows, in: traits)
        try output.line(table.header)
        for row in rows { try output.line(table.line(row)) }
    }

    private static func cells(_ side: Side?) -> [String] {
        guard let side else { return ["", ""] }
        return [side.inverse ?? "", side.onDelete.word]
    }

    /// A relationship as one of its models sees it.
    private struct Side {
        let name: String
        let target: String
        let inverse: String?
        let onDelete: DeleteRule
        let isList: Bool
    }

    private func sides(of model: ModelDescription) -> [Side] {
        var sides: [Side] = []
        for relation in schema.relations {
            let (source, target) = (relation.source, relation.target)
            let isList: (source: Bool, target: Bool) =
                switch relation.kind {
                case .reference: (false, true)
                case .pair: (false, false)
                case .list: (true, true)
                }
            for (end, other, isList) in [(source, target, isList.source), (target, source, isList.target)] {
                guard end.model == model.number, let name = end.name else { continue }
                sides.append(
                    Side(
                        name: name,
                        target: schema.model(other.model)?.name ?? "",
                        inverse: other.name,
                        onDelete: end.onDelete,
                        isList: isList
                    )
                )
            }
        }
        return sides
    }
}
