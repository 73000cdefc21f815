import Foundation
import LegacyMigration
import MusicLibrary
import Reprise
import Testing

/// An export that cannot be read leaves what was there.
@Suite struct UnreadableExportTests {
    /// A source that breaks off after some records.
    private struct BrokenSource: DetailedSource {
        static let kind = "broken"
        static func canRead(prefix: some Sequence<UInt8>) -> Bool { false }

        let identity = SourceIdentity(kind: "broken", name: "one")
        let schema = MusicLibrary.schema.description
        let recordOrder = ["track"]
        let byteCount: UInt64 = 100
        let recordCount: Int

        struct Broken: Error {}

        func read(_ consume: (LegacyEvent) throws -> Void) throws -> LegacyReading {
            for number in 0..<recordCount {
                let title = LegacyField("title", .string("\(number)"))
                let record = LegacyRecord(className: "track", key: "k\(number)", fields: [title])
                try consume(.record(record))
                try consume(.progress(LegacyProgress(bytesRead: 1, byteCount: byteCount)))
            }
            throw Broken()
        }

        func contentHash(_ progress: (LegacyProgress) throws -> Void) throws -> ContentHash {
            ContentHash(of: [])
        }
    }

    private func run(_ source: some LegacySource, _ library: TemporaryLibrary) throws {
        let options = Migrator.Options(replacesEverything: true)
        _ = try Migrator(source: source, store: library.store, options: options).run()
    }

    @Test func `one that breaks off leaves no snapshot and no migration`() throws {
        let library = try TemporaryLibrary()
        _ = try library.store.createSnapshot(named: "mine")
        let head = try library.head
        for count in [0, 1, 19, 50_000] {
            #expect(throws: BrokenSource.Broken.self) {
                try run(BrokenSource(recordCount: count), library)
            }
            #expect(try library.head == head)
            #expect(try library.store.snapshots().map(\.name) == ["mine"])
            #expect(try MigrationRecord.all(in: library.store).isEmpty)
        }
    }

    @Test func `one that is cancelled says that nothing was written`() throws {
        let library = try TemporaryLibrary()
        let head = try library.head
        let migrator = Migrator(replacing: BrokenSource(recordCount: 50), store: library.store)
        let error = try #require(throws: MigrationError.self) {
            _ = try migrator.run { _ in false }
        }
        #expect(error.code == .cancelled)
        #expect(try library.head == head)
    }

    @Test func `a write in the callback is refused`() throws {
        let library = try TemporaryLibrary()
        var codes: [StoreError.Code] = []
        #expect(throws: BrokenSource.Broken.self) {
            let migrator = Migrator(replacing: BrokenSource(recordCount: 3), store: library.store)
            _ = try migrator.run { _ in
                do {
                    try library.store.write { try $0.insert(Track(id: "x", title: "x")) }
                } catch let error as StoreError {
                    codes.append(error.code)
                } catch {}
                return true
            }
        }
        #expect(codes == Array(repeating: .writeInCallback, count: 3))
    }

    private static let xspf = "<playlist version=\"1\" xmlns=\"http://xspf.org/ns/0/\"><trackList>"
    private static let plist = "<?xml version=\"1.0\"?><plist version=\"1.0\"><dict>"
        + "<key>Library Persistent ID</key><string>0123456789ABCDEF</string><key>Tracks</key>"

    @Test(arguments: [
        ("a.xspf", Self.xspf + "<track><title>A</title></track>"), ("b.xspf", "<html></html>"),
        ("d.xml", Self.plist + "<dict><key>1</key><dict><key>Track ID</key><integer>1</integer>"),
        ("e.xml", Self.plist + "<array></array></dict></plist>"),
    ])
    func `a playlist or library that is refused when it is read leaves the store as it was`(
        name: String,
        text: String
    ) throws {
        let library = try TemporaryLibrary()
        let head = try library.head
        try PlaylistFile.with(name, text.utf8) { path in
            let isPlaylist = name.hasSuffix("xspf")
            let source: any LegacySource =
                try isPlaylist ? XSPFSource(path: path) : ITunesLibrarySource(path: path)
            #expect(throws: LegacyError.self) { try run(source, library) }
        }
        #expect(try library.head == head)
        #expect(try library.store.snapshots().isEmpty)
        // A playlist in M3U is refused before that.
        #expect(throws: LegacyError.self) {
            try PlaylistFile.with("c.m3u8", "/a\0.mp3\n".utf8) { try M3USource(path: $0) }
        }
    }
}
