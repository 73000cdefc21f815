package import LegacyRecords
package import Reprise

/// What the names of classes and fields mean to a schema that records are to fit.
package protocol TargetRules: Sendable {
    /// What a mapping file calls the schema.
    var name: String { get }

    var schema: SchemaDescription { get }

    /// The model that the records of a class become by its name; nil for none.
    func model(ofClass name: String) -> String?

    /// Which properties of a class become which fields of a model, by their names and types.
    ///
    /// - Returns: the places of the properties, each with a field; nil where only fields of the same names are meant.
    func fields(of properties: [TargetProperty], in model: String) -> [(place: Int, field: String)]?

    /// What is said of an attribute whose numbers are milliseconds, where the field that it becomes holds seconds; nil
    /// for others.
    ///
    /// - Parameter isSaid: whether the export says so of its values.
    func milliseconds(_ attribute: String, isSaid: Bool, field: String, model: String) -> LegacyWarning?

    /// The values that a field of whole numbers may have; nil where all are.
    func bounds(of field: String, in model: String) -> ClosedRange<Int64>?

    /// The attribute of a class without a model of its own that holds the texts of a field, and the field: a table of
    /// names that others lead to. Nil for other classes.
    func followedName(of model: ModelDescription) -> (attribute: String, field: String)?

    /// Fields that records without a value have from another record: the model, the field, and the to-one that leads
    /// there.
    var inherited: [(model: String, field: String, toOne: String)] { get }
}

/// A property of a class, as far as its name and its type say what it becomes.
package struct TargetProperty {
    package let name: String
    /// The model that it leads to, for links.
    package let target: String?
    package let isCollection: Bool
    /// The models whose records it may name by their keys, for texts and numbers and collections of them.
    package let keyModels: Set<String>
}
