import Foundation
import LegacyMigration
import Reprise
import Testing

/// Reads files that are written for a test.
enum Realm2JSON {
    static func read(_ text: String, schema: String? = nil) throws -> Readout {
        try with(text, schema: schema) { try Conformance.read($0) }
    }

    static func with<R>(
        _ text: String,
        schema: String? = nil,
        _ body: (Realm2JSONSource) throws -> R
    ) throws -> R {
        try TemporaryFile.with(text.utf8, named: "x.realm") { path in
            guard let schema else { return try body(Realm2JSONSource(path: path)) }
            return try TemporaryFile.with(schema.utf8) { schemaPath in
                try body(Realm2JSONSource(path: path, schemaPath: schemaPath))
            }
        }
    }

    static func generated(_ name: String) -> URL {
        Repository.root.appending(path: "../shared/fixtures/realm/generated/\(name)").standardized
    }

    static var hasFixtures: Bool {
        FileManager.default.fileExists(atPath: generated("music_tiny.truth.ndjson").path)
    }

    static func truth(_ name: String) throws -> RealmTruthWriter {
        try RealmTruthWriter(truth: Data(contentsOf: generated("\(name).truth.ndjson")))
    }
}

@Suite struct Realm2JSONTests {
    @Test func `objects are named by their primary key, and lists come after all records`() throws {
        let text = """
            {
            "Album":[{"id":"a","title":"One","tracks":["t2","t1","t2"]}]
            ,"Track":[{"id":"t1","title":"x"},{"id":"t2","title":"y"}]
            }

            """
        let schema = """
            [
            {"name":"class_Album","primaryKey":"id","tableType":"TopLevel","properties":[\
            {"name":"id","type":"string"},{"name":"title","type":"string"},\
            {"name":"tracks","type":"object","objectType":"class_Track","isArray":true}]},
            {"name":"class_Track","primaryKey":"id","tableType":"TopLevel","properties":[\
            {"name":"id","type":"string"},{"name":"title","type":"string"}]}
            ]

            """
        let readout = try Realm2JSON.read(text, schema: schema)
        #expect(readout.keys("Album") == ["a"])
        #expect(readout.keys("Track") == ["t1", "t2"])
        #expect(readout.record("Album", "a")?.fields == [LegacyField("title", .string("One"))])
        let list = try #require(readout.lists.first)
        #expect(readout.lists.count == 1)
        #expect(list.className == "Album" && list.key == "a" && list.name == "tracks")
        #expect(Array(list.members) == ["t2", "t1", "t2"])
        #expect(readout.warnings.isEmpty)
    }

    @Test func `without a schema each property gets the narrowest type that holds all its values`()
        throws
    {
        let text = """
            {
            "A":[{"_key":0,"i":1,"d":1.5000000000000000e+00,"n":1,"s":"x","b":true,"m":1,"l":[1,2],"z":null,"e":[]},\
            {"_key":7,"i":-2,"d":nan,"n":2.5000000000000000e+00,"s":null,"b":false,"m":"q","l":[],"z":null,"e":[]}]
            }

            """
        try Realm2JSON.with(text) { source in
            let model = try #require(source.schema.models.first)
            let types = model.attributes.map { "\($0.name) \($0.type) \($0.isOptional)" }
            #expect(
                types == [
                    "i int false", "d double false", "n double false", "s string true",
                    "b bool false", "m string false",
                    "l list(Reprise.ValueType.int, nilElements: false) false",
                    "z string true", "e list(Reprise.ValueType.string, nilElements: false) false",
                ]
            )
            let readout = try Readout(source)
            let first = try #require(readout.records.first)
            #expect(first["m"] == .string("1"))
            #expect(readout.records[1]["m"] == .string("\"q\""))
            #expect(first["n"] == .double(1) && first["l"] == .list([.integer(1), .integer(2)]))
            #expect(readout.records[1]["s"] == nil)
            if case .double(let value)? = readout.records[1]["d"] { #expect(value.isNaN) }
            #expect(readout.count(LegacyWarning.Kind(rawValue: "keptAsText")) == 1)
        }
    }

