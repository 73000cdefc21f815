import Foundation
import Reprise
import Testing

@testable import RepriseCLI

struct ReadingCommandTests {
    private let store: TestStore

    init() throws {
        store = try TestStore()
    }

    private static let a =
        #"{"model":"book","id":"a","title":"Pure","pages":856,"weight":0.5,"published":"2000-12-31T23:59:59.75Z","cover":"AP8=","isLent":false,"author":"kant","series":"critiques"}"#
    private static let b =
        #"{"model":"book","id":"b","title":"Practical","pages":292,"weight":0.5,"isLent":true,"author":"kant","series":"critiques"}"#
    private static let c =
        #"{"model":"book","id":"c","title":"Ding","weight":"nan","isLent":false}"#

    @Test func `fetch prints a line of JSON an entity, what is nil left out`() {
        let answer = store.run("fetch", "book", "--json")
        #expect(answer.outcome == .done)
        #expect(answer.lines == [Self.a, Self.b, Self.c])
        #expect(answer.diagnostics.isEmpty)
        #expect(store.run("fetch", "book", "--id", "b", "--json").lines == [Self.b])
        #expect(
            store.run("fetch", "shelf", "--json").lines
                == [#"{"model":"shelf","id":"top","name":"Top","books":["a","b","a"]}"#]
        )
    }

    @Test(
        arguments: [
            (["--where", "pages > 300"], ["a"]), (["--where", "pages isNil"], ["c"]),
            (["--where", "author.name startsWith \"Imm\" && isLent"], ["b"]),
            (["--where", "published < \"2001-01-01\""], ["a"]),
            (["--where", "author == \"kant\" || title contains \"ing\""], ["a", "b", "c"]),
            (["--where", "id in [\"c\", \"x\"]"], ["c"]),
            (["--where", "cover == \"AP8=\""], ["a"]),
            (["--sort", "title:desc"], ["a", "b", "c"]), (["--sort", "title"], ["c", "b", "a"]),
            (["--sort", "isLent:desc,title"], ["b", "c", "a"]),
            (["--limit", "1", "--offset", "1"], ["b"]), (["--limit", "0"], []),
            (["--sort", "author.name,id:desc"], ["c", "b", "a"]),
        ]
    )
    func `fetch filters, sorts and pages`(_ options: [String], _ ids: [String]) {
        let answer = store.run("fetch", ["book", "--json"] + options)
        #expect(answer.outcome == .done)
        let found = answer.lines.compactMap { $0.firstMatch(of: #/"id":"(\w)"/#)?.1 }.map(
            String.init
        )
        #expect(found == ids)
        let counted = store.run("fetch", ["book", "--json", "--count"] + options)
        #expect(counted.output == "{\"count\":\(ids.count)}\n")
    }

    @Test func `people get a table, or blocks where the screen is narrow`() {
        #expect(
            store.run("fetch", "book", "--where", "author isNil").output == """
                id  title  weight  isLent
                c   Ding      nan  false

                """
        )
        let narrow = store.run("fetch", "book", "--limit", "2", screen: 30)
        #expect(narrow.lines.first == "book       a")
        #expect(narrow.output.contains("\n\nbook    b\n"))
        #expect(narrow.lines.allSatisfy { DisplayWidth.of($0) <= 30 })
        #expect(store.run("fetch", "shelf", "--id", "top").lines.last == "books  a, b, a")
        #expect(store.run("fetch", "book", "--where", "id == \"x\"").output.isEmpty)
        #expect(store.run("fetch", "book", "--count").output == "3\n")
    }

