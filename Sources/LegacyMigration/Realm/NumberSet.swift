/// A set of numbers that mostly follow each other: a bit each, in blocks of 4096. Numbers that lie far apart take 512
/// bytes each, and for a moment three times as much.
struct NumberSet {
    private static let blockBits: Int64 = 12
    private static let wordsPerBlock = 64

    private var words: [UInt64] = []
    /// Where each block begins in `words`.
    private var starts: [Int64: Int] = [:]
    /// The block of the number that came last.
    private var recent: (block: Int64, start: Int)?

    /// Returns whether the number is new.
    mutating func insert(_ number: Int64) -> Bool {
        let start = makeBlock(number >> Self.blockBits)
        let (word, bit) = Self.place(of: number)
        guard words[start + word] & bit == 0 else { return false }
        words[start + word] |= bit
        return true
    }

    func contains(_ number: Int64) -> Bool {
        guard let start = starts[number >> Self.blockBits] else { return false }
        let (word, bit) = Self.place(of: number)
        return words[start + word] & bit != 0
    }

    /// Where a block begins, which is made where there is none.
    private mutating func makeBlock(_ block: Int64) -> Int {
        if let recent, recent.block == block { return recent.start }
        let start = starts[block] ?? words.count
        if start == words.count {
            starts[block] = start
            words.append(contentsOf: repeatElement(0, count: Self.wordsPerBlock))
        }
        recent = (block, start)
        return start
    }

    /// The word of a number within its block, and its bit.
    private static func place(of number: Int64) -> (word: Int, bit: UInt64) {
        let place = Int(number & (1 << blockBits - 1))
        return (place >> 6, 1 << UInt64(place & 63))
    }
}
