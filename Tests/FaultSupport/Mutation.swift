/// One way to damage a data file, found by its seed and number alone.
package struct Mutation: Sendable {
    package let name: String
    private let seed: UInt64
    private let kind: Int

    private static let names = [
        "bits", "bits", "bits", "page header", "page header", "number", "zeroed page",
        "swapped pages", "copied page", "truncated to pages", "truncated", "extended", "meta page",
        "noise in a page", "foreign file",
    ]

    package init(seed: UInt64, number: Int) {
        var generator = SeededGenerator(seed: seed &+ UInt64(number) &* 0x1_0000_0001)
        kind = generator.below(Self.names.count)
        name = Self.names[kind]
        self.seed = generator.next()
    }

    /// - Parameter bytes: a whole data file.
    package func apply(to bytes: inout [UInt8]) {
        var generator = SeededGenerator(seed: seed)
        let page = 4096
        let pageCount = bytes.count / page
        func pageStart() -> Int { generator.below(pageCount) * page }
        switch kind {
        case 0...2:
            for _ in 0...generator.below(4) {
                bytes[generator.below(bytes.count)] ^= 1 << UInt8(generator.below(8))
            }
        case 3, 4:
            // Header and node pointers, which LMDB trusts.
            bytes[pageStart() + generator.below(64)] = UInt8(generator.below(256))
        case 5:
            let start = generator.below(bytes.count - 8)
            let number = [0, 1, 0xFF, 0xFFFF, 0x7FFF_FFFF, -1, .max][generator.below(7)]
            for index in 0..<8 {
                bytes[start + index] = UInt8(truncatingIfNeeded: number >> (8 * index))
            }
        case 6:
            let start = pageStart()
            for index in start..<start + page { bytes[index] = 0 }
        case 7:
            let (first, second) = (pageStart(), pageStart())
            let kept = Array(bytes[first..<first + page])
            bytes.replaceSubrange(first..<first + page, with: bytes[second..<second + page])
            bytes.replaceSubrange(second..<second + page, with: kept)
        case 8:
            let (first, second) = (pageStart(), pageStart())
            bytes.replaceSubrange(first..<first + page, with: bytes[second..<second + page])
        case 9: bytes.removeLast(bytes.count - pageStart())
        case 10:
            let length = [
                0, 1, 7, 152, 4095, 4097, 8191, 8193, bytes.count - 1, generator.below(bytes.count),
            ]
            bytes.removeLast(bytes.count - length[generator.below(length.count)])
        case 11:
            for _ in 0..<generator.below(3 * page) { bytes.append(UInt8(generator.below(256))) }
        case 12:
            let start = generator.below(2) * page + generator.below(152)
            bytes[start] = UInt8(generator.below(256))
        case 13:
            let start = pageStart()
            let length = generator.below(page)
            for index in start..<start + length { bytes[index] = UInt8(generator.below(256)) }
        default:
            let foreign = [
                Array("SQLite format 3\0".utf8), Array(repeating: 0xFF, count: 3 * page),
                Array(repeating: 0, count: 5 * page), Array("{\"items\": []}\n".utf8),
            ]
            bytes = foreign[generator.below(foreign.count)]
        }
    }
}
