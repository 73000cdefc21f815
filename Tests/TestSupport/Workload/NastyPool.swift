#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// Values that are known to break stores, among others that are harmless. Few enough that they meet again.
package enum NastyPool {
    private static func repeated(_ text: String, _ count: Int, _ end: String = "") -> Text {
        Text(String(repeating: text, count: count) + end)
    }

    /// Identifiers that a store takes: one to 240 bytes, NUL counting twice.
    package static let ids: [Text] = [
        "1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11", "12", "13", "14", "15", "16",
        "a", "b", "ab", "A", "a b",
        "\0", "\0\0", "a\0", "a\0b", "a\u{1}", "\u{1}", "\u{7F}", "\u{FF}",
        // One scalar and two: canonically equivalent, different bytes.
        "\u{E9}", "e\u{301}", "\u{212B}", "\u{C5}",
        "\u{1F600}", "\u{FFFF}", "\u{10FFFF}",
        repeated("x", 240), repeated("x", 239, "y"), repeated("x", 238), repeated("\0", 120),
    ]

    /// Identifiers that a store refuses.
    package static let idsRefused: [Text] = [
        "", repeated("x", 241), repeated("\0", 120, "1"), repeated("\u{E9}", 121), repeated("y", 5000),
    ]

    /// The index keeps 200 bytes of one component, 100 of each of two, 50 of each of four.
    package static let texts: [Text] =
        ids + [
            "", repeated("p", 49), repeated("p", 50), repeated("p", 51), repeated("p", 50, "q"),
            repeated("p", 99), repeated("p", 100), repeated("p", 101), repeated("p", 100, "q"),
            repeated("p", 199), repeated("p", 200), repeated("p", 201), repeated("p", 200, "q"),
            repeated("p", 200, "\0"), repeated("p", 200, "\u{1}"), repeated("p", 199, "\0"),
            repeated("p", 199, "\0a"), repeated("p", 199, "\u{E9}"), repeated("p", 1000, "q"),
            repeated("p", 1000), repeated("\0", 100), repeated("\0", 101), repeated("\0", 99, "a"),
            repeated("\u{10FFFF}", 50), repeated("\u{10FFFF}", 51),
            "\u{D7FF}", "\u{202E}abc", "a\u{300}\u{301}\u{302}", "ﬃ", "ß", "SS", "İ", "i\u{307}",
        ]

    /// No two of these are canonically equivalent: fit for the keys of a Swift dictionary or set.
    package static let keys: [Text] = [
        "", "a", "b", "ab", "\0", "\0\0", "\u{E9}", "\u{1F600}", repeated("k", 300), "z",
    ]

    package static let integers: [Int64] = [
        0, 1, -1, 2, 3, 4, 5, 6, 7, 8, 255, 256, -256, .max, .min, .max - 1, .min + 1, 1 << 32,
    ]

    package static let doubles: [Double] = [
        0, -0.0, 1, -1, 0.5, 2, 3, 0.1, -0.1, 1e300, -1e300, .infinity, -.infinity, .nan, -.nan,
        Double(bitPattern: 0x7FF8_0000_0000_BEEF), .leastNonzeroMagnitude, -.leastNonzeroMagnitude,
        .greatestFiniteMagnitude, .leastNormalMagnitude,
    ]

    package static let floats: [Float] = [
        0, -0.0, 1, -1, 0.5, 0.1, .infinity, -.infinity, .nan, Float(bitPattern: 0xFFC0_BEEF),
        .leastNonzeroMagnitude, -.leastNonzeroMagnitude, .greatestFiniteMagnitude,
    ]

    package static let data: [[UInt8]] = [
        [], [0], [0, 0], [0, 0xFF], [0, 1], [1], [0xFF], [0xFF, 0xFF], [1, 2, 3],
        Array(repeating: 0x70, count: 100), Array(repeating: 0x70, count: 101),
        Array(repeating: 0x70, count: 200), Array(repeating: 0x70, count: 201),
        Array(repeating: 0, count: 100), Array(repeating: 0, count: 101),
        Array(repeating: 0xFF, count: 3000),
    ]

    package static let seconds: [Double] = [
        0, -0.0, 1, -1, 0.000_001, 700_000_000.123_456, -63_114_076_800, 63_113_904_000,
        .infinity, -.infinity, .nan, 1e-300,
    ]

    package static let uuids: [UUID] = [
        UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)),
        UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1)),
        UUID(
            uuid: (255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255)
        ),
        UUID(uuid: (127, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)),
        UUID(uuid: (128, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)),
    ]

    package static let decimals: [String] = [
        "0", "1", "-1", "0.1", "-0.1", "0.10000000000000000000000000000000000001", "10", "100",
        "-100",
        "99.99", "99.990000001", "12345678901234567890.123456789", "NaN",
        "340282366920938463463374607431768211455", "-340282366920938463463374607431768211455",
        "0.000000000000000000000000000001", "-0.000000000000000000000000000001",
        "1000000000000000000000000000000000000000000000000000000000000",
    ]
}

extension SeededGenerator {
    /// A text from the pool, or often enough one of its own.
    package mutating func text() -> Text {
        once(in: 3)
            ? Text("\(pick(NastyPool.texts).string.prefix(300))\(below(1000))")
            : pick(NastyPool.texts)
    }

    /// A value of a kind; collections are short.
    package mutating func datum(_ kind: AuditKind) -> Datum {
        switch kind {
        case .bool: return .bool(once(in: 2))
        case .int: return .int(once(in: 2) ? pick(NastyPool.integers) : Int64(below(100)))
        case .double: return .double(once(in: 2) ? pick(NastyPool.doubles) : Double(below(100)) / 8)
        case .float: return .float(once(in: 2) ? pick(NastyPool.floats) : Float(below(100)) / 8)
        case .text: return .text(text())
        case .data: return .data(pick(NastyPool.data))
        case .date: return .date(once(in: 2) ? pick(NastyPool.seconds) : Double(below(1000)))
        case .uuid: return .uuid(once(in: 8) ? pick(NastyPool.uuids) : uuid())
        case .decimal: return .decimal(pick(NastyPool.decimals))
        case .choice(let values): return pick(values)
        case .list(let element, let nils):
            return .list((0..<below(4)).map { _ in nils && once(in: 3) ? .null : datum(element) })
        case .set(.text): return .set(Set((0..<below(4)).map { _ in .text(pick(NastyPool.keys)) }))
        case .set(let element): return .set(Set((0..<below(4)).map { _ in datum(element) }))
        case .map(let value, let nils):
            let keys = Set((0..<below(4)).map { _ in pick(NastyPool.keys) }).sorted()
            return .map(
                [Text: Datum](
                    uniqueKeysWithValues: keys.map {
                        ($0, nils && once(in: 3) ? .null : datum(value))
                    }
                )
            )
        case .embedded(let fields):
            var values: [String: Datum] = [:]
            for field in fields where !(field.isOptional && once(in: 3)) {
                values[field.name] = datum(field.kind)
            }
            return .embedded(values)
        }
    }

    private mutating func uuid() -> UUID {
        var bytes: [UInt8] = []
        for _ in 0..<16 { bytes.append(UInt8(below(256))) }
        return UUID(
            uuid: (
                bytes[0], bytes[1], bytes[2], bytes[3], bytes[4], bytes[5], bytes[6], bytes[7],
                bytes[8], bytes[9], bytes[10], bytes[11], bytes[12], bytes[13], bytes[14], bytes[15]
            )
        )
    }
}
