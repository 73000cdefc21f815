/// A to-many relationship inside a filter closure. It is followed in the direction in which it is declared or derived.
public struct ToManyExpression<Subject, Target: Model>: Sendable {
    let path: FieldPath

    /// Whether one of the entities that it leads to fulfils the condition. O(entries) for each row.
    public func any(_ condition: (Fields<Target>) -> Filter<Target>) -> Filter<Subject> {
        Filter(.any(path, condition(Fields()).expression))
    }

    /// Whether each of the entities fulfils the condition; true where there is none. O(entries) for each row.
    public func all(_ condition: (Fields<Target>) -> Filter<Target>) -> Filter<Subject> {
        Filter(.all(path, condition(Fields()).expression))
    }

    /// Whether the entity is among those that it leads to.
    public func contains(_ id: Target.ID) -> Filter<Subject> {
        Filter(.any(path, .compare(["id"], .equal, .string(id.rawValue))))
    }

    /// How many entries there are, repeats counted.
    public var count: CountExpression<Subject> { CountExpression(path: path) }

    /// Whether there is no entry.
    public var isEmpty: Filter<Subject> { count == 0 }
}
