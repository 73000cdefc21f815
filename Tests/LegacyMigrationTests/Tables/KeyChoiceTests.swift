import LegacyMigration
import Testing

/// Which column or property names the records, and that it stays the one.
@Suite struct KeyChoiceTests {
    private func rows(_ text: String) throws -> Readout {
        try TemporaryFile.with(text.utf8, named: "x") { try Conformance.read(CSVSource(path: $0)) }
    }

    private func lines(_ text: String) throws -> Readout {
        try TemporaryFile.with(text.utf8, named: "x") {
            try Conformance.read(NDJSONSource(path: $0))
        }
    }

    private let positionalKey = LegacyWarning.Kind(rawValue: "positionalKey")

    @Test func `a row that repeats a key or lacks one leaves the others theirs`() throws {
        #expect(try rows("id,name\n1,a\n2,b\n").records.map(\.key) == ["1", "2"])
        let repeated = try rows("id,name\n1,a\n2,b\n2,c\n")
        #expect(repeated.records.map(\.key) == ["1", "2", "2-2"])
        #expect(repeated.records[2]["id_2"] == .integer(2))
        #expect(repeated.count(.duplicateKey) == 1 && repeated.count(positionalKey) == 0)
        let missing = try rows("id,name\n1,a\n,b\n3,c\n")
        #expect(missing.records[0].key == "1" && missing.records[2].key == "3")
        #expect(missing.records[1].key.count == 16 && missing.records[1]["id_2"] == nil)
        #expect(missing.count(.missingKey) == 1 && missing.count(.duplicateKey) == 0)
    }

    @Test func `a column that does not name the rows keeps its values, with a warning`() throws {
        let readout = try rows("key,name\nAm,a\nAm,b\nAm,c\n")
        #expect(readout.records.map { $0["key"] } == Array(repeating: .string("Am"), count: 3))
        #expect(readout.count(positionalKey) == 1)
    }

    @Test func `an object that repeats a key or lacks one leaves the others theirs`() throws {
        let readout = try lines(
            "{\"id\":\"a\",\"v\":1}\n{\"id\":\"b\",\"v\":2}\n{\"id\":\"b\",\"v\":3}\n"
                + "{\"v\":4}\n{\"id\":\"e\",\"v\":5}\n"
        )
        let keys = readout.records.map(\.key)
        #expect(keys[0..<3] == ["a", "b", "b-2"] && keys[4] == "e" && keys[3].count == 32)
        #expect(readout.count(.duplicateKey) == 1 && readout.count(.missingKey) == 1)
        #expect(readout.records.map { $0["id_2"] }[1...2] == [.string("b"), .string("b")])
    }

    @Test(arguments: [
        "{\"key\":\"Am\",\"id\":\"1\"}\n{\"key\":\"Am\",\"id\":\"2\"}\n",
        "{\"key\":\"Am\",\"id\":\"1\"}\n{\"key\":\"Dm\",\"id\":\"2\"}\n",
        "{\"v\":1,\"uuid\":\"1\"}\n{\"key\":\"x\",\"uuid\":\"2\",\"v\":2}\n",
    ])
    func `of several names that keys have, the likeliest one counts`(text: String) throws {
        #expect(try lines(text).records.map(\.key) == ["1", "2"])
        let realm = text.split(separator: "\n").joined(separator: ",")
        #expect(
            try Realm2JSON.read("{\n\"A\":[\(realm)]\n}").records.map(\.key) == ["1", "2"]
        )
    }

    @Test func `a class that is linked by number has no property for a key`() throws {
        let readout = try Realm2JSON.read(
            """
            {
            "P":[{"name":"p","t":{"$link":{"table":"T","key":1}},"w":{"$numberLong":"1"}}]
            ,"T":[{"id":{"$numberLong":"1"}},{"id":{"$numberLong":"2"}}]
            }
            """
        )
        #expect(!readout.keys("T").contains("1"))
        #expect(
            readout.records[0]["t"] == .string("{\"$link\":{\"table\":\"T\",\"key\":1}}")
        )
    }
}
