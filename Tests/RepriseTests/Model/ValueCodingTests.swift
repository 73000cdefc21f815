import Testing

@testable import Reprise

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

private enum Kind: String, StoredValue, CaseIterable { case song, podcast }
private enum Level: Int, StoredValue { case low = 1 }
private struct Point: Embedded, Hashable {
    var x: Double
    var label: String?
    var kind: Kind?
    static let embedded = EmbeddedSchema(
        Self.init,
        .attribute("x", \.x),
        .attribute("label", \.label),
        .attribute("kind", \.kind)
    )
}

struct ValueCodingTests {
    private func roundTrip<V: StoredValue & Equatable>(_ value: V) throws {
        var writer = RowPayloadWriter(capacity: 1)
        value.write(to: &writer)
        #expect(unsafe try V.read(writer.bytes) == value)
        // The dynamic codec agrees byte for byte.
        let dynamic = unsafe try Value(decoding: writer.bytes, as: V.valueType)
        #expect(try slotBytes(dynamic, V.valueType) == writer.array)
        #expect(Value(value) == dynamic)
    }

    @Test func `every Swift type round-trips and agrees with the dynamic codec`() throws {
        try roundTrip(true)
        try roundTrip(Int.min)
        try roundTrip(-0.0)
        try roundTrip(Float.pi)
        try roundTrip("a\0é🎵")
        try roundTrip("")
        try roundTrip(Data([0, 255, 1]))
        try roundTrip(Date(timeIntervalSinceReferenceDate: 0.1 + 0.2))
        try roundTrip(UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16)))
        try roundTrip(Kind.podcast)
        try roundTrip(Level.low)
        try roundTrip(["b", nil, "a"])
        try roundTrip(Set(["b", "", "a\0"]))
        try roundTrip(Set<Int?>([3, nil, -1]))
        try roundTrip(["k": 1, "": nil, "j": 2] as [String: Int?])
        try roundTrip([[1, 2], [], [3]])
        try roundTrip(Point(x: 1, label: nil, kind: .song))
        try roundTrip([Point(x: 1, label: "l", kind: nil), Point(x: .infinity)])
        try roundTrip(["p": Point(x: 2, label: "", kind: nil)])
        for text in ["0", "1", "-1.10", "123456789012345678901234567890.12345678", "0.0001"] {
            try roundTrip(try #require(Decimal(string: text)))
        }
        try roundTrip(Decimal.greatestFiniteMagnitude)
        try roundTrip(Decimal.leastNonzeroMagnitude)
        try roundTrip(Decimal.leastFiniteMagnitude)
        try roundTrip(Decimal(sign: .plus, exponent: 127, significand: 10))
    }

    @Test func `doubles, floats and dates keep every bit, those of NaN too`() throws {
        for bits in [0x7FF8_0000_0000_0001, 0xFFF0_0000_0000_0042, 1 << 63] as [UInt64] {
            let double = Double(bitPattern: bits)
            let bytes = try slotBytes(.double(double), .double)
            #expect(
                try unsafe bytes.withUnsafeBytes { unsafe try Double.read($0).bitPattern } == bits
            )
            let date = Date(timeIntervalSinceReferenceDate: double)
            let stored = try decode(try slotBytes(.date(date), .date), .date)
            #expect(stored == .date(date))
        }
        let nan = Float(bitPattern: 0xFFC0_1234)
        #expect(try decode(slotBytes(.float(nan), .float), .float) == .float(nan))
        #expect(Decimal.nan.isNaN)
        #expect(try decode(slotBytes(.decimal(.nan), .decimal), .decimal) == .decimal(.nan))
    }

    @Test func `an unknown raw value is a typed error`() throws {
        var writer = RowPayloadWriter()
        "video".write(to: &writer)
        #expect(throws: ValueError(.unknownRawValue)) {
            unsafe try Kind.read(writer.bytes)
        }
        writer.removeAll()
        2.write(to: &writer)
        #expect(throws: ValueError(.unknownRawValue)) {
            unsafe try Level.read(writer.bytes)
        }
    }

    @Test(arguments: allTypes) func `random values round-trip`(_ type: ValueType) throws {
        var random = Seeded(state: 1)
        for _ in 0..<1_000 {
            let value = random.value(type)
            let bytes = try slotBytes(value, type)
            let back = try decode(bytes, type)
            #expect(back == value)
            #expect(back.hashValue == value.hashValue)
            #expect(try slotBytes(back, type) == bytes)
        }
    }

    @Test(arguments: allTypes)
    func `mutated bytes never trap, and what decodes is canonical`(_ type: ValueType) throws {
        var random = Seeded(state: 2)
        for _ in 0..<1_000 {
            var bytes = try slotBytes(random.value(type), type)
            random.mutate(&bytes)
            guard let value = try? decode(bytes, type) else { continue }
            var again: [UInt8]
            do {
                again = try slotBytes(value, type)
            } catch let error as ValueError where error.code == .missingValue {
                // A struct from before a required field existed can be read, not written.
                continue
            }
            if type == .reference { again.replaceSubrange(0..<8, with: bytes[0..<8]) }
            #expect(again == bytes)
        }
    }

    @Test func `a value of another type is refused`() {
        #expect(throws: ValueError(.typeMismatch)) { try slotBytes(.int(1), .double) }
        #expect(throws: ValueError(.missingValue)) {
            try slotBytes(.list([.null]), .list(.int, nilElements: false))
        }
        #expect(throws: ValueError(.missingValue, attribute: "a")) {
            try slotBytes(
                .embedded([]),
                .embedded([EmbeddedField(name: "a", type: .int, isOptional: false)])
            )
        }
    }

    @Test func `the total order has nil first and NaN last, and -0 equal to 0`() {
        let ordered: [Value] = [
            .null, .double(-.infinity), .double(-1), .double(0), .double(.leastNonzeroMagnitude),
            .double(.infinity),
            .double(.nan),
        ]
        for (i, left) in ordered.enumerated() {
            for (j, right) in ordered.enumerated() {
                #expect(Value.compare(left, right).signum() == (i - j).signum())
            }
        }
        #expect(Value.compare(.double(-0.0), .double(0)) == 0)
        #expect(Value.double(-0.0) != .double(0))
        #expect(Value.double(.nan) == .double(.nan))
        #expect(Value.string("\u{E9}") != .string("e\u{301}"))
    }
}

extension Seeded {
    /// One of the ways in which bytes go wrong.
    mutating func mutate(_ bytes: inout [UInt8]) {
        for _ in 0..<Int.random(in: 1...3, using: &self) {
            switch Int.random(in: 0..<4, using: &self) {
            case 0 where !bytes.isEmpty:
                bytes[Int.random(in: 0..<bytes.count, using: &self)] ^=
                    1 << UInt8.random(in: 0..<8, using: &self)
            case 1 where !bytes.isEmpty:
                bytes.removeLast(Int.random(in: 1...bytes.count, using: &self))
            case 2:
                let at = Int.random(in: 0...bytes.count, using: &self)
                bytes.insert([0, 1, 0x7F, 0x80, 0xFF].randomElement(using: &self)!, at: at)
            default:
                let at = Int.random(in: 0...bytes.count, using: &self)
                for index in at..<min(at + 4, bytes.count) {
                    bytes[index] = UInt8.random(in: 0...255, using: &self)
                }
            }
        }
    }
}
