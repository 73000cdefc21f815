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

    /// Whether the field equals the value; of nil, whether the field has no value.
    public static func == (field: FieldExpression, value: V) -> Filter<Subject> {
        field.compare(.equal, value)
    }
    /// Whether the field differs from the value, or has none; of nil, whether the field has a value.
    public static func != (field: FieldExpression, value: V) -> Filter<Subject> {
        field.compare(.notEqual, value)
    }
    /// Whether the field has a value that comes before this one.
    public static func < (field: FieldExpression, value: V) -> Filter<Subject> {
        field.compare(.less, value)
    }
    /// Whether the field has a value that comes before this one, or equals it.
    public static func <= (field: FieldExpression, value: V) -> Filter<Subject> {
        field.compare(.lessOrEqual, value)
    }
    /// Whether the field has a value that comes after this one.
    public static func > (field: FieldExpression, value: V) -> Filter<Subject> {
        field.compare(.greater, value)
    }
    /// Whether the field has a value that comes after this one, or equals it.
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

/// Comparisons of two fields of one type, of which each may be optional: as with a constant that has the value of the
/// other field (QRY-29).
extension FieldExpression where V: StoredValue {
    private func compare<W>(
        _ comparison: ComparisonOperator,
        _ other: FieldExpression<Subject, W>
    ) -> Filter<Subject> {
        Filter(.compareFields(path, comparison, other.path))
    }

    /// Whether both fields have equal values, or none.
    public static func == <W: StoredValue>(
        left: FieldExpression,
        right: FieldExpression<Subject, W>
    ) -> Filter<Subject> where V.UnwrappedValue == W.UnwrappedValue {
        left.compare(.equal, right)
    }

    /// Whether the fields have different values, or only one has a value.
    public static func != <W: StoredValue>(
        left: FieldExpression,
        right: FieldExpression<Subject, W>
    ) -> Filter<Subject> where V.UnwrappedValue == W.UnwrappedValue {
        left.compare(.notEqual, right)
    }

    /// Whether both fields have values, and the first comes before the second.
    public static func < <W: StoredValue>(
        left: FieldExpression,
        right: FieldExpression<Subject, W>
    ) -> Filter<Subject> where V.UnwrappedValue == W.UnwrappedValue {
        left.compare(.less, right)
    }

    /// Whether both fields have values, and the first does not come after the second.
    public static func <= <W: StoredValue>(
        left: FieldExpression,
        right: FieldExpression<Subject, W>
    ) -> Filter<Subject> where V.UnwrappedValue == W.UnwrappedValue {
        left.compare(.lessOrEqual, right)
    }

    /// Whether both fields have values, and the first comes after the second.
    public static func > <W: StoredValue>(
        left: FieldExpression,
        right: FieldExpression<Subject, W>
    ) -> Filter<Subject> where V.UnwrappedValue == W.UnwrappedValue {
        left.compare(.greater, right)
    }

    /// Whether both fields have values, and the first does not come before the second.
    public static func >= <W: StoredValue>(
        left: FieldExpression,
        right: FieldExpression<Subject, W>
    ) -> Filter<Subject> where V.UnwrappedValue == W.UnwrappedValue {
        left.compare(.greaterOrEqual, right)
    }
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
