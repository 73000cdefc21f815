/// A set of numbers that mostly follow each other: a bit each, in blocks of 4096.
struct NumberSet {
    private static let bitsPerBlock: Int64 = 4096
    private var blocks: [Int64: [UInt64]] = [:]

    /// Returns whether the number is new.
    mutating func insert(_ number: Int64) -> Bool {
        let place = Int(number & (Self.bitsPerBlock - 1))
        let bit: UInt64 = 1 << UInt64(place % 64)
        let block = number >> 12
        let word = blocks[block]?[place / 64] ?? 0
        guard word & bit == 0 else { return false }
        blocks[block, default: [UInt64](repeating: 0, count: 64)][place / 64] |= bit
        return true
    }

    func contains(_ number: Int64) -> Bool {
        let place = Int(number & (Self.bitsPerBlock - 1))
        return (blocks[number >> 12]?[place / 64] ?? 0) & 1 << UInt64(place % 64) != 0
    }
}
