import Foundation
import LegacyMigration
import MusicLibrary
import Reprise
import TestSupport
import Testing

@Suite struct NDJSONTests {
    private func read(_ text: String, schema: SchemaDescription? = nil) throws -> Readout {
        try TemporaryFile.with(text.utf8, named: "x") {
            try Conformance.read(NDJSONSource(path: $0, schema: schema))
        }
    }

    @Test func `a name of its own is the identity, and the class stays that of the file`() throws {
        try TemporaryFile.with("{\"id\":1,\"a\":2}\n".utf8, named: "songs.ndjson") { path in
            let source = try NDJSONSource(path: path, name: "mine")
            #expect(source.identity == SourceIdentity(kind: "ndjson", name: "mine"))
            #expect(source.schema.models.map(\.name) == ["songs"])
        }
    }

    @Test func `the class is what every object says it is`() throws {
        let readout = try read(
            """
            {"model":"track","id":"t1","title":"A","year":1999}
            {"model":"album","id":"a1","title":"B"}

            {"model":"track","id":"t2","title":"C"}
            """
        )
        #expect(readout.keys("track") == ["t1", "t2"] && readout.keys("album") == ["a1"])
        #expect(readout.record("track", "t1")?["year"] == .integer(1999))
        #expect(readout.record("track", "t2")?["year"] == nil)
    }

    @Test func `a member that not all objects have names no class`() throws {
        let readout = try read("{\"type\":\"x\",\"id\":1}\n{\"id\":2}\n")
        #expect(Set(readout.records.map(\.className)).count == 1)
        #expect(readout.records.map(\.key) == ["1", "2"])
        #expect(readout.records[0]["type"] == .string("x"))
    }

    @Test func `objects without a key of their own are named by their place`() throws {
        let readout = try read("{\"a\":1}\n{\"a\":1}\n")
        #expect(Set(readout.records.map(\.key)).count == 2)
        #expect(readout.count(LegacyWarning.Kind(rawValue: "positionalKey")) == 1)
        let repeated = try read("{\"id\":\"x\",\"a\":1}\n{\"id\":\"x\",\"a\":2}\n")
        #expect(!repeated.records.map(\.key).contains("x"))
    }

    @Test func `objects whose ids are no keys are said to have some that cannot be used`() throws {
        let readout = try read("{\"id\":1}\n{\"id\":\"1\"}\n{\"id\":true}\n{\"id\":{}}\n")
        let warning = try #require(readout.warnings.first { $0.kind == .positionalKey })
        #expect(warning.message.hasPrefix("The 4 objects of x have id, which is no key,"))
        let without = try read("{\"a\":1}\n{\"a\":1}\n")
        let other = try #require(without.warnings.first { $0.kind == .positionalKey })
        #expect(other.message.contains("have no key in the file"))
    }

    @Test func `the first member that names the class does, and a second one is a property and counted`() throws {
        let readout = try read(
            """
            {"model":"car","id":"1","id_2":1,"model":"Golf","year":2001}
            {"model":"car","id":"2","id_2":2,"model":"Polo","year":2002}
            """
        )
        #expect(readout.keys("car") == ["1", "2"] && readout.records.count == 2)
        #expect(readout.record("car", "1")?["model"] == .string("Golf"))
        #expect(readout.count(.repeatedField) == 2)
    }

    @Test func `with the schema of the store the attribute model is called model_2, or as it was before`() throws {
        let schema = SchemaDescription(
            models: [ModelDescription(1, "car", [("model", .string, true), ("year", .int, true)])],
            relations: []
        )
        for name in ["model_2", "model"] {
            let text = "{\"model\":\"car\",\"id\":\"1\",\"\(name)\":\"Golf\",\"year\":2001}\n"
            let readout = try read(text, schema: schema)
            #expect(readout.record("car", "1")?["model"] == .string("Golf"))
            #expect(readout.count(.unmappedProperty) == 0)
            #expect(readout.count(.repeatedField) == (name == "model" ? 1 : 0))
        }
    }

    @Test func `with the schema of the store every value has its type again`() throws {
        let text = """
            {"model":"track","id":"t1","title":"A","duration":"nan","releaseDate":"2001-01-01T00:00:01.5Z",\
            "playCount":3,"isFavorite":true,"album":"a1"}
            {"model":"album","id":"a1","title":"B","tracks":["t1"]}
            {"model":"playlist","id":"p1","name":"P","isFolder":false,"tracks":["t1","t1"]}

            """
        let readout = try read(text, schema: MusicLibrary.schema.description)
        let track = try #require(readout.record("track", "t1"))
        #expect(track["releaseDate"] == .date(Date(timeIntervalSinceReferenceDate: 1.5)))
        #expect(track["album"] == .reference("a1"))
        if case .double(let duration)? = track["duration"] { #expect(duration.isNaN) }
        #expect(readout.lists.map { Array($0.members) } == [["t1", "t1"]])
        #expect(readout.lists.first?.className == "playlist")
        #expect(readout.count(LegacyWarning.Kind(rawValue: "lossyFormat")) == 1)
    }

    @Test func `a schema that lacks a class or a property says so`() throws {
        let text =
            "{\"model\":\"track\",\"id\":\"t\",\"title\":\"A\",\"mood\":\"x\"}\n{\"model\":\"song\",\"id\":\"s\"}\n"
        let readout = try read(text, schema: MusicLibrary.schema.description)
        #expect(readout.reading.recordCounts == ["track": 1])
        #expect(readout.reading.skippedCounts == ["song": 1])
        #expect(readout.record("track", "t")?["playCount"] == .integer(0))
        #expect(readout.count(LegacyWarning.Kind(rawValue: "missingValue")) == 2)
        #expect(readout.count(.unmappedClass) == 1 && readout.count(.unmappedProperty) == 1)
    }

    @Test(arguments: [
        ("", LegacyError.Code.empty), ("[1]", .unknownFormat), ("{\"a\":1} {\"a\":2}", .malformed),
        ("{\"a\":1}\n{\"a\":", .truncated), ("{\"a\":1}\n3\n", .unknownFormat),
    ])
    func `what are no lines of objects is refused`(text: String, expected: LegacyError.Code) throws
    {
        #expect(try code { _ = try read(text) } == expected)
    }

    @Test func `seeded damage gives an error or records, never a trap`() throws {
        let text = Array(
            "{\"model\":\"a\",\"id\":\"1\",\"x\":[1,{\"y\":2.5}],\"z\":{\"q\":null}}\n{\"model\":\"b\",\"id\":2}\n"
                .utf8
        )
        var random = SeededGenerator(seed: 11)
        for _ in 0..<1500 {
            var mutant = text
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                let place = Int.random(in: 0..<mutant.count, using: &random)
                mutant[place] = UInt8.random(in: 0x20...0x7E, using: &random)
            }
            try TemporaryFile.with(mutant) { path in
                do {
                    _ = try Conformance.read(NDJSONSource(path: path))
                } catch is LegacyError {}
            }
        }
    }
}
