/// How a declared schema stands to those that a store has had (STO-05, STO-81, STO-85).
enum SchemaAgreement {
    /// The declaration says what is in force.
    case same
    /// The declaration says what was in force earlier, and what came since are additions: older code.
    case older
    /// The declaration says what was in force earlier, and since then something came that it cannot work with.
    case tooOld([String])
    /// The declaration leads on from what is in force, and the store can be changed to it.
    case changes(SchemaChange)
    /// The declaration differs in a way that is not an addition: a sentence for each difference.
    case isRefused([String])

    /// - Parameters:
    ///   - present: the schema in force.
    ///   - earlier: those before it.
    init(
        of declared: SchemaDescription,
        with present: SchemaDescription,
        after earlier: [SchemaDescription]
    ) {
        let change = SchemaChange(from: present, earlier: earlier, to: declared)
        if change.steps.isEmpty, change.refusals.isEmpty {
            self = .same
            return
        }
        let wasInForce = earlier.contains { schema in
            let change = SchemaChange(from: schema, earlier: [], to: declared)
            return change.steps.isEmpty && change.refusals.isEmpty
        }
        guard wasInForce else {
            self = change.refusals.isEmpty ? .changes(change) : .isRefused(change.refusals)
            return
        }
        let obstacles = Self.obstacles(for: declared, in: present)
        let lacking = Self.lacking(declared, in: present)
        if obstacles.isEmpty, lacking.isEmpty {
            self = .older
        } else if obstacles.isEmpty, change.refusals.isEmpty {
            // Only indexes and rules differ, so each declaration gets those that it relies on.
            self = .changes(change)
        } else {
            self = .tooOld(obstacles + lacking)
        }
    }

    /// Why code with a declaration cannot work with a newer schema: what it declares must still be there, as it was,
    /// and what it does not know must not be required.
    static func obstacles(
        for declared: SchemaDescription,
        in present: SchemaDescription
    ) -> [String] {
        var reasons: [String] = []
        for model in declared.models {
            guard let now = present.model(named: model.name) else {
                reasons.append("\(model.name) is gone")
                continue
            }
            let there = Dictionary(now.attributes.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
            for attribute in model.attributes {
                guard let found = there[attribute.name], found.type == attribute.type else {
                    reasons.append("\(model.name).\(attribute.name) is gone or of another type")
                    continue
                }
                if found.isOptional != attribute.isOptional {
                    reasons.append(
                        "\(model.name).\(attribute.name) is \(found.isOptional ? "optional" : "required") now"
                    )
                }
            }
            let known = Set(model.attributes.map(\.name))
            for attribute in now.attributes where !attribute.isOptional && !known.contains(attribute.name) {
                reasons.append("\(model.name).\(attribute.name) is new and required")
            }
        }
        return reasons
    }

    /// Which indexes and rules of a declaration are not in force: code that relies on them would not be served. An
    /// index that only makes queries faster is none of them.
    static func lacking(
        _ declared: SchemaDescription,
        in present: SchemaDescription
    ) -> [String] {
        let change = SchemaChange(from: present, earlier: [], to: declared)
        return change.steps.compactMap { step in
            switch step {
            case .addsIndex(let model, let names, isUnique: true):
                "\(model).\(names.joined(separator: ", ")) is not unique any more"
            case .addsSearchIndex(let model, let names):
                Self.isSearched(names, of: model, in: present)
                    ? nil : "the search index of \(model) is another one"
            case .changesDeleteRule(let model, let name): "the delete rule of \(model).\(name) is another one"
            case .addsRelationship(let model, let name): "\(model).\(name) is gone"
            default: nil
            }
        }
    }

    /// Whether the search index of a model has all these attributes.
    private static func isSearched(
        _ names: [String],
        of model: String,
        in present: SchemaDescription
    ) -> Bool {
        guard let model = present.model(named: model), let search = model.search else { return false }
        let there = search.fields.compactMap { model.attribute(slot: $0.slot)?.name }
        return Set(names).isSubset(of: there)
    }
}
