import Testing

@testable import RealmFile

/// Copies that mix pages of two versions of a file.
struct TornCopyTests {
    /// One library in two files, the arrays of which lie in different places.
    private static func versions() throws -> (live: [UInt8], compact: [UInt8]) {
        let image = try EncryptedPages(Fixtures.key()).decrypt(
            FileImage(bytes: Fixtures.bytes("music_100_compact_encrypted"))
        )
        return (try Fixtures.bytes("music_100"), image.bytes.array)
    }

    /// Every mixture of pages: what is not refused is the library, value by value.
    @Test func `pages of two files make no third one`() throws {
        let (live, compact) = try Self.versions()
        let original = try Content(RealmReader(bytes: live))
        #expect(try Content(RealmReader(bytes: compact)) == original)
        let pageCount = min(live.count, compact.count) / 4096
        #expect(pageCount == 5)
        var refused = 0
        for choice in 0..<1 << pageCount {
            var mixture = live
            for page in 0..<pageCount where choice >> page & 1 == 1 {
                let range = page * 4096..<(page + 1) * 4096
                mixture.replaceSubrange(range, with: compact[range])
            }
            switch try Verdict(mixture) {
            case .closed, .unsound: refused += 1
            case .sound(let content): #expect(content == original, "\(choice)")
            }
        }
        // Pages that the newest version does not use may be any.
        #expect(refused >= 24 && refused < 32, "\(refused)")
    }

    /// A file keeps the root before the last one: with the mark turned back it is the library before the last change,
    /// or, where its pages were used again, nothing.
    @Test(arguments: ["music_tiny", "music_100", "unresolved"])
    func `the version before the last one is consistent or refused`(name: String) throws {
        var bytes = try Fixtures.bytes(name)
        bytes[23] ^= 1
        switch try Verdict(bytes) {
        case .closed, .unsound: break
        case .sound(let content): #expect(content.contradictions == [])
        }
    }

    /// Parts of the newer version over the older one, from either end: a copy that was made while the app was writing.
    @Test func `a copy that ends in another version is refused or consistent`() throws {
        let (live, compact) = try Self.versions()
        for (first, second) in [(live, compact), (compact, live)] {
            for count in stride(from: 512, to: first.count, by: 512) {
                let mixture = Array(first.prefix(count) + second.dropFirst(count))
                if count >= second.count { break }
                if case .sound(let content) = try Verdict(mixture) {
                    #expect(content.contradictions == [], "\(count)")
                }
            }
        }
    }
}
