@testable import Reprise

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A small generator with a seed, so that a failure can be repeated.
struct Seeded: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}

/// Values that find mistakes: edges of every type, and strings around the cap of index keys.
extension Seeded {
    mutating func text() -> String {
        let alphabet: [Character] = ["a", "b", "\0", "é", "e\u{301}", "z", "\u{1}", "🎵", "ÿ"]
        let length =
            switch Int.random(in: 0..<6, using: &self) {
            case 0: 0
            case 1: Int.random(in: 1...3, using: &self)
            case 2: Int.random(in: 46...54, using: &self)
            case 3: Int.random(in: 64...70, using: &self)
            case 4: Int.random(in: 96...104, using: &self)
            default: Int.random(in: 195...210, using: &self)
            }
        // Mostly the same letter, so that long prefixes are shared.
        return String(
            (0..<length).map { _ in
                Int.random(in: 0..<40, using: &self) == 0
                    ? alphabet.randomElement(using: &self)! : "a"
            }
        )
    }

    mutating func double() -> Double {
        switch Int.random(in: 0..<5, using: &self) {
        case 0: Double(bitPattern: next())
        case 1:
            [
                0, -0.0, .infinity, -.infinity, .nan, .leastNonzeroMagnitude,
                -.leastNonzeroMagnitude, .greatestFiniteMagnitude,
                Double(bitPattern: 0xFFF8_0000_0000_1234),
            ].randomElement(using: &self)!
        default: Double.random(in: -3...3, using: &self)
        }
    }

    mutating func decimal() -> Decimal {
        switch Int.random(in: 0..<8, using: &self) {
        case 0: return .nan
        case 1: return 0
        case 2: return Decimal(Int(truncatingIfNeeded: next()))
        case 3: return .greatestFiniteMagnitude
        case 4: return -.leastNonzeroMagnitude
        default:
            return Decimal(
                sign: Bool.random(using: &self) ? .plus : .minus,
                exponent: Int.random(in: -4...4, using: &self),
                significand: Decimal(Int.random(in: 0...1200, using: &self))
            )
        }
    }

    /// A value of the type, never nil.
    mutating func value(_ type: ValueType) -> Value {
        switch type {
        case .bool: return .bool(Bool.random(using: &self))
        case .int:
            return .int(
                [0, -1, 1, .min, .max, Int(truncatingIfNeeded: next())].randomElement(using: &self)!
            )
        case .double: return .double(double())
        case .float: return .float(Float(bitPattern: UInt32(truncatingIfNeeded: next())))
        case .string: return .string(text())
        case .data: return .data(Data(text().utf8.map { $0 == 0x61 ? 0 : $0 }))
        case .date: return .date(Date(timeIntervalSinceReferenceDate: double()))
        case .uuid:
            return .uuid(
                UUID(
                    uuid: (
                        0, 0, UInt8(truncatingIfNeeded: next()), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
                        UInt8(truncatingIfNeeded: next())
                    )
                )
            )
        case .decimal: return .decimal(decimal())
        case .reference: return .reference(text())
        case .list(let element, let nils): return .list(elements(element, nils))
        case .set(let element, let nils): return .set(Array(Set(elements(element, nils))))
        case .map(let element, let nils):
            var entries: [Value.Entry] = []
            for value in elements(element, nils) {
                entries.append(Value.Entry("k\(entries.count)\0", value))
            }
            return .map(entries.shuffled(using: &self))
        case .embedded(let fields):
            var entries: [Value.Entry] = []
            for field in fields where !field.isOptional || Bool.random(using: &self) {
                entries.append(Value.Entry(field.name, value(field.type)))
            }
            return .embedded(entries)
        }
    }

    private mutating func elements(_ type: ValueType, _ nils: Bool) -> [Value] {
        (0..<Int.random(in: 0...5, using: &self)).map { _ in
            nils && Bool.random(using: &self) ? .null : value(type)
        }
    }
}

/// Every scalar type.
let scalarTypes: [ValueType] = [
    .bool, .int, .double, .float, .string, .data, .date, .uuid, .decimal,
]

/// Every type, containers included.
let allTypes: [ValueType] =
    scalarTypes + [
        .reference, .list(.int, nilElements: true), .list(.string, nilElements: false),
        .set(.double, nilElements: true), .set(.string, nilElements: false),
        .map(.decimal, nilValues: true),
        .embedded([
            EmbeddedField(name: "a", type: .int, isOptional: false),
            EmbeddedField(name: "b", type: .string, isOptional: true),
            EmbeddedField(
                name: "c",
                type: .list(
                    .embedded([EmbeddedField(name: "x", type: .date, isOptional: true)]),
                    nilElements: true
                ),
                isOptional: true
            ),
        ]),
    ]

/// The bytes of one value.
func slotBytes(_ value: Value, _ type: ValueType) throws -> [UInt8] {
    var writer = RowPayloadWriter(capacity: 64)
    try value.write(to: &writer, as: type)
    return writer.array
}

func decode(_ bytes: [UInt8], _ type: ValueType) throws -> Value {
    try unsafe bytes.withUnsafeBytes { unsafe try Value(decoding: $0, as: type) }
}

func hex(_ bytes: some Sequence<UInt8>) -> String {
    bytes.map { byte in
        let digits = String(byte, radix: 16, uppercase: true)
        return byte < 16 ? "0" + digits : digits
    }.joined(separator: " ")
}

extension RowPayloadWriter {
    /// A copy of what is written.
    var array: [UInt8] { unsafe Array(bytes) }
}

extension IndexKeyEncoder {
    /// A copy of the key.
    var array: [UInt8] { unsafe Array(bytes) }
}
