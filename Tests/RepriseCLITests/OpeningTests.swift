import Foundation
import Reprise
import Synchronization
import TestSupport
import Testing

@testable import RepriseCLI

/// What is shown and what Ctrl-C does while an export is opened.
struct OpeningTests {
    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory(named: "cli-opening")
    }

    private static let texts: [String: String] = [
        "a.csv": "id,title\n1,A\n2,B\n",
        "a.ndjson": "{\"id\":\"1\",\"title\":\"A\"}\n{\"id\":\"2\",\"title\":\"B\"}\n",
        "a.m3u": "#EXTM3U\n/a.mp3\n",
        "a.xml": """
        <?xml version="1.0" encoding="UTF-8"?>
        <plist version="1.0"><dict><key>Library Persistent ID</key><string>0123456789ABCDEF</string>
        <key>Tracks</key><dict></dict></dict></plist>
        """,
        "realm2json.json": "{\"Track\":[{\"_key\":0,\"id\":\"1\",\"title\":\"A\"}]}",
        "realmstudio.json": "{\"Track\":[{\"id\":\"1\",\"title\":\"A\"}]}",
    ]

    private static let xspf =
        "<playlist version=\"1\" xmlns=\"http://xspf.org/ns/0/\"><trackList/></playlist>"

    static let names = texts.keys.sorted() + ["a.db", "a.realm", "encrypted.realm"]

    /// The words that name an export, which is written.
    private func export(_ name: String) throws -> [String] {
        let path = directory.path(name)
        switch name {
        case "a.db":
            let database = try SQLiteScratch(at: path)
            try database.execute(
                "CREATE TABLE track(id TEXT PRIMARY KEY, title TEXT); INSERT INTO track VALUES('1', 'A')"
            )
            database.close()
        case "a.xspf": try Data(Self.xspf.utf8).write(to: URL(filePath: path))
        case "a.realm":
            try copy("music_tiny.realm", to: path)
        case "encrypted.realm":
            try copy("music_100_encrypted.realm", to: path)
            let key = RealmFixtures.own.appending(path: "encrypted.key").path
            return [path, "--key-file", key]
        default:
            try Data(try #require(Self.texts[name]).utf8).write(to: URL(filePath: path))
            if name.hasSuffix(".json") { return [path, "--as", String(name.dropLast(5))] }
        }
        return [path]
    }

    private func copy(_ name: String, to path: String) throws {
        try Data(contentsOf: RealmFixtures.own.appending(path: name))
            .write(to: URL(filePath: path))
    }

    private func run(
        _ words: [String],
        traits: TerminalTraits = .plain,
        isQuiet: Bool = true,
        uptime: (@Sendable () -> Duration)? = nil,
        interruption: Interruption = .never
    ) -> (outcome: Outcome, output: String, diagnostics: String) {
        let output = MemorySink()
        let diagnostics = MemorySink()
        var console = Console(
            output: output,
            diagnostics: diagnostics,
            diagnosticsTraits: traits,
            interruption: interruption,
            uptime: uptime
        )
        let outcome = Tool.run(words + (isQuiet ? ["--quiet"] : []), in: &console)
        return (outcome, output.text, diagnostics.text)
    }

    /// Asks to stop when it is asked that for the n-th time.
    private func interruption(at place: Int) -> Interruption {
        let asked = Counter()
        return Interruption { asked.next() >= place }
    }

    private final class Counter: Sendable {
        private let count = Mutex(0)

        func next() -> Int {
            count.withLock { count in
                count += 1
                return count
            }
        }
    }

    private static let cancelled =
        "Error: The reading of the export was cancelled before anything was written. Start it again when you like.\n"

    @Test(arguments: names, [1, 2])
    func `a migration that is interrupted while its export is opened makes no store`(
        _ name: String,
        _ place: Int
    ) throws {
        let store = directory.path("store")
        let words = try ["migrate"] + export(name) + ["--into", store]
        for more in [[], ["--dry-run"], ["--mapping", "own"]] {
            let answer = run(words + more, interruption: interruption(at: place))
            #expect(answer.outcome == .interrupted && answer.output.isEmpty)
            #expect(answer.diagnostics == Self.cancelled)
        }
        #expect(!FileManager.default.fileExists(atPath: store))
        // Asked no more, it goes on.
        #expect(run(words + ["--mapping", "own"]).outcome == .done)
    }

    @Test func `a store is as it was when the opening of a further export is interrupted`() throws {
        let store = directory.path("store")
        let list = try export("a.m3u")
        #expect(run(["migrate"] + list + ["--into", store]).outcome == .done)
        func state() throws -> (StateDigest, Position) {
            let opened = try Store.open(existing: store)
            defer { opened.close() }
            return try opened.read { ($0.digest, $0.head) }
        }
        let before = try state()
        for words in try [
            ["migrate"] + export("a.realm") + ["--into", store],
            ["migrate"] + list + ["--into", store],
            ["migrate"] + export("a.xspf") + ["--into", store],
            ["verify-migration"] + list + [store],
        ] {
            // The third time while the library is looked through for the tracks of the list.
            for place in words[1].hasSuffix("m3u") ? [1, 2, 3] : [1] {
                let answer = run(words, interruption: interruption(at: place))
                #expect(answer.outcome == .interrupted && answer.diagnostics == Self.cancelled)
            }
        }
        #expect(try state() == before)
    }

    @Test func `a Realm file whose decryption is interrupted is neither shown nor written out`()
        throws
    {
        let file = try export("encrypted.realm")
        for words in [["realm", "info"] + file, ["realm", "dump"] + file] {
            let answer = run(words, interruption: interruption(at: 1))
            #expect(answer.outcome == .interrupted && answer.output.isEmpty)
            #expect(answer.diagnostics.hasPrefix("Error: Stopped as you asked. "))
        }
    }

    @Test(arguments: names)
    func `how far the opening is stands on a line of its own`(_ name: String) throws {
        let store = directory.path("store")
        let words = try ["migrate"] + export(name) + ["--into", store, "--mapping", "own"]
        let uptime = { @Sendable in
            let clock = FakeClock()
            return { @Sendable in
                clock.advance(.seconds(6))
                return clock.uptime()
            }
        }
        let terminal = TerminalTraits(isTerminal: true, width: 80, usesStyle: false)
        let shown = run(words, traits: terminal, isQuiet: false, uptime: uptime())
        #expect(shown.outcome == .done)
        #expect(shown.diagnostics.contains("\r\u{1B}[KReading [----"))
        // It is removed before the next one.
        #expect(
            shown.diagnostics.contains(" bytes\r\u{1B}[K")
                || shown.diagnostics.contains("left\r\u{1B}[K")
        )
        let lines = run(
            ["verify-migration"] + words.dropFirst().filter { $0 != "--into" && $0 != store } + [
                store
            ],
            isQuiet: false,
            uptime: uptime()
        )
        #expect(lines.outcome == .done)
        #expect(lines.diagnostics.hasPrefix("Reading: 0 of "))
    }
}
