package import Reprise

/// What the attributes and lists of a model are called in lines of JSON.
///
/// There the member `model` says which model a record is of. An attribute or a list of that name has a number after it,
/// the first from 2 that no other name of the model has.
package struct LineMembers: Sendable {
    /// The member that says the model.
    package static let model = "model"

    /// What takes the place of `model`; nil where nothing is called so.
    package let substitute: String?
    private let modelName: String

    /// - Complexity: O(attributes + relations).
    package init(of model: ModelDescription, in schema: SchemaDescription) {
        let names = Set(model.attributes.map(\.name) + schema.links(of: model).map(\.name))
        modelName = model.name
        guard names.contains(Self.model) else {
            substitute = nil
            return
        }
        var number = 2
        while names.contains("\(Self.model)_\(number)") { number += 1 }
        substitute = "\(Self.model)_\(number)"
    }

    /// The member for an attribute or a list.
    package func member(_ name: String) -> String {
        guard let substitute, name == Self.model else { return name }
        return substitute
    }

    /// What is to be said of it; nil where everything keeps its name.
    package var warning: LegacyWarning? {
        substitute.map {
            LegacyWarning(
                kind: .changedName,
                message: "\(modelName).\(Self.model) is called \($0), because \(Self.model) says what a record is."
            )
        }
    }
}
