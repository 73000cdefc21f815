import LegacyMigration
import Reprise
import Testing

/// A newer table, or newer lines of JSON, has the types that an earlier one had, and what does not fit is counted
/// (Specs/format/migration.md, "Decisions").
@Suite struct EarlierTypeTests {
    private func lines(_ objects: String...) -> String { objects.map { $0 + "\n" }.joined() }

    // MARK: Tables

    @Test func `texts that only look like numbers and truth values are left out of such columns and counted`() throws {
        let text = "id,zip,price,big,flag\n1,12345,2.5,1.5,true\n"
        let csv = try TextSequel(text, named: "t.csv")
        let more = "2,01234,1.50,9007199254740993,yes\n3,+7,1e-400,0.12345678901234567891,0\n4,7,2,0.1,false\n"
        let report = try csv.again(text + more)
        #expect(report.warningCounts[.unexpectedType] == 7)
        #expect(try csv.values("zip") == ["1": .int(12345), "2": .int(0), "3": .int(0), "4": .int(7)])
        #expect(try csv.values("price") == ["1": .double(2.5), "2": .double(1.5), "3": .double(0), "4": .double(2)])
        #expect(try csv.values("big") == ["1": .double(1.5), "2": .double(0), "3": .double(0), "4": .double(0.1)])
        #expect(try csv.values("flag").filter { $0.value == .bool(true) } == ["1": .bool(true)])
    }

    @Test func `a column of texts goes on holding anything, as it is written`() throws {
        let csv = try TextSequel("id,answer,size\n1,maybe,n/a\n2,true,2.5\n", named: "t.csv")
        let report = try csv.again("id,answer,size\n1,false,1.5\n2,true,2.50\n3,,007\n")
        #expect(report.warningCounts[.unexpectedType] == nil)
        #expect(try csv.values("size") == ["1": .string("1.5"), "2": .string("2.50"), "3": .string("007")])
        #expect(try csv.values("answer")["1"] == .string("false"))
    }

    @Test func `a column without values is text, and the first values come as texts`() throws {
        let csv = try TextSequel("id,size\n1,\n", named: "t.csv")
        #expect(try csv.again("id,size\n1,\n2,007\n").warningCounts.isEmpty)
        #expect(try csv.again("id,size\n1,5\n2,6\n").warningCounts.isEmpty)
        #expect(try csv.values("size") == ["1": .string("5"), "2": .string("6")])
    }

    @Test func `one value of another type leaves the rest of a column as it is`() throws {
        let csv = try TextSequel("id,size\n1,5\n2,\n", named: "t.csv")
        let report = try csv.again("id,size\n1,6\n2,7\n3,n/a\n")
        #expect(report.warningCounts == [.unexpectedType: 1])
        #expect(try csv.values("size") == ["1": .int(6), "2": .int(7), "3": .null])
    }

    @Test func `columns of one title have types of their own`() throws {
        let csv = try TextSequel("id,x,x\n1,5,a\n", named: "t.csv")
        let report = try csv.again("id,x,x\n1,5,6\n2,7,8\n")
        #expect(report.warningCounts.isEmpty)
        #expect(try csv.values("x_34da64ee") == ["1": .string("6"), "2": .string("8")])
        #expect(try csv.choices("csv:t.csv").contains(#"["type \"x\"","int"],["type \"x\" 2","string"]"#))
    }

    @Test func `zeros at the end of a price make no difference in a column of numbers`() throws {
        let csv = try TextSequel("id,price\n1,1.5\n2,2.25\n", named: "t.csv")
        let report = try csv.again("id,price\n1,1.50\n2,2.25\n3,3.00\n4,01.5\n")
        #expect(report.counts["t"]?.updated == 0 && report.warningCounts[.unexpectedType] == 1)
        let values = try csv.values("price")
        #expect(values["1"] == .double(1.5) && values["3"] == .double(3))
    }

    @Test func `a store that knows nothing of its types has no text read as a number all the same`() throws {
        let csv = try TextSequel("id,n\n1,5\n2,\n", named: "t.csv")
        let report = try TemporaryFile.with("id,n\n1,007\n2,+8\n3,9\n".utf8, named: "t.csv") { path in
            // Another source, of which the log says nothing.
            try Migrator(replacing: CSVSource(path: path, name: "other"), store: csv.library.store).run()
        }
        #expect(report.warningCounts[.unexpectedType] == 2)
        #expect(try Set(csv.values("n").values.map { "\($0)" }) == Set([Value.int(5), .int(9), .null].map { "\($0)" }))
    }

    // MARK: Lines

