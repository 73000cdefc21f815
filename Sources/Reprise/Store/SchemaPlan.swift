/// What opening a store with a declaration would do to its schema (STO-87).
///
/// ```swift
/// let plan = try Store.plan(Schema(Note.self, Folder.self), at: "Notes.reprise")
/// for step in plan.steps { print(step) }
/// for refusal in plan.refusals { print(refusal) }
/// ```
public struct SchemaPlan: Sendable, Hashable {
    /// What the declaration changes, in the order in which it is done; empty where the declaration agrees with the
    /// store, or is older. Where ``refusals`` has a sentence, none of it is done.
    public let steps: [Step]
    /// Why opening would be refused, a sentence each; empty where it would not.
    public let refusals: [String]
    /// Whether the declaration is one that the store had earlier: that of older code. Without ``refusals`` the store
    /// is opened as it is (STO-85); with them the code is too old for it, and opening throws `newerSchema`.
    public let isOlder: Bool

    /// Whether opening would throw, and change nothing.
    public var isRefused: Bool { !refusals.isEmpty }

    /// One thing that a change of the schema does.
    public struct Step: Sendable, Hashable, CustomStringConvertible {
        /// The kind of step in one word, such as `addsAttribute`, for programs to compare. A kind is never renamed.
        public let kind: String
        /// The stored name of the model; empty for a step that is about none.
        public let model: String
        /// The stored names of the attributes, or of the relationship, that the step is about; empty where it is about
        /// the model as a whole. Those of an index are in order of significance; a rename or a conversion has the old
        /// names and the new one.
        public let names: [String]
        /// How many rows the step has to read: all rows of the model, for an index that is built, for an attribute that
        /// becomes required and for one that a function makes; 0 for every other step.
        public let rowCount: Int
        /// Whether the step builds an index, of words or of values.
        public let buildsIndex: Bool
        /// What the step does, as the rest of a sentence: `adds note.color`.
        public let description: String
    }
}

extension SchemaPlan {
    /// What leads from one schema to another, whatever rows there are.
    package init(from old: SchemaDescription, to new: SchemaDescription) {
        self.init(SchemaChange(from: old, to: new), rowCounts: [:])
    }

    private init(_ change: SchemaChange, rowCounts: [String: Int]) {
        self.init(
            steps: change.steps.map { Step($0, rowCounts: rowCounts) },
            refusals: change.refusals,
            isOlder: false
        )
    }

    /// - Parameter rowCounts: how many rows each model of the store has.
    init(
        of declared: Schema,
        after history: SchemaHistory,
        rowCounts: [String: Int]
    ) {
        switch SchemaAgreement(of: declared, with: history.present, after: history.earlier) {
        case .same: self.init(steps: [], refusals: [], isOlder: false)
        case .older: self.init(steps: [], refusals: [], isOlder: true)
        case .tooOld(let reasons):
            let sentences = reasons.map { "A newer version of the program has changed the schema: \($0)." }
            self.init(steps: [], refusals: sentences, isOlder: true)
        case .changes(let change): self.init(change, rowCounts: rowCounts)
        case .isRefused:
            let change = SchemaChange(from: history.present, earlier: history.earlier, to: declared)
            self.init(change, rowCounts: rowCounts)
        }
    }
}

extension SchemaPlan.Step {
    /// How a step is told from others; the only place that looks at each kind of step.
    private struct Facts {
        let kind: String
        let model: String
        var names: [String] = []
        var readsRows = false
        var buildsIndex = false
    }

    init(_ step: SchemaStep, rowCounts: [String: Int]) {
        let facts = Self.facts(step)
        self.init(
            kind: facts.kind,
            model: facts.model,
            names: facts.names,
            rowCount: facts.readsRows ? rowCounts[facts.model] ?? 0 : 0,
            buildsIndex: facts.buildsIndex,
            description: step.description
        )
    }

    private static func facts(_ step: SchemaStep) -> Facts {
        switch step {
        case .addsModel(let model): Facts(kind: "addsModel", model: model)
        case .renamesModel(let old, let new): Facts(kind: "renamesModel", model: new, names: [old, new])
        case .removesModel(let model): Facts(kind: "removesModel", model: model)
        case .addsAttribute(let model, let name): Facts(kind: "addsAttribute", model: model, names: [name])
        case .renamesAttribute(let model, let old, let new):
            Facts(kind: "renamesAttribute", model: model, names: [old, new])
        case .removesAttribute(let model, let name): Facts(kind: "removesAttribute", model: model, names: [name])
        case .convertsAttribute(let model, let old, let new):
            Facts(kind: "convertsAttribute", model: model, names: old + [new], readsRows: true)
        case .addsFields(let model, let name): Facts(kind: "addsFields", model: model, names: [name])
        case .makesOptional(let model, let name): Facts(kind: "makesOptional", model: model, names: [name])
        case .makesRequired(let model, let name):
            Facts(kind: "makesRequired", model: model, names: [name], readsRows: true)
        case .addsIndex(let model, let names, let isUnique):
            Facts(
                kind: isUnique ? "addsUniqueIndex" : "addsIndex",
                model: model,
                names: names,
                readsRows: true,
                buildsIndex: true
            )
        case .dropsIndex(let model, let names): Facts(kind: "dropsIndex", model: model, names: names)
        case .addsSearchIndex(let model, let names):
            Facts(kind: "addsSearchIndex", model: model, names: names, readsRows: true, buildsIndex: true)
        case .dropsSearchIndex(let model): Facts(kind: "dropsSearchIndex", model: model)
        case .addsRelationship(let model, let name): Facts(kind: "addsRelationship", model: model, names: [name])
        case .renamesRelationship(let model, let old, let new):
            Facts(kind: "renamesRelationship", model: model, names: [old, new])
        case .removesRelationship(let model, let name):
            Facts(kind: "removesRelationship", model: model, names: [name])
        case .namesInverse(let model, let name): Facts(kind: "namesInverse", model: model, names: [name])
        case .changesDeleteRule(let model, let name, _, _):
            Facts(kind: "changesDeleteRule", model: model, names: [name])
        case .runsCode: Facts(kind: "runsCode", model: "")
        case .setsVersion(let model, _): Facts(kind: "setsVersion", model: model)
        }
    }
}
