/// A mistake in a schema: where it is and what to do.
public struct SchemaError: Error, Sendable, Equatable {
    /// What is wrong.
    public enum Code: Sendable, Equatable {
        /// A stored name is not of the form `[A-Za-z_][A-Za-z0-9_]*`, or longer than 64 bytes. Choose another.
        case invalidName
        /// Two models, or two members of a model, have one stored name. Give each its own.
        case duplicateName
        /// Two attributes of one type stand in another order than the initialiser's parameters. List them in that
        /// order.
        case exchangedAttributes
        /// A model has no `.id`, or several. Declare exactly one.
        case missingIdentifier
        /// A relationship leads to a model that is not in the schema. Add it to `Schema(…)`.
        case missingModel
        /// A model is listed twice. List it once.
        case duplicateModel
        /// A relationship names an inverse that the other model does not have. Correct the name.
        case unknownInverse
        /// The inverse that a relationship names does not lead back. Name the one that does.
        case inverseOfWrongType
        /// Several relationships have one inverse. Keep one of them.
        case inverseClaimedTwice
        /// A relationship is its own inverse. Declare a second one for the other side.
        case symmetricRelation
        /// A delete rule would make a required to-one nil. Use `cascade` or `deny`, or make the to-one optional.
        case requiredCannotBeNullified
        /// An identifier of a model is declared as an attribute. Declare it with `.toOne`.
        case referenceWithoutRelation
        /// An index has the wrong number of attributes, or names one that it cannot have. Correct it.
        case invalidIndex
        /// A default that its attribute cannot have: only a required attribute of a model has one. Leave it out.
        case invalidDefault
        /// There are more models, attributes or relationships than a schema takes. Divide it.
        case tooManyAttributes
        /// The bytes are not a schema description. Look for where they come from.
        case corrupt
        /// The bytes are a schema description of a newer version of Reprise. Use that version.
        case newerForm
        /// The declaration contradicts itself, or what the store has. Correct it as the message says.
        case incompatible
    }

    /// What is wrong.
    public var code: Code
    /// The stored name of the model, or its Swift type where it has none.
    public var model: String
    /// The stored name of the attribute or relationship, empty where the model as a whole is meant.
    public var attribute: String
    /// One sentence on what is wrong and one on what to do.
    public var message: String

    /// Creates an error.
    ///
    /// - Parameters:
    ///   - code: what is wrong.
    ///   - model: the stored name of the model.
    ///   - attribute: the stored name of the attribute or relationship, if one is meant.
    ///   - message: what is wrong and what to do.
    public init(_ code: Code, model: String, attribute: String = "", message: String) {
        self.code = code
        self.model = model
        self.attribute = attribute
        self.message = message
    }
}

extension SchemaError: CustomStringConvertible {
    /// What is wrong, where, and what to do.
    public var description: String {
        let place = attribute.isEmpty ? model : "\(model).\(attribute)"
        return place.isEmpty ? message : "\(place): \(message)"
    }
}
