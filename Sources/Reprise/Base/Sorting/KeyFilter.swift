internal import RepriseLog

/// Tells of keys that they are certainly not in a set, or may be (Bloom 1970, "Space/Time Trade-offs in Hash Coding
/// with Allowable Errors"). Ten bits a key and seven probes leave about one false answer in a hundred.
///
/// The probes are derived from two halves of one hash (Kirsch & Mitzenmacher 2006, "Less Hashing, Same Performance").
struct KeyFilter {
    private static let bitsPerKey = 10
    private static let probeCount: UInt64 = 7

    private var words: [UInt64]

    /// - Parameter count: how many keys there will be, about.
    init(count: Int) {
        words = Array(repeating: 0, count: max(1, count * Self.bitsPerKey / 64 + 1))
    }

    var byteCount: Int { words.count * 8 }

    mutating func insert(_ key: UnsafeRawBufferPointer) {
        let hash = unsafe XXH64.hash(key, seed: 0)
        for probe in 0..<Self.probeCount {
            let bit = bit(probe, hash)
            words[bit >> 6] |= 1 << UInt64(bit & 63)
        }
    }

    /// False when `key` was certainly not inserted.
    func mayContain(_ key: UnsafeRawBufferPointer) -> Bool {
        let hash = unsafe XXH64.hash(key, seed: 0)
        for probe in 0..<Self.probeCount {
            let bit = bit(probe, hash)
            if words[bit >> 6] & 1 << UInt64(bit & 63) == 0 { return false }
        }
        return true
    }

    private func bit(_ probe: UInt64, _ hash: UInt64) -> Int {
        let mixed = hash &+ probe &* (hash >> 32 | 1)
        // The high half of a product maps a hash evenly to a range.
        return Int(mixed.multipliedFullWidth(by: UInt64(words.count * 64)).high)
    }
}