    @Test func `an object without a primary key is named as in the Realm file itself`() throws {
        let readout = try Realm2JSON.read("{\n\"Art\":[{\"_key\":2,\"x\":1}]\n}\n")
        // The key that Specs/format/migration.md makes of these three texts.
        let key = try #require(readout.keys("Art").first)
        #expect(key.count == 32)
        let again = try Realm2JSON.read(
            "{\n\"Art\":[{\"_key\":1,\"x\":0},{\"_key\":2,\"x\":1}]\n}\n"
        )
        #expect(again.keys("Art").last == key)
        // The playlist of the Realm file whose primary key is empty.
        let empty = try Realm2JSON.read("{\n\"RealmPlaylist\":[{\"id\":\"\",\"name\":\"n\"}]\n}\n")
        #expect(empty.keys("RealmPlaylist") == ["080cb18da23c16cf4491ffe3e4ba24ec"])
        #expect(empty.records[0]["id_2"] == .string(""))
    }

    @Test func `marked links of mode 2 become relationships without a schema`() throws {
        let text = """
            {
            "P":[{"id": {"$numberLong": "5"},"best":{ "$link": {"table": "T", "key": "b"}},\
            "all":[{ "$link": {"table": "T", "key": "b"}},{ "$link": {"table": "T", "key": "a"}}]}]
            ,"T":[{"name":"a"},{"name":"b"}]
            }

            """
        let readout = try Realm2JSON.read(text)
        #expect(readout.keys("P") == ["5"])
        #expect(readout.keys("T") == ["a", "b"])
        #expect(readout.record("P", "5")?["best"] == .reference("b"))
        #expect(readout.lists.map { Array($0.members) } == [["b", "a"]])
    }

