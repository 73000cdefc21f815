import TestSupport
import Testing

@testable import RealmFile

struct EncryptedFileTests {
    private static let names = ["music_100_encrypted", "music_100_compact_encrypted"]

    @Test(arguments: names)
    func `an encrypted file says the same as the plain one`(name: String) throws {
        let realm = try RealmReader(path: Fixtures.path(name), key: Fixtures.key())
        #expect(realm.isEncrypted)
        #expect(realm.isStreamed == name.contains("compact"))
        try realm.examine()
        #expect(try Content(realm) == Content(Fixtures.reader("music_100")))
    }

    @Test func `a key for a file that is not encrypted is not used`() throws {
        let realm = try RealmReader(path: Fixtures.path("music_tiny"), key: Fixtures.key())
        #expect(!realm.isEncrypted)
        #expect(try Content(realm) == Content(Fixtures.reader("music_tiny")))
    }

    @Test(arguments: names)
    func `without its key it is not a Realm file`(name: String) throws {
        #expect(try refusal { _ = try Fixtures.reader(name) } == .notARealm)
    }

    @Test(arguments: [0, 1, 32, 63, 65, 128])
    func `a key of another length is refused`(count: Int) throws {
        let key = [UInt8](repeating: 7, count: count)
        for name in ["music_100_encrypted", "music_tiny"] {
            #expect(
                try refusal { _ = try RealmReader(path: Fixtures.path(name), key: key) }
                    == .invalidKey
            )
        }
    }

    @Test(arguments: names, [false, true])
    func `the opening of an encrypted file says how far it is, and can be cancelled`(
        name: String,
        salvages: Bool
    ) throws {
        let path = Fixtures.path(name)
        let key = try Fixtures.key()
        func open(_ progress: (RealmOpeningProgress) -> Bool) throws {
            _ =
                try salvages
                ? RealmReader(salvaging: path, key: key, progress: progress)
                : RealmReader(path: path, key: key, progress: progress)
        }
        var steps: [RealmOpeningProgress] = []
        try open { step in
            steps.append(step)
            return true
        }
        let byteCount = try Fixtures.bytes(name).count
        #expect(steps.count == (salvages ? 2 : 1))
        for (place, step) in steps.enumerated() {
            #expect(step.byteCount == steps.count * byteCount)
            #expect(step.bytesRead >= place * byteCount && step.bytesRead <= step.byteCount)
            var asked = 0
            let found = try refusal {
                try open { _ in
                    asked += 1
                    return asked <= place
                }
            }
            #expect(found == .cancelled && asked == place + 1)
        }
    }

    /// The first half of a key decrypts, the second one authenticates.
    @Test(arguments: [0, 31 * 8 + 7, 32 * 8, 63 * 8 + 3])
    func `a key that differs by one bit is refused`(bit: Int) throws {
        var key = try Fixtures.key()
        key[bit / 8] ^= 1 << UInt8(bit % 8)
        for name in Self.names {
            #expect(
                try refusal { _ = try RealmReader(path: Fixtures.path(name), key: key) }
                    == .wrongKey
            )
        }
    }

    /// The code with which an encrypted file is refused, at the latest when it is examined.
    private func code(_ bytes: [UInt8]) throws -> RealmFileError.Code? {
        let key = try Fixtures.key()
        return try refusal { try RealmReader(bytes: bytes, key: key).examine() }
    }

    /// Pages that nothing refers to may be any: a write that was cut off leaves some.
    @Test func `a byte that was changed is noticed in every page that is needed`() throws {
        let file = try Fixtures.bytes("music_100_compact_encrypted")
        var generator = SeededGenerator(seed: 224)
        // The first page says how the others were encrypted.
        let last = file.count / 4096 - 1
        for page in 1...last {
            var changed = file
            changed[page * 4096 + generator.below(4096)] ^= 1 << UInt8(generator.below(8))
            // The last page has the mark that ends the file, and without it the file has no end.
            let expected: RealmFileError.Code =
                page == 1 ? .wrongKey : page == last ? .truncated : .damaged
            #expect(try code(changed) == expected, "page \(page)")
        }
    }

    @Test func `pages in each other's place are noticed`() throws {
        let file = try Fixtures.bytes("music_100_compact_encrypted")
        var changed = file
        changed.replaceSubrange(2 * 4096..<3 * 4096, with: file[3 * 4096..<4 * 4096])
        #expect(try code(changed) == .damaged)
    }

    /// The record of a page has the state before as well: it counts where the page was not written any more.
    @Test func `a page as it was before its record was written is read`() throws {
        let file = try Fixtures.bytes("music_100_encrypted")
        let key = try Fixtures.key()
        var changed = file
        for page in 0..<file.count / 4096 - 1 {
            let record = page * 64
            // The newer half fits no page; the older one fits the page as it is.
            changed.replaceSubrange(record + 32..<record + 64, with: file[record..<record + 32])
            changed.replaceSubrange(
                record..<record + 32,
                with: [9, 0, 0, 0] + Array(repeating: 1, count: 28)
            )
        }
        let realm = try RealmReader(bytes: changed, key: key)
        try realm.examine()
        #expect(try Content(realm) == Content(Fixtures.reader("music_100")))
    }

    @Test func `an encrypted file that ends early is refused`() throws {
        let key = try Fixtures.key()
        for name in Self.names {
            let file = try Fixtures.bytes(name)
            for count in stride(from: 4096, to: file.count, by: 4096) {
                let code = try refusal {
                    try RealmReader(bytes: Array(file.prefix(count)), key: key).examine()
                }
                #expect(code == .truncated, "\(name), \(count) bytes")
            }
            // What is left of a page counts as none.
            let code = try code(Array(file.prefix(2 * 4096 + 8)))
            #expect(code == .truncated, "\(name)")
        }
    }
}
