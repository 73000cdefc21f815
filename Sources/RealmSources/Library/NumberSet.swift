import ExportFormats
import LegacyRecords

/// A set of numbers that mostly follow each other: a bit each, in blocks of 4096. Numbers that lie far apart take 512
/// bytes each, and for a moment three times as much; beyond a ``RecordMemory`` those of further blocks are on disk.
final class NumberSet {
    private static let blockBits: Int64 = 12
    private static let wordsPerBlock = 64
    /// What a block takes: its bits, twice more while the array of them grows, and where it begins.
    private static let blockByteCount = 3 * wordsPerBlock * MemoryLayout<UInt64>.stride + 64

    private let memory: RecordMemory
    private var words: [UInt64] = []
    /// Where each block begins in `words`.
    private var starts: [Int64: Int] = [:]
    /// The block of the number that came last.
    private var recent: (block: Int64, start: Int)?

    /// Numbers of blocks that there was no room for.
    private let others: RememberedSet<UInt64>

    init(in memory: RecordMemory) {
        self.memory = memory
        others = RememberedSet(in: memory)
    }

    deinit {
        memory.giveBack(starts.count * Self.blockByteCount)
    }

    /// Returns whether the number is new.
    ///
    /// - Throws: ``LegacyError`` with the code `inputOutput` where what does not fit into memory cannot be put aside.
    func insert(_ number: Int64) throws(LegacyError) -> Bool {
        guard let start = makeBlock(number >> Self.blockBits) else {
            return try others.insert(UInt64(bitPattern: number))
        }
        let (word, bit) = Self.place(of: number)
        guard words[start + word] & bit == 0 else { return false }
        words[start + word] |= bit
        return true
    }

    func contains(_ number: Int64) throws(LegacyError) -> Bool {
        guard let start = starts[number >> Self.blockBits] else {
            return others.isEmpty ? false : try others.contains(UInt64(bitPattern: number))
        }
        let (word, bit) = Self.place(of: number)
        return words[start + word] & bit != 0
    }

    /// Where a block begins, which is made where there is none; nil where there is no room for it. Once that has
    /// happened no other one is made: a number is in a block or among the others.
    private func makeBlock(_ block: Int64) -> Int? {
        if let recent, recent.block == block { return recent.start }
        let start = starts[block] ?? words.count
        if start == words.count {
            guard others.isEmpty, memory.take(Self.blockByteCount) else { return nil }
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
