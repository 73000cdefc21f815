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
        /// The hashes of what it says; 0 where that is nothing.
        let hashes: [Int]
    }

    private var controls: [Control] = []
    private var seenCount: UInt64 = 0
    /// Where those begin that the next record is compared with.
    private var start = 0

    private static let countMax = 128
    /// With how many of them each record is compared.
    private static let comparedCount = 8
    /// Of so few all are compared with one another.
    private static let pairedCountMax = 16

    /// How many there are.
    var count: Int { controls.count }

    /// How many of those that the record is compared with say the same, of those that say something there; nil where
    /// none does.
    func chance(of value: Value, at place: Int) -> Double? {
        let own = Self.hash(value)
        var (count, sameCount) = (0, 0)
        for number in 0..<min(Self.comparedCount, controls.count) {
            let other = controls[index(number)].hashes[place]
            if other == 0 { continue }
            count += 1
            if other == own { sameCount += 1 }
        }
        return count == 0 ? nil : Double(sameCount) / Double(count)
    }

    /// How many of them have it in their key, or another of one series with it; nil where there are none.
    func chance(ofDrawn text: Substring) -> Double? {
        share { $0.drawn.contains { NamingText.areOfOneSeries($0, text) } }
    }

    /// How many of them have keys of one series with others of them, however the export is sorted; nil where there are
    /// no two.
    var seriesShare: Double? {
        var (count, sameCount) = (0, 0)
        func compare(_ one: Int, _ other: Int) {
            count += 1
            if NamingText.areOfOneSeries(controls[one].namingParts, controls[other].namingParts) { sameCount += 1 }
        }
        for one in controls.indices {
            if controls.count <= Self.pairedCountMax {
                for other in 0..<one { compare(one, other) }
            } else {
                let other = Int(Self.scattered(UInt64(one)) % UInt64(controls.count))
                if other != one { compare(one, other) }
            }
        }
        return count == 0 ? nil : Double(sameCount) / Double(count)
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
            hashes: record.shape.attributes.indices.map { place in
                stored(place).map { $0.isNothing ? 0 : Self.hash($0) } ?? 0
            }
        )
    }

    /// Over all bytes of it, since that of `Data` by itself is one of the first few alone; never 0.
    private static func hash(_ value: Value) -> Int {
        var hasher = Hasher()
        switch value {
        case .string(var text), .reference(var text):
            text.withUTF8 { unsafe hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
        case .data(let bytes): unsafe bytes.withUnsafeBytes { unsafe hasher.combine(bytes: $0) }
        default: hasher.combine(value)
        }
        let hash = hasher.finalize()
        return hash == 0 ? 1 : hash
    }

    /// SplitMix64 (Steele, Lea, Flood, 2014) of a number.
    private static func scattered(_ number: UInt64) -> UInt64 {
        var mixed = number &* 0x9E37_79B9_7F4A_7C15
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
