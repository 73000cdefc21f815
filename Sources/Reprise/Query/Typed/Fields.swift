/// The fields of a model inside a filter closure.
///
/// A field of type `Bool` is a condition by itself: `{ $0.isUrgent && !$0.isDone }`.
@dynamicMemberLookup
public struct Fields<M: Model>: Sendable {
    /// The field of a property. A property that the schema does not declare is a programmer's error.
    public subscript<V>(dynamicMember property: KeyPath<M, V>) -> FieldExpression<M, V> {
        FieldExpression(path: [M.storedName(of: property)])
    }

    /// Whether a property of type `Bool` is true (QRY-09).
    public subscript(dynamicMember property: KeyPath<M, Bool>) -> Filter<M> {
        Filter(.compare([M.storedName(of: property)], .equal, .bool(true)))
    }

    /// Whether the words of a search occur in the attributes of the model's search index: `$0.matches("long trav*")`.
    public func matches(_ text: String) -> Filter<M> {
        Filter(.matches(nil, text))
    }

    /// A to-many relationship: `$0[Folder.notes].any { $0.length > 200 }`.
    public subscript<Target>(
        _ relationship: Relationship<M, Target>
    ) -> ToManyExpression<M, Target> {
        ToManyExpression(path: [relationship.name])
    }
}

extension Model {
    static func field(of property: PartialKeyPath<Self>) -> Field? {
        let name = schema.attributeName(of: property)
        return schema.declaration.stored.first { $0.name == name }
    }

    static func storedName(of property: PartialKeyPath<Self>) -> String {
        guard let name = schema.attributeName(of: property) else {
            fatalError(
                "\(Self.self) has a property \(property) that its schema does not declare, so it cannot be queried."
            )
        }
        return name
    }
}

/// One field inside a filter closure; comparing it makes a ``Filter``.
///
/// The fields of what a to-one relationship points to are its members: `$0.folder.title == "Blue"`. Where the
/// relationship is nil they have no value.
@dynamicMemberLookup
public struct FieldExpression<Subject, V>: Sendable {
    let path: FieldPath

    /// A field of what a to-one relationship points to.
    public subscript<Target: Model, W>(
        dynamicMember property: KeyPath<Target, W>
    ) -> FieldExpression<Subject, W> where V == Identifier<Target> {
        following(Target.storedName(of: property))
    }

    /// A field of what a to-one relationship points to.
    public subscript<Target: Model, W>(
        dynamicMember property: KeyPath<Target, W>
    ) -> FieldExpression<Subject, W> where V == Identifier<Target>? {
        following(Target.storedName(of: property))
    }

    /// Whether a property of type `Bool` of what a to-one relationship points to is true (QRY-09).
    public subscript<Target: Model>(
        dynamicMember property: KeyPath<Target, Bool>
    ) -> Filter<Subject> where V == Identifier<Target> {
        isTrue(Target.storedName(of: property))
    }

    /// Whether a property of type `Bool` of what a to-one relationship points to is true; false where it points to
    /// nothing.
    public subscript<Target: Model>(
        dynamicMember property: KeyPath<Target, Bool>
    ) -> Filter<Subject> where V == Identifier<Target>? {
        isTrue(Target.storedName(of: property))
    }

    /// A to-many relationship of what a to-one relationship points to.
    public subscript<Target: Model, Far>(
        _ relationship: Relationship<Target, Far>
    ) -> ToManyExpression<Subject, Far> where V == Identifier<Target> {
        ToManyExpression(path: FieldPath(path.components + [relationship.name]))
    }

    /// A to-many relationship of what a to-one relationship points to.
    public subscript<Target: Model, Far>(
        _ relationship: Relationship<Target, Far>
    ) -> ToManyExpression<Subject, Far> where V == Identifier<Target>? {
        ToManyExpression(path: FieldPath(path.components + [relationship.name]))
    }

    private func isTrue(_ name: String) -> Filter<Subject> {
        Filter(.compare(FieldPath(path.components + [name]), .equal, .bool(true)))
    }

    private func following<W>(_ name: String) -> FieldExpression<Subject, W> {
        FieldExpression<Subject, W>(path: FieldPath(path.components + [name]))
    }
}
