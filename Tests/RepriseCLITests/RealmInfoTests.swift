import Foundation
import TestSupport
import Testing

@testable import RepriseCLI

/// `reprise realm info`, what it says and returns.
struct RealmInfoTests {
    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory(named: "cli")
    }

    private func own(_ name: String) -> String {
        RealmFixtures.own.appending(path: name).path
    }

    /// A copy of the small library in which two tracks have one primary key.
    private func damaged() throws -> String {
        var bytes = try Data(contentsOf: URL(filePath: own("music_tiny.realm")))
        let text = try #require(bytes.range(of: Data("t-2".utf8)))
        bytes.replaceSubrange(text, with: Data("t-1".utf8))
        let path = URL(filePath: directory.path("damaged.realm"))
        try bytes.write(to: path)
        return path.path
    }

    private func tool(_ words: String...) -> (outcome: Outcome, output: String, diagnostics: String)
    {
        let output = MemorySink()
        let diagnostics = MemorySink()
        var console = Console(output: output, diagnostics: diagnostics)
        let outcome = Tool.run(["realm"] + words, in: &console)
        return (outcome, output.text, diagnostics.text)
    }

    @Test func `as text it shows the file, its classes and their properties`() throws {
        let answer = tool("info", own("music_tiny.realm"))
        #expect(answer.outcome == .done)
        let expected = """
            format  version 24, as an app at work leaves it
            state   sound

            metadata (1 object)
              version  Int

            RealmAlbum (1 object)
              id      String, primary key
              title   String
              tracks  List<RealmTrack>

            RealmPlaylist (2 objects)
              id         String, primary key
              name       String
              tracks     List<RealmTrack>
              createdAt  Date

            RealmTrack (4 objects)
              id           String, primary key
              title        String
              artist       String
              duration     Double
              genre        String?, indexed
              releaseDate  Date, indexed
              playCount    Int
              isFavorite   Bool

            """
        #expect(answer.output == expected)
    }

    @Test func `as JSON it has every fact`() throws {
        let answer = tool("info", own("music_tiny.realm"), "--json")
        #expect(answer.outcome == .done)
        let start = #"{"format":24,"streamed":false,"encrypted":false,"ok":true,"classes":["#
        let metadata = """
            {"name":"metadata","table":"metadata","kind":"object","objects":1,"properties":[\
            {"name":"version","type":"Int","optional":false,"indexed":false}]},
            """
        #expect(answer.output.hasPrefix(start + metadata))
        guard case .object(let members) = try JSONValue(parsing: answer.output),
            case .array(let classes)? = members.first(where: { $0.name == "classes" })?.value,
            case .object(let track)? = classes.last
        else {
            Issue.record("\(answer.output)")
            return
        }
        #expect(classes.count == 4)
        let facts = Dictionary(uniqueKeysWithValues: track.map { ($0.name, $0.value) })
        #expect(facts["name"] == .string("RealmTrack"))
        #expect(facts["table"] == .string("class_RealmTrack"))
        #expect(facts["objects"] == .number("4"))
        #expect(facts["primaryKey"] == .string("id"))
        guard case .array(let properties)? = facts["properties"] else {
            Issue.record("\(answer.output)")
            return
        }
        #expect(properties.count == 8)
        let genre = #"{"name":"genre","type":"String?","optional":true,"indexed":true}"#
        #expect(properties.dropFirst(4).first == (try JSONValue(parsing: genre)))
    }

    @Test func `an encrypted file needs its key, as bytes or as digits`() throws {
        let file = own("music_100_compact_encrypted.realm")
        let answer = tool("info", file, "--key-file", own("encrypted.key"))
        #expect(answer.outcome == .done)
        #expect(answer.output.contains("version 24, written in one go, encrypted"))
        let key = try Data(contentsOf: URL(filePath: own("encrypted.key")))
        let digits = URL(filePath: directory.path("digits.key"))
        let text = key.map { String(format: "%02X", $0) }.joined()
        try Data((text.prefix(64) + "\n" + text.dropFirst(64) + "\n").utf8).write(to: digits)
        #expect(tool("info", file, "--key-file", digits.path).output == answer.output)
        #expect(tool("info", file).outcome == .badData)
        #expect(tool("info", file, "--key-file", digits.path + "x").outcome == .noInput)
        try Data("short".utf8).write(to: digits)
        #expect(tool("info", file, "--key-file", digits.path).outcome == .badData)
        try (key.dropLast() + [key[63] ^ 1]).write(to: digits)
        let other = tool("info", file, "--key-file", digits.path)
        #expect(other.outcome == .badData)
        #expect(other.diagnostics.hasPrefix("Error: The file cannot be decrypted with this key,"))
    }

    @Test func `a damaged file is shown nevertheless, and the exit code is 1`() throws {
        let path = try damaged()
        let fault = "Two objects of class_RealmTrack have the same primary key."
        let text = tool("info", path)
        #expect(text.outcome == .no && text.outcome.rawValue == 1)
        #expect(text.output.contains("state   \(fault) "))
        #expect(text.output.contains("\nRealmTrack (4 objects)\n"))
        let json = tool("info", path, "--json")
        #expect(json.outcome == .no)
        #expect(json.output.contains(#""ok":false,"fault":"\#(fault) "#))
        #expect(json.output.contains(#""name":"RealmTrack""#))
    }

    @Test func `what is no Realm file is bad data, what is not there no input`() throws {
        let other = tool("info", #filePath)
        #expect(other.outcome == .badData && other.output.isEmpty)
        #expect(other.diagnostics.hasPrefix("Error: The file is not a Realm file"))
        #expect(tool("info", directory.path).outcome == .noInput)
        #expect(tool("info", directory.path + "/missing.realm").outcome == .noInput)
        #expect(tool("dump", directory.path + "/missing.realm").outcome == .noInput)
        #expect(tool("info").outcome == .usage)
    }
}
