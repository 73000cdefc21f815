/// A condition on the rows of one model, written as a closure over its fields.
///
/// ```swift
/// Filter<Note> { $0.topic == "Travel" && $0.length > 200 }
/// ```
public struct Filter<M: Model>: Sendable {
    /// The same by stored names.
    public let expression: FilterExpression

    public init(_ expression: FilterExpression) {
        self.expression = expression
    }

    public init(_ build: (Fields<M>) -> Filter<M>) {
        self = build(Fields())
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

/// The fields of a model inside a filter closure.
@dynamicMemberLookup
public struct Fields<M: Model>: Sendable {
    /// The field of a property. A property that the schema does not declare is a programmer's error.
    public subscript<V>(dynamicMember property: KeyPath<M, V>) -> FieldExpression<M, V> {
        FieldExpression(path: [M.storedName(of: property)])
    }
}

extension Model {
    static func storedName(of property: PartialKeyPath<Self>) -> String {
        guard let name = schema.attributeName(of: property) else {
            preconditionFailure(
                "\(Self.self) has a property \(property) that its schema does not declare, so it cannot be queried."
            )
        }
        return name
    }
}

/// One field inside a filter closure; comparing it makes a ``Filter``.
public struct FieldExpression<M: Model, V>: Sendable {
    let path: FieldPath
}

extension FieldExpression where V: StoredValue {
    private func compare(_ comparison: ComparisonOperator, _ value: V) -> Filter<M> {
        if value.isNil {
            let isNil = FilterExpression.isNil(path)
            return Filter(
                comparison == .equal ? isNil : comparison == .notEqual ? .not(isNil) : .or([])
            )
        }
        return Filter(.compare(path, comparison, Value(value)))
    }

    public static func == (field: FieldExpression, value: V) -> Filter<M> {
        field.compare(.equal, value)
    }
    public static func != (field: FieldExpression, value: V) -> Filter<M> {
        field.compare(.notEqual, value)
    }
    public static func < (field: FieldExpression, value: V) -> Filter<M> {
        field.compare(.less, value)
    }
    public static func <= (field: FieldExpression, value: V) -> Filter<M> {
        field.compare(.lessOrEqual, value)
    }
    public static func > (field: FieldExpression, value: V) -> Filter<M> {
        field.compare(.greater, value)
    }
    public static func >= (field: FieldExpression, value: V) -> Filter<M> {
        field.compare(.greaterOrEqual, value)
    }

    /// Whether the field has one of the values.
    public func isIn(_ values: [V]) -> Filter<M> { Filter(.isIn(path, values.map(Value.init))) }
    /// Whether the field has no value.
    public var isNil: Filter<M> { Filter(.isNil(path)) }
}

extension FieldExpression where V == String {
    /// Whether the text contains `part`, byte for byte.
    public func contains(_ part: String) -> Filter<M> { Filter(.contains(path, .string(part))) }
    public func hasPrefix(_ prefix: String) -> Filter<M> { Filter(.startsWith(path, prefix)) }
    public func hasSuffix(_ suffix: String) -> Filter<M> { Filter(.endsWith(path, suffix)) }
}

extension FieldExpression where V == String? {
    /// Whether there is text and it contains `part`, byte for byte.
    public func contains(_ part: String) -> Filter<M> { Filter(.contains(path, .string(part))) }
    public func hasPrefix(_ prefix: String) -> Filter<M> { Filter(.startsWith(path, prefix)) }
    public func hasSuffix(_ suffix: String) -> Filter<M> { Filter(.endsWith(path, suffix)) }
}
