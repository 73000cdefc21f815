import TestSupport

/// A way to damage a file.
enum Mutation: CustomStringConvertible {
    /// Bits that flip.
    case flips([Int])
    /// Eight bytes that become others, with values that lie at the edges of something.
    case word(at: Int, UInt64)
    /// The end that is missing.
    case truncation(Int)
    /// A page of one place, or of another file, in another place.
    case splice(from: Int, at: Int)

    static let pageByteCount = 4096

    private static let edges: [UInt64] = [
        0, 1, 2, 3, 24, 0x7f, 0x80, 0xff, 0x7fff, 0x8000, 0xffff, 0x7fff_ffff, 0x8000_0000,
        0xffff_ffff, 0x7fff_ffff_ffff_ffff, 0x8000_0000_0000_0000, 0xffff_ffff_ffff_ffff,
        0xffff_ffff_ffff_fff8, 0x7fff_ffff_ffff_fff8, 0xffff_ff07_4141_4141, 0xffff_ff46_4141_4141,
        0x0100_0007_4141_4141, 0x0000_0000_4141_4141, 0xffff_ff00_4141_4141, 0xffff_ffc6_4141_4141,
    ]

    /// - Parameter donor: the file from which pages come.
    init(of bytes: [UInt8], donor: [UInt8], _ generator: inout SeededGenerator) {
        let words = bytes.count / 8
        switch generator.below(10) {
        case 0..<6:
            let count = 1 + generator.below(8)
            if generator.once(in: 2) {
                // Near each other, as a faulty sector has them.
                let start = generator.below(bytes.count)
                self = .flips(
                    (0..<count).map { _ in
                        8 * min(bytes.count - 1, start + generator.below(32)) + generator.below(8)
                    }
                )
            } else {
                self = .flips((0..<count).map { _ in generator.below(8 * bytes.count) })
            }
        case 6, 7: self = .word(at: 8 * generator.below(words), generator.pick(Self.edges))
        case 8: self = .truncation(generator.below(bytes.count))
        default:
            let pages = max(1, bytes.count / Self.pageByteCount)
            self = .splice(
                from: Self.pageByteCount
                    * generator.below(max(1, donor.count / Self.pageByteCount)),
                at: Self.pageByteCount * generator.below(pages)
            )
        }
    }

    func applied(to bytes: [UInt8], donor: [UInt8]) -> [UInt8] {
        var bytes = bytes
        switch self {
        case .flips(let bits):
            for bit in bits { bytes[bit / 8] ^= 1 << UInt8(bit % 8) }
        case .word(let offset, let value):
            for byte in 0..<8 {
                bytes[offset + byte] = UInt8(truncatingIfNeeded: value >> UInt64(8 * byte))
            }
        case .truncation(let count): bytes.removeLast(bytes.count - count)
        case .splice(let from, let offset):
            let count = min(Self.pageByteCount, donor.count - from, bytes.count - offset)
            bytes.replaceSubrange(offset..<offset + count, with: donor[from..<from + count])
        }
        return bytes
    }

    var description: String {
        switch self {
        case .flips(let bits): "bits \(bits)"
        case .word(let offset, let value): "\(String(value, radix: 16)) at \(offset)"
        case .truncation(let count): "\(count) bytes"
        case .splice(let from, let offset): "the page at \(from), at \(offset)"
        }
    }
}
