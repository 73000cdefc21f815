import RepriseLog
import Testing

struct HashingTests {
    @Test(
        arguments: [
            ("", 0, 0xEF46_DB37_51D8_E999), ("a", 0, 0xD24E_C4F1_A98C_6E5B),
            ("abc", 0, 0x44BC_2CF5_AD77_0999), ("xxhash", 0, 0x32DD_3895_2C4B_C720),
            ("xxhash", 20_141_025, 0xB559_B98D_844E_0635),
            ("", 1, 0xD5AF_BA13_36A3_BE4B), ("asdf", 0, 0x4158_72F5_99CE_A71E),
            ("Call me Ishmael.", 0, 0x6D04_390F_C9D6_1A90),
            ("Some years ago--never mind how long precisely-", 0, 0x8F26_F2B9_86AF_DC52),
            (
                "Call me Ishmael. Some years ago--never mind how long precisely-", 0,
                0x02A2_E854_70D6_FD96
            ),
        ] as [(String, UInt64, UInt64)]
    )
    func `XXH64 gives the published sums`(_ text: String, _ seed: UInt64, _ sum: UInt64) {
        unsafe Array(text.utf8).withUnsafeBytes { raw in
            #expect(unsafe XXH64.hash(raw, seed: seed) == sum)
        }
    }

    @Test func `XXH64 agrees with a slow one for every length, alignment and cut`() {
        var random = SeededGenerator(seed: 64)
        let bytes = random.bytes(208)
        for count in 0...200 {
            for start in [0, 1, 3, 7] {
                let seed = count.isMultiple(of: 2) ? 0 : random.next()
                let expected = slowXXH64(Array(bytes[start..<(start + count)]), seed: seed)
                unsafe bytes.withUnsafeBytes { raw in
                    let whole = unsafe UnsafeRawBufferPointer(
                        rebasing: raw[start..<(start + count)]
                    )
                    #expect(unsafe XXH64.hash(whole, seed: seed) == expected)
                    for cut in 0...count where start == 0 || cut.isMultiple(of: 13) {
                        let head = unsafe UnsafeRawBufferPointer(rebasing: whole[..<cut])
                        let tail = unsafe UnsafeRawBufferPointer(rebasing: whole[cut...])
                        let sum = unsafe XXH64.hash(head, tail, seed: seed)
                        if sum != expected { Issue.record("length \(count) cut at \(cut)") }
                    }
                }
            }
        }
    }

    @Test func `sums of digests carry, commute and can be taken back`() throws {
        var random = SeededGenerator(seed: 256)
        let one = try #require(Digest256(hex: "01" + String(repeating: "00", count: 31)))
        let all = try #require(Digest256(hex: String(repeating: "FF", count: 32)))
        #expect(all &+ one == .zero)
        #expect(Digest256.zero &- one == all)
        for place in 1...3 {
            let low =
                String(repeating: "ff", count: 8 * place)
                + String(repeating: "00", count: 32 - 8 * place)
            let sum = try #require(Digest256(hex: low)) &+ one
            let zeros = String(repeating: "00", count: 8 * place)
            #expect(sum.hex == zeros + "01" + String(repeating: "00", count: 31 - 8 * place))
        }
        let terms = (0..<100).map { _ in
            unsafe random.bytes(32).withUnsafeBytes { unsafe Digest256(bytes: $0) }
        }
        let sum = terms.reduce(Digest256.zero) { $0 &+ $1 }
        #expect(terms.shuffled(using: &random).reduce(Digest256.zero) { $0 &+ $1 } == sum)
        #expect(terms.reduce(sum) { $0 &- $1 } == .zero)
    }

    @Test func `a digest is its bytes`() {
        var random = SeededGenerator(seed: 32)
        for _ in 0..<100 {
            let bytes = random.bytes(32)
            let digest = unsafe bytes.withUnsafeBytes { unsafe Digest256(bytes: $0) }
            var copy = [UInt8](repeating: 0, count: 32)
            unsafe copy.withUnsafeMutableBytes { unsafe digest.write(into: $0) }
            #expect(copy == bytes)
            #expect(Digest256(hex: digest.hex) == digest)
            #expect(Digest256(hex: digest.hex.uppercased()) == digest)
        }
        #expect(Digest256(hex: "") == nil)
        #expect(Digest256(hex: String(repeating: "g0", count: 32)) == nil)
    }
}

/// The specification step by step, byte by byte, without regard to speed.
private func slowXXH64(_ input: [UInt8], seed: UInt64) -> UInt64 {
    let prime: [UInt64] = [
        11_400_714_785_074_694_791, 14_029_467_366_897_019_727, 1_609_587_929_392_839_161,
        9_650_029_242_287_828_579, 2_870_177_450_012_600_261,
    ]
    func rotate(_ value: UInt64, _ count: Int) -> UInt64 {
        (value << count) | (value >> (64 - count))
    }
    func number(_ bytes: ArraySlice<UInt8>) -> UInt64 {
        bytes.reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }
    func round(_ lane: UInt64, _ word: UInt64) -> UInt64 {
        rotate(lane &+ word &* prime[1], 31) &* prime[0]
    }
    var rest = input[...]
    var sum: UInt64
    if rest.count >= 32 {
        var lanes = [seed &+ prime[0] &+ prime[1], seed &+ prime[1], seed, seed &- prime[0]]
        while rest.count >= 32 {
            for lane in 0..<4 {
                lanes[lane] = round(lanes[lane], number(rest.prefix(8)))
                rest = rest.dropFirst(8)
            }
        }
        sum =
            rotate(lanes[0], 1) &+ rotate(lanes[1], 7) &+ rotate(lanes[2], 12)
            &+ rotate(lanes[3], 18)
        for lane in lanes { sum = (sum ^ round(0, lane)) &* prime[0] &+ prime[3] }
    } else {
        sum = seed &+ prime[4]
    }
    sum &+= UInt64(input.count)
    while rest.count >= 8 {
        sum = rotate(sum ^ round(0, number(rest.prefix(8))), 27) &* prime[0] &+ prime[3]
        rest = rest.dropFirst(8)
    }
    if rest.count >= 4 {
        sum = rotate(sum ^ number(rest.prefix(4)) &* prime[0], 23) &* prime[1] &+ prime[2]
        rest = rest.dropFirst(4)
    }
    for byte in rest { sum = rotate(sum ^ UInt64(byte) &* prime[4], 11) &* prime[0] }
    sum = (sum ^ (sum >> 33)) &* prime[1]
    sum = (sum ^ (sum >> 29)) &* prime[2]
    return sum ^ (sum >> 32)
}
