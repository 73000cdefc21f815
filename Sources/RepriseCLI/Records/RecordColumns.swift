import Reprise

/// What of an entity is shown: its identifier, attributes and lists, by stored names (CLI-15).
struct RecordColumns: Equatable, Sendable {
    /// The columns that `--columns` names, in that order; nil without the option.
    let chosen: [String]?
    /// The chosen ones, or all that the model has: the identifier, the attributes, the lists.
    let names: [String]

    /// All of a model.
    init(of model: ModelDescription, in schema: SchemaDescription) {
        chosen = nil
        names = ["id"] + model.attributes.map(\.name) + schema.lists(of: model)
        listNames = Set(schema.lists(of: model))
    }

    /// - Parameter typed: the names that `--columns` gives; nil for all of the model.
    /// - Throws: `CommandFailure` with a suggestion for a name that the model does not have.
    init(
        typed: [String]?,
        of model: ModelDescription,
        in schema: SchemaDescription
    ) throws(CommandFailure) {
        let all = RecordColumns(of: model, in: schema)
        guard let typed else {
            self = all
            return
        }
        for name in typed where !all.names.contains(name) {
            let nearest = Spelling.nearest(to: name, in: all.names).map { "Did you mean \($0)? " } ?? ""
            throw CommandFailure(
                .usage,
                "--columns names `\(DisplayWidth.visible(name))`, which \(model.name) does not have.",
                advice: "\(nearest)It has \(Wording.list(all.names, "and"))."
            )
        }
        chosen = typed
        names = typed
        listNames = all.listNames.intersection(typed)
    }

    private let listNames: Set<String>

    /// Whether an entity has to be read with its lists.
    var hasLists: Bool { !listNames.isEmpty }
    /// Whether a column holds the targets of a list.
    func isList(_ name: String) -> Bool { listNames.contains(name) }
}

extension SchemaDescription {
    /// The lists of a model that can be changed, by their stored names.
    func lists(of model: ModelDescription) -> [String] {
        relations.compactMap { relation in
            switch relation.kind {
            case .pair: nil
            case .reference: relation.target.model == model.number ? relation.target.name : nil
            case .list: relation.source.model == model.number ? relation.source.name : nil
            }
        }
    }
}
