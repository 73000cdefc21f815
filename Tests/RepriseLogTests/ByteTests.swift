import RepriseLog
import Testing

struct ByteTests {
    private static let edges: [UInt64] =
        [0, 1, 127, 128, 255, 300, 16_383, 16_384, .max - 1, .max]
        + (0..<64).flatMap { [UInt64(1) << $0, (UInt64(1) << $0) &- 1] }

    @Test func `numbers come back as they were written`() throws {
        var writer = ByteWriter(capacity: 0)
        for value in Self.edges {
            writer.u8(UInt8(truncatingIfNeeded: value))
            writer.u16(UInt16(truncatingIfNeeded: value))
            writer.u32(UInt32(truncatingIfNeeded: value))
            writer.u64(value)
            writer.varint(value)
        }
        var reader = unsafe ByteReader(writer.bytes)
        for value in Self.edges {
            #expect(try reader.u8() == UInt8(truncatingIfNeeded: value))
            #expect(try reader.u16() == UInt16(truncatingIfNeeded: value))
            #expect(try reader.u32() == UInt32(truncatingIfNeeded: value))
            #expect(try reader.u64() == value)
            #expect(try reader.varint() == value)
        }
        #expect(reader.isAtEnd)
    }

    @Test func `numbers are little-endian and varints are LEB128`() {
        var writer = ByteWriter()
        writer.u16(0x0102)
        writer.u32(0x0304_0506)
        writer.u64(0x0708_090A_0B0C_0D0E)
        writer.varint(624_485)
        #expect(
            unsafe Array(writer.bytes) == [
                2, 1, 6, 5, 4, 3, 0x0E, 0x0D, 0x0C, 0x0B, 0x0A, 9, 8, 7, 0xE5, 0x8E, 0x26,
            ]
        )
    }

    @Test(
        arguments: [
            [0x80, 0x00], [0xFF, 0x80, 0x00], [0x80], [],
            [0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x02],
            [0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x81, 0x00],
        ] as [[UInt8]]
    )
    func `a varint that is cut off, too long or too large is refused`(_ bytes: [UInt8]) {
        unsafe bytes.withUnsafeBytes { raw in
            var reader = unsafe ByteReader(raw)
            #expect(throws: LogError.self) { try reader.varint() }
            #expect(reader.offset == 0)
        }
    }

    @Test func `reading past the end throws and moves nothing`() throws {
        unsafe [UInt8](repeating: 5, count: 7).withUnsafeBytes { raw in
            var reader = unsafe ByteReader(raw)
            #expect(throws: LogError.self) { try reader.u64() }
            #expect(throws: LogError.self) { _ = try unsafe reader.bytes(8).count }
            #expect(throws: LogError.self) { _ = try unsafe reader.bytes(-1).count }
            #expect(throws: LogError.self) { try reader.skip(.max) }
            #expect(throws: LogError.self) { try reader.string(byteCount: 8) }
            #expect(reader.remaining == 7)
            let rest = unsafe reader.rest()
            #expect(rest.count == 7 && reader.isAtEnd)
        }
    }

    @Test func `texts keep their bytes and invalid ones are refused`() throws {
        var writer = ByteWriter()
        for text in ["", "a", "Größe 🎵", String(repeating: "x", count: 400)] {
            writer.prefixedString(text)
        }
        writer.bytes([2, 0xC3, 0x28])
        var reader = unsafe ByteReader(writer.bytes)
        for text in ["", "a", "Größe 🎵", String(repeating: "x", count: 400)] {
            #expect(try reader.prefixedString() == text)
        }
        let offset = reader.offset
        #expect(throws: LogError.self) { try reader.prefixedString() }
        #expect(reader.offset == offset)
    }

    @Test func `reserved bytes are zero until they are patched`() {
        var writer = ByteWriter(capacity: 16)
        writer.u8(9)
        let offset = writer.reserve(40)
        writer.u8(8)
        #expect(unsafe Array(writer.bytes) == [9] + [UInt8](repeating: 0, count: 40) + [8])
        writer.patch(u16: 0xABCD, at: offset)
        writer.patch(u32: 1, at: offset + 2)
        writer.patch(u64: .max, at: offset + 6)
        #expect(
            unsafe Array(writer.bytes[1...15]) == [0xCD, 0xAB, 1, 0, 0, 0]
                + [UInt8](repeating: 255, count: 8) + [0]
        )
        writer.removeAll()
        #expect(writer.count == 0)
    }
}

extension ByteWriter {
    fileprivate mutating func bytes(_ array: [UInt8]) {
        for byte in array { u8(byte) }
    }
}
