#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The total order of values: nil first, NaN last, `-0` equal to `0`, text by UTF-8 bytes.
extension Value {
    /// Negative when `left` comes first, zero when the two rank equal, else positive.
    ///
    /// It is the order of index keys. Values of different kinds are ordered by kind; lists, sets
    /// and maps element by element, a prefix first.
    public static func compare(_ left: Value, _ right: Value) -> Int {
        switch (left, right) {
        case (.bool(let a), .bool(let b)): order(a ? 1 : 0, b ? 1 : 0)
        case (.int(let a), .int(let b)): order(a, b)
        case (.double(let a), .double(let b)): orderFloats(a, b)
        case (.float(let a), .float(let b)): orderFloats(a, b)
        case (.string(let a), .string(let b)), (.reference(let a), .reference(let b)):
            orderBytes(a.utf8, b.utf8)
        case (.data(let a), .data(let b)): orderBytes(a, b)
        case (.date(let a), .date(let b)):
            orderFloats(a.timeIntervalSinceReferenceDate, b.timeIntervalSinceReferenceDate)
        case (.uuid(let a), .uuid(let b)):
            unsafe withUnsafeBytes(of: a.uuid) { a in
                unsafe withUnsafeBytes(of: b.uuid) { b in unsafe orderBytes(a, b) }
            }
        case (.decimal(let a), .decimal(let b)):
            if a.isNaN || b.isNaN {
                order(a.isNaN ? 1 : 0, b.isNaN ? 1 : 0)
            } else {
                order(a, b)
            }
        case (.list(let a), .list(let b)): orderLists(a, b)
        case (.set(let a), .set(let b)): orderLists(a.sorted(by: precedes), b.sorted(by: precedes))
        case (.map(let a), .map(let b)), (.embedded(let a), .embedded(let b)):
            orderEntries(a, b)
        default: order(left.rank, right.rank)
        }
    }

    /// Whether `left` comes before `right` in the total order.
    public static func precedes(_ left: Value, _ right: Value) -> Bool {
        compare(left, right) < 0
    }

    private static func order<T: Comparable>(_ left: T, _ right: T) -> Int {
        left < right ? -1 : (left == right ? 0 : 1)
    }

    private static func orderFloats<T: BinaryFloatingPoint>(_ left: T, _ right: T) -> Int {
        if left.isNaN || right.isNaN { return order(left.isNaN ? 1 : 0, right.isNaN ? 1 : 0) }
        return order(left, right)
    }

    private static func orderBytes(_ left: some Sequence<UInt8>, _ right: some Sequence<UInt8>)
        -> Int
    {
        var others = right.makeIterator()
        for byte in left {
            guard let other = others.next() else { return 1 }
            if byte != other { return byte < other ? -1 : 1 }
        }
        return others.next() == nil ? 0 : -1
    }

    private static func orderLists(_ left: [Value], _ right: [Value]) -> Int {
        for (a, b) in zip(left, right) {
            let result = compare(a, b)
            if result != 0 { return result }
        }
        return order(left.count, right.count)
    }

    private static func orderEntries(_ left: [Entry], _ right: [Entry]) -> Int {
        func sorted(_ entries: [Entry]) -> [Entry] {
            entries.sorted { orderBytes($0.name.utf8, $1.name.utf8) < 0 }
        }
        let (left, right) = (sorted(left), sorted(right))
        for (a, b) in zip(left, right) {
            let names = orderBytes(a.name.utf8, b.name.utf8)
            if names != 0 { return names }
            let values = compare(a.value, b.value)
            if values != 0 { return values }
        }
        return order(left.count, right.count)
    }
}
