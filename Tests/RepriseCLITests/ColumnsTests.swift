import Foundation
import Reprise
import Testing

@testable import RepriseCLI

/// What of entities is shown, and as what (CLI-15, CLI-16, CLI-20).
struct ColumnsTests {
    private let store: TestStore

    init() throws {
        store = try TestStore()
    }

    @Test func `columns are shown in the order in which they are asked for`() {
        #expect(
            store.run("fetch", "book", "--columns", "pages,id", "--limit", "2").output == """
                pages  id
                  856  a
                  292  b

                """
        )
        let empty = store.run("fetch", "book", "--columns", "cover,id", "--where", "id == \"c\"").output
        #expect(empty == "cover  id\n       c\n")
        #expect(store.run("fetch", "book", "--id", "a", "--columns", "title,id").output == "title  Pure\nid     a\n")
        let json = store.run("fetch", "book", "--columns", "pages,title", "--json").lines
        #expect(json == [#"{"pages":856,"title":"Pure"}"#, #"{"pages":292,"title":"Practical"}"#, #"{"title":"Ding"}"#])
        #expect(
            store.run("fetch", "shelf", "--columns", "books,name", "--json").output
                == #"{"books":["a","b","a"],"name":"Top"}"# + "\n"
        )
    }

    @Test func `a name that the model does not have is wrong use`() {
        let answer = store.run("fetch", "book", "--columns", "id,titel")
        #expect(answer.outcome == .usage && answer.output.isEmpty)
        #expect(
            answer.diagnostics
                == "Error: --columns names `titel`, which book does not have. Did you mean title? It has id, title, "
                + "pages, weight, published, cover, isLent, author and series.\n"
        )
        for option in ["--count", "--explain", "--group-by=title"] {
            #expect(store.run("fetch", "book", "--columns", "id", option).outcome == .usage)
        }
    }

    @Test func `CSV has all columns, CR LF, and quotation marks where they are needed`() {
        let rows = [
            "id,title,pages,weight,published,cover,isLent,author,series",
            "a,Pure,856,0.5,2000-12-31T23:59:59.75Z,AP8=,false,kant,critiques",
            "b,Practical,292,0.5,,,true,kant,critiques", "c,Ding,,nan,,,false,,",
        ]
        #expect(store.run("fetch", "book", "--csv").output == rows.map { $0 + "\r\n" }.joined())
        #expect(
            store.run("fetch", "shelf", "--csv").output
                == "id,name,books\r\ntop,Top,\"[\"\"a\"\",\"\"b\"\",\"\"a\"\"]\"\r\n"
        )
        let odd = #"a "b", c"# + "\n"
        #expect(store.run("put", "author", "--id", "x", "name=\(odd)").outcome == .done)
        #expect(store.run("put", "author", "--id", "y", #"name:="""#).outcome == .done)
        #expect(store.run("put", "author", "--id", "z", "name= z").outcome == .done)
        #expect(
            store.run("fetch", "author", "--columns", "name", "--csv").output
                == "name\r\nImmanuel Kant\r\n\"a \"\"b\"\", c\n\"\r\n\"\"\r\n\" z\"\r\n"
        )
        // CLI-11
        #expect(store.run("fetch", "author", "--where", "id == \"-\"", "--columns", "id", "--csv").output == "id\r\n")
        #expect(
            store.run("fetch", "book", "--group-by", "isLent", "--sort", "count", "--csv").output
                == "isLent,count\r\ntrue,1\r\nfalse,2\r\n"
        )
        #expect(store.run("fetch", "book", "--csv", "--json").outcome == .usage)
    }

    @Test func `what was written as CSV is read back`() throws {
        for (id, name) in [("e", ""), ("q", "say \"so\"\r\n, then"), ("s", " spaced "), ("n", "0017")] {
            #expect(store.run("put", "author", "--id", id, "name:=\(Self.json(name))").outcome == .done)
        }
        let file = store.directory.appendingPathComponent("author.csv")
        let columns = ["fetch", store.path, "author", "--columns", "id,name"]
        try Data(RunOutside.run(columns + ["--csv"]).output.utf8).write(to: file)
        let copy = store.directory.appendingPathComponent("copy").path
        #expect(RunOutside.run("migrate", file.path, "--into", copy).outcome == .done)
        let read = RunOutside.run("fetch", copy, "author", "--columns", "id,name", "--json").output
        #expect(read == RunOutside.run(columns + ["--json"]).output)
    }

    private static func json(_ text: String) -> String {
        var writer = JSONWriter()
        writer.value(text)
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    /// CLI-20
    @Test(arguments: [20, 40, 60, 100]) func `nothing on a terminal is wider than it`(_ width: Int) {
        let long = String(repeating: "lorem ", count: 40)
        #expect(store.run("put", "author", "--id", "x", "name=\(long)").outcome == .done)
        for words in [
            ["fetch", "author"], ["fetch", "book"], ["log"], ["log", "--oneline"],
            ["fetch", "shelf", "--columns", "books,id"],
        ] {
            let answer = store.run(words[0], Array(words.dropFirst()), screen: width)
            #expect(answer.outcome == .done && !answer.lines.isEmpty)
            for line in answer.lines { #expect(DisplayWidth.of(line) <= width, "\(line)") }
        }
        #expect(store.run("fetch", "author", "--id", "x", "--columns", "name").output.contains(long))
    }

    /// CLI-20
    @Test func `a line of the log has position, time, intent, actor and what there was`() {
        let lines = store.run("log", "--oneline").lines
        #expect(lines.count == 2)
        #expect(lines[0].hasPrefix("1  2001-01-01T00:00:00"))
        #expect(lines[0].hasSuffix("  schema.declare  by test  1 event"))
        #expect(lines[1].hasSuffix("  fill  by test  9 events of author, series, shelf and book"))
        #expect(store.run("log", "--oneline", "--id", "kant").lines.count == 1)
        #expect(store.run("log", "--oneline", "--json").outcome == .usage)
    }
}
