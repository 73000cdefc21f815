/// How a declared schema stands to those that a store has had (STO-05, STO-81, STO-85).
enum SchemaAgreement {
    /// The declaration says what is in force.
    case same
    /// The declaration says what was in force earlier, and what came since are additions: older code. With the schema
    /// of then.
    case older(SchemaDescription)
    /// The declaration says what was in force earlier, and since then something came that it cannot work with.
    case tooOld([String])
    /// The declaration leads on from what is in force, and the store can be changed to it.
    case changes(SchemaChange)
    /// The declaration differs in a way that it does not explain: a sentence for each difference.
    case isRefused([String])

    /// - Parameters:
    ///   - present: the schema in force.
    ///   - earlier: those before it, the newest first.
    init(
        of declared: Schema,
        with present: SchemaDescription,
        after earlier: [SchemaDescription]
    ) {
        guard declared.description.version >= present.floor else {
            self = .tooOld([OlderCode.tooLow(present)])
            return
        }
        let change = SchemaChange(from: present, earlier: earlier, to: declared)
        if change.isNothing, !present.hasRenames {
            self = .same
            return
        }
        let then = earlier.first { SchemaChange(from: $0, earlier: [], to: declared).isNothing }
        if change.isNothing {
            // Code from before an exchange of names says the same as code that no longer mentions it.
            let renamed = then.map { OlderCode($0, in: present).renamed } ?? []
            self = renamed.isEmpty || change.mapping.agrees(with: then, declared) ? .same : .tooOld(renamed)
            return
        }
        guard let then else {
            self = change.refusals.isEmpty ? .changes(change) : .isRefused(change.refusals)
            return
        }
        let code = OlderCode(then, in: present)
        if code.obstacles.isEmpty, code.lacking.isEmpty {
            self = .older(then)
        } else if code.obstacles.isEmpty, change.refusals.isEmpty {
            // Only indexes and rules differ, so each declaration gets those that it relies on.
            self = .changes(change)
        } else {
            self = .tooOld(code.obstacles + code.lacking)
        }
    }
}

extension SchemaDescription {
    /// Whether anything has had another name.
    fileprivate var hasRenames: Bool {
        models.contains { model in
            !model.earlierNames.isEmpty || model.attributes.contains { !$0.earlierNames.isEmpty }
        } || relations.contains { !$0.source.earlierNames.isEmpty || !$0.target.earlierNames.isEmpty }
    }
}

extension SchemaMapping {
    /// Whether the declaration means the same slots in an earlier schema.
    fileprivate func agrees(with then: SchemaDescription?, _ declared: Schema) -> Bool {
        guard let then else { return true }
        return SchemaChange(from: then, earlier: [], to: declared).mapping == self
    }
}
