/// AES with a key of 256 bits, backward only, and chains of its blocks.
///
/// Source: FIPS 197, section 5.3.5 (the equivalent inverse cipher), and NIST SP 800-38A, section 6.2 (CBC). The tables
/// are calculated. Times depend on the key: it is for reading one's own files, not for answering strangers.
struct AES256 {
    static let blockByteCount = 16
    private static let roundCount = 14

    private let roundKeys: [UInt32]

    /// - Parameter key: 32 bytes.
    init(key: [UInt8]) {
        let tables = Tables.shared
        var words: [UInt32] = []
        for place in 0..<8 {
            var word: UInt32 = 0
            for byte in 0..<4 { word = word << 8 | UInt32(key[4 * place + byte]) }
            words.append(word)
        }
        var constant: UInt8 = 1
        for place in 8..<4 * (Self.roundCount + 1) {
            var word = words[place - 1]
            if place % 8 == 0 {
                word = tables.substituted(word << 8 | word >> 24) ^ UInt32(constant) << 24
                constant = Tables.doubled(constant)
            } else if place % 8 == 4 {
                word = tables.substituted(word)
            }
            words.append(words[place - 8] ^ word)
        }
        // In the order in which they are used backward, mixed but for the first and the last.
        var keys: [UInt32] = []
        for round in stride(from: Self.roundCount, through: 0, by: -1) {
            for column in 0..<4 {
                let word = words[4 * round + column]
                keys.append(round == 0 || round == Self.roundCount ? word : tables.mixed(word))
            }
        }
        roundKeys = keys
    }

    /// Decrypts a chain of blocks.
    ///
    /// - Parameters:
    ///   - input: a multiple of 16 bytes.
    ///   - initial: the 16 bytes before the first block.
    func decryptChain(_ input: [UInt8], initial: [UInt8]) -> [UInt8] {
        var output: [UInt8] = []
        output.reserveCapacity(input.count)
        var previous = initial
        for offset in stride(
            from: 0,
            to: input.count - Self.blockByteCount + 1,
            by: Self.blockByteCount
        ) {
            let block = Array(input[offset..<offset + Self.blockByteCount])
            for (place, byte) in decrypt(block).enumerated() {
                output.append(byte ^ previous[place])
            }
            previous = block
        }
        return output
    }

    /// Decrypts a block of 16 bytes.
    func decrypt(_ block: [UInt8]) -> [UInt8] {
        let tables = Tables.shared
        var state: [UInt32] = [0, 0, 0, 0]
        for column in 0..<4 {
            var word: UInt32 = 0
            for byte in 0..<4 { word = word << 8 | UInt32(block[4 * column + byte]) }
            state[column] = word ^ roundKeys[column]
        }
        for round in 1..<Self.roundCount {
            var next: [UInt32] = [0, 0, 0, 0]
            for column in 0..<4 {
                let first = tables.inverse[Int(state[column] >> 24)]
                let second = tables.inverse[Int(state[(column + 3) % 4] >> 16 & 255)]
                let third = tables.inverse[Int(state[(column + 2) % 4] >> 8 & 255)]
                let fourth = tables.inverse[Int(state[(column + 1) % 4] & 255)]
                next[column] =
                    first ^ (second >> 8 | second << 24) ^ (third >> 16 | third << 16)
                    ^ (fourth >> 24 | fourth << 8) ^ roundKeys[4 * round + column]
            }
            state = next
        }
        var output: [UInt8] = []
        for column in 0..<4 {
            let word =
                UInt32(tables.inverseBox[Int(state[column] >> 24)]) << 24
                | UInt32(tables.inverseBox[Int(state[(column + 3) % 4] >> 16 & 255)]) << 16
                | UInt32(tables.inverseBox[Int(state[(column + 2) % 4] >> 8 & 255)]) << 8
                | UInt32(tables.inverseBox[Int(state[(column + 1) % 4] & 255)])
            let result = word ^ roundKeys[4 * Self.roundCount + column]
            for shift in stride(from: 24, through: 0, by: -8) {
                output.append(UInt8(truncatingIfNeeded: result >> UInt32(shift)))
            }
        }
        return output
    }

    /// What bytes are replaced with.
    private struct Tables: Sendable {
        let box: [UInt8]
        let inverseBox: [UInt8]
        /// What a byte in the first row becomes, substituted backward and mixed.
        let inverse: [UInt32]

        static let shared = Tables()

        private init() {
            var box = [UInt8](repeating: 0, count: 256)
            var inverseBox = box
            // Every byte but 0 is a power of 3; its inverse is the power of the opposite exponent.
            var power: UInt8 = 1
            var opposite: UInt8 = 1
            repeat {
                power ^= Self.doubled(power)
                // Divided by 3.
                opposite ^= opposite << 1
                opposite ^= opposite << 2
                opposite ^= opposite << 4
                if opposite & 0x80 != 0 { opposite ^= 0x09 }
                let turned =
                    opposite ^ Self.turned(opposite, 1) ^ Self.turned(opposite, 2)
                    ^ Self.turned(opposite, 3) ^ Self.turned(opposite, 4)
                box[Int(power)] = turned ^ 0x63
            } while power != 1
            box[0] = 0x63
            for (place, value) in box.enumerated() { inverseBox[Int(value)] = UInt8(place) }
            var inverse: [UInt32] = []
            for value in inverseBox { inverse.append(Self.column(value)) }
            self.box = box
            self.inverseBox = inverseBox
            self.inverse = inverse
        }

        func substituted(_ word: UInt32) -> UInt32 {
            UInt32(box[Int(word >> 24)]) << 24 | UInt32(box[Int(word >> 16 & 255)]) << 16
                | UInt32(box[Int(word >> 8 & 255)]) << 8 | UInt32(box[Int(word & 255)])
        }

        /// The inverse mixing of a column.
        func mixed(_ word: UInt32) -> UInt32 {
            var result: UInt32 = 0
            for row in 0..<4 {
                let column = Self.column(UInt8(truncatingIfNeeded: word >> UInt32(24 - 8 * row)))
                let turn = UInt32(8 * row)
                result ^= turn == 0 ? column : column >> turn | column << (32 - turn)
            }
            return result
        }

        /// A byte times 14, 9, 13 and 11.
        private static func column(_ value: UInt8) -> UInt32 {
            let two = doubled(value)
            let four = doubled(two)
            let eight = doubled(four)
            return UInt32(eight ^ four ^ two) << 24 | UInt32(eight ^ value) << 16
                | UInt32(eight ^ four ^ value) << 8 | UInt32(eight ^ two ^ value)
        }

        /// Times 2 in the field of 256 elements.
        static func doubled(_ value: UInt8) -> UInt8 {
            value << 1 ^ (value & 0x80 == 0 ? 0 : 0x1b)
        }

        private static func turned(_ value: UInt8, _ count: UInt8) -> UInt8 {
            value << count | value >> (8 - count)
        }
    }
}
