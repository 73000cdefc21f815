extension ComparisonOperator {
    /// Whether it holds for two values whose order is negative, zero or positive.
    @inline(__always)
    package func holds(_ order: Int) -> Bool {
        switch self {
        case .equal: order == 0
        case .notEqual: order != 0
        case .less: order < 0
        case .lessOrEqual: order <= 0
        case .greater: order > 0
        case .greaterOrEqual: order >= 0
        }
    }
}

extension ComparisonOperator {
    @inline(__always)
    func holds<Number: FixedWidthInteger>(_ number: Number, against constant: Number) -> Bool {
        holds(number == constant ? 0 : number < constant ? -1 : 1)
    }
}

/// A comparison with a constant; `!=` is true where there is no value (QRY-10).
class ComparisonNode: FieldNode {
    let comparison: ComparisonOperator

    init(_ field: CompiledField, _ comparison: ComparisonOperator) {
        self.comparison = comparison
        super.init(field)
    }

    final override var holdsForNil: Bool { comparison == .notEqual }
}

final class IntComparisonNode: ComparisonNode {
    private let constant: Int64

    init(_ field: CompiledField, _ comparison: ComparisonOperator, _ constant: Int) {
        self.constant = Int64(constant)
        super.init(field, comparison)
    }

    override func holds(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard let value = unsafe bytes.storedInt else { return comparison == .notEqual }
        return comparison.holds(value, against: constant)
    }
}

/// Doubles, floats and dates, by the total order of doubles (QRY-03, QRY-04).
final class DoubleComparisonNode: ComparisonNode {
    private let constant: Double

    init(_ field: CompiledField, _ comparison: ComparisonOperator, _ constant: Double) {
        self.constant = constant
        super.init(field, comparison)
    }

    override func holds(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard let value = unsafe bytes.storedDouble else { return comparison == .notEqual }
        return comparison.holds(value.totalOrder(against: constant))
    }
}

/// Types whose bytes have the order of their values: text, data, UUIDs, truth values, references; equality of the rest.
final class BytesComparisonNode: ComparisonNode {
    private let constant: [UInt8]

    init(_ field: CompiledField, _ comparison: ComparisonOperator, _ constant: [UInt8]) {
        self.constant = constant
        super.init(field, comparison)
    }

    override func holds(_ bytes: UnsafeRawBufferPointer) -> Bool {
        unsafe constant.withUnsafeBytes { constant in
            switch comparison {
            case .equal: unsafe bytes.hasSameBytes(as: constant)
            case .notEqual: unsafe !bytes.hasSameBytes(as: constant)
            default: unsafe comparison.holds(bytes.order(against: constant))
            }
        }
    }
}

/// Types that must be decoded to be compared: decimals.
final class ValueComparisonNode: ComparisonNode {
    private let constant: Value

    init(_ field: CompiledField, _ comparison: ComparisonOperator, _ constant: Value) {
        self.constant = constant
        super.init(field, comparison)
    }

    override func holds(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard let value = try? unsafe Value(decoding: bytes, as: field.type) else {
            return comparison == .notEqual
        }
        return comparison.holds(Value.compare(value, constant))
    }
}

/// Whether a field has one of many values. O(log values).
final class MembershipNode: FieldNode {
    private let order: SlotOrder
    /// Sorted by `order`, without repeats.
    private let constants: [[UInt8]]

    init(_ field: CompiledField, _ constants: [[UInt8]]) {
        order = SlotOrder(field.type)
        let order = order
        self.constants = constants.sorted { left, right in
            unsafe left.withUnsafeBytes { left in
                unsafe right.withUnsafeBytes { unsafe order.compare(left, $0) < 0 }
            }
        }
        super.init(field)
    }

    override func holds(_ bytes: UnsafeRawBufferPointer) -> Bool {
        var low = 0
        var high = constants.count
        while low < high {
            let middle = (low + high) / 2
            let found = unsafe constants[middle].withUnsafeBytes {
                unsafe order.compare($0, bytes)
            }
            if found == 0 { return true }
            if found < 0 { low = middle + 1 } else { high = middle }
        }
        return false
    }
}
