/// The order of values of one type, told from their slot bytes (QRY-01 to QRY-06). References are compared without
/// their
/// order key.
struct SlotOrder {
    private enum Kind {
        case int, double, bytes, value
    }

    private let kind: Kind
    private let type: ValueType

    init(_ type: ValueType) {
        self.type = type
        kind =
            switch type {
            case .int: .int
            case .double, .date, .float: .double
            case .decimal: .value
            default: .bytes
            }
    }

    /// Negative when `left` comes first, zero when the two rank equal, else positive.
    @inline(__always)
    func compare(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Int {
        switch kind {
        case .int:
            if let a = unsafe left.storedInt, let b = unsafe right.storedInt {
                return a == b ? 0 : a < b ? -1 : 1
            }
        case .double:
            if let a = unsafe left.storedDouble, let b = unsafe right.storedDouble {
                return a.totalOrder(against: b)
            }
        case .value:
            if let a = try? unsafe Value(decoding: left, as: type),
                let b = try? unsafe Value(decoding: right, as: type)
            {
                return Value.compare(a, b)
            }
        case .bytes: break
        }
        return unsafe left.order(against: right)
    }

    /// The order with nil: first or last.
    @inline(__always)
    func compare(
        _ left: UnsafeRawBufferPointer?,
        _ right: UnsafeRawBufferPointer?,
        descending isDescending: Bool,
        nilFirst: Bool
    ) -> Int {
        guard let left = unsafe left else {
            return unsafe right == nil ? 0 : nilFirst ? -1 : 1
        }
        guard let right = unsafe right else { return nilFirst ? 1 : -1 }
        let order = unsafe compare(left, right)
        return isDescending ? -order : order
    }
}

extension Double {
    /// NaN after everything and equal to itself, -0 equal to 0 (QRY-03, QRY-04).
    @inline(__always)
    func totalOrder(against other: Double) -> Int {
        if self < other { return -1 }
        if self > other { return 1 }
        if self == other { return 0 }
        return isNaN ? (other.isNaN ? 0 : 1) : -1
    }
}

extension UnsafeRawBufferPointer {
    /// The integer in a slot; nil where the bytes are none.
    @inline(__always)
    var storedInt: Int64? {
        guard count == 8 else { return nil }
        return unsafe Int64(
            littleEndian: baseAddress.unsafelyUnwrapped.loadUnaligned(as: Int64.self)
        )
    }

    /// The double, date or float in a slot; nil where the bytes are none.
    @inline(__always)
    var storedDouble: Double? {
        if count == 8 {
            let bits = unsafe baseAddress.unsafelyUnwrapped.loadUnaligned(as: UInt64.self)
            return Double(bitPattern: UInt64(littleEndian: bits))
        }
        guard count == 4 else { return nil }
        let bits = unsafe baseAddress.unsafelyUnwrapped.loadUnaligned(as: UInt32.self)
        return Double(Float(bitPattern: UInt32(littleEndian: bits)))
    }
}
