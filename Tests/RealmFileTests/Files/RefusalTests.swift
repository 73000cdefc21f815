import Foundation
import TestSupport
import Testing

@testable import RealmFile

/// What is not read, and with which code.
struct RefusalTests {
    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory(named: "realm")
    }

    private func code(_ path: String, key: [UInt8]? = nil) throws -> RealmFileError.Code? {
        try refusal { _ = try RealmReader(path: path, key: key) }
    }

    private func code(_ bytes: [UInt8]) throws -> RealmFileError.Code? {
        try refusal { try RealmReader(bytes: bytes).examine() }
    }

    @Test func `no file`() throws {
        #expect(try code(directory.path("missing.realm")) == .noSuchFile)
        #expect(try code(Fixtures.path("music_tiny") + "/below") == .noSuchFile)
        #expect(try code("") == .noSuchFile)
    }

    @Test func `a directory and a pipe`() throws {
        #expect(try code(directory.path) == .notAFile)
        let pipe = directory.path("pipe")
        try #require(unsafe mkfifo(pipe, 0o600) == 0)
        #expect(try code(pipe) == .notAFile)
    }

    @Test(.enabled(if: getuid() != 0, "The superuser may read everything."))
    func `a file that may not be read`() throws {
        let path = directory.path("closed.realm")
        try Data(Fixtures.bytes("music_tiny")).write(to: URL(filePath: path))
        try FileManager.default.setAttributes([.posixPermissions: 0], ofItemAtPath: path)
        #expect(try code(path) == .permissionDenied)
    }

    @Test func `an empty file`() throws {
        let path = directory.path("empty.realm")
        try Data().write(to: URL(filePath: path))
        #expect(try code(path) == .notARealm)
        #expect(try code([]) == .notARealm)
    }

    @Test func `another file`() throws {
        #expect(try code(#filePath) == .notARealm)
        // With a key, it may be an encrypted one that is too short, or has another key.
        let key = try Fixtures.key()
        for (count, expected) in [(4096, RealmFileError.Code.truncated), (8192, .wrongKey)] {
            let letters = [UInt8](repeating: UInt8(ascii: "a"), count: count)
            #expect(try refusal { _ = try RealmReader(bytes: letters, key: key) } == expected)
        }
        #expect(try code([UInt8](repeating: 0, count: 4096)) == .notARealm)
        var letters = try Fixtures.bytes("music_tiny")
        letters[16] = UInt8(ascii: "t")
        #expect(try code(letters) == .notARealm)
    }

    @Test(arguments: [1, 12, 19, 21, 25, 255] as [UInt8])
    func `a version that is not read`(version: UInt8) throws {
        for name in ["music_tiny", "music_tiny_compact"] {
            var bytes = try Fixtures.bytes(name)
            bytes[20 + Int(bytes[23] & 1)] = version
            let error = try refusalError { _ = try RealmReader(bytes: bytes) }
            #expect(error?.code == .unsupportedFormat)
            #expect(error?.message.contains("version \(version) ") == true)
            // What the newest app has written, the newest app writes again.
            #expect(error?.advice.contains("newest version") == (version < 25))
        }
    }

    @Test func `the version of the other root does not matter`() throws {
        var bytes = try Fixtures.bytes("music_tiny")
        bytes[20 + Int(~bytes[23] & 1)] = 25
        #expect(try code(bytes) == nil)
    }

    @Test func `content without a version`() throws {
        var bytes = try Fixtures.bytes("music_tiny")
        bytes[20 + Int(bytes[23] & 1)] = 0
        #expect(try code(bytes) == .damaged)
    }

    @Test func `a file to which nothing was written has no classes`() throws {
        let bytes = [UInt8](repeating: 0, count: 16) + Array("T-DB".utf8) + [0, 0, 0, 0]
        let realm = try RealmReader(bytes: bytes)
        try realm.examine()
        #expect(realm.formatVersion == 0 && realm.classes.isEmpty)
    }

    @Test(arguments: ["music_tiny", "music_100", "unresolved"])
    func `a root that counts and is zero is damage, and the other one is salvaged`(
        name: String
    ) throws {
        let sound = try Fixtures.bytes(name)
        let live = Int(sound[23] & 1)
        var bytes = sound
        bytes.replaceSubrange(8 * live..<8 * live + 8, with: repeatElement(0, count: 8))
        let error = #expect(throws: RealmFileError.self) { try RealmReader(bytes: bytes) }
        #expect(error?.code == .damaged && error?.offset == UInt64(8 * live))
        // The version of the format may have gone with it.
        bytes[20 + live] = 0
        let hasOther = sound[8 * (1 - live)..<8 * (1 - live) + 8].contains { $0 != 0 }
        #expect(try code(bytes) == (hasOther ? .damaged : nil))
        guard hasOther else { return }
        let older = try RealmReader(salvagingBytes: bytes)
        #expect(!older.classes.isEmpty && older.newestFault?.code == .damaged)
    }

    @Test func `a file written in one go whose root is zero is damaged unless it has no version`()
        throws
    {
        var bytes = try Fixtures.bytes("music_tiny_compact")
        let place = bytes.count - 16
        bytes.replaceSubrange(place..<place + 8, with: repeatElement(0, count: 8))
        let error = #expect(throws: RealmFileError.self) { try RealmReader(bytes: bytes) }
        #expect(error?.code == .damaged && error?.offset == UInt64(place))
        bytes[20] = 0
        #expect(try RealmReader(bytes: bytes).classes.isEmpty)
    }

    /// A file of an app at work notes its size; one that was written in one go ends with a mark.
    @Test(arguments: ["music_tiny", "music_tiny_compact", "music_100", "unresolved"])
    func `every file that ends early`(name: String) throws {
        let bytes = try Fixtures.bytes(name)
        let realm = try RealmReader(bytes: bytes)
        let root = try #require(realm.storage.header.root)
        let top = try ArrayNode(at: root, in: realm.storage.source.bytes)
        let noted = realm.isStreamed ? bytes.count : Int(try #require(try top.number(at: 2)))
        var counts = Set(stride(from: 4096, to: noted, by: 4096))
        counts.formUnion(stride(from: 24, to: min(noted, 4096), by: 1))
        for count in counts {
            let code = try code(Array(bytes.prefix(count)))
            #expect(code == .truncated, "\(name), \(count) bytes")
        }
        for count in 0..<24 {
            #expect(try code(Array(bytes.prefix(count))) == .notARealm)
        }
    }

    @Test func `a refusal says what happened, where, and what to do`() throws {
        let bytes = try Fixtures.bytes("music_tiny")
        let error = try #require(
            try refusalError { _ = try RealmReader(bytes: Array(bytes.prefix(2048))) }
        )
        #expect(error.description.contains(error.message))
        #expect(error.description.hasSuffix(error.advice))
        #expect(error.offset == nil || error.description.contains("(at byte "))
        for code in RealmFileError.Code.allCases {
            let error = RealmFileError(code, "Something happened.")
            #expect(error.advice.hasSuffix("."))
            #expect(error.description == "Something happened. \(error.advice)")
        }
    }
}
