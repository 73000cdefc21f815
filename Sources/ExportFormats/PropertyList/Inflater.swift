/// Undoes DEFLATE (RFC 1951), without a frame around it.
package struct Inflater {
    private let input: [UInt8]
    private let byteCountMax: Int
    private var place = 0
    private var bits: UInt32 = 0
    private var bitCount = 0
    private var output: [UInt8] = []

    /// What does not follow the rules, ends too early or becomes too long.
    private struct Malformed: Error {}

    /// The bytes that were compressed, or nil where that is not so or there are more than `byteCountMax`.
    package static func inflate(_ input: [UInt8], byteCountMax: Int) -> [UInt8]? {
        var inflater = Inflater(input, byteCountMax)
        do throws(Malformed) {
            try inflater.run()
        } catch {
            return nil
        }
        return inflater.output
    }

    private init(_ input: [UInt8], _ byteCountMax: Int) {
        self.input = input
        self.byteCountMax = byteCountMax
    }

    private mutating func run() throws(Malformed) {
        var isLast = false
        while !isLast {
            isLast = try take(1) == 1
            switch try take(2) {
            case 0: try copyStored()
            case 1: try copy(Self.fixedLengths, Self.fixedDistances)
            case 2:
                let (lengths, distances) = try readCodes()
                try copy(lengths, distances)
            default: throw Malformed()
            }
        }
    }

    /// Up to sixteen bits, the lowest first.
    private mutating func take(_ count: Int) throws(Malformed) -> Int {
        while bitCount < count {
            guard place < input.count else { throw Malformed() }
            bits |= UInt32(input[place]) << UInt32(bitCount)
            place += 1
            bitCount += 8
        }
        let value = bits & (1 << UInt32(count) - 1)
        bits >>= UInt32(count)
        bitCount -= count
        return Int(value)
    }

    private mutating func append(_ byte: UInt8) throws(Malformed) {
        guard output.count < byteCountMax else { throw Malformed() }
        output.append(byte)
    }

    private mutating func copyStored() throws(Malformed) {
        bits = 0
        bitCount = 0
        guard place + 4 <= input.count else { throw Malformed() }
        let count = Int(input[place]) | Int(input[place + 1]) << 8
        let complement = Int(input[place + 2]) | Int(input[place + 3]) << 8
        place += 4
        guard count == complement ^ 0xFFFF, place + count <= input.count else { throw Malformed() }
        for byte in input[place..<place + count] { try append(byte) }
        place += count
    }

    // MARK: Huffman codes

    /// A code: how many symbols have each length, and the symbols by length and value.
    private struct Code {
        var counts = [Int](repeating: 0, count: 16)
        var symbols: [Int] = []

        init(_ lengths: [Int]) throws(Malformed) {
            for length in lengths where length > 0 { counts[length] += 1 }
            var left = 1
            for length in 1...15 {
                left = left << 1 - counts[length]
                guard left >= 0 else { throw Malformed() }
            }
            for length in 1...15 {
                for (symbol, its) in lengths.enumerated() where its == length {
                    symbols.append(symbol)
                }
            }
        }
    }

    private mutating func symbol(_ code: Code) throws(Malformed) -> Int {
        var value = 0
        var first = 0
        var index = 0
        for length in 1...15 {
            value |= try take(1)
            let count = code.counts[length]
            if value - first < count { return code.symbols[index + value - first] }
            index += count
            first = (first + count) << 1
            value <<= 1
        }
        throw Malformed()
    }

    private static let lengthOrder = [
        16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15,
    ]

    private mutating func readCodes() throws(Malformed) -> (Code, Code) {
        let lengthCount = try take(5) + 257
        let distanceCount = try take(5) + 1
        let codeCount = try take(4) + 4
        guard lengthCount <= 286, distanceCount <= 30 else { throw Malformed() }
        var lengths = [Int](repeating: 0, count: 19)
        for place in 0..<codeCount { lengths[Self.lengthOrder[place]] = try take(3) }
        let code = try Code(lengths)
        var all: [Int] = []
        while all.count < lengthCount + distanceCount {
            let symbol = try symbol(code)
            switch symbol {
            case 0..<16: all.append(symbol)
            case 16:
                guard let last = all.last else { throw Malformed() }
                all += [Int](repeating: last, count: 3 + (try take(2)))
            case 17: all += [Int](repeating: 0, count: 3 + (try take(3)))
            default: all += [Int](repeating: 0, count: 11 + (try take(7)))
            }
        }
        guard all.count == lengthCount + distanceCount else { throw Malformed() }
        return (try Code(Array(all[..<lengthCount])), try Code(Array(all[lengthCount...])))
    }

    private static let lengthBases = [
        3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 15, 17, 19, 23, 27, 31, 35, 43, 51, 59, 67, 83, 99, 115,
        131, 163, 195, 227, 258,
    ]
    private static let lengthBits = [
        0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0,
    ]
    private static let distanceBases = [
        1, 2, 3, 4, 5, 7, 9, 13, 17, 25, 33, 49, 65, 97, 129, 193, 257, 385, 513, 769, 1025, 1537,
        2049, 3073, 4097,
        6145, 8193, 12_289, 16_385, 24_577,
    ]
    private static let distanceBits = [
        0, 0, 0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7, 8, 8, 9, 9, 10, 10, 11, 11, 12, 12,
        13, 13,
    ]
    private static let fixedLengths = fixed(
        [Int](repeating: 8, count: 144) + [Int](repeating: 9, count: 112)
            + [Int](repeating: 7, count: 24)
            + [Int](repeating: 8, count: 8)
    )
    private static let fixedDistances = fixed([Int](repeating: 5, count: 30))

    private static func fixed(_ lengths: [Int]) -> Code? {
        try? Code(lengths)
    }

    private mutating func copy(_ lengths: Code?, _ distances: Code?) throws(Malformed) {
        guard let lengths, let distances else { throw Malformed() }
        while true {
            let found = try symbol(lengths)
            if found < 256 {
                try append(UInt8(found))
            } else if found == 256 {
                return
            } else {
                guard found - 257 < Self.lengthBases.count else { throw Malformed() }
                let length =
                    Self.lengthBases[found - 257] + (try take(Self.lengthBits[found - 257]))
                let distanceSymbol = try symbol(distances)
                guard distanceSymbol < Self.distanceBases.count else { throw Malformed() }
                let distance =
                    Self.distanceBases[distanceSymbol]
                    + (try take(Self.distanceBits[distanceSymbol]))
                guard distance <= output.count else { throw Malformed() }
                for _ in 0..<length { try append(output[output.count - distance]) }
            }
        }
    }
}
