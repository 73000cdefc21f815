/// Comparisons with a constant, in the total order of Specs/behaviour/queries.md.
extension FieldExpression where V: StoredValue {
    private func compare(_ comparison: ComparisonOperator, _ value: V) -> Filter<Subject> {
        if value.isNil {
            let isNil = FilterExpression.isNil(path)
            return Filter(
                comparison == .equal ? isNil : comparison == .notEqual ? .not(isNil) : .or([])
            )
        }
        return Filter(.compare(path, comparison, Value(value)))
    }

    public static func == (field: FieldExpression, value: V) -> Filter<Subject> {
        field.compare(.equal, value)
    }
    public static func != (field: FieldExpression, value: V) -> Filter<Subject> {
        field.compare(.notEqual, value)
    }
    public static func < (field: FieldExpression, value: V) -> Filter<Subject> {
        field.compare(.less, value)
    }
    public static func <= (field: FieldExpression, value: V) -> Filter<Subject> {
        field.compare(.lessOrEqual, value)
    }
    public static func > (field: FieldExpression, value: V) -> Filter<Subject> {
        field.compare(.greater, value)
    }
    public static func >= (field: FieldExpression, value: V) -> Filter<Subject> {
        field.compare(.greaterOrEqual, value)
    }

    /// Whether the field has one of the values.
    public func isIn(_ values: [V]) -> Filter<Subject> {
        Filter(.isIn(path, values.map(Value.init)))
    }

    /// Whether the field has no value.
    public var isNil: Filter<Subject> { Filter(.isNil(path)) }
}

/// Ranges.
extension FieldExpression {
    private func between(
        _ lower: Value,
        _ upper: Value,
        _ comparison: ComparisonOperator
    ) -> Filter<Subject> {
        Filter(.and([.compare(path, .greaterOrEqual, lower), .compare(path, comparison, upper)]))
    }

    /// Whether the field has a value in the range, bounds included.
    public func isIn(_ range: ClosedRange<V>) -> Filter<Subject>
    where V: StoredValue & Comparable {
        between(Value(range.lowerBound), Value(range.upperBound), .lessOrEqual)
    }

    /// Whether the field has a value in the range, the upper bound not included.
    public func isIn(_ range: Range<V>) -> Filter<Subject> where V: StoredValue & Comparable {
        between(Value(range.lowerBound), Value(range.upperBound), .less)
    }

    /// Whether the field has a value in the range, bounds included.
    public func isIn<W: StoredValue & Comparable>(_ range: ClosedRange<W>) -> Filter<Subject>
    where V == W? {
        between(Value(range.lowerBound), Value(range.upperBound), .lessOrEqual)
    }

    /// Whether the field has a value in the range, the upper bound not included.
    public func isIn<W: StoredValue & Comparable>(_ range: Range<W>) -> Filter<Subject>
    where V == W? {
        between(Value(range.lowerBound), Value(range.upperBound), .less)
    }
}
