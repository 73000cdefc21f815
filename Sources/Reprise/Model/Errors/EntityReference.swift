/// Names one entity by the stored name of its model and its identifier.
///
/// Identifiers are equal when their UTF-8 bytes are, which is stricter than `String`'s own equality.
public struct EntityReference: Sendable {
    /// The model's stored name.
    public var model: String
    /// The entity's identifier.
    public var id: String

    /// Names an entity, whether it exists or not.
    public init(model: String, id: String) {
        self.model = model
        self.id = id
    }

    /// Names the entity of a Swift model.
    public init<M: Model>(_ id: Identifier<M>) {
        self.init(model: M.schema.name, id: id.rawValue)
    }
}

extension EntityReference: Hashable, Comparable, CustomStringConvertible {
    public static func == (left: EntityReference, right: EntityReference) -> Bool {
        left.model == right.model && left.id.utf8.elementsEqual(right.id.utf8)
    }

    public static func < (left: EntityReference, right: EntityReference) -> Bool {
        if left.model != right.model { return left.model < right.model }
        return left.id.utf8.lexicographicallyPrecedes(right.id.utf8)
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(model)
        for byte in id.utf8 { hasher.combine(byte) }
        hasher.combine(0xFF as UInt8)
    }

    public var description: String { "\(model) \"\(id)\"" }
}
