/// How many elements a field has, inside a filter closure.
public struct CountExpression<Subject>: Sendable {
    let path: FieldPath

    private func compare(_ comparison: ComparisonOperator, _ count: Int) -> Filter<Subject> {
        Filter(.count(path, comparison, count))
    }

    public static func == (left: CountExpression, count: Int) -> Filter<Subject> {
        left.compare(.equal, count)
    }
    public static func != (left: CountExpression, count: Int) -> Filter<Subject> {
        left.compare(.notEqual, count)
    }
    public static func < (left: CountExpression, count: Int) -> Filter<Subject> {
        left.compare(.less, count)
    }
    public static func <= (left: CountExpression, count: Int) -> Filter<Subject> {
        left.compare(.lessOrEqual, count)
    }
    public static func > (left: CountExpression, count: Int) -> Filter<Subject> {
        left.compare(.greater, count)
    }
    public static func >= (left: CountExpression, count: Int) -> Filter<Subject> {
        left.compare(.greaterOrEqual, count)
    }
}
