/// SHA-224, and with it a message's authentication by a key.
///
/// Source: FIPS 180-4 (SHA-224) and RFC 2104 (HMAC). Written here because the libraries that Reprise uses do not
/// have it.
struct SHA224 {
    static let byteCount = 28
    private static let blockByteCount = 64

    private var state: [UInt32] = [
        0xc105_9ed8, 0x367c_d507, 0x3070_dd17, 0xf70e_5939, 0xffc0_0b31, 0x6858_1511, 0x64f9_8fa7,
        0xbefa_4fa4,
    ]
    private var schedule = [UInt32](repeating: 0, count: 64)

    /// The digest of `bytes`.
    static func hash(_ bytes: [UInt8]) -> [UInt8] {
        var hash = SHA224()
        return hash.finish(bytes[...], before: 0)
    }

    /// Authenticates a message with one key after another message.
    struct Authentication {
        private let inner: SHA224
        private let outer: SHA224

        /// - Parameter key: up to 64 bytes.
        init(key: [UInt8]) {
            var padded = key + [UInt8](repeating: 0, count: max(0, blockByteCount - key.count))
            padded.removeLast(padded.count - blockByteCount)
            var inner = SHA224()
            inner.take(padded.map { $0 ^ 0x36 }, at: 0)
            var outer = SHA224()
            outer.take(padded.map { $0 ^ 0x5c }, at: 0)
            self.inner = inner
            self.outer = outer
        }

        func code(of message: [UInt8]) -> [UInt8] {
            var inner = inner
            let digest = inner.finish(message[...], before: blockByteCount)
            var outer = outer
            return outer.finish(digest[...], before: blockByteCount)
        }
    }

    /// Takes the rest of a message.
    ///
    /// - Parameter before: how many bytes were taken before, a multiple of 64.
    private mutating func finish(_ bytes: ArraySlice<UInt8>, before: Int) -> [UInt8] {
        let bytes = Array(bytes)
        var offset = 0
        while bytes.count - offset >= Self.blockByteCount {
            take(bytes, at: offset)
            offset += Self.blockByteCount
        }
        var rest = Array(bytes[offset...])
        rest.append(0x80)
        while rest.count % Self.blockByteCount != 56 { rest.append(0) }
        let bitCount = UInt64(before + bytes.count) * 8
        for shift in stride(from: 56, through: 0, by: -8) {
            rest.append(UInt8(truncatingIfNeeded: bitCount >> UInt64(shift)))
        }
        for offset in stride(from: 0, to: rest.count, by: Self.blockByteCount) {
            take(rest, at: offset)
        }
        var digest: [UInt8] = []
        for word in state.prefix(7) {
            for shift in stride(from: 24, through: 0, by: -8) {
                digest.append(UInt8(truncatingIfNeeded: word >> UInt32(shift)))
            }
        }
        return digest
    }

    /// Takes 64 bytes.
    private mutating func take(_ bytes: [UInt8], at offset: Int) {
        for place in 0..<16 {
            var word: UInt32 = 0
            for byte in 0..<4 { word = word << 8 | UInt32(bytes[offset + 4 * place + byte]) }
            schedule[place] = word
        }
        for place in 16..<64 {
            let early = schedule[place - 15]
            let late = schedule[place - 2]
            let first = early.rotated(7) ^ early.rotated(18) ^ early >> 3
            let second = late.rotated(17) ^ late.rotated(19) ^ late >> 10
            schedule[place] = schedule[place - 16] &+ first &+ schedule[place - 7] &+ second
        }
        var (a, b, c, d) = (state[0], state[1], state[2], state[3])
        var (e, f, g, h) = (state[4], state[5], state[6], state[7])
        for place in 0..<64 {
            let choice = (e & f) ^ (~e & g)
            let first =
                h &+ (e.rotated(6) ^ e.rotated(11) ^ e.rotated(25)) &+ choice
                &+ Self.constants[place] &+ schedule[place]
            let majority = (a & b) ^ (a & c) ^ (b & c)
            let second = (a.rotated(2) ^ a.rotated(13) ^ a.rotated(22)) &+ majority
            (h, g, f, e) = (g, f, e, d &+ first)
            (d, c, b, a) = (c, b, a, first &+ second)
        }
        for (place, value) in [a, b, c, d, e, f, g, h].enumerated() { state[place] &+= value }
    }

    /// The first 32 bits of the fractional parts of the cube roots of the first 64 primes.
    private static let constants: [UInt32] = [
        0x428a_2f98, 0x7137_4491, 0xb5c0_fbcf, 0xe9b5_dba5, 0x3956_c25b, 0x59f1_11f1, 0x923f_82a4,
        0xab1c_5ed5,
        0xd807_aa98, 0x1283_5b01, 0x2431_85be, 0x550c_7dc3, 0x72be_5d74, 0x80de_b1fe, 0x9bdc_06a7,
        0xc19b_f174,
        0xe49b_69c1, 0xefbe_4786, 0x0fc1_9dc6, 0x240c_a1cc, 0x2de9_2c6f, 0x4a74_84aa, 0x5cb0_a9dc,
        0x76f9_88da,
        0x983e_5152, 0xa831_c66d, 0xb003_27c8, 0xbf59_7fc7, 0xc6e0_0bf3, 0xd5a7_9147, 0x06ca_6351,
        0x1429_2967,
        0x27b7_0a85, 0x2e1b_2138, 0x4d2c_6dfc, 0x5338_0d13, 0x650a_7354, 0x766a_0abb, 0x81c2_c92e,
        0x9272_2c85,
        0xa2bf_e8a1, 0xa81a_664b, 0xc24b_8b70, 0xc76c_51a3, 0xd192_e819, 0xd699_0624, 0xf40e_3585,
        0x106a_a070,
        0x19a4_c116, 0x1e37_6c08, 0x2748_774c, 0x34b0_bcb5, 0x391c_0cb3, 0x4ed8_aa4a, 0x5b9c_ca4f,
        0x682e_6ff3,
        0x748f_82ee, 0x78a5_636f, 0x84c8_7814, 0x8cc7_0208, 0x90be_fffa, 0xa450_6ceb, 0xbef9_a3f7,
        0xc671_78f2,
    ]
}

extension UInt32 {
    /// The bits moved to the right, and those that fall out put in at the left.
    fileprivate func rotated(_ count: UInt32) -> UInt32 { self >> count | self << (32 - count) }
}
