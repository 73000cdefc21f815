import Reprise

/// A list of one entity that a command line names, in the schema of its store.
struct TypedList: Sendable {
    let owner: EntityReference
    let name: String

    /// - Throws: `CommandFailure` (`usage`) where the model has no such list.
    init(
        _ name: String,
        of owner: EntityReference,
        in schema: SchemaDescription
    ) throws(CommandFailure) {
        let model = try schema.model(typed: owner.model)
        let lists = schema.lists(of: model)
        self.owner = owner
        self.name = name
        if lists.contains(name) { return }
        let text = DisplayWidth.visible(name)
        if model.attribute(named: name) != nil {
            throw CommandFailure(
                .usage,
                "\(model.name).\(text) is an attribute and no list.",
                advice: "Set it with `reprise put`."
            )
        }
        if schema.listTarget(named: name, model) != nil {
            throw CommandFailure(
                .usage,
                "\(model.name).\(text) is derived from the lists on the other side.",
                advice: "Change the list of the owner."
            )
        }
        let nearest = Spelling.nearest(to: name, in: lists).map { "Did you mean \($0)? " } ?? ""
        throw CommandFailure(
            .usage,
            "\(model.name) has no list `\(text)`.",
            advice: nearest + (lists.isEmpty ? "It has none." : "It has \(Wording.list(lists, "and")).")
        )
    }

    /// The entry that a person means: by its own name, as `so-what#17`, or by the target that it leads to, where the
    /// list has that only once (CLI-13).
    ///
    /// - Throws: `CommandFailure`: `no` where there is none, `usage` with all of them where there are several.
    func entry(
        typed text: String,
        in transaction: borrowing WriteTransaction
    ) throws -> EntryID {
        let entries = try transaction.entries(of: name, model: owner.model, id: owner.id)
        if let entry = entries.first(where: { $0.description.utf8.elementsEqual(text.utf8) }) { return entry }
        let found = entries.enumerated().filter { $0.element.target.utf8.elementsEqual(text.utf8) }
        if found.count == 1 { return found[0].element }
        let shown = DisplayWidth.visible(text)
        guard found.isEmpty else {
            let names = found.map { "\($0.element) at \($0.offset + 1)" }
            throw CommandFailure(
                .usage,
                "\(name) of \(DisplayWidth.visible(owner.description)) holds \"\(shown)\" "
                    + "\(Quantity.count(found.count)) times.",
                advice: "Name one of its entries: \(Wording.list(names, "or", limit: 10))."
            )
        }
        throw CommandFailure(
            .no,
            "\(name) of \(DisplayWidth.visible(owner.description)) has no entry \"\(shown)\".",
            advice: "`reprise fetch` with --id shows what it holds."
        )
    }
}

extension Console {
    /// Says what became of a list: a line for each entry, or one object for all.
    ///
    /// - Parameter outcome: `linked`, `unlinked` or `moved`.
    mutating func listChange(
        _ outcome: String,
        _ list: TypedList,
        _ entries: [EntryID],
        isJSON: Bool
    ) throws(OutputError) {
        if isJSON {
            return try json { writer in
                writer.members(list.owner)
                writer.member("list", list.name)
                writer.member("outcome", outcome)
                writer.key("entries")
                writer.objects(entries) { entry, writer in
                    writer.member("entry", entry.description)
                    writer.member("target", entry.target)
                }
            }
        }
        for entry in entries {
            let owner = DisplayWidth.visible(list.owner.description)
            try output.line("\(list.name) of \(owner): \(outcome) \(DisplayWidth.visible(entry.description))")
        }
    }
}
