import LegacyMigration
import Testing

/// Objects inside others are told by their owners.
@Suite struct OwnedObjectTests {
    private static let schema = """
        [{"name":"class_Addr","tableType":"Embedded","properties":[{"name":"c","type":"string"}]},
        {"name":"class_A","primaryKey":"id","tableType":"TopLevel","properties":[{"name":"id","type":"int"},\
        {"name":"addr","type":"object","objectType":"class_Addr","isOptional":true}]},
        {"name":"class_B","primaryKey":"id","tableType":"TopLevel","properties":[{"name":"id","type":"int"},\
        {"name":"addr","type":"object","objectType":"class_Addr","isOptional":true}]}]
        """

    private func addresses(_ readout: Readout) -> [String: LegacyValue] {
        let records = readout.records.filter { $0.className == "Addr" }
        return Dictionary(uniqueKeysWithValues: records.map { ($0.key, $0["c"] ?? .null) })
    }

    @Test func `objects of two classes with one key hold objects of their own`() throws {
        let both = try Realm2JSON.read(
            """
            {
            "A":[{"id":1,"addr":{"c":"A1"}},{"id":2,"addr":{"c":"A2"}}],
            "B":[{"id":1,"addr":{"c":"B1"}},{"id":2,"addr":{"c":"B2"}}]
            }
            """,
            schema: Self.schema
        )
        #expect(
            addresses(both) == [
                "A/1/addr": .string("A1"), "A/2/addr": .string("A2"), "B/1/addr": .string("B1"),
                "B/2/addr": .string("B2"),
            ]
        )
        #expect(both.record("B", "1")?["addr"] == .reference("B/1/addr"))
        let newer = try Realm2JSON.read(
            "{\n\"A\":[{\"id\":2,\"addr\":{\"c\":\"A2\"}}],\"B\":[{\"id\":1,\"addr\":{\"c\":\"B1\"}}]\n}",
            schema: Self.schema
        )
        #expect(addresses(newer) == ["A/2/addr": .string("A2"), "B/1/addr": .string("B1")])
    }

    @Test func `so they do where the file names the class`() throws {
        func object(_ text: String) -> String {
            "{\"id\":{\"$numberLong\":\"1\"},"
                + "\"addr\":{\"$embedded\":{\"table\":\"class_Addr\",\"value\":{\"c\":\"\(text)\"}}}}"
        }
        let readout = try Realm2JSON.read(
            "{\n\"A\":[\(object("A1"))],\n\"B\":[\(object("B1"))]\n}"
        )
        #expect(
            addresses(readout) == ["A/1/addr": .string("A1"), "B/1/addr": .string("B1")]
        )
    }

    @Test func `a slash in a key or a name leaves no two owned objects with one key`() throws {
        let readout = try Realm2JSON.read(
            """
            {
            "A":[{"id":"1","x/y":{"c":"1"}},{"id":"1/x","x/y":{"c":"2"}}]
            ,"A/1":[{"id":"x","x/y":{"c":"3"}}]
            }
            """
        )
        let owned = readout.records.filter { $0["c"] != nil }
        #expect(owned.count == 3 && Set(owned.map(\.key)).count == 3)
        #expect(readout.count(.duplicateKey) == 0)
    }

    // MARK: Objects that look like something else

    @Test func `an object that the schema calls embedded is no link, whatever it holds`() throws {
        let schema = """
            [{"name":"class_Loc","tableType":"Embedded","properties":[{"name":"table","type":"string"},\
            {"name":"key","type":"string"}]},
            {"name":"class_Song","primaryKey":"id","tableType":"TopLevel","properties":[\
            {"name":"id","type":"string"},{"name":"loc","type":"object","objectType":"class_Loc","isOptional":true}]}]
            """
        let text = """
            {
            "Song":[{"id":"s1","loc":{"table":"T9","key":"k"}},{"id":"s2","loc":{"table":"class_Song","key":"s1"}}]
            }
            """
        let readout = try Realm2JSON.read(text, schema: schema)
        #expect(readout.record("Song", "s1")?["loc"] == .reference("Song/s1/loc"))
        #expect(readout.record("Loc", "Song/s1/loc")?["table"] == .string("T9"))
        #expect(readout.record("Loc", "Song/s2/loc")?["table"] == .string("class_Song"))
        let plain = text.replacing("class_Song", with: "Song")
        let without = try Realm2JSON.read(plain)
        #expect(without.record("Song_loc", "Song/s2/loc")?["key"] == .string("s1"))
    }

    @Test func `the entries of a map are what they are called`() throws {
        let schema = """
            [{"name":"class_Song","primaryKey":"id","tableType":"TopLevel","properties":[\
            {"name":"id","type":"string"},{"name":"m","type":"string","isMap":true}]}]
            """
        let readout = try Realm2JSON.read(
            """
            {
            "Song":[{"id":"s1","m":{"table":"class_Song","key":"k"}},\
            {"id":"s2","m":{"$oid":"507f1f77bcf86cd799439011"}},{"id":"s3","m":{"$dictionary":{"a":"b"}}}]
            }
            """,
            schema: schema
        )
        #expect(
            readout.records.map { $0["m"] } == [
                .map([
                    LegacyField("table", .string("class_Song")), LegacyField("key", .string("k")),
                ]), .map([LegacyField("$oid", .string("507f1f77bcf86cd799439011"))]),
                .map([LegacyField("a", .string("b"))]),
            ]
        )
        #expect(readout.warnings.isEmpty)
    }

    // MARK: Names that are spelled in two ways

    @Test func `entries and properties that are spelled in two ways are two`() throws {
        let text =
            "{\n\"Song\":[{\"id\":\"s1\",\"m\":{\"é\":\"c\",\"e\u{301}\":\"d\"}},"
            + "{\"id\":\"s2\",\"m\":{\"a\":\"b\"}}]\n}"
        let readout = try Realm2JSON.read(text)
        guard case .map(let fields)? = readout.record("Song", "s1")?["m"] else {
            Issue.record("no map")
            return
        }
        #expect(fields.map { Array($0.name.utf8) } == [Array("é".utf8), Array("e\u{301}".utf8)])
        #expect(fields.map(\.value) == [.string("c"), .string("d")])
        let object = try Realm2JSON.read("{\n\"Song\":[{\"id\":\"s1\",\"é\":1,\"e\u{301}\":2}]\n}")
        #expect(object.records[0].fields.map(\.value) == [.integer(1), .integer(2)])
    }

    @Test func `a name that is there twice is counted in maps and owned objects too`() throws {
        let readout = try Realm2JSON.read(
            """
            {
            "P":[{"id":"p","m":{"a":1,"a":2},"o":{"x":1,"x":2}},{"id":"q","m":{"b":1},"o":{"x":3}}]
            }
            """
        )
        #expect(readout.count(.repeatedField) == 2)
        #expect(readout.record("P", "p")?["m"] == .map([LegacyField("a", .integer(2))]))
        #expect(readout.record("P_o", "P/p/o")?["x"] == .integer(2))
    }

    // MARK: Depth

    @Test func `objects of a named class keep every property however deep they are`() throws {
        var text = "{\"v\":{\"$numberLong\":\"0\"},\"deepest\":{\"$numberLong\":\"7\"},\"n\":null}"
        for number in 1..<40 {
            text =
                "{\"v\":{\"$numberLong\":\"\(number)\"},"
                + "\"n\":{\"$embedded\":{\"table\":\"class_Node\",\"value\":\(text)}}}"
        }
        let whole =
            "{\n\"T\":[{\"id\":\"1\",\"root\":{\"$embedded\":{\"table\":\"class_Node\",\"value\":\(text)}}}]\n}"
        let schema = """
            [{"name":"class_Node","tableType":"Embedded","properties":[{"name":"v","type":"int"},\
            {"name":"n","type":"object","objectType":"class_Node","isOptional":true}]},
            {"name":"class_T","primaryKey":"id","tableType":"TopLevel","properties":[{"name":"id","type":"string"},\
            {"name":"root","type":"object","objectType":"class_Node","isOptional":true}]}]
            """
        for schema in [schema, nil] {
            let readout = try Realm2JSON.read(whole, schema: schema)
            #expect(readout.reading.recordCounts["Node"] == 40)
            #expect(readout.records.compactMap { $0["deepest"] } == [.integer(7)])
        }
    }

    @Test func `objects of two named classes in one property stay as they are`() throws {
        func object(_ number: Int) -> String {
            "{\"id\":\"\(number)\",\"o\":{\"$embedded\":{\"table\":\"class_E\(number)\",\"value\":{\"x\":\(number)}}}}"
        }
        let readout = try Realm2JSON.read("{\n\"T\":[\(object(1)),\(object(2))]\n}")
        #expect(
            readout.record("T", "2")?["o"]
                == .string("{\"$embedded\":{\"table\":\"class_E2\",\"value\":{\"x\":2}}}")
        )
        #expect(readout.count(.unexpectedType) == 0)
    }
}