    @Test func `texts of lines stay texts beside a number, and local edits stay`() throws {
        let json = try TextSequel(lines(#"{"id":"1","v":"a"}"#, #"{"id":"2","v":"b"}"#), named: "t.ndjson")
        let text = lines(
            #"{"id":"1","v":"a"}"#, #"{"id":"2","v":"b"}"#, #"{"id":"3","v":5.10}"#, #"{"id":"4","v":[1,"x"]}"#
        )
        let report = try json.again(text)
        #expect(report.counts["t"]?.updated == 0 && report.warningCounts[.keptAsText] == 1)
        let values: [String: Value] = [
            "1": .string("a"), "2": .string("b"), "3": .string("5.10"), "4": .string(#"[1,"x"]"#),
        ]
        #expect(try json.values("v") == values)
    }

    @Test func `numbers of lines stay numbers, and what is none is left out and counted`() throws {
        let text = lines(#"{"id":"1","n":5,"d":1.5,"b":true}"#, #"{"id":"2"}"#)
        let json = try TextSequel(text, named: "t.ndjson")
        let more = lines(
            #"{"id":"3","n":"007","d":9007199254740993,"b":1}"#,
            #"{"id":"4","n":"+8","d":"9007199254740993","b":"yes"}"#,
            #"{"id":"5","n":1.5,"d":{"x":1},"b":"0"}"#, #"{"id":"6","n":6,"d":-0,"b":false}"#
        )
        let report = try json.again(text + more)
        #expect(report.warningCounts[.unexpectedType] == 9)
        let numbers = try json.values("n")
        #expect(numbers["1"] == .int(5) && numbers["6"] == .int(6))
        #expect(["2", "3", "4", "5"].allSatisfy { numbers[$0] == .null })
        guard case .double(let zero)? = try json.values("d")["6"] else { throw Missing() }
        #expect(zero.sign == .minus)
        #expect(try json.values("b")["6"] == .bool(false))
    }

    private struct Missing: Error {}

    @Test func `what was JSON stays JSON, and a member without values is text`() throws {
        let json = try TextSequel(lines(#"{"id":"1","v":"a","w":null}"#, #"{"id":"2","v":5}"#), named: "t.ndjson")
        let report = try json.again(lines(#"{"id":"1","v":"a","w":1}"#, #"{"id":"2","v":"b","w":2}"#))
        #expect(report.warningCounts[.unexpectedType] == nil)
        #expect(try json.values("v") == ["1": .string("\"a\""), "2": .string("\"b\"")])
        #expect(try json.values("w") == ["1": .string("1"), "2": .string("2")])
    }

    @Test func `lists keep the type of their elements, with and without nothing`() throws {
        let json = try TextSequel(lines(#"{"id":"1","a":[1,2],"b":[1,null],"c":[]}"#), named: "t.ndjson")
        let report = try json.again(
            lines(#"{"id":"1","a":[1,2],"b":[1],"c":[]}"#, #"{"id":"2","a":[3,null,"x"],"b":[null],"c":[4]}"#)
        )
        #expect(report.warningCounts[.unexpectedType] == 2)
        #expect(try json.values("a") == ["1": .list([.int(1), .int(2)]), "2": .list([.int(3)])])
        #expect(try json.values("b") == ["1": .list([.int(1)]), "2": .list([.null])])
        #expect(try json.values("c")["2"] == .list([.string("4")]))
    }

    @Test func `objects inside others stay objects, and dictionaries dictionaries`() throws {
        let one = #"{"id":"1","t":"x","o":{"w":1},"m":{"a":1}}"#
        let first = lines(one, #"{"id":"2","o":{"w":2},"m":{"b":2}}"#)
        let json = try TextSequel(first, named: "t.ndjson")
        let more = try json.again(first + lines(#"{"id":"3","o":{"w":3,"h":4},"m":{"a":1}}"#))
        #expect(more.counts["t_o"]?.inserted == 1 && more.counts["t_o"]?.deleted == 0)
        #expect(try json.values("w", of: "t_o")["t/3/o"] == .int(3))
        let alike = try json.again(lines(one, #"{"id":"2","o":null,"m":{"a":2}}"#))
        #expect(alike.warningCounts[.unexpectedType] == nil && alike.counts["t_o"]?.deleted == 2)
        #expect(try json.values("m")["2"] == .map([Value.Entry("a", .int(2))]))
    }

    @Test func `objects that are there no more do not change what the log says of them`() throws {
        let first = lines(#"{"id":"a1","o":{"w":1},"l":[{"x":1}]}"#)
        let json = try TextSequel(first, named: "t.ndjson")
        _ = try json.again(lines(#"{"id":"a1","o":null,"l":[]}"#))
        #expect(try json.again(first).warningCounts[.unexpectedType] == nil)
        #expect(try json.values("w", of: "t_o").count == 1 && json.values("x", of: "t_l").count == 1)
    }

    @Test func `the log has these very words for the types of lines`() throws {
        let json = try TextSequel(
            lines(#"{"id":"1","a\"b.c":1,"l":[1.5,null],"o":{"w":true},"p":[{"x":"y"}],"v":[1,"x"]}"#),
            named: "t.ndjson"
        )
        #expect(
            try json.choices("ndjson:t.ndjson").hasSuffix(
                #","choices":[["class","none"],["key t","member","id"],["type \"t\".\"a\"\"b.c\"","int"],"#
                    + #"["type \"t\".\"id\"","identifier"],["type \"t\".\"l\"","list","double","null"],"#
                    + #"["type \"t\".\"o\"","object"],["type \"t\".\"o\".\"w\"","bool"],"#
                    + #"["type \"t\".\"p\"","objects"],["type \"t\".\"p\".\"x\"","string"],"#
                    + #"["type \"t\".\"v\"","json"]]}"#
            )
        )
    }

    @Test func `zeros at the end of an exponent are not left away`() throws {
        let csv = try TextSequel("id,price\n1,1.5\n2,2.5\n3,0.5\n", named: "t.csv")
        let report = try csv.again("id,price\n1,1.5e+310\n2,2.5e-330\n3,0.50\n4,1.50e+20\n")
        #expect(report.warningCounts[.unexpectedType] == 3)
        #expect(try csv.values("price") == ["1": .double(0), "2": .double(0), "3": .double(0.5), "4": .double(0)])
    }
}