    @Test func `an identifier that is not there is exit code 1`() {
        let answer = store.run("fetch", "book", "--id", "x")
        #expect(answer.outcome == .no)
        #expect(answer.output.isEmpty)
        #expect(
            answer.diagnostics
                == "Error: There is no book with the identifier \"x\". Look it up with `reprise fetch`.\n"
        )
        #expect(store.run("fetch", "book", "--id", "x", "--count").output == "0\n")
    }

    @Test func `mistakes in the query are exit code 64`() {
        let filter = store.run("fetch", "book", "--where", "titel == \"x\"")
        #expect(filter.outcome == .usage)
        #expect(
            filter.diagnostics == """
                Error: --where is wrong at character 1: expected an attribute of book, found `titel`; did you mean title?
                  titel == "x"
                  ^
                `reprise fetch --help` shows how expressions are written.

                """
        )
        let model = store.run("fetch", "bok")
        #expect(model.outcome == .usage)
        // CLI-08
        #expect(
            model.diagnostics
                == "Error: The store has no model `bok`. Did you mean book? It has author, book, series and shelf.\n"
        )
        #expect(store.run("fetch", "book", "--sort", "titel").outcome == .usage)
        #expect(store.run("fetch", "book", "--sort", "title:up").outcome == .usage)
        #expect(store.run("fetch", "author", "--where", "books isNil").outcome == .usage)
    }

    @Test func `what is no store is told apart`() throws {
        let missing = RunOutside.run("stats", store.directory.path + "/nothing")
        #expect(missing.outcome == .noInput)
        let file = store.directory.appendingPathComponent("file").path
        try Data("hello".utf8).write(to: URL(fileURLWithPath: file))
        let foreign = RunOutside.run("fetch", file, "book")
        #expect(foreign.outcome != .done)
        #expect(foreign.diagnostics.hasPrefix("Error: "))
    }

    @Test func `export writes models in the schema's order and is the same for the same state`() {
        let answer = store.run("export")
        #expect(answer.outcome == .done)
        #expect(
            answer.lines == [
                #"{"model":"author","id":"kant","name":"Immanuel Kant","books":["a","b"]}"#,
                Self.a, Self.b, Self.c,
                #"{"model":"series","id":"critiques","title":"Critiques","volumes":["a","b"]}"#,
                #"{"model":"shelf","id":"top","name":"Top","books":["a","b","a"]}"#,
            ]
        )
        #expect(store.run("put", "book", "--id", "c", "title=X").outcome == .done)
        #expect(store.run("export").output != answer.output)
        #expect(store.run("put", "book", "--id", "c", "title=Ding").outcome == .done)
        #expect(store.run("export").output == answer.output)
        #expect(store.run("export", "--as-of", "0").output.isEmpty)
    }

    @Test func `log shows commits with what changed`() throws {
        #expect(store.run("put", "book", "--id", "b", "pages=", "title=P").outcome == .done)
        let answer = store.run("log", "--reverse", "--limit", "1", "--json")
        let line = try #require(answer.lines.first)
        #expect(answer.lines.count == 1)
        guard case .object(let members) = try JSONValue(parsing: line) else {
            Issue.record("\(line)")
            return
        }
        #expect(
            members.map(\.name) == [
                "position", "lastPosition", "at", "intent", "actor", "schema", "hash", "events",
            ]
        )
        #expect(line.contains(#""intent":"put","actor":"reprise","schema":1,"hash":""#))
        #expect(line.contains(#""type":"updated","version":1,"model":"book","id":"b","changes":{"#))
        #expect(line.contains(#""title":{"from":"Practical","to":"P"}"#))
        #expect(line.contains(#""pages":{"from":292,"to":null}"#))
        #expect(store.run("log", "--json").lines.count == 3)
        #expect(store.run("log", "--model", "book", "--id", "b", "--json").lines.count == 2)
        #expect(store.run("log", "--id", "kant").output.contains("inserted author \"kant\""))
        #expect(store.run("log", "--limit", "0").output.isEmpty)
        #expect(store.run("log", "--model", "bok").outcome == .usage)
        let text = store.run("log", "--reverse", "--limit", "1").output
        #expect(text.contains("put  by reprise\n"))
        #expect(text.contains("      title: \"Practical\" → \"P\"\n"))
    }

    @Test func `log names a commit by the position to which a rollback keeps it`() throws {
        let lines = store.run("log", "--oneline").lines
        let commit = try #require(lines.last { !$0.contains("  1 event") }, "\(lines)")
        let position = try #require(commit.split(separator: " ").first).description
        let kept = store.run("export", "--as-of", position).output
        #expect(store.run("log", "--to", position).output.contains("commit \(position)  "))
        #expect(store.run("put", "book", "--id", "b", "title=P").outcome == .done)
        #expect(store.run("rollback", position).outcome == .done)
        #expect(store.run("export").output == kept)
        #expect(kept != store.run("export", "--as-of", String(try #require(UInt64(position)) - 1)).output)
    }
}
