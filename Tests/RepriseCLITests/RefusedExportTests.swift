import Foundation
import Reprise
import TestSupport
import Testing

@testable import RepriseCLI

/// An export that cannot be read leaves nothing behind.
struct RefusedExportTests {
    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory(named: "cli")
    }

    private var store: String { directory.path("store") }

    private func file(_ name: String, _ text: String) throws -> String {
        let path = directory.path(name)
        try Data(text.utf8).write(to: URL(filePath: path))
        return path
    }

    private func tool(_ words: String...) -> (outcome: Outcome, output: String, diagnostics: String)
    {
        let output = MemorySink()
        let diagnostics = MemorySink()
        var console = Console(output: output, diagnostics: diagnostics, isQuiet: true)
        let outcome = Tool.run(words + ["--quiet"], in: &console)
        return (outcome, output.text, diagnostics.text)
    }

    /// A playlist that ends in the middle.
    private func broken() throws -> String {
        try file(
            "broken.xspf",
            "<playlist version=\"1\" xmlns=\"http://xspf.org/ns/0/\"><trackList><track><title>A</title></track>"
        )
    }

    @Test func `where there was no store there is none, and nothing else`() throws {
        let answer = tool("migrate", try broken(), "--into", store)
        #expect(answer.outcome == .badData)
        #expect(answer.diagnostics.contains(" Nothing was written. "), "\(answer.diagnostics)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path) == ["broken.xspf"])
    }

    @Test func `an empty folder stays one, and what is in a folder stays there`() throws {
        try FileManager.default.createDirectory(atPath: store, withIntermediateDirectories: false)
        #expect(tool("migrate", try broken(), "--into", store).outcome == .badData)
        #expect(try FileManager.default.contentsOfDirectory(atPath: store) == [])
        let sound = try file("list.m3u8", "#EXTM3U\n/a.mp3\n")
        #expect(tool("migrate", sound, "--into", store).outcome == .done)
    }

    @Test func `a store that was there has no snapshot and no migration more`() throws {
        let sound = try file("list.m3u8", "#EXTM3U\n/a.mp3\n")
        #expect(tool("migrate", sound, "--into", store).outcome == .done)
        let before = tool("log", store, "--json").output
        let answer = tool("migrate", try broken(), "--into", store)
        #expect(answer.outcome == .badData && answer.diagnostics.contains(" Nothing was written. "))
        #expect(tool("log", store, "--json").output == before)
        #expect(!tool("snapshot", "list", store).output.contains("before-migration-2"))
    }

    @Test func `a mapping that is wrong is said before there is a store`() throws {
        let rules = try file("rules.json", #"{"classes": {"track": {"fields": {"title": {"trim": 1}}}}}"#)
        let list = try file("list.m3u8", "#EXTM3U\n/a.mp3\n")
        let answer = tool("migrate", list, "--into", store, "--mapping", rules)
        #expect(answer.outcome == .badData)
        #expect(
            answer.diagnostics.hasPrefix(
                "Error: The mapping has the number 1 at classes.track.fields.title.trim, where something else is "
                    + "expected. Write true or false there. "
            ),
            "\(answer.diagnostics)"
        )
        #expect(!FileManager.default.fileExists(atPath: store))
    }

    #if os(Linux)
        @Test func `a store that another process has open is not removed`() throws {
            let made = try Store.open(at: store, schema: try Schema(SampleSchema.schema))
            let head = try made.statistics().head
            // What LMDB holds for each process that has the store open, by an owner that is not this process.
            let descriptor = unsafe open(store + "/lock.mdb", O_RDWR | O_CLOEXEC)
            var share = flock()
            share.l_type = Int16(F_RDLCK)
            share.l_whence = Int16(SEEK_SET)
            share.l_len = 1
            let ofOpenFile: Int32 = 37
            try #require(unsafe fcntl(descriptor, ofOpenFile, &share) == 0)
            StoreRemoval.remove(made, unchangedSince: head, keepsFolder: false)
            #expect(FileManager.default.fileExists(atPath: store + "/data.mdb"))
            close(descriptor)
            let again = try Store.open(existing: store)
            StoreRemoval.remove(again, unchangedSince: head, keepsFolder: false)
            #expect(!FileManager.default.fileExists(atPath: store))
        }
    #endif
}
