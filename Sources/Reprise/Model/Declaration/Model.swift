/// A plain value that the store keeps: a struct with an identifier and a schema written by hand.
///
/// ```swift
/// struct Author: Model {
///     var id: ID
///     var name: String
///     static let schema = ModelSchema("author", Self.init,
///         .id("id", \.id), .attribute("name", \.name, indexed: true))
/// }
/// ```
///
/// The memberwise initialiser takes the attributes in the order in which they are declared. The compiler checks that
/// the types agree, and ``Schema`` that the order does.
///
/// In a module that belongs to the main actor by default a model needs no annotation: it is `Sendable`, so that it
/// belongs to no actor and can be used in the closures of every write and read (VAL-40).
public protocol Model: Identifiable, Sendable where ID == Identifier<Self> {
    /// Said again so that `ID` in a model is known without looking at `id`.
    associatedtype ID = Identifier<Self>

    /// The entity's identity.
    var id: Identifier<Self> { get }

    /// Stored names, types, indexes and relationships. Make it a `static let`: it is read often.
    static var schema: ModelSchema<Self> { get }
}
