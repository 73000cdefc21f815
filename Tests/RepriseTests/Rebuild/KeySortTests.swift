import RepriseLog
import TestSupport
import Testing

@testable import Reprise

/// Sorting keys in memory, and hashing rows beside it.
struct KeySortTests {
    private enum Shape: CaseIterable {
        case random, hexadecimal, numbered, few, ascending, nested
    }

    private static func key(
        _ number: Int,
        _ shape: Shape,
        _ generator: inout SeededGenerator
    ) -> [UInt8] {
        switch shape {
        case .random:
            (0..<generator.below(20)).map { _ in UInt8.random(in: 0...255, using: &generator) }
        case .hexadecimal: Array(String(generator.next(), radix: 16).utf8)
        case .numbered: Array("a common beginning, number \(generator.below(100_000))".utf8)
        case .few: [UInt8(generator.below(3))]
        case .ascending: [1, 2, UInt8(number >> 8), UInt8(number & 0xFF)]
        case .nested: Array(repeating: 0, count: generator.below(40))
        }
    }

    @Test(arguments: Shape.allCases, [0, 1, 2, 24, 25, 5000, 40_000])
    private func `keys come in order, equal ones in that of their indices`(shape: Shape, count: Int)
    {
        var generator = SeededGenerator(seed: UInt64(count))
        let keys = (0..<count).map { Self.key($0, shape, &generator) }
        let room = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 21, alignment: 1)
        defer { unsafe room.deallocate() }
        var sort = KeySort(capacity: 0)
        var end = 0
        for (index, key) in keys.enumerated() {
            unsafe UnsafeMutableRawBufferPointer(rebasing: room[end...]).copyBytes(from: key)
            let start = unsafe UnsafeRawPointer(room.baseAddress.unsafelyUnwrapped + end)
            unsafe sort.add(start, count: key.count, mark: UInt8(index & 0xFF), index: index)
            end += key.count
        }
        #expect(sort.count == count)
        // As many as the last are shared with another thread.
        let items = sort.sortedItems(mayShare: count >= SharedKeySort.countMin)
        let expected = keys.indices.sorted { left, right in
            if keys[left] == keys[right] { return left < right }
            return precedes(keys[left], keys[right])
        }
        #expect(items.map { Int($0.index) } == expected)
        #expect(items.allSatisfy { $0.mark == UInt8($0.index & 0xFF) })
        #expect(items.allSatisfy { $0.keyCount == keys[Int($0.index)].count })
    }

    @Test(arguments: [0, 1, 255, 256, 257, 5000])
    func `rows that are hashed on another thread have the same sum`(count: Int) {
        var generator = SeededGenerator(seed: UInt64(count))
        let bytes = (0..<4096).map { _ in UInt8.random(in: 0...255, using: &generator) }
        let digests = RowDigests()
        unsafe bytes.withUnsafeBytes { bytes in
            for round in 0..<3 {
                var expected = Digest256.zero
                for _ in 0..<count {
                    let start = generator.below(3000)
                    let key = unsafe UnsafeRawBufferPointer(rebasing: bytes[start..<(start + 18)])
                    let payload = unsafe UnsafeRawBufferPointer(
                        rebasing: bytes[(start + 18)..<(start + 18 + generator.below(1000))]
                    )
                    unsafe digests.add(key: key, payload: payload)
                    unsafe expected &+= RowView.digest(key: key, payload: payload)
                }
                // What was given up is in no later sum.
                if round == 1 { digests.discard() } else { #expect(digests.sum() == expected) }
            }
        }
        #expect(digests.sum() == .zero)
    }
}
