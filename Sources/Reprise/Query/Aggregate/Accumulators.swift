#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// Computes one figure for each of many groups from slot bytes.
class Accumulator {
    /// Makes room for one more group.
    func addGroup() {
        preconditionFailure("Every figure has room for groups.")
    }

    /// Takes in the value of one row; not called where there is none.
    func add(_ bytes: UnsafeRawBufferPointer, to group: Int) throws {
        preconditionFailure("Every figure takes values in.")
    }

    func value(of group: Int) throws -> Value {
        preconditionFailure("Every figure has a value.")
    }
}

/// How many rows, or how many with a value.
final class CountAccumulator: Accumulator {
    private var counts: [Int] = []

    override func addGroup() { counts.append(0) }
    override func add(_ bytes: UnsafeRawBufferPointer, to group: Int) { counts[group] += 1 }
    override func value(of group: Int) -> Value { .int(counts[group]) }
}

/// How many different values.
final class DistinctAccumulator: Accumulator {
    private let canonical: CanonicalBytes
    private var sets: [GroupTable] = []

    init(_ type: ValueType) {
        canonical = CanonicalBytes(type)
    }

    override func addGroup() { sets.append(GroupTable()) }

    override func add(_ bytes: UnsafeRawBufferPointer, to group: Int) {
        unsafe canonical.withBytes(bytes) { _ = unsafe sets[group].place(of: $0) }
    }

    override func value(of group: Int) -> Value { .int(sets[group].count) }
}

/// Sum or average of integers, exact in 128 bits.
final class IntSumAccumulator: Accumulator {
    private var highs: [Int64] = []
    private var lows: [UInt64] = []
    private var counts: [Int] = []
    private let isAverage: Bool
    private let path: FieldPath

    init(_ path: FieldPath, isAverage: Bool) {
        self.path = path
        self.isAverage = isAverage
    }

    override func addGroup() {
        highs.append(0)
        lows.append(0)
        counts.append(0)
    }

    override func add(_ bytes: UnsafeRawBufferPointer, to group: Int) {
        guard let value = unsafe bytes.storedInt else { return }
        let (low, carries) = lows[group].addingReportingOverflow(UInt64(bitPattern: value))
        lows[group] = low
        highs[group] += (value < 0 ? -1 : 0) + (carries ? 1 : 0)
        counts[group] += 1
    }

    override func value(of group: Int) throws -> Value {
        let (high, low) = (highs[group], lows[group])
        if isAverage {
            guard counts[group] > 0 else { return .null }
            let sum = Double(high) * 0x1p64 + Double(low)
            let fits = high == Int64(bitPattern: low) >> 63
            let exact = fits ? Double(Int64(bitPattern: low)) : sum
            return .double(exact / Double(counts[group]))
        }
        guard high == Int64(bitPattern: low) >> 63 else {
            throw StoreError(
                .invalidQuery,
                "The sum of \(path) does not fit 64 bits.",
                advice: "Ask for the average, or for sums of smaller groups."
            )
        }
        return .int(Int(Int64(bitPattern: low)))
    }
}

/// Sum or average of doubles and floats, rounded once.
final class DoubleSumAccumulator: Accumulator {
    private var sums: [ExactSum] = []
    private var counts: [Int] = []
    private let isAverage: Bool

    init(isAverage: Bool) {
        self.isAverage = isAverage
    }

    override func addGroup() {
        sums.append(ExactSum())
        counts.append(0)
    }

    override func add(_ bytes: UnsafeRawBufferPointer, to group: Int) {
        guard let value = unsafe bytes.storedDouble else { return }
        sums[group].add(value)
        counts[group] += 1
    }

    override func value(of group: Int) -> Value {
        guard isAverage else { return .double(sums[group].value) }
        return counts[group] == 0 ? .null : .double(sums[group].value / Double(counts[group]))
    }
}

/// Sum or average of decimals.
final class DecimalSumAccumulator: Accumulator {
    private var sums: [Decimal] = []
    private var counts: [Int] = []
    private let isAverage: Bool

    init(isAverage: Bool) {
        self.isAverage = isAverage
    }

    override func addGroup() {
        sums.append(0)
        counts.append(0)
    }

    override func add(_ bytes: UnsafeRawBufferPointer, to group: Int) throws {
        guard case .decimal(let value) = try unsafe Value(decoding: bytes, as: .decimal) else {
            return
        }
        sums[group] += value
        counts[group] += 1
    }

    override func value(of group: Int) -> Value {
        guard isAverage else { return .decimal(sums[group]) }
        return counts[group] == 0 ? .null : .decimal(sums[group] / Decimal(counts[group]))
    }
}

/// The least or the greatest value.
final class ExtremeAccumulator: Accumulator {
    private let type: ValueType
    private let order: SlotOrder
    private let wantsLeast: Bool
    private let canonical: CanonicalBytes
    private var best: [[UInt8]?] = []

    init(_ type: ValueType, least wantsLeast: Bool) {
        self.type = type
        order = SlotOrder(type)
        self.wantsLeast = wantsLeast
        canonical = CanonicalBytes(type)
    }

    override func addGroup() { best.append(nil) }

    override func add(_ bytes: UnsafeRawBufferPointer, to group: Int) {
        let isBetter: Bool
        if let known = best[group] {
            let found = unsafe known.withUnsafeBytes { unsafe order.compare(bytes, $0) }
            isBetter = wantsLeast ? found < 0 : found > 0
        } else {
            isBetter = true
        }
        if isBetter {
            best[group] = unsafe canonical.withBytes(bytes) { unsafe [UInt8]($0) }
        }
    }

    override func value(of group: Int) throws -> Value {
        guard let bytes = best[group] else { return .null }
        return try unsafe bytes.withUnsafeBytes { try unsafe Value(bare: $0, as: type) }
    }
}

extension Value {
    /// A value from the bytes of a field; those of a reference are its target's identifier alone.
    init(bare bytes: UnsafeRawBufferPointer, as type: ValueType) throws {
        if type == .reference {
            self = .reference(unsafe String(decoding: bytes, as: UTF8.self))
        } else {
            self = try unsafe Value(decoding: bytes, as: type)
        }
    }
}
