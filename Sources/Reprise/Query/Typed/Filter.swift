/// A condition on the rows of one model, written as a closure over its fields.
///
/// ```swift
/// Filter<Note> { $0.topic == "Travel" && $0.length > 200 }
/// ```
///
/// `Subject` is the model, or ``CollectionElement`` in a condition on the elements of a list.
public struct Filter<Subject>: Sendable {
    /// The same by stored names.
    public let expression: FilterExpression

    /// Takes a condition by stored names. Names that the schema does not have are found when the filter is used.
    public init(_ expression: FilterExpression) {
        self.expression = expression
    }

    /// Both conditions.
    public static func && (left: Filter, right: Filter) -> Filter {
        Filter(.and(left.conjuncts + right.conjuncts))
    }

    /// One of the conditions, or both.
    public static func || (left: Filter, right: Filter) -> Filter {
        Filter(.or(left.disjuncts + right.disjuncts))
    }

    /// What is joined by "and", so that a long chain does not become a deep tree.
    private var conjuncts: [FilterExpression] {
        if case .and(let parts) = expression { parts } else { [expression] }
    }

    private var disjuncts: [FilterExpression] {
        if case .or(let parts) = expression { parts } else { [expression] }
    }

    /// The opposite of the condition. Where a field has no value, `!($0.length > 5)` is true.
    public static prefix func ! (filter: Filter) -> Filter {
        Filter(.not(filter.expression))
    }
}

extension Filter where Subject: Model {
    /// Makes a condition from a closure over the model's fields.
    public init(_ build: (Fields<Subject>) -> Filter<Subject>) {
        self = build(Fields())
    }
}

/// Stands for the elements of a list, a set or a map in the type of a condition on them.
public enum CollectionElement<Value: StoredValue> {}
