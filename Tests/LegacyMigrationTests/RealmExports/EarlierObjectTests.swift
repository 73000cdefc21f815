import LegacyMigration
import Reprise
import Testing

/// A newer export of a Realm file as JSON without a schema names its objects, and has its types and links, as the
/// earlier one (Specs/format/migration.md, "Decisions").
@Suite struct EarlierObjectTests {
    private static let songs = #"{"title":"a","n":1},{"title":"b","n":2},{"title":"c","n":3}"#

    private func studio(_ songs: String, list: String = #"{"title":"a","n":1}"#) -> String {
        #"{"Song":[\#(songs)],"List":[{"id":"p","songs":[\#(list)]}]}"#
    }

    @Test func `objects of Realm Studio keep their keys though most of them repeat one`() throws {
        let sequel = try TextSequel(studio(Self.songs), named: "x.json")
        let more = #",{"title":"c","n":4},{"title":"c","n":5},{"title":"c","n":6}"#
        let report = try sequel.again(studio(Self.songs + more))
        #expect(report.counts["Song"]?.inserted == 3 && report.counts["Song"]?.deleted == 0)
        #expect(report.warningCounts[.duplicateKey] == 3 && report.warningCounts[.changedKey] == nil)
        #expect(report.warningCounts[.positionalKey] == nil)
        #expect(try sequel.values("n", of: "Song")["b"] == .int(2))
        #expect(try sequel.entries(of: "songs", "List", "p") == ["a"])
    }

    @Test func `objects of Realm Studio whose key is gone are named otherwise, which is a loss`() throws {
        let sequel = try TextSequel(studio(Self.songs), named: "x.json")
        let renamed = studio(Self.songs.replacing("title", with: "name"), list: "")
        #expect(try sequel.again(renamed).warningCounts[.changedKey] == 1)
    }

    @Test func `a list of Realm Studio that is empty for a while stays a list`() throws {
        let sequel = try TextSequel(studio(Self.songs), named: "x.json")
        _ = try sequel.again(studio(Self.songs, list: ""))
        #expect(try sequel.entries(of: "songs", "List", "p") == [])
        _ = try sequel.again(studio(Self.songs, list: #"{"title":"b","n":2},{"title":"a","n":1}"#))
        #expect(try sequel.entries(of: "songs", "List", "p") == ["b", "a"])
    }

    @Test func `objects of Realm Studio that had a key keep it where a circle numbers them`() throws {
        let sequel = try TextSequel(studio(Self.songs), named: "x.json")
        let songs = #"""
            {"$refId":"Song#7","title":"a","n":1},{"$refId":"Song#8","title":"b","n":2},\#
            {"$refId":"Song#9","title":"c","n":3}
            """#
        let list = #"{"$ref":"Song#9"},{"$ref":"Song#7"}"#
        let report = try sequel.again(studio(songs, list: list))
        #expect(report.counts["Song"]?.unchanged == 3 && report.counts["Song"]?.inserted == 0)
        #expect(try sequel.entries(of: "songs", "List", "p") == ["c", "a"])
    }

    @Test func `objects in the later form of Realm Studio keep their keys, and lists find them`() throws {
        func flatted(_ titles: [String]) -> String {
            let songs = titles.enumerated().map { number, title in
                Graph.Object([("title", .text(title)), ("n", .literal("\(number)"))])
            }
            let list = Graph.Object([("id", .text("p")), ("songs", .array(songs.map { .object($0) }))])
            return Graph.flatted(
                Graph.Object([("Song", .array(songs.map { .object($0) })), ("List", .array([.object(list)]))])
            )
        }
        let sequel = try TextSequel(flatted(["a", "b", "c"]), named: "x.json")
        let report = try sequel.again(flatted(["a", "b", "c", "c", "c", "c"]))
        #expect(report.counts["Song"]?.inserted == 3 && report.counts["Song"]?.deleted == 0)
        #expect(report.warningCounts[.changedKey] == nil)
        #expect(try sequel.entries(of: "songs", "List", "p") == ["a", "b", "c", "c-2", "c-3", "c-4"])
    }

    @Test func `objects of realm2json keep their keys though one repeats one`() throws {
        func text(_ songs: String) -> String {
            #"{"Song":[\#(songs)],"List":[{"id":"p","song":{"$link":{"table":"class_Song","key":"b"}}}]}"#
        }
        let sequel = try TextSequel(text(Self.songs), named: "x.realm2json")
        #expect(try sequel.values("song", of: "List")["p"] == .reference("b"))
        let report = try sequel.again(text(Self.songs + #",{"title":"b","n":4}"#))
        #expect(report.counts["Song"]?.inserted == 1 && report.counts["Song"]?.deleted == 0)
        #expect(report.warningCounts[.duplicateKey] == 1 && report.warningCounts[.changedKey] == nil)
        #expect(try sequel.values("song", of: "List")["p"] == .reference("b"))
        let renamed = try sequel.again(text(Self.songs.replacing("title", with: "name")))
        #expect(renamed.warningCounts[.changedKey] == 1)
    }

    @Test func `a text in the place of the last objects is left out, and the objects go`() throws {
        let sequel = try TextSequel(
            #"{"id":"x1","n":"p","b":{"a":1}}"# + "\n" + #"{"id":"x2","n":"q","b":{"a":2}}"#,
            named: "o.ndjson"
        )
        let owned = try #require(sequel.first.counts.first { $0.value.inserted == 2 && $0.key != "o" }?.key)
        let report = try sequel.again(
            #"{"id":"x1","n":"p","b":"gone"}"# + "\n" + #"{"id":"x2","n":"q","b":null}"#
        )
        #expect(report.warningCounts[.unexpectedType] == 1)
        #expect(try sequel.values("a", of: owned).isEmpty)
    }

    @Test func `the log has these very words for the objects of a Realm file`() throws {
        let studio = try TextSequel(studio(Self.songs), named: "x.json")
        #expect(
            try studio.choices("realmstudio:x.json").hasSuffix(
                #","choices":[["key List","member","id"],["key Song","member","title"],"#
                    + #"["type \"List\".\"id\"","identifier"],["type \"List\".\"songs\"","references","Song"],"#
                    + #"["type \"Song\".\"n\"","int"],["type \"Song\".\"title\"","identifier"]]}"#
            )
        )
        let realm = try TextSequel(
            #"{"A":[{"_key":0,"b":{"$embedded":{"table":"B","value":{"x":1}}},"a":null}],"C":[{"x":1},{"x":1}]}"#,
            named: "x.realm2json"
        )
        #expect(
            try realm.choices("realm2json:x.realm2json").hasSuffix(
                #","choices":[["key A","number"],["key C","none"],["type \"\".\"B\".\"x\"","int"],"#
                    + #"["type \"A\".\"a\"","string"],["type \"A\".\"b\"","object","B"],["type \"C\".\"x\"","int"]]}"#
            )
        )
    }
}
