/// What leads from the schema of a store to a declared one (STO-81 to STO-86).
///
/// Models, attributes, relationships and indexes that stay keep their numbers and slots; new ones get numbers that were
/// never used. Nothing is guessed: what the declaration cannot say by being there is a refusal.
struct SchemaChange {
    /// The schema that the change leads to.
    let schema: SchemaDescription
    let steps: [SchemaStep]
    /// Why the change is not made, a sentence each; empty where it can be.
    let refusals: [String]

    /// - Parameters:
    ///   - stored: the schema in force.
    ///   - earlier: those before it, whose numbers are not given out again.
    ///   - declared: numbered in the order of declaration.
    init(
        from stored: SchemaDescription,
        earlier: [SchemaDescription],
        to declared: SchemaDescription
    ) {
        var planner = SchemaChangePlanner(stored, earlier, declared)
        planner.plan()
        schema = planner.schema
        steps = planner.steps
        refusals = planner.refusals
    }
}

/// One thing that a change of the schema does.
enum SchemaStep: Hashable, Sendable, CustomStringConvertible {
    case addsModel(String)
    case addsAttribute(model: String, String)
    case addsFields(model: String, String)
    case makesOptional(model: String, String)
    case makesRequired(model: String, String)
    case addsIndex(model: String, [String], isUnique: Bool)
    case dropsIndex(model: String, [String])
    case addsSearchIndex(model: String, [String])
    case dropsSearchIndex(model: String)
    case addsRelationship(model: String, String)
    case namesInverse(model: String, String)
    case changesDeleteRule(model: String, String)
    case setsVersion(model: String, UInt32)

    var description: String {
        switch self {
        case .addsModel(let name): "adds the model \(name)"
        case .addsAttribute(let model, let name): "adds \(model).\(name)"
        case .addsFields(let model, let name): "adds fields to the struct of \(model).\(name)"
        case .makesOptional(let model, let name): "makes \(model).\(name) optional"
        case .makesRequired(let model, let name): "makes \(model).\(name) required"
        case .addsIndex(let model, let names, let isUnique):
            "builds \(isUnique ? "a unique index" : "an index") of \(model): \(names.joined(separator: ", "))"
        case .dropsIndex(let model, let names):
            "drops the index of \(model): \(names.joined(separator: ", "))"
        case .addsSearchIndex(let model, let names):
            "builds the search index of \(model): \(names.joined(separator: ", "))"
        case .dropsSearchIndex(let model): "drops the search index of \(model)"
        case .addsRelationship(let model, let name): "adds the relationship \(model).\(name)"
        case .namesInverse(let model, let name): "adds \(model).\(name), the other side of a relationship"
        case .changesDeleteRule(let model, let name): "changes the delete rule of \(model).\(name)"
        case .setsVersion(let model, let version): "sets the version of \(model) to \(version)"
        }
    }
}
