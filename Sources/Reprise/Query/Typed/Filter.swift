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

    public init(_ expression: FilterExpression) {
        self.expression = expression
    }

    public static func && (left: Filter, right: Filter) -> Filter {
        Filter(.and(left.conjuncts + right.conjuncts))
    }

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

    public static prefix func ! (filter: Filter) -> Filter {
        Filter(.not(filter.expression))
    }
}

extension Filter where Subject: Model {
    public init(_ build: (Fields<Subject>) -> Filter<Subject>) {
        self = build(Fields())
    }
}

/// Stands for the elements of a list, a set or a map in the type of a condition on them.
public enum CollectionElement<Value: StoredValue> {}