    @Test func `links to objects that say no number stay text, with a warning`() throws {
        let text = """
            {
            "P":[{"id":"p","t":{ "$link": {"table": "T", "key": 3}},"w":{"$numberLong": "1"}}]
            ,"T":[{"n":{"$numberLong": "1"}},{"n":{"$numberLong": "1"}}]
            }

            """
        let readout = try Realm2JSON.read(text)
        #expect(readout.keys("T").count == 2)
        #expect(
            readout.record("P", "p")?["t"]
                == .string("{\"$link\":{\"table\":\"T\",\"key\":3}}")
        )
        #expect(readout.count(LegacyWarning.Kind(rawValue: "positionalKey")) == 1)
        #expect(readout.count(LegacyWarning.Kind(rawValue: "keptAsText")) == 1)
    }

    @Test func `embedded objects are records that their owner takes with it`() throws {
        let text = """
            {
            "P":[{"id":"p","house":{"street":"s","geo":{"x":1}},"more":[{"k":1},{"k":2}]},\
            {"id":"q","house":null,"more":[]}]
            }

            """
        try Realm2JSON.with(text) { source in
            let readout = try Readout(source)
            #expect(readout.keys("P_house") == ["P/p/house"])
            #expect(readout.keys("P_house_geo") == ["P/p/house/geo"])
            #expect(readout.keys("P_more") == ["P/p/more/0", "P/p/more/1"])
            #expect(readout.record("P", "p")?["house"] == .reference("P/p/house"))
            #expect(
                readout.record("P", "p")?["more"]
                    == .references(LegacyReferences(["P/p/more/0", "P/p/more/1"]))
            )
            #expect(
                source.schema.relations.map(\.source.onDelete) == [.cascade, .cascade, .cascade]
            )
        }
    }

    @Test func `objects of different names are a dictionary`() throws {
        let text =
            "{\n\"P\":[{\"id\":\"p\",\"d\":{\"a\":1}},{\"id\":\"q\",\"d\":{\"b\":2,\"c\":3}}]\n}\n"
        let readout = try Realm2JSON.read(text)
        #expect(readout.record("P", "p")?["d"] == .map([LegacyField("a", .integer(1))]))
        #expect(readout.reading.recordCounts == ["P": 2])
    }

    @Test func `the tables of the SDK are left out and counted`() throws {
        let readout = try Realm2JSON.read(
            "{\n\"metadata\":[{\"_key\":0,\"version\":3}]\n,\"A\":[{\"_key\":0,\"x\":1}]\n}\n"
        )
        #expect(readout.reading.recordCounts == ["A": 1])
        #expect(readout.reading.skippedCounts == ["metadata": 1])
        let notes = readout.warnings.filter { $0.kind.rawValue == "bookkeepingTable" }
        #expect(notes.map(\.message) == ["metadata is a table of Realm's own; it was left out."])
        #expect(notes.first?.kind.isNote == true)
    }

    @Test
    func
        `links by number, as realm-core printed them up to version 13, are followed to the primary keys`()
        throws
    {
        let text = """
            {
            "P":[{"_key":0,"id":2,"best":{"table": "class_P", "key": 1},"all":{"table": "class_P", "keys": [1,0,1]}},\
            {"_key":1,"id":0,"best":null,"all":{"table": "class_P", "keys": []}}]
            }

            """
        let schema = """
            [{"name":"class_P","primaryKey":"id","tableType":"TopLevel","properties":[{"name":"id","type":"int"},\
            {"name":"best","type":"object","objectType":"class_P","isOptional":true},\
            {"name":"all","type":"object","objectType":"class_P","isArray":true}]}]
            """
        let readout = try Realm2JSON.read(text, schema: schema)
        #expect(readout.keys("P") == ["2", "0"])
        #expect(readout.record("P", "2")?["best"] == .reference("0"))
        #expect(readout.lists.map { Array($0.members) } == [["0", "2", "0"], []])
        #expect(readout.warnings.isEmpty)
        let without = try Realm2JSON.read(text)
        let keys = without.keys("P")
        #expect(without.records[0]["best"] == .reference(keys[1]))
        #expect(without.lists.map { Array($0.members) } == [[keys[1], keys[0], keys[1]], []])
    }

    @Test func `lists marked as a whole, as in mode 2 up to version 13, are lists`() throws {
        let text = """
            {
            "P":[{"id":"p","all":{ "$linkList": { "table": "class_T", "keys": ["b","a"]} },\
            "in":{ "$embeddedList": { "table": "class_E", "values": [{"x":{"$numberLong": "1"}}]} }}]
            ,"T":[{"id":"a"},{"id":"b"}]
            }

            """
        let readout = try Realm2JSON.read(text)
        #expect(readout.lists.map { Array($0.members) } == [["b", "a"]])
        #expect(readout.keys("E") == ["P/p/in/0"])
    }

    @Test func `lists inside embedded objects come after all records too`() throws {
        let schema = """
            [{"name":"class_P","primaryKey":"id","tableType":"TopLevel","properties":[\
            {"name":"id","type":"int"},{"name":"e","type":"object","objectType":"class_E","isArray":true}]},
            {"name":"class_E","tableType":"Embedded","properties":[\
            {"name":"of","type":"object","objectType":"class_P","isArray":true}]}]
            """
        let readout = try Realm2JSON.read(
            "{\n\"P\":[{\"id\":1,\"e\":[{\"of\":[2,1]},{\"of\":[]}]},{\"id\":2,\"e\":[]}]\n}\n",
            schema: schema
        )
        #expect(readout.keys("E") == ["P/1/e/0", "P/1/e/1"])
        #expect(readout.lists.map(\.key) == ["P/1/e/0", "P/1/e/1"])
        #expect(readout.lists.map { Array($0.members) } == [["2", "1"], []])
    }

    @Test func `whatever the consumer throws ends the reading and comes out unchanged`() throws {
        struct Enough: Error {}
        try Realm2JSON.with("{\n\"A\":[{\"_key\":0},{\"_key\":1}]\n}\n") { source in
            var count = 0
            #expect(throws: Enough.self) {
                _ = try source.read { event in
                    if case .record = event { count += 1 }
                    if count == 1 { throw Enough() }
                }
            }
            #expect(count == 1)
        }
    }

    @Test func `a class is named by the schema where a filter printed it`() throws {
        let schema = """
            [{"name":"class_Track","primaryKey":"id","tableType":"TopLevel","properties":[\
            {"name":"id","type":"string"},{"name":"n","type":"int"}]}]
            """
        let text = "filter 'n > 0' found 1 results\n[{\"id\":\"a\",\"n\":1}]"
        #expect(try Realm2JSON.read(text, schema: schema).keys("Track") == ["a"])
    }

    @Test func `what does not fit the schema is left out with a warning`() throws {
        let schema = """
            [{"name":"class_T","primaryKey":"id","tableType":"TopLevel","properties":[\
            {"name":"id","type":"string"},{"name":"n","type":"int"},{"name":"d","type":"timestamp"}]}]
            """
        let text = "{\n\"T\":[{\"id\":\"a\",\"n\":\"one\",\"d\":\"never\"}]\n}"
        let readout = try Realm2JSON.read(text, schema: schema)
        #expect(readout.records.first?.fields == [])
        #expect(readout.count(.unexpectedType) == 2)
    }

    @Test func `two objects with one key both stay`() throws {
        let schema = """
            [{"name":"class_T","primaryKey":"id","tableType":"TopLevel","properties":[\
            {"name":"id","type":"int"}]}]
            """
        let readout = try Realm2JSON.read("{\"T\":[{\"id\":1},{\"id\":1}]}", schema: schema)
        #expect(readout.keys("T") == ["1", "1-2"])
        #expect(readout.count(.duplicateKey) == 1)
    }
}

