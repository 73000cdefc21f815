import Testing

@testable import RealmFile

/// Texts as they lie in a file: read when they are UTF-8, and only then.
struct TextTests {
    /// What is, or is not, at the end of a text.
    private static let endings: [[UInt8]] = [
        [], [0x00], [0x7f], [0x80], [0xff], [0xc3, 0xa9], [0xc3], [0xc0, 0x80], [0xe2, 0x82, 0xac],
        [0xe2, 0x82], [0xef, 0xbf, 0xbd], [0xef, 0xbf], [0xef, 0xbf, 0x41], [0xed, 0xa0, 0x80],
        [0xf0, 0x9f, 0x8e, 0xb5], [0xf0, 0x9f, 0x8e], [0xf4, 0x90, 0x80, 0x80],
        [0x80, 0x80, 0x80], [0xef, 0xbf, 0xbd, 0x80],
    ]

    @Test(
        arguments: [0, 1, 3, 7, 8, 11, 12, 13, 14, 15, 16, 17, 64, 200],
        [0x41, 0xc3] as [UInt8]
    )
    func `a text is read as the standard library validates it`(count: Int, first: UInt8) throws {
        // `é` again and again, or ASCII.
        let beginning = (0..<count).map { first == 0x41 ? 0x41 : $0 % 2 == 0 ? first : 0xa9 }
        for ending in Self.endings {
            let bytes = beginning + ending
            let image = FileImage(bytes: bytes)
            let expected = String(validating: bytes, as: UTF8.self)
            let text = withExtendedLifetime(image) { image.bytes.text }
            #expect(text.map { Array($0.utf8) } == expected.map { Array($0.utf8) }, "\(bytes)")
        }
    }
}
