import Testing

@testable import Reprise

/// The bytes of `migration.kept` (Specs/format/migration.md).
struct DeviationsTests {
    /// A row that was changed here, one that was deleted, and a list, as the format says them.
    private static let bytes: [UInt8] = [
        1,
        2,
        1, 1, 0x61, 1, 1, 3, 8, 7, 6, 5, 4, 3, 2, 1, 1, 4, 1, 0, 0, 0, 0, 0, 0, 0,
        2, 2, 0x62, 0x63, 2, 0, 0,
        1,
        5, 1, 0x61, 2, 1, 0x78, 0,
    ]

    private static var deviations: Deviations {
        var deviations = Deviations()
        var changed = Deviations.Row()
        changed.isReleased = true
        changed.slots = [3: 0x0102_0304_0506_0708]
        changed.lost = [4: 1]
        var deleted = Deviations.Row()
        deleted.isDeleted = true
        deviations.rows = [EntityKey(model: 1, id: "a"): changed, EntityKey(model: 2, id: "bc"): deleted]
        deviations.lists = [ListKey(relation: 5, id: Array("a".utf8)): [Array("x".utf8), []]]
        return deviations
    }

    @Test func `the bytes are those of the format`() throws {
        #expect(Self.deviations.bytes == Self.bytes)
        #expect(try Deviations(decoding: Self.bytes) == Self.deviations)
    }

    private static func code(_ bytes: [UInt8]) -> StoreError.Code? {
        #expect(throws: StoreError.self) { try Deviations(decoding: bytes) }?.code
    }

    @Test func `bytes that end early, go on, or say what the format does not are damage`() {
        for count in 0..<Self.bytes.count { #expect(Self.code(Array(Self.bytes[..<count])) == .corrupted, "\(count)") }
        #expect(Self.code(Self.bytes + [0]) == .corrupted)
        #expect(Self.code([0, 0, 0]) == .corrupted)
        #expect(Self.code([1, 1, 1, 1, 0x61, 4, 0, 0, 0]) == .corrupted)
        let long = [UInt8](repeating: 0x61, count: identifierByteCountMax + 1)
        #expect(Self.code([1, 1, 1, 0xF1, 0x01] + long + [1, 0, 0, 0]) == .corrupted)
    }

    @Test func `rows that are needed are of the second version`() throws {
        var deviations = Self.deviations
        deviations.rows[EntityKey(model: 2, id: "bc")]?.isNeeded = true
        var bytes = Self.bytes
        bytes[0] = 2
        let flags = try #require(bytes.firstIndex(of: 0x63)) + 1
        bytes[flags] |= 4
        #expect(deviations.bytes == bytes)
        #expect(try Deviations(decoding: bytes) == deviations)
        bytes[flags] |= 8
        #expect(Self.code(bytes) == .corrupted)
    }

    @Test func `a newer version is told`() { #expect(Self.code([3, 0, 0]) == .newerFormat) }
}
