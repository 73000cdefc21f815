import Reprise

/// A few of the rows of a class that records were compared with, sampled from all of them: where a key says nothing of
/// what it names, its row is as likely to say what the record says as any other is.
struct ControlRows {
    private struct Control {
        let namingParts: [String]
        /// The drawn parts of the key.
        let drawn: [Substring]
        let values: [Said?]
    }

    /// What a row says.
    private enum Said: Equatable {
        case value(Value)
        /// The hash of something long.
        case hash(Int)

        init(_ value: Value) {
            self = ControlRows.isShort(value) ? .value(value) : .hash(value.hashValue)
        }
    }

    private var controls: [Control] = []
    private var seenCount: UInt64 = 0

    private static let countMax = 8
    /// Of longer values a hash is kept.
    private static let byteCountMax = 1024

    /// How many of them, of those that say something there, say the same; nil where none does.
    func chance(of value: Value, at place: Int) -> Double? {
        let wanted = Said(value)
        var (count, sameCount) = (0, 0)
        for control in controls {
            guard let other = control.values[place] else { continue }
            count += 1
            if other == wanted { sameCount += 1 }
        }
        return count == 0 ? nil : Double(sameCount) / Double(count)
    }

    /// How many of them have it in their key, or another of one series with it; nil where there are none.
    func chance(ofDrawn text: Substring) -> Double? {
        share { $0.drawn.contains { NamingText.areOfOneSeries($0, text) } }
    }

    /// How many of them have a key of one series with it; nil where there are none.
    func chance(ofSeries namingParts: [String]) -> Double? {
        share { NamingText.areOfOneSeries($0.namingParts, namingParts) }
    }

    private func share(where isSame: (Control) -> Bool) -> Double? {
        controls.isEmpty ? nil : Double(controls.count(where: isSame)) / Double(controls.count)
    }

    /// Takes one into account: each has the same chance to be among them, and the same records come to the same.
    ///
    /// J. S. Vitter, "Random Sampling with a Reservoir" (1985), algorithm R.
    mutating func add(_ record: ShapedRecord, stored: (Int) -> Value?) {
        seenCount += 1
        guard controls.count == Self.countMax else { return controls.append(control(record, stored)) }
        let place = Int(Self.scattered(seenCount) % seenCount)
        if place < Self.countMax { controls[place] = control(record, stored) }
    }

    private func control(_ record: ShapedRecord, _ stored: (Int) -> Value?) -> Control {
        let parts = record.namingParts
        return Control(
            namingParts: parts,
            drawn: parts.compactMap(NamingText.drawn),
            values: record.shape.attributes.indices.map { place in
                stored(place).flatMap { $0.isNothing ? nil : Said($0) }
            }
        )
    }

    private static func isShort(_ value: Value) -> Bool {
        switch value {
        case .string(let text): text.utf8.count <= byteCountMax
        case .data(let bytes): bytes.count <= byteCountMax
        case .list, .set, .map, .embedded: false
        default: true
        }
    }

    /// SplitMix64 (Steele, Lea, Flood, 2014) of a number.
    private static func scattered(_ number: UInt64) -> UInt64 {
        var mixed = number &* 0x9E37_79B9_7F4A_7C15
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
