/// A mistake in a schema: where it is and what to do.
public struct SchemaError: Error, Sendable, Equatable {
    /// What is wrong.
    public enum Code: Sendable, Equatable {
        case invalidName
        case duplicateName
        /// Two attributes of one type stand in another order than the initialiser's parameters.
        case exchangedAttributes
        case missingIdentifier
        case missingModel
        case duplicateModel
        case unknownInverse
        case inverseOfWrongType
        case inverseClaimedTwice
        case symmetricRelation
        case requiredCannotBeNullified
        case referenceWithoutRelation
        case invalidIndex
        /// A default that its attribute cannot have.
        case invalidDefault
        case tooManyAttributes
        /// The bytes are not a schema description.
        case corrupt
        /// The bytes are a schema description that this version does not know.
        case newerForm
        /// The declaration cannot take over what the store has.
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
    public init(_ code: Code, model: String, attribute: String = "", message: String) {
        self.code = code
        self.model = model
        self.attribute = attribute
        self.message = message
    }
}

extension SchemaError: CustomStringConvertible {
    public var description: String {
        let place = attribute.isEmpty ? model : "\(model).\(attribute)"
        return place.isEmpty ? message : "\(place): \(message)"
    }
}
