import RepriseLog
import Testing

@testable import Reprise

/// The example of `Specs/format/checkpoints.md`, and what is read of records that are not as the page says.
struct CheckpointFormatTests {
    private static let byteCount = 65_536

    private static var record: CheckpointRecord {
        get throws {
            CheckpointRecord(
                identity: Array(0..<16),
                position: 18,
                hash: try #require(
                    Digest256(hex: "46684F7829311CE301173C884EE9B6357A093FFFD7D07E4F235570352C24BA9D")
                ),
                schemaPosition: 1,
                schemaHash: try #require(
                    Digest256(hex: "000102030405060708090A0B0C0D0E0F101112131415161718191A1B1C1D1E1F")
                ),
                digest: try #require(
                    Digest256(hex: "784D0BD0C4CDADF13F5671B6D89B080D979DB8A060B4038BF9F31533A797883D")
                ),
                dataByteCount: byteCount,
                dataHash: unsafe [UInt8](repeating: 0, count: byteCount).withUnsafeBytes {
                    unsafe SHA256Hash.digest(of: $0)
                },
                counts: [1, 2]
            )
        }
    }

    private static func decode(_ bytes: [UInt8], _ fileByteCount: Int? = nil) throws(Unusable) -> CheckpointRecord {
        try CheckpointRecord(decoding: bytes, fileByteCount: fileByteCount ?? byteCount + bytes.count)
    }

    @Test func `a record is as the page says`() throws {
        let bytes = try Self.record.encode()
        try SpecificationPage("checkpoints").check(["record": bytes])
        #expect(CheckpointRecord.byteCount(fromEnd: Array(bytes.suffix(8))) == bytes.count)
        #expect(try Self.decode(bytes) == Self.record)
    }

    /// HIS-102
    @Test func `a record that is changed anywhere, cut off or of another length is refused`() throws {
        let bytes = try Self.record.encode()
        for place in bytes.indices.dropLast(8) {
            var changed = bytes
            changed[place] ^= 0x10
            let error = #expect(throws: Unusable.self) { try Self.decode(changed) }
            #expect(error?.fault == ((12..<20).contains(place) ? .newerFormat : .damaged), "byte \(place)")
        }
        for count in bytes.indices {
            #expect(throws: Unusable.self) { try Self.decode(Array(bytes.prefix(count))) }
        }
        for file in [0, bytes.count, Self.byteCount, Self.byteCount + bytes.count + 1] {
            #expect(throws: Unusable.self) { try Self.decode(bytes, file) }
        }
    }

    @Test func `more rows than there can be are refused, whatever the checksum says`() throws {
        var record = try Self.record
        record.counts = [19]
        let bytes = record.encode()
        let error = #expect(throws: Unusable.self) { try Self.decode(bytes) }
        #expect(error?.fault == .damaged)
    }

    @Test func `what ends in no record has no length`() {
        let magic = Array("RPCP".utf8)
        for end: [UInt8] in [
            [], magic, [0, 0, 0, 0] + magic, [199, 0, 0, 0] + magic, [255, 255, 255, 255] + magic,
            [216, 0, 0, 0, 0x52, 0x50, 0x43, 0x51],
        ] {
            #expect(CheckpointRecord.byteCount(fromEnd: end) == nil)
        }
        #expect(CheckpointRecord.byteCount(fromEnd: [200, 0, 0, 0] + magic) == 200)
    }
}
