import Reprise

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A few of the rows of a class that records were compared with, sampled from all of them: where a key says nothing of
/// what it names, its row is as likely to say what the record says as any other is.
struct ControlRows {
    private struct Control {
        let namingParts: [Substring]
        /// The drawn parts of the key.
        let drawn: [Substring]
        let values: [Said?]
    }

    /// What a row says.
    private enum Said {
        case value(Value)
        /// How many bytes something long has (0 of what has parts), and the hash of it.
        case long(Int, hash: Int)

        init(_ value: Value) {
            self =
                ControlRows.isShort(value)
                ? .value(value) : .long(ControlRows.byteCount(value), hash: ControlRows.hash(value))
        }
    }

    private var controls: [Control] = []
    private var seenCount: UInt64 = 0
    /// Where those begin that the next record is compared with.
    private var start = 0

    private static let countMax = 128
    /// With how many of them each record is compared.
    private static let comparedCount = 8
    /// Of longer values a hash is kept.
    private static let byteCountMax = 128

    /// How many there are.
    var count: Int { controls.count }

    /// How many of those that the record is compared with say the same, of those that say something there; nil where
    /// none does.
    func chance(of value: Value, at place: Int) -> Double? {
        let isShort = Self.isShort(value)
        let byteCount = Self.byteCount(value)
        // Hashed only where there is something as long.
        var hash: Int?
        var (count, sameCount) = (0, 0)
        for number in 0..<min(Self.comparedCount, controls.count) {
            guard let other = controls[index(number)].values[place] else { continue }
            count += 1
            switch other {
            case .value(let said): if isShort, said == value { sameCount += 1 }
            case .long(let otherByteCount, let otherHash):
                guard !isShort, otherByteCount == byteCount else { continue }
                let own = hash ?? Self.hash(value)
                hash = own
                if own == otherHash { sameCount += 1 }
            }
        }
        return count == 0 ? nil : Double(sameCount) / Double(count)
    }

    /// How many of them have it in their key, or another of one series with it; nil where there are none.
    func chance(ofDrawn text: Substring) -> Double? {
        share { $0.drawn.contains { NamingText.areOfOneSeries($0, text) } }
    }

    /// How many of them have a key of one series with it; nil where there are none.
    func chance(ofSeries namingParts: [String]) -> Double? {
        let parts = namingParts.map { $0[...] }
        return share { NamingText.areOfOneSeries($0.namingParts, parts) }
    }

    private func share(where isSame: (Control) -> Bool) -> Double? {
        let count = min(Self.comparedCount, controls.count)
        guard count > 0 else { return nil }
        return Double((0..<count).count { isSame(controls[index($0)]) }) / Double(count)
    }

    /// Which control is the first, second, and so on that the next record is compared with.
    private func index(_ number: Int) -> Int { (start + number) % controls.count }

    /// Takes one into account: each has the same chance to be among them, and the same records come to the same.
    ///
    /// J. S. Vitter, "Random Sampling with a Reservoir" (1985), algorithm R.
    mutating func add(_ record: ShapedRecord, stored: (Int) -> Value?) {
        seenCount += 1
        if controls.count < Self.countMax {
            controls.append(control(record, stored))
        } else {
            let place = Self.scattered(seenCount) % seenCount
            if place < Self.countMax { controls[Int(place)] = control(record, stored) }
        }
        // Others for each record: what a few rows have would stand for what all have.
        start = Int(Self.scattered(~seenCount) % UInt64(controls.count))
    }

    private func control(_ record: ShapedRecord, _ stored: (Int) -> Value?) -> Control {
        let parts = record.namingParts
        return Control(
            namingParts: parts.map(NamingText.looked),
            drawn: parts.compactMap(NamingText.drawn),
            values: record.shape.attributes.indices.map { place in
                stored(place).flatMap { $0.isNothing ? nil : Said($0) }
            }
        )
    }

    private static func isShort(_ value: Value) -> Bool {
        switch value {
        case .list, .set, .map, .embedded: false
        default: byteCount(value) <= byteCountMax
        }
    }

    private static func byteCount(_ value: Value) -> Int {
        switch value {
        case .string(let text), .reference(let text): text.utf8.count
        case .data(let bytes): bytes.count
        default: 0
        }
    }

    /// Over all bytes of it; that of `Data` by itself is one of the first few alone.
    private static func hash(_ value: Value) -> Int {
        var hasher = Hasher()
        switch value {
        case .string(var text), .reference(var text):
            text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
        case .data(let bytes): bytes.withUnsafeBytes { hasher.combine(bytes: $0) }
        default: hasher.combine(value)
        }
        return hasher.finalize()
    }

    /// SplitMix64 (Steele, Lea, Flood, 2014) of a number.
    private static func scattered(_ number: UInt64) -> UInt64 {
        var mixed = number &* 0x9E37_79B9_7F4A_7C15
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
