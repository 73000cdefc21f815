/// How many elements a field has, inside a filter closure.
public struct CountExpression<Subject>: Sendable {
    let path: FieldPath

    private func compare(_ comparison: ComparisonOperator, _ count: Int) -> Filter<Subject> {
        Filter(.count(path, comparison, count))
    }

    /// Whether there are exactly this many elements.
    public static func == (left: CountExpression, count: Int) -> Filter<Subject> {
        left.compare(.equal, count)
    }
    /// Whether there are more or fewer elements.
    public static func != (left: CountExpression, count: Int) -> Filter<Subject> {
        left.compare(.notEqual, count)
    }
    /// Whether there are fewer elements.
    public static func < (left: CountExpression, count: Int) -> Filter<Subject> {
        left.compare(.less, count)
    }
    /// Whether there are this many elements, or fewer.
    public static func <= (left: CountExpression, count: Int) -> Filter<Subject> {
        left.compare(.lessOrEqual, count)
    }
    /// Whether there are more elements.
    public static func > (left: CountExpression, count: Int) -> Filter<Subject> {
        left.compare(.greater, count)
    }
    /// Whether there are this many elements, or more.
    public static func >= (left: CountExpression, count: Int) -> Filter<Subject> {
        left.compare(.greaterOrEqual, count)
    }
}
