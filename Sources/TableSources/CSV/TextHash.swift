/// FNV-1a over texts: the same from run to run. Two texts may have the same hash; whoever counts by it must lose
/// nothing then.
struct TextHash {
    private(set) var value: UInt64 = 0xCBF2_9CE4_8422_2325

    /// The hash of one text.
    static func of(_ text: String) -> UInt64 {
        var hash = TextHash()
        hash.add(text)
        return hash.value
    }

    mutating func add(_ text: String) {
        for byte in text.utf8 { add(byte) }
    }

    mutating func add(_ byte: UInt8) {
        value = (value ^ UInt64(byte)) &* 0x0000_0100_0000_01B3
    }
}
