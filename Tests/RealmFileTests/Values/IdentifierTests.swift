import Testing

@testable import RealmFile

struct IdentifierTests {
    @Test func `a UUID is 36 lower-case characters in five groups`() {
        let identifier = RealmUUID(bytes: bytes("00112233445566778899aAbBcCdDeEfF"))
        #expect(identifier.description == "00112233-4455-6677-8899-aabbccddeeff")
        #expect(
            RealmUUID(bytes: [UInt8](repeating: 0, count: 16)).description
                == "00000000-0000-0000-0000-000000000000"
        )
    }

    @Test func `an object identifier is 24 lower-case digits`() {
        let identifier = RealmObjectID(bytes: bytes("6B00EDC611EDB079A3E5CA40"))
        #expect(identifier.description == "6b00edc611edb079a3e5ca40")
    }

    @Test func `points in time are in order`() {
        let points = [
            RealmTimestamp(seconds: .min, nanoseconds: 0),
            RealmTimestamp(seconds: -1, nanoseconds: -999_999_999),
            RealmTimestamp(seconds: -1, nanoseconds: 0),
            RealmTimestamp(seconds: 0, nanoseconds: -1),
            RealmTimestamp(seconds: 0, nanoseconds: 0),
            RealmTimestamp(seconds: 0, nanoseconds: 1),
            RealmTimestamp(seconds: .max, nanoseconds: 999_999_999),
        ]
        #expect(points.reversed().sorted() == points)
    }

    @Test func `numbers are equal when their bits are`() {
        let ordinary = RealmValue.double(.nan)
        #expect(ordinary == .double(.nan))
        #expect(ordinary != .double(Double(bitPattern: 0x7ff8_0000_0000_0001)))
        #expect(RealmValue.double(0) != .double(-0.0))
        #expect(RealmValue.float(0) != .float(-0.0))
        // Texts are compared by their bytes, not by what they look like.
        #expect(RealmValue.string("e\u{301}") != .string("\u{e9}"))
    }
}
