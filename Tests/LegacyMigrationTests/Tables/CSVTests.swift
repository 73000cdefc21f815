import Foundation
import LegacyMigration
import Reprise
import Testing

@Suite struct CSVTests {
    private func with<R>(_ bytes: some Sequence<UInt8>, _ body: (CSVSource) throws -> R) throws -> R
    {
        try TemporaryFile.with(bytes, named: "x.csv") { try body(CSVSource(path: $0)) }
    }

    private func read(_ text: String) throws -> Readout {
        try with(text.utf8) { try Conformance.read($0) }
    }

    private func types(_ text: String) throws -> [String] {
        try with(text.utf8) { source in
            source.schema.models[0].attributes.map { "\($0.type)" }
        }
    }

    @Test func `a name of its own is the identity, and the class stays that of the file`() throws {
        try TemporaryFile.with("id,title\n1,a\n".utf8, named: "songs.csv") { path in
            let plain = try CSVSource(path: path)
            let named = try CSVSource(path: path, name: "mine.csv")
            #expect(named.identity == SourceIdentity(kind: "csv", name: "mine.csv"))
            #expect(named.schema == plain.schema && named.schema.models.map(\.name) == ["songs"])
        }
    }

    @Test(arguments: ["\n", "\r\n", "\r"], [",", ";", "\t"])
    func `rows are read whatever ends lines and parts fields`(end: String, delimiter: String) throws
    {
        let text =
            ["id", "title"].joined(separator: delimiter) + end
            + ["1", "\"a\(delimiter)\"\"b\"\"\(end)c\""].joined(separator: delimiter) + end
            + ["2", ""].joined(separator: delimiter)
        let readout = try read(text)
        #expect(readout.records.map(\.key) == ["1", "2"])
        #expect(readout.records[0]["title"] == .string("a\(delimiter)\"b\"\(end)c"))
        #expect(readout.records[1]["title"] == nil)
    }

    @Test func `a column has a type only where its texts can be written again exactly`() throws {
        let text = """
            int,double,bool,zeros,money,mixed,big,yes,both
            1,1.5,true,007,1.50,1,9223372036854775808,TRUE,1
            -2,3,false,8,2.5,x,1,FALSE,1.0

            """
        #expect(
            try types(text) == [
                "int", "double", "bool", "string", "string", "string", "string", "string", "string",
            ]
        )
    }

    @Test func `a field that is empty in quotes is a text, another one no value`() throws {
        let readout = try read("id,a,b\n1,\"\",\n")
        #expect(readout.records[0].fields == [LegacyField("a", .string(""))])
    }

    @Test func `a row put in between does not change the keys of the others`() throws {
        let before = try read("title,artist\nA,x\nB,y\nA,x\n")
        let after = try read("artist,title\nx,A\nz,N\ny,B\nx,A\n")
        #expect(before.records.map(\.key).count == 3)
        #expect(Set(before.records.map(\.key)).isSubset(of: after.records.map(\.key)))
        #expect(before.records[2].key == before.records[0].key + "-2")
    }

    @Test func `a column of keys must have one for every row`() throws {
        #expect(try read("ID,a\nq,1\nr,2\n").records.map(\.key) == ["q", "r"])
        #expect(try !read("id,a\nq,1\nq,2\n").records.map(\.key).contains("q"))
        #expect(try !read("id,a\nq,1\n,2\n").records.map(\.key).contains("q"))
        #expect(try read("id,uuid\nq,1\nq,2\n").records.map(\.key) == ["1", "2"])
    }

    @Test(arguments: [
        ("sep=;\nid;a\n1;x\n2;y\n", ["1", "2"]), ("SEP=|\r\nid|a\r\n1|x\r\n", ["1"]),
        ("\u{FEFF}sep=\t\nid\ta,b,c\n1\tx\n", ["1"]),
        ("name (last, first, mid, x);id\nA;1\nB;2\n", ["1", "2"]),
        ("id,\"a;b;c\"\n1,\"x;y;z\"\n", ["1"]), ("id;a,b\n1;\"x,y\"\n2;z\n", ["1", "2"]),
    ])
    func `the delimiter is the one that parts most rows alike, or that a line names`(
        text: String,
        keys: [String]
    ) throws {
        let readout = try read(text)
        #expect(readout.records.map(\.key) == keys)
        #expect(readout.records[0].fields.count == 1 && readout.warnings.isEmpty)
    }

    @Test func `rows of other lengths are counted`() throws {
        let readout = try read("id,a\n1\n\n2,b,c\n")
        #expect(readout.records.map(\.key) == ["1", "2"])
        #expect(readout.count(LegacyWarning.Kind(rawValue: "raggedRow")) == 2)
    }

    @Test func `a byte order mark is skipped and says how the file is written`() throws {
        let readout = try with([0xEF, 0xBB, 0xBF] + Array("id\n1\n".utf8)) { try Readout($0) }
        #expect(readout.records.map(\.key) == ["1"])
        let wide: [UInt8] = [0xFF, 0xFE, 0x69, 0, 0x64, 0, 0x0A, 0, 0x37, 0, 0x0A, 0]
        #expect(try with(wide) { try Readout($0) }.records.map(\.key) == ["7"])
        #expect(try code { try with([0x69, 0, 0x64, 0]) { _ in } } == .unsupportedEncoding)
    }

    @Test(arguments: [
        ("", LegacyError.Code.empty), ("a\n\"x", .truncated), ("a\n\"x\"y\n", .malformed),
    ])
    func `what is no table is refused`(text: String, expected: LegacyError.Code) throws {
        #expect(try code { _ = try read(text) } == expected)
        #expect(try code { try with([0xFF, 0xFE]) { _ in } } == .empty)
    }

    @Test func `columns may be named twice, or not at all`() throws {
        let readout = try read("a,a,,é\n1,2,3,4\n")
        let names = readout.records[0].fields.map(\.name)
        #expect(Set(names).count == 4 && names[0] == "a" && names[2] == "_")
        #expect(names[1].hasPrefix("a_") && names[3] == "e")
    }

    @Test func `seeded damage gives an error or records, never a trap`() throws {
        let text = Array("id,name,n\r\n1,\"a\"\"b\",2.5\r\n2,\"é\n\",-1\r\n".utf8)
        var random = SeededGenerator(seed: 5)
        for _ in 0..<1500 {
            var mutant = text
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                let place = Int.random(in: 0..<mutant.count, using: &random)
                mutant[place] = UInt8.random(in: 0...255, using: &random)
            }
            try TemporaryFile.with(mutant) { path in
                do {
                    _ = try Conformance.read(CSVSource(path: path))
                } catch is LegacyError {}
            }
        }
    }
}
