import TestSupport
import Testing

@testable import Reprise

/// Searching bytes in place finds what a naive search finds.
struct FoldedPatternTests {
    private static let foldings: [TextFolding] = [
        [], .ignoresCase, .ignoresDiacritics, .ignoresBoth,
    ]
    private static let pieces = [
        "a", "A", "b", "ab", "é", "e\u{301}", "E", "ß", "s", "S", "İ", "i", "ø", "O", "한", "하", "が",
        "か", "𐐀", "\u{307}", "ﬁ", "f", " ",
    ]

    /// Where `part` begins in `whole`, looked up at every place.
    private func naive(_ whole: [UInt8], contains part: [UInt8]) -> Bool {
        guard whole.count >= part.count else { return false }
        return (0...(whole.count - part.count)).contains {
            Array(whole[$0..<($0 + part.count)]) == part
        }
    }

    @Test(arguments: [7 as UInt64, 8, 9])
    func `bytes are found wherever they are`(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<20_000 {
            let letters = UInt8(1 + random.below(3))
            func bytes(_ count: Int) -> [UInt8] {
                (0..<count).map { _ in
                    UInt8(random.below(Int(letters))) &+ (random.once(in: 9) ? 127 : 0)
                }
            }
            let whole = bytes(random.skewed(below: 60))
            let part = bytes(random.skewed(below: 9))
            let found = unsafe whole.withUnsafeBytes { unsafe $0.contains(part) }
            #expect(found == naive(whole, contains: part), "\(part) in \(whole)")
        }
    }

    @Test(arguments: [1 as UInt64, 2, 3])
    func `a pattern is found where its folded form is`(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<6_000 {
            let folding = random.pick(Self.foldings)
            // Long ones too: pieces of folded text meet in the middle of them.
            let count = random.once(in: 20) ? random.below(900) : random.below(12)
            let text = (0..<count).map { _ in random.pick(Self.pieces) }.joined()
            var part = (0..<random.below(4)).map { _ in random.pick(Self.pieces) }.joined()
            if random.once(in: 3) {
                let scalars = Array(text.unicodeScalars)
                let from = random.below(scalars.count + 1)
                let to = from + random.below(scalars.count - from + 1)
                var taken = String.UnicodeScalarView()
                taken.append(contentsOf: scalars[(random.once(in: 2) ? from : 0)..<to])
                part = String(taken)
            }
            let pattern = FoldedPattern(part, folding)
            let whole = folding.folded(text)
            let bytes = folding.folded(part)
            var raw = text
            raw.withUTF8 { buffer in
                let raw = UnsafeRawBufferPointer(buffer)
                #expect(unsafe pattern.isContained(in: raw) == naive(whole, contains: bytes))
                #expect(unsafe pattern.isPrefix(of: raw) == whole.starts(with: bytes))
                #expect(
                    unsafe pattern.isSuffix(of: raw)
                        == whole.reversed().starts(with: bytes.reversed())
                )
                #expect(unsafe pattern.equals(raw) == (whole == bytes))
            }
        }
    }

    @Test func `damaged text matches without a trap`() {
        var random = SeededGenerator(seed: 4)
        let pattern = FoldedPattern("é", .ignoresBoth)
        for _ in 0..<20_000 {
            let bytes = (0..<random.below(24)).map { _ in UInt8(truncatingIfNeeded: random.next()) }
            var folded: [UInt8] = []
            unsafe bytes.withUnsafeBytes { raw in
                unsafe TextFolding.ignoresBoth.fold(raw, into: &folded)
                #expect(unsafe pattern.isContained(in: raw) == folded.contains(0x65))
                #expect(unsafe pattern.isSuffix(of: raw) == (folded.last == 0x65))
                #expect(unsafe pattern.isPrefix(of: raw) == (folded.first == 0x65))
            }
        }
    }
}
