/// One thing that a change of the schema does.
enum SchemaStep: Hashable, Sendable, CustomStringConvertible {
    case addsModel(String)
    case renamesModel(from: String, to: String)
    case removesModel(String)
    case addsAttribute(model: String, String)
    case renamesAttribute(model: String, from: String, to: String)
    case removesAttribute(model: String, String)
    case convertsAttribute(model: String, from: [String], to: String)
    case addsFields(model: String, String)
    case makesOptional(model: String, String)
    case makesRequired(model: String, String)
    case addsIndex(model: String, [String], isUnique: Bool)
    case dropsIndex(model: String, [String])
    case addsSearchIndex(model: String, [String])
    case dropsSearchIndex(model: String)
    case addsRelationship(model: String, String)
    case renamesRelationship(model: String, from: String, to: String)
    case removesRelationship(model: String, String)
    case namesInverse(model: String, String)
    case changesDeleteRule(model: String, String, from: DeleteRule, to: DeleteRule)
    case runsCode(version: Int)
    case setsVersion(model: String, UInt32)

    var description: String {
        switch self {
        case .addsModel(let name): "adds the model \(name)"
        case .renamesModel(let old, let new): "renames the model \(old) to \(new)"
        case .removesModel(let name): "removes the model \(name), whose rows stay in the history"
        case .addsAttribute(let model, let name): "adds \(model).\(name)"
        case .renamesAttribute(let model, let old, let new): "renames \(model).\(old) to \(new)"
        case .removesAttribute(let model, let name):
            "removes \(model).\(name), whose values stay in the history"
        case .convertsAttribute(let model, let old, let new):
            "makes \(model).\(new) of \(old.joined(separator: ", ")), row by row"
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
        case .renamesRelationship(let model, let old, let new):
            "renames the relationship \(model).\(old) to \(new)"
        case .removesRelationship(let model, let name):
            "removes the relationship \(model).\(name), whose entries stay in the history"
        case .namesInverse(let model, let name): "adds \(model).\(name), the other side of a relationship"
        case .changesDeleteRule(let model, let name, let old, let new):
            "changes the delete rule of \(model).\(name) from \(old) to \(new)"
        case .runsCode(let version): "runs the program's change to version \(version)"
        case .setsVersion(let model, let version): "sets the version of \(model) to \(version)"
        }
    }
}
