/// A comparison of two fields: as one of the first with a constant that has the value of the second (QRY-29).
final class FieldsComparisonNode: FilterNode {
    private let left: CompiledField
    private let comparison: ComparisonOperator
    private let right: CompiledField
    private let order: SlotOrder

    init(_ left: CompiledField, _ comparison: ComparisonOperator, _ right: CompiledField) {
        self.left = left
        self.comparison = comparison
        self.right = right
        order = SlotOrder(left.type)
    }

    override func matches(
        _ subject: borrowing FilterSubject,
        in workspace: Workspace
    ) throws -> Bool {
        let first = try unsafe left.bytes(of: subject, in: workspace)
        if let first = unsafe first, !left.hops.isEmpty, !right.hops.isEmpty {
            // What is looked up for the second may move the bytes of the first.
            let copy = unsafe [UInt8](first)
            let second = try unsafe right.bytes(of: subject, in: workspace)
            return unsafe copy.withUnsafeBytes { unsafe holds($0, second) }
        }
        let second = try unsafe right.bytes(of: subject, in: workspace)
        return unsafe holds(first, second)
    }

    private func holds(_ first: UnsafeRawBufferPointer?, _ second: UnsafeRawBufferPointer?) -> Bool {
        guard let first = unsafe first, let second = unsafe second else {
            let areBothNil = unsafe first == nil && second == nil
            return comparison == .equal ? areBothNil : comparison == .notEqual && !areBothNil
        }
        return unsafe comparison.holds(order.compare(first, second))
    }
}

extension ValueType {
    /// Whether fields of the types can be compared: they are the same, or both are text inside (QRY-29).
    func isComparable(with other: ValueType) -> Bool {
        let texts: [ValueType] = [.string, .reference]
        return self == other || texts.contains(self) && texts.contains(other)
    }
}

extension FilterCompiler {
    func compare(
        _ leftPath: FieldPath,
        _ comparison: ComparisonOperator,
        _ rightPath: FieldPath
    ) throws(StoreError) -> FilterNode {
        let (left, right) = (try field(leftPath), try field(rightPath))
        guard left.type.isComparable(with: right.type) else {
            throw StoreError(
                .invalidQuery,
                "\(leftPath) is of type \(left.type.displayName) and \(rightPath) of type \(right.type.displayName).",
                advice: "Compare fields of one type."
            )
        }
        guard left.type.isIndexable || comparison == .equal || comparison == .notEqual else {
            throw unordered(leftPath, left.type)
        }
        return FieldsComparisonNode(left, comparison, right)
    }
}