@Suite struct Realm2JSONHostileTests {
    private static let schema = """
        [{"name":"class_A","primaryKey":"id","tableType":"TopLevel","properties":[{"name":"id","type":"string"},\
        {"name":"e","type":"object","objectType":"class_E","isOptional":true},\
        {"name":"l","type":"object","objectType":"class_A","isArray":true},{"name":"d","type":"timestamp"},\
        {"name":"m","type":"mixed","isMap":true,"keyType":"string","isOptional":true}]},
        {"name":"class_E","tableType":"Embedded","properties":[{"name":"x","type":"decimal128"},\
        {"name":"e","type":"object","objectType":"class_E","isOptional":true}]}]
        """
    private static let text = """
        {
        "A":[{"id":"a","e":{"x":"1.5","e":{"x":"NaN","e":null}},"l":["a","b"],"d":"2021-02-03 04:05:06.000000007",\
        "m":{"k":1}},{"id":"b","e":null,"l":[],"d":"-0044-03-15 00:00:00",\
        "m":{"k":{"$oid":"000000000000000000000000"}}}]
        }
        """

    @Test func `seeded damage to file or schema gives an error or records, never a trap`() throws {
        var random = SeededGenerator(seed: 21)
        func mutant(_ text: String) -> [UInt8] {
            var bytes = Array(text.utf8)
            for _ in 0..<Int.random(in: 0...3, using: &random) {
                let place = Int.random(in: 0..<bytes.count, using: &random)
                bytes[place] = UInt8.random(in: 0x20...0x7E, using: &random)
            }
            if random.next() % 10 == 0 {
                bytes.removeLast(Int.random(in: 1..<bytes.count, using: &random))
            }
            return bytes
        }
        var readCount = 0
        var faults: [String] = []
        for round in 0..<1500 {
            let schema = round % 3 == 0 ? nil : mutant(Self.schema)
            try TemporaryFile.with(mutant(Self.text)) { path in
                try TemporaryFile.with(schema ?? []) { schemaPath in
                    do {
                        let source = try Realm2JSONSource(
                            path: path,
                            schemaPath: schema == nil ? nil : schemaPath
                        )
                        faults += Conformance.faults(try Readout(source), source.schema)
                        readCount += 1
                    } catch is LegacyError {}
                }
            }
        }
        #expect(readCount > 100)
        #expect(faults == [])
    }

    @Test func `undamaged it is what it says`() throws {
        let readout = try Realm2JSON.read(Self.text, schema: Self.schema)
        #expect(readout.keys("E") == ["A/a/e/e", "A/a/e"])
        #expect(readout.record("E", "A/a/e")?["x"] == .decimal(Decimal(string: "1.5") ?? 0))
        #expect(
            readout.record("A", "b")?["m"]
                == .map([
                    LegacyField("k", .string("{\"$oid\":\"000000000000000000000000\"}"))
                ])
        )
        #expect(readout.lists.map { Array($0.members) } == [["a", "b"], []])
        #expect(readout.count(.roundedDate) == 1)
    }

    @Test func `a file that changes is noticed`() throws {
        try TemporaryFile.with("{\n\"A\":[{\"_key\":0}]\n}".utf8) { path in
            let source = try Realm2JSONSource(path: path)
            try Data("{\n\"B\":[{\"_key\":0,\"x\":1}]\n}".utf8).write(to: URL(filePath: path))
            #expect(try code { _ = try Readout(source) } == .changedWhileReading)
        }
    }

    @Test func `many classes and properties are read in time, too many refused`() throws {
        let many = (0..<2000).map { "\"C\($0)\":[{\"_key\":0,\"x\":{\"y\":1}}]" }
        let start = ContinuousClock.now
        _ = try Realm2JSON.read("{\n\(many.joined(separator: ","))\n}")
        #expect(ContinuousClock.now - start < .seconds(60))
        let more = (0..<4097).map { "\"C\($0)\":[]" }
        #expect(
            try code { _ = try Realm2JSON.read("{\n\(more.joined(separator: ","))\n}") }
                == .limitExceeded
        )
        let wide = (0..<66_000).map { "\"p\($0)\":1" }
        #expect(
            try code { _ = try Realm2JSON.read("{\n\"A\":[{\(wide.joined(separator: ","))}]\n}") }
                == .limitExceeded
        )
    }
}
