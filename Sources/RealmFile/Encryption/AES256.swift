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
        var output = [UInt8](
            repeating: 0,
            count: input.count / Self.blockByteCount * Self.blockByteCount
        )
        var previous = Block(initial, at: 0)
        for offset in stride(from: 0, to: output.count, by: Self.blockByteCount) {
            let block = Block(input, at: offset)
            decrypt(block).combined(with: previous).write(to: &output, at: offset)
            previous = block
        }
        return output
    }

    /// Decrypts a block of 16 bytes.
    func decrypt(_ block: [UInt8]) -> [UInt8] {
        decryptChain(block, initial: [UInt8](repeating: 0, count: Self.blockByteCount))
    }

    /// Sixteen bytes as the four columns of the state, the first byte of each highest.
    private struct Block {
        var first: UInt32
        var second: UInt32
        var third: UInt32
        var fourth: UInt32

        init(_ first: UInt32, _ second: UInt32, _ third: UInt32, _ fourth: UInt32) {
            (self.first, self.second, self.third, self.fourth) = (first, second, third, fourth)
        }

        init(_ bytes: [UInt8], at offset: Int) {
            func word(_ place: Int) -> UInt32 {
                UInt32(bytes[place]) << 24 | UInt32(bytes[place + 1]) << 16
                    | UInt32(bytes[place + 2]) << 8 | UInt32(bytes[place + 3])
            }
            self.init(word(offset), word(offset + 4), word(offset + 8), word(offset + 12))
        }

        func combined(with other: Block) -> Block {
            Block(
                first ^ other.first,
                second ^ other.second,
                third ^ other.third,
                fourth ^ other.fourth
            )
        }

        func write(to bytes: inout [UInt8], at offset: Int) {
            var place = offset
            for word in [first, second, third, fourth] {
                bytes[place] = UInt8(truncatingIfNeeded: word >> 24)
                bytes[place + 1] = UInt8(truncatingIfNeeded: word >> 16)
                bytes[place + 2] = UInt8(truncatingIfNeeded: word >> 8)
                bytes[place + 3] = UInt8(truncatingIfNeeded: word)
                place += 4
            }
        }
    }

    private func decrypt(_ block: Block) -> Block {
        let tables = Tables.shared
        func mixed(_ a: UInt32, _ b: UInt32, _ c: UInt32, _ d: UInt32, _ key: UInt32) -> UInt32 {
            let second = tables.inverse[Int(b >> 16 & 255)]
            let third = tables.inverse[Int(c >> 8 & 255)]
            let fourth = tables.inverse[Int(d & 255)]
            return tables.inverse[Int(a >> 24)] ^ (second >> 8 | second << 24)
                ^ (third >> 16 | third << 16) ^ (fourth >> 24 | fourth << 8) ^ key
        }
        func substituted(_ a: UInt32, _ b: UInt32, _ c: UInt32, _ d: UInt32, _ key: UInt32)
            -> UInt32
        {
            let high =
                UInt32(tables.inverseBox[Int(a >> 24)]) << 24 | UInt32(
                    tables.inverseBox[Int(b >> 16 & 255)]
                ) << 16
            let low =
                UInt32(tables.inverseBox[Int(c >> 8 & 255)]) << 8
                | UInt32(tables.inverseBox[Int(d & 255)])
            return (high | low) ^ key
        }
        var state = block.combined(
            with: Block(roundKeys[0], roundKeys[1], roundKeys[2], roundKeys[3])
        )
        for round in 1..<Self.roundCount {
            let key = 4 * round
            state = Block(
                mixed(state.first, state.fourth, state.third, state.second, roundKeys[key]),
                mixed(state.second, state.first, state.fourth, state.third, roundKeys[key + 1]),
                mixed(state.third, state.second, state.first, state.fourth, roundKeys[key + 2]),
                mixed(state.fourth, state.third, state.second, state.first, roundKeys[key + 3])
            )
        }
        let key = 4 * Self.roundCount
        return Block(
            substituted(state.first, state.fourth, state.third, state.second, roundKeys[key]),
            substituted(state.second, state.first, state.fourth, state.third, roundKeys[key + 1]),
            substituted(state.third, state.second, state.first, state.fourth, roundKeys[key + 2]),
            substituted(state.fourth, state.third, state.second, state.first, roundKeys[key + 3])
        )
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
