import Foundation
import TestSupport
import Testing

@testable import RepriseCLI

/// What `migrate` says of files that it cannot take, and what it leaves alone.
struct MigrationAdviceTests {
    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory(named: "cli")
    }

    private func file(_ name: String, _ bytes: some Sequence<UInt8>) throws -> String {
        let path = directory.path(name)
        try Data(bytes).write(to: URL(filePath: path))
        return path
    }

    private func tiny() throws -> [UInt8] {
        [UInt8](
            try Data(contentsOf: RealmFixtures.own.appending(path: "music_tiny.realm"))
        )
    }

    /// The small library with a text that is none.
    private func damaged() throws -> [UInt8] {
        var bytes = try tiny()
        let text = try #require(bytes.ranges(of: Array("YOASOBI".utf8)).first)
        bytes[text.lowerBound] = 0xff
        return bytes
    }

    private func tool(_ words: String...) -> (outcome: Outcome, output: String, diagnostics: String)
    {
        let output = MemorySink()
        let diagnostics = MemorySink()
        var console = Console(output: output, diagnostics: diagnostics, isQuiet: true)
        let outcome = Tool.run(words + ["--quiet"], in: &console)
        return (outcome, output.text, diagnostics.text)
    }

    private var store: String { directory.path("store") }

    @Test func `a dry run and a strict one that fails leave an empty folder empty`() throws {
        try FileManager.default.createDirectory(atPath: store, withIntermediateDirectories: false)
        let sound = try file("music.realm", tiny())
        let list = try file("list.m3u8", "#EXTM3U\n/a.mp3\n".utf8)
        for export in [sound, list] {
            #expect(tool("migrate", export, "--into", store, "--dry-run").outcome == .done)
            #expect(try FileManager.default.contentsOfDirectory(atPath: store) == [])
        }
        let broken = try file("broken.realm", damaged())
        let answer = tool("migrate", broken, "--into", store, "--salvage", "--strict")
        #expect(answer.outcome == .badData)
        #expect(try FileManager.default.contentsOfDirectory(atPath: store) == [])
        // And it is where a store can be made.
        #expect(tool("migrate", list, "--into", store).outcome == .done)
    }

    @Test func `of a damaged Realm file it is said that it can be salvaged`() throws {
        let broken = try file("broken.realm", damaged())
        for words in [
            ["migrate", broken, "--into", store], ["realm", "dump", broken],
            [
                "migrate", broken, "--into", directory.path("other"), "--as", "realm", "--mapping",
                "own",
            ],
        ] {
            let output = MemorySink()
            let diagnostics = MemorySink()
            var console = Console(output: output, diagnostics: diagnostics, isQuiet: true)
            #expect(Tool.run(words, in: &console) == .badData)
            #expect(diagnostics.text.contains("with --salvage."), "\(words)")
        }
        #expect(tool("realm", "info", broken).output.contains("with --salvage."))
        let cut = try file("cut.realm", tiny().prefix(4000))
        #expect(tool("migrate", cut, "--into", store).diagnostics.contains("with --salvage."))
        #expect(tool("migrate", broken, "--into", store, "--salvage").outcome == .done)
        #expect(tool("verify-migration", broken, store).diagnostics.contains("with --salvage."))
    }

    @Test func `of lists that iTunes fills it is said how they are taken`() throws {
        let list =
            "<dict><key>Name</key><string>Top</string><key>Playlist Persistent ID</key><string>P</string>"
            + "<key>Distinguished Kind</key><integer>202</integer><key>Playlist Items</key><array>"
            + "<dict><key>Track ID</key><integer>1</integer></dict></array></dict>"
        let track =
            "<key>1</key><dict><key>Track ID</key><integer>1</integer><key>Name</key><string>T</string>"
            + "<key>Persistent ID</key><string>A</string></dict>"
        let text =
            "<plist version=\"1.0\"><dict><key>Library Persistent ID</key><string>L</string><key>Tracks</key><dict>"
            + "\(track)</dict><key>Playlists</key><array>\(list)</array></dict></plist>"
        let library = try file("Library.xml", text.utf8)
        let strict = tool("migrate", library, "--into", store, "--strict")
        #expect(strict.outcome == .badData && strict.diagnostics.contains("--built-in-playlists"))
        #expect(!FileManager.default.fileExists(atPath: store))
        let plain = tool("migrate", library, "--into", store)
        #expect(plain.outcome == .done && plain.diagnostics.contains("--built-in-playlists"))
        #expect(tool("fetch", store, "playlist", "--count").output.contains("0"))
        let dry = tool("migrate", library, "--into", store, "--dry-run", "--built-in-playlists")
        #expect(dry.outcome == .done && dry.output.contains("would note"))
        let plan = tool("migrate", library, "--into", store, "--dry-run", "--built-in-playlists", "--json").output
        #expect(plan.contains(#","notesChoice":true,"#))
        let whole = tool("migrate", library, "--into", store, "--strict", "--built-in-playlists")
        #expect(whole.outcome == .done && !whole.diagnostics.contains("--built-in-playlists"))
        #expect(tool("fetch", store, "playlist", "--id", "P", "--json").output.contains(#""tracks":["A"]"#))
        #expect(tool("verify-migration", library, store, "--strict").outcome == .done)
        let again = tool("migrate", library, "--into", store, "--dry-run", "--built-in-playlists", "--json").output
        #expect(again.hasPrefix("{") && !again.contains("notesChoice"))
        // Of others there are none.
        let lines = try file("list.m3u8", "#EXTM3U\n/a.mp3\n".utf8)
        let other = tool("migrate", lines, "--into", store, "--built-in-playlists")
        #expect(other.outcome == .usage && other.diagnostics.contains("iTunes"))
    }

    @Test func `what may be a Realm file is not taken for iTunes`() throws {
        let noise: [UInt8] = (0..<4096).map { UInt8(truncatingIfNeeded: $0 * 7 + $0 / 251) }
        let named = tool("migrate", try file("noise.realm", noise), "--into", store)
        #expect(named.outcome == .badData && named.diagnostics.contains("--key-file"))
        let other = try file("noise", noise)
        let salvaged = tool("migrate", other, "--into", store, "--salvage")
        #expect(salvaged.outcome == .badData && salvaged.diagnostics.contains("not a Realm file"))
        let unknown = tool("migrate", other, "--into", store)
        #expect(unknown.outcome == .badData)
        for word in ["--as realm", "--key-file", "--salvage", "\"\(other)\"", "encrypted database", "sqlcipher"] {
            #expect(unknown.diagnostics.contains(word), "\(unknown.diagnostics)")
        }
        // What is not as long as whole pages is no database.
        let odd = tool("migrate", try file("odd", noise + [1]), "--into", store)
        for word in ["--as csv", "realm", "--salvage", "odd\"", "iTunes libraries (XML), .realm files"] {
            #expect(odd.diagnostics.contains(word), "\(odd.diagnostics)")
        }
        for answer in [named, salvaged] { #expect(!answer.diagnostics.contains("iTunes")) }
        // A name says less than the content.
        let list = try file("list.realm", "#EXTM3U\n/a.mp3\n".utf8)
        #expect(tool("migrate", list, "--into", directory.path("other")).outcome == .done)
        // What is XML is told what is wrong with it as such.
        let xml = try file("x.xml", "<rss/>".utf8)
        #expect(tool("migrate", xml, "--into", store).outcome == .badData)
        #expect(!FileManager.default.fileExists(atPath: store))
    }

    @Test func `JSON in a form that is not told by its beginning is said to be`() throws {
        let text = "{\n  \"id\": \"1\",\n  \"name\": \"A\"\n}\n"
        let answer = tool("migrate", try file("x.json", text.utf8), "--into", store)
        #expect(answer.outcome == .badData)
        for word in ["JSON", "--as ndjson", "--as realm2json", "--as realmstudio"] {
            #expect(answer.diagnostics.contains(word), "\(answer.diagnostics)")
        }
        // An array of objects is told by its beginning.
        let array = try file("array.json", #"[{"id": "1", "name": "A"}]"#.utf8)
        #expect(tool("migrate", array, "--into", directory.path("array")).outcome == .done)
        let long = String(repeating: "x", count: 20_000)
        let lines = "{\"id\":\"1\",\"a\":\"\(long)\"}\n{\"id\":\"2\",\"a\":\"y\"}\n"
        #expect(
            tool("migrate", try file("long.json", lines.utf8), "--into", store).outcome == .done
        )
    }

    @Test func `of a damaged file it is said where the damage is`() throws {
        var bytes = try tiny()
        let live = Int(bytes[23] & 1)
        bytes.replaceSubrange(8 * live..<8 * live + 8, with: repeatElement(0, count: 8))
        let broken = try file("broken.realm", bytes)
        let place = "(at byte \(8 * live))"
        let migration = tool("migrate", broken, "--into", store)
        #expect(migration.outcome == .badData && migration.diagnostics.contains(place))
        let info = tool("realm", "info", broken)
        #expect(info.outcome == .badData && info.diagnostics.contains(place))
        #expect(!FileManager.default.fileExists(atPath: store))
        let lines = try file("x.ndjson", "{\"a\":1}\n{\"a\":}\n".utf8)
        #expect(tool("migrate", lines, "--into", store).diagnostics.contains("(line 2)"))
    }

    @Test(arguments: [
        ("library.csv", "xml"), ("library.realm", "xml"), ("library.m3u", "xml"),
        ("library", "xml"),
        ("songs.json", "csv"), ("songs.txt", "csv"), ("songs.bin", "csv"), ("songs", "csv"),
        ("songs.m3u", "csv"), ("songs.realm", "csv"), ("songs.xml", "csv"),
    ])
    func `the content tells the format, whatever the file is called`(
        name: String,
        content: String
    ) throws {
        let library = """
            <?xml version="1.0" encoding="UTF-8"?>
            <plist version="1.0"><dict><key>Library Persistent ID</key><string>L</string><key>Tracks</key><dict>
            <key>1</key><dict><key>Track ID</key><integer>1</integer><key>Name</key><string>A, B</string>
            <key>Persistent ID</key><string>K</string></dict></dict></dict></plist>
            """
        let table = "id,title,artist\n1,A,X\n2,B,Y\n"
        let path = try file(name, (content == "xml" ? library : table).utf8)
        let answer = tool("migrate", path, "--into", store, "--json")
        #expect(answer.outcome == .done, "\(answer.diagnostics)")
        let count = content == "xml" ? 1 : 2
        #expect(answer.output.contains("\"track\":\(count)"), "\(answer.output)")
    }

    @Test func `tracks that are no music keep their own schema`() throws {
        let path = directory.path("gps.db")
        try SQLiteScratch(at: path)
            .execute(
                """
                CREATE TABLE tracks(id INTEGER PRIMARY KEY, name TEXT);
                CREATE TABLE devices(id INTEGER PRIMARY KEY, name TEXT);
                INSERT INTO tracks VALUES(1, 'Home'); INSERT INTO devices VALUES(1, 'Watch');
                """
            )
        let answer = tool("migrate", path, "--into", store, "--json")
        #expect(answer.outcome == .done && answer.diagnostics.isEmpty)
        #expect(answer.output.contains("\"written\":{\"tracks\":1,\"devices\":1}"))
    }

    @Test func `what keeps an export from being a music library is named`() throws {
        let path = directory.path("songs.db")
        try SQLiteScratch(at: path)
            .execute(
                """
                CREATE TABLE songs(id INTEGER PRIMARY KEY, title TEXT, artist TEXT);
                CREATE TABLE moods(id INTEGER PRIMARY KEY, name TEXT);
                INSERT INTO songs VALUES(1, 'A', 'X'); INSERT INTO moods VALUES(1, 'calm');
                """
            )
        let answer = tool("migrate", path, "--into", store)
        #expect(answer.outcome == .done)
        let lines = answer.diagnostics.split(separator: "\n")
        #expect(lines.count == 1)
        #expect(tool("stats", store).output.contains("moods"))
        for word in ["moods", "--mapping music"] { #expect(answer.diagnostics.contains(word)) }
        let asked = tool("migrate", path, "--into", directory.path("other"), "--mapping", "music")
        #expect(asked.outcome == .done && asked.diagnostics.isEmpty)
    }

    @Test func `the advice for an unrelated table can be followed`() throws {
        let path = try file("songs.csv", "id,title,artist\n1,A,X\n2,B,Y\n".utf8)
        #expect(tool("migrate", path, "--into", store).outcome == .done)
        _ = try file("songs.csv", "id,title,artist\n8,C,X\n9,D,Y\n".utf8)
        let refused = tool("migrate", path, "--into", store)
        #expect(refused.outcome == .badData && refused.diagnostics.contains("--source"))
        let answer = tool("migrate", path, "--into", store, "--source", "more", "--json")
        #expect(answer.outcome == .done, "\(answer.diagnostics)")
        #expect(answer.output.contains("\"track\":2"))
        #expect(tool("fetch", store, "track", "--count").output == "4\n")
    }

    @Test func `a new store that lacks a class says so`() throws {
        var bytes = try tiny()
        for place in stride(from: 24, to: bytes.count, by: 8)
        where bytes[place..<place + 4].allSatisfy({ $0 == 0x41 }) {
            let flags = bytes[place + 4]
            bytes[place + 4] = 0xff
            defer { bytes[place + 4] = flags }
            let path = try file("class.realm", bytes)
            let info = tool("realm", "info", path, "--salvage").output
            guard info.contains("\nLost: class RealmAlbum: ") else { continue }
            let answer = tool(
                "migrate",
                path,
                "--into",
                store,
                "--salvage",
                "--mapping",
                "own",
                "--json"
            )
            #expect(answer.outcome == .done)
            #expect(answer.output.contains(#""lostClasses":["RealmAlbum"]"#))
            #expect(answer.diagnostics.contains("RealmAlbum cannot be read"))
            #expect(answer.diagnostics.contains("migrate it into a new store."))
            // What it lacks, a comparison with a sound file does not pass over.
            let sound = try file("sound.realm", tiny())
            let comparison = tool(
                "verify-migration",
                sound,
                store,
                "--mapping",
                "own",
                "--source",
                "class.realm"
            )
            #expect(!comparison.output.contains("The store holds what the export says."))
            return
        }
        Issue.record("no class was lost")
    }
}
