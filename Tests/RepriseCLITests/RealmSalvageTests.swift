import Foundation
import TestSupport
import Testing

@testable import RepriseCLI

/// `reprise realm info` and `dump` with `--salvage`.
struct RealmSalvageTests {
    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory(named: "cli")
    }

    private func own(_ name: String) -> String {
        RealmFixtures.own.appending(path: name).path
    }

    /// A copy of the small library in which the artist of a track is no text.
    private func damaged() throws -> String {
        var bytes = try Data(contentsOf: URL(filePath: own("music_tiny.realm")))
        let text = try #require(bytes.range(of: Data("YOASOBI".utf8)))
        bytes[text.lowerBound] = 0xff
        let path = URL(filePath: directory.path("damaged.realm"))
        try bytes.write(to: path)
        return path.path
    }

    private func tool(_ words: String...) -> (outcome: Outcome, output: String, diagnostics: String)
    {
        let output = MemorySink()
        let diagnostics = MemorySink()
        var console = Console(output: output, diagnostics: diagnostics, isQuiet: true)
        let outcome = Tool.run(["realm"] + words + ["--quiet"], in: &console)
        return (outcome, output.text, diagnostics.text)
    }

    @Test func `a dump of a sound file is the same with it`() throws {
        for name in ["music_tiny.realm", "music_100.realm", "unresolved.realm"] {
            let plain = tool("dump", own(name))
            let salvaged = tool("dump", own(name), "--salvage")
            #expect(plain.outcome == .done && salvaged.outcome == .done)
            #expect(salvaged.output == plain.output && salvaged.diagnostics.isEmpty)
        }
    }

    @Test func `a dump has what is whole, and says what is lost beside it`() throws {
        let path = try damaged()
        let refused = tool("dump", path)
        #expect(refused.outcome == .badData && refused.output.isEmpty)
        let whole = tool("dump", own("music_tiny.realm")).output.split(separator: "\n")
        let answer = tool("dump", path, "--salvage")
        #expect(answer.outcome == .no && answer.outcome.rawValue == 1)
        let lines = answer.output.split(separator: "\n")
        let tracks = lines.filter { $0.hasPrefix("{\"t\":\"class_RealmTrack\"") }
        #expect(tracks.count == 3 && tracks.allSatisfy(whole.contains))
        #expect(
            lines.contains {
                $0.hasPrefix("{\"table\":\"class_RealmTrack\"") && $0.contains("\"count\":3,")
            }
        )
        #expect(!answer.output.contains("YOASOB"))
        let losses = answer.diagnostics.split(separator: "\n")
        #expect(
            losses.first?.hasPrefix(
                "Lost: 1 object of RealmTrack.artist (2): A string is not UTF-8. (at byte "
            ) == true,
            "\(losses)"
        )
        #expect(
            losses.last == "The file is damaged; 7 of 8 objects whole, \(losses.count - 1) losses."
        )
    }

    @Test func `info lists what is lost, as text and as JSON`() throws {
        let path = try damaged()
        let text = tool("info", path, "--salvage")
        #expect(text.outcome == .no)
        #expect(text.output.contains("state   damaged; 7 of 8 objects whole, "), "\(text.output)")
        #expect(text.output.contains("\nRealmTrack (3 objects of 4)\n"))
        #expect(
            text.output.contains(
                "\nLost: 1 object of RealmTrack.artist (2): A string is not UTF-8."
            )
        )
        let json = tool("info", path, "--salvage", "--json")
        #expect(json.outcome == .no)
        guard case .object(let members) = try JSONValue(parsing: json.output),
            case .array(let losses)? = members.first(where: { $0.name == "losses" })?.value,
            case .object(let first)? = losses.first
        else {
            Issue.record("\(json.output)")
            return
        }
        let facts = Dictionary(uniqueKeysWithValues: first.map { ($0.name, $0.value) })
        #expect(facts["kind"] == .string("objects") && facts["class"] == .string("RealmTrack"))
        #expect(facts["property"] == .string("artist") && facts["firstKey"] == .number("2"))
        #expect(facts["offset"] != nil && facts["reason"] == .string("A string is not UTF-8."))
        #expect(json.output.contains(#""ok":false"#))
        #expect(json.output.contains(#""objects":3,"notedObjects":4"#))
        let sound = tool("info", own("music_tiny.realm"), "--salvage")
        #expect(sound.outcome == .done)
        #expect(sound.output == tool("info", own("music_tiny.realm")).output)
    }

    @Test func `a class that cannot be read is said to be, and how many objects it had is not`()
        throws
    {
        var bytes = try Data(contentsOf: URL(filePath: own("music_tiny.realm")))
        let whole = tool("dump", own("music_tiny.realm")).output
        var isMet = false
        // Each array in turn has a header that none has.
        for place in stride(from: 24, to: bytes.count, by: 8)
        where bytes[place..<place + 4] == Data("AAAA".utf8) {
            let flags = bytes[place + 4]
            bytes[place + 4] = 0xff
            defer { bytes[place + 4] = flags }
            let path = directory.path("class.realm")
            try bytes.write(to: URL(filePath: path))
            let text = tool("info", path, "--salvage")
            guard text.output.contains("\nLost: class RealmAlbum: ") else { continue }
            isMet = true
            #expect(text.outcome == .no)
            #expect(text.output.contains("\nRealmAlbum (0 objects of an unknown number)\n"))
            #expect(text.output.contains(" whole, of how many cannot be told, "))
            let dump = tool("dump", path, "--salvage")
            #expect(dump.outcome == .no && dump.diagnostics.contains("Lost: class RealmAlbum: "))
            for line in dump.output.split(separator: "\n") where line.hasPrefix("{\"t\"") {
                #expect(whole.contains(line))
            }
        }
        #expect(isMet)
    }

    @Test func `a file without names of classes is refused with it, too`() throws {
        #expect(tool("dump", #filePath, "--salvage").outcome == .badData)
        #expect(tool("info", directory.path("missing.realm"), "--salvage").outcome == .noInput)
    }
}
