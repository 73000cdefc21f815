import LegacyMigration
import Testing

/// What the names of an export become does not depend on where they stand in it.
@Suite struct StoredNameTests {
    private func rows(_ text: String) throws -> Readout {
        try TemporaryFile.with(text.utf8, named: "x") { try Conformance.read(CSVSource(path: $0)) }
    }

    private func lines(_ text: String) throws -> Readout {
        try TemporaryFile.with(text.utf8, named: "x") {
            try Conformance.read(NDJSONSource(path: $0))
        }
    }

    private func values(_ record: LegacyRecord) -> [String: LegacyValue] {
        Dictionary(record.fields.map { ($0.name, $0.value) }) { first, _ in first }
    }

    @Test(arguments: [
        ["曲名", "歌手"], ["имя", "год"], ["a b", "a-b", "a_b"], ["a.b", "a_b"], ["", " "],
        ["é", "e\u{301}"], [String(repeating: "x", count: 65), String(repeating: "x", count: 66)],
    ])
    func `columns that change places keep their names`(titles: [String]) throws {
        func read(_ titles: [String]) throws -> [String: LegacyValue] {
            let header = (["id"] + titles).joined(separator: ",")
            let row = (["1"] + titles.map { "v \($0)" }).joined(separator: ",")
            return values(try #require(try rows("\(header)\n\(row)\n").records.first))
        }
        let names = try read(titles)
        #expect(names.count == titles.count)
        #expect(try read(titles.reversed()) == names)
    }

    @Test func `a name that a store allows stays, and one in ASCII keeps its letters`() throws {
        let record = try #require(
            try rows("id,Track Name,BPM,2nd\n1,a,120,b\n").records.first
        )
        #expect(record.fields.map(\.name) == ["Track_Name", "BPM", "_2nd"])
    }

    @Test func `a property called id and one called id_2 are told apart in any order`() throws {
        let first = try lines("{\"id\":1,\"id_2\":\"x\"}\n").records[0]
        let second = try lines("{\"id_2\":\"x\",\"id\":1}\n").records[0]
        #expect(values(first) == values(second) && values(first).count == 2)
        #expect(try lines("{\"id\":1,\"v\":2}\n").records[0]["id_2"] == .integer(1))
    }

    @Test func `classes that change places keep their names`() throws {
        let japan = "{\"model\":\"日本\",\"id\":\"1\",\"v\":\"j\"}\n"
        let china = "{\"model\":\"中国\",\"id\":\"1\",\"v\":\"c\"}\n"
        let one = try lines(japan + china).records
        let other = try lines(china + japan).records
        #expect(one == other.reversed() && one[0].className != one[1].className)
    }

    @Test func `thousands of names that become alike are read in time`() throws {
        let members = (0..<4000).map { number in
            let text = String((0..<13).map { number >> $0 & 1 == 0 ? "а" : "б" })
            return "\"\(text)\":\(number)"
        }
        let start = ContinuousClock.now
        let text = "{\(members.joined(separator: ","))}\n"
        let readout = try TemporaryFile.with(text.utf8, named: "x") {
            try Readout(NDJSONSource(path: $0))
        }
        #expect(Set(readout.records[0].fields.map(\.name)).count == 4000)
        #expect(ContinuousClock.now - start < .seconds(30))
    }
}
