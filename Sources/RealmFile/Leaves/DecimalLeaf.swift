/// A leaf of decimals of one width.
///
/// Source: `array_decimal128.cpp` of realm-core 20.1.5 (Apache-2.0).
struct DecimalLeaf {
    private let node: ArrayNode
    private static let nullLow: UInt64 = 0xaa
    private static let nullHigh: UInt64 = 0x7c00_0000_0000_0000
    private static let nullMiddle: UInt64 = 0x7c00_0000_0000_00aa
    private static let nullNarrow: UInt32 = 0x7c00_00aa

    init(_ node: ArrayNode, _ version: FormatVersion) throws(RealmFileError) {
        let node = try node.checked(as: .records)
        let widths: Set<Int> = version.hasNarrowDecimals ? [0, 4, 8, 16] : [0, 16]
        guard widths.contains(node.width) || node.count == 0 else {
            throw RealmFileError(.damaged, "Decimals have \(node.width) bytes.", at: node.offset)
        }
        self.node = node
    }

    var count: Int { node.count }

    func value(at index: Int) throws(RealmFileError) -> RealmValue {
        let record = try node.record(at: index)
        switch node.width {
        case 0: return node.hasContext ? .decimal(RealmDecimal()) : .null
        case 4:
            let bits = try record.load(UInt32.self, at: 0)
            return bits == Self.nullNarrow ? .null : .decimal(RealmDecimal(bits))
        case 8:
            let bits = try record.load(UInt64.self, at: 0)
            return bits == Self.nullMiddle ? .null : .decimal(RealmDecimal(bits))
        default:
            let low = try record.load(UInt64.self, at: 0)
            let high = try record.load(UInt64.self, at: 8)
            if low == Self.nullLow, high == Self.nullHigh { return .null }
            return .decimal(RealmDecimal(low: low, high: high))
        }
    }
}
