import Foundation
import LegacyMigration
import Reprise
import Testing

@Suite struct RealmStudioTests {
    private func read(_ text: String, schema: String? = nil) throws -> Readout {
        try with(text, schema: schema) { try Conformance.read($0) }
    }

    private func with<R>(
        _ text: String,
        schema: String? = nil,
        _ body: (RealmStudioJSONSource) throws -> R
    ) throws -> R {
        try TemporaryFile.with(text.utf8) { path in
            guard let schema else { return try body(RealmStudioJSONSource(path: path, name: "x")) }
            return try TemporaryFile.with(schema.utf8) {
                try body(RealmStudioJSONSource(path: path, schemaPath: $0, name: "x"))
            }
        }
    }

    // MARK: Plain

    @Test func `an object with the properties of a class at the top is a link to it`() throws {
        let text = """
            {
              "Album": [
                {"id": "a", "title": "One", "tracks": [{"id": "t2", "name": "y"}, {"id": "t1", "name": "x"}]}
              ],
              "Track": [{"id": "t1", "name": "x"}, {"id": "t2", "name": "y"}],
              "Player": [{"id": 1, "now": {"id": "t1", "name": "x"}, "size": {"w": 2.5}}]
            }
            """
        let readout = try read(text)
        #expect(
            readout.reading.recordCounts == ["Album": 1, "Track": 2, "Player": 1, "Player_size": 1]
        )
        #expect(readout.record("Player", "1")?["now"] == .reference("t1"))
        #expect(readout.record("Player", "1")?["size"] == .reference("Player/1/size"))
        #expect(readout.lists.map { Array($0.members) } == [["t2", "t1"]])
    }

    @Test func `whole numbers that JavaScript rounds are counted`() throws {
        let readout = try read(
            "{\"A\": [{\"id\": 1, \"n\": 9007199254740993}, {\"id\": 2, \"n\": 9007199254740992}]}"
        )
        #expect(readout.count(LegacyWarning.Kind(rawValue: "roundedNumber")) == 1)
        #expect(readout.record("A", "1")?["n"] == .integer(9_007_199_254_740_993))
    }

    @Test func `dates are typed where there is a schema, else texts with a warning`() throws {
        let text = "{\"A\": [{\"id\": \"a\", \"d\": \"2001-01-01T00:00:01.500Z\"}]}"
        let plain = try read(text)
        #expect(plain.record("A", "a")?["d"] == .string("2001-01-01T00:00:01.500Z"))
        #expect(plain.count(LegacyWarning.Kind(rawValue: "untypedText")) == 1)
        let schema = """
            [{"name":"class_A","primaryKey":"id","tableType":"TopLevel","properties":[\
            {"name":"id","type":"string"},{"name":"d","type":"timestamp"}]}]
            """
        let typed = try read(text, schema: schema)
        #expect(typed.record("A", "a")?["d"] == .date(Date(timeIntervalSinceReferenceDate: 1.5)))
        #expect(typed.warnings.isEmpty)
    }

    private static let lookalike = """
        {"Tag": [{"id": "1", "name": "blue"}],
        "Song": [{"id": "s1", "genre": {"id": "1", "name": "Rock"}},
        {"id": "s2", "genre": {"id": "9", "name": "Jazz"}}]}
        """

    @Test func `an object that only looks like one at the top stays its owner's`() throws {
        let schema = """
            [{"name":"class_Tag","primaryKey":"id","tableType":"TopLevel","properties":[\
            {"name":"id","type":"string"},{"name":"name","type":"string"}]},
            {"name":"class_Genre","tableType":"Embedded","properties":[\
            {"name":"id","type":"string"},{"name":"name","type":"string"}]},
            {"name":"class_Song","primaryKey":"id","tableType":"TopLevel","properties":[{"name":"id","type":"string"},\
            {"name":"genre","type":"object","objectType":"class_Genre","isOptional":true}]}]
            """
        for (readout, model) in [
            (try read(Self.lookalike), "Song_genre"),
            (try read(Self.lookalike, schema: schema), "Genre"),
        ] {
            #expect(readout.record("Song", "s1")?["genre"] == .reference("Song/s1/genre"))
            #expect(readout.record(model, "Song/s1/genre")?["name"] == .string("Rock"))
            #expect(readout.record(model, "Song/s2/genre")?["name"] == .string("Jazz"))
            #expect(readout.count(LegacyWarning.Kind(rawValue: "lostBinary")) == 0)
        }
        // What the schema calls a link is one, even where the object at the top has changed since.
        let linked = schema.replacing("class_Genre", with: "class_Other")
            .replacing("\"objectType\":\"class_Other\"", with: "\"objectType\":\"class_Tag\"")
        let readout = try read(Self.lookalike, schema: linked)
        #expect(readout.record("Song", "s1")?["genre"] == .reference("1"))
    }

    @Test func `a newer export that repeats a name leaves the other objects theirs`() throws {
        func export(_ more: String) throws -> Readout {
            try read(
                """
                {"P": [{"name": "p", "tracks": [{"title": "a", "n": 1}, {"title": "b", "n": 2}]}],
                "T": [{"title": "a", "n": 1}, {"title": "b", "n": 2}\(more)]}
                """
            )
        }
        let older = try export("")
        let newer = try export(", {\"title\": \"a\", \"n\": 3}")
        #expect(older.keys("T") == ["a", "b"] && newer.keys("T") == ["a", "b", "a-2"])
        #expect(older.lists.map { Array($0.members) } == [["a", "b"]])
        #expect(newer.lists == older.lists && newer.count(.duplicateKey) == 1)
    }

    // MARK: References

    @Test func `whatever property the reference ids name is the key`() throws {
        let text = """
            {"A": [{"$refId": "A#X1", "name": "n", "code": "X1", "next": {"$ref": "A#X1"}},
            {"$refId": "A#X2", "name": "n", "code": "X2", "next": {"$ref": "A#X1"}}]}
            """
        let readout = try read(text)
        #expect(readout.keys("A") == ["X1", "X2"])
        #expect(readout.record("A", "X2")?["next"] == .reference("X1"))
        let unnamed = try read(text.replacing("\"code\": \"X1\"", with: "\"code\": \"?\""))
        let keys = unnamed.keys("A")
        #expect(keys.count == 2 && unnamed.records[1]["next"] == .reference(keys[0]))
    }

    @Test func `a null for a key leaves the other objects theirs`() throws {
        let text = """
            {"A": [{"$refId": "A#a", "id": "a", "next": {"$refId": "A#b", "id": "b", "next": {"$ref": "A#a"}}},
            {"$refId": "A#b", "id": "b", "next": {"$ref": "A#null"}}, {"$refId": "A#null", "id": null, "next": null}]}
            """
        let readout = try read(text)
        let keys = readout.keys("A")
        #expect(keys.prefix(2) == ["a", "b"] && keys.count == 3)
        #expect(readout.record("A", "a")?["next"] == .reference("b"))
        #expect(readout.record("A", "b")?["next"] == .reference(keys[2]))
    }

    @Test func `objects that hold each other are links by their reference ids`() throws {
        // As realm-js writes it: the circle closes with a $ref, and every object is at the top in full.
        let text = """
            {
              "Person": [
                {"name": "John", "friends": [{"$ref": "Person#0"}, {"name": "Jane", "friends": [\
            {"$ref": "Person#0"}], "$refId": "Person#1"}], "$refId": "Person#0"},
                {"name": "Jane", "friends": [{"name": "John", "friends": [{"$ref": "Person#0"}, \
            {"$ref": "Person#1"}], "$refId": "Person#0"}], "$refId": "Person#1"}
              ]
            }
            """
        let readout = try read(text)
        let keys = readout.keys("Person")
        #expect(keys.count == 2)
        #expect(readout.lists.map { Array($0.members) } == [[keys[0], keys[1]], [keys[0]]])
        // The numbers are those of the Realm file, and so are the keys.
        let realm = try Realm2JSON.read(
            "{\n\"Person\":[{\"_key\":0,\"name\":\"John\"},{\"_key\":1,\"name\":\"Jane\"}]\n}\n"
        )
        #expect(realm.keys("Person") == keys)
    }

    @Test func `a primary key in the reference id is the key`() throws {
        let text = """
            {"P": [{"id": "a", "next": {"id": "b", "next": {"$ref": "P#a"}, "$refId": "P#b"}, "$refId": "P#a"},
            {"id": "b", "next": {"id": "a", "next": {"$ref": "P#b"}, "$refId": "P#a"}, "$refId": "P#b"}]}
            """
        let readout = try read(text)
        #expect(readout.keys("P") == ["a", "b"])
        #expect(readout.record("P", "a")?["next"] == .reference("b"))
        #expect(readout.record("P", "b")?["next"] == .reference("a"))
    }

    // MARK: Flatted

    private func library() -> Graph.Object {
        let track = Graph.Object([("id", .text("t1")), ("title", .text("1")), ("n", .literal("3"))])
        let other = Graph.Object([
            ("id", .text("t2")), ("title", .text("ø\n\"")), ("n", .literal("null")),
        ])
        let album = Graph.Object([
            ("id", .text("a")),
            ("tracks", .array([.object(other), .object(track), .object(other)])),
        ])
        track.members.append(("album", .object(album)))
        other.members.append(("album", .literal("null")))
        let art = Graph.Object([("data", .object(Graph.Object())), ("of", .object(album))])
        let place = Graph.Object([("x", .literal("1.5")), ("label", .text("t1"))])
        art.members.append(("place", .object(place)))
        let same = Graph.Object([
            ("data", .object(Graph.Object())), ("of", .object(album)), ("place", .literal("null")),
        ])
        return Graph.Object([
            ("Album", .array([.object(album)])),
            ("Track", .array([.object(track), .object(other)])),
            ("Art", .array([.object(art), .object(same)])), ("None", .array([])),
        ])
    }

    @Test func `Flatted objects are records, circles and all`() throws {
        let readout = try read(Graph.flatted(library()))
        #expect(readout.reading.recordCounts == ["Album": 1, "Track": 2, "Art": 2, "Art_place": 1])
        let track = try #require(readout.record("Track", "t1"))
        #expect(track["title"] == .string("1") && track["n"] == .integer(3))
        #expect(track["album"] == .reference("a"))
        #expect(readout.record("Track", "t2")?["title"] == .string("ø\n\""))
        #expect(readout.record("Track", "t2")?["album"] == nil)
        #expect(readout.lists.map { Array($0.members) } == [["t2", "t1", "t2"]])
        let art = readout.records.filter { $0.className == "Art" }
        #expect(art.map { $0["of"] } == [.reference("a"), .reference("a")])
        #expect(art[0]["data"] == nil)
        #expect(readout.count(LegacyWarning.Kind(rawValue: "lostBinary")) == 1)
        #expect(readout.records.first { $0.className == "Art_place" }?["label"] == .string("t1"))
        #expect(
            readout.reading.contentHash
                == (try with(Graph.flatted(library())) { try $0.contentHash { _ in } })
        )
    }

    @Test func `an empty library is one`() throws {
        let root = Graph.Object([("Album", .array([]))])
        #expect(try read(Graph.flatted(root)).records.isEmpty)
        #expect(try read("{\"Album\": []}").records.isEmpty)
    }

    @Test(arguments: [
        ("[]", LegacyError.Code.unknownFormat), ("[1]", .unknownFormat),
        ("[{\"A\":\"9\"}]", .unknownFormat),
        ("[{\"A\":\"1\"},[\"01\"]]", .unknownFormat), ("[{\"A\":\"1\"},[\"-1\"]]", .unknownFormat),
        ("[{\"A\":\"1\"},[\"2\"],3]", .unknownFormat),
        ("[{\"A\":\"1\"},[\"2\"],{\"x\":\"3\"},[\"3\"]]", .limitExceeded),
        ("[{\"A\":\"1\"},[\"2\"],{\"x\":\"", .truncated), ("[{\"A\":\"0\"}]", .unknownFormat),
        ("{\"A\": 1}", .unknownFormat), ("{\"A\": [1]}", .unknownFormat),
    ])
    func `what is no export is refused`(text: String, expected: LegacyError.Code) throws {
        #expect(try code { _ = try read(text) } == expected)
    }

    @Test func `seeded damage gives an error or records, never a trap`() throws {
        let text = Array(Graph.flatted(library()).utf8)
        var random = SeededGenerator(seed: 9)
        var faults: [String] = []
        for _ in 0..<1500 {
            var mutant = text
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                let place = Int.random(in: 0..<mutant.count, using: &random)
                mutant[place] =
                    Bool.random(using: &random)
                    ? UInt8.random(in: 0x30...0x39, using: &random)
                    : UInt8.random(in: 0x20...0x7E, using: &random)
            }
            if random.next() % 8 == 0 {
                mutant.removeLast(Int.random(in: 1..<mutant.count, using: &random))
            }
            try TemporaryFile.with(mutant) { path in
                do {
                    let source = try RealmStudioJSONSource(path: path)
                    faults += Conformance.faults(try Readout(source), source.schema)
                } catch is LegacyError {}
            }
        }
        #expect(faults == [])
    }
}
