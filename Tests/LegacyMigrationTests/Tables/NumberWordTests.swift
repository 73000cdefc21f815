import LegacyMigration
import Reprise
import Testing

/// Numbers that JSON cannot say are texts in what `reprise export` writes.
@Suite struct NumberWordTests {
    private func values(_ lines: String...) throws -> [LegacyValue?] {
        let text = lines.enumerated().map { "{\"id\":\"k\($0)\",\"x\":\($1)}\n" }.joined()
        let readout = try TemporaryFile.with(text.utf8, named: "x") {
            try Conformance.read(NDJSONSource(path: $0))
        }
        return readout.records.map { $0["x"] }
    }

    @Test func `a column of numbers and of words for numbers is one of numbers`() throws {
        let read = try values("1.5", "\"nan\"", "\"inf\"", "\"-inf\"", "2")
        guard case .double(let first)? = read[1] else {
            Issue.record("\(read)")
            return
        }
        #expect(first.isNaN)
        #expect(read[0] == .double(1.5) && read[4] == .double(2))
        #expect(read[2] == .double(.infinity) && read[3] == .double(-.infinity))
    }

    @Test func `whole numbers with such a word are doubles, and lists of them as well`() throws {
        #expect(try values("3", "\"inf\"", "null") == [.double(3), .double(.infinity), nil])
        #expect(
            try values("[1,\"-inf\"]", "[2.5]")
                == [.list([.double(1), .double(-.infinity)]), .list([.double(2.5)])]
        )
    }

    @Test func `a column of such words alone stays text`() throws {
        #expect(try values("\"nan\"", "\"inf\"") == [.string("nan"), .string("inf")])
    }

    @Test(arguments: ["\"NaN\"", "\"Infinity\"", "\"+inf\"", "\"nan \"", "\"none\""])
    func `another word among numbers makes JSON of them`(word: String) throws {
        #expect(try values("1.5", word) == [.string("1.5"), .string(word)])
    }

    @Test func `a whole number that no double holds stays what it is`() throws {
        #expect(
            try values("9007199254740993", "\"nan\"")
                == [.string("9007199254740993"), .string("\"nan\"")]
        )
    }

    @Test func `a text of Realm's that says nan stays text`() throws {
        let readout = try Realm2JSON.read("{\n\"T\":[{\"id\":1,\"x\":1.5},{\"id\":2,\"x\":\"nan\"}]\n}\n")
        #expect(readout.record("T", "2")?["x"] == .string("\"nan\""))
    }
}
