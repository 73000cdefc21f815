import Foundation
import Reprise
import Testing

@testable import RepriseCLI

/// `reprise link`, `unlink` and `move` (CLI-13).
struct ListCommandTests {
    private let store: TestStore

    init() throws {
        store = try TestStore()
    }

    /// The books of the shelf, `a`, `b` and `a` at first.
    private var books: String {
        store.run("fetch", "shelf", "--id", "top", "--columns", "books", "--json").output
    }

    private func expect(_ ids: String..., location: SourceLocation = #_sourceLocation) {
        let list = ids.map { "\"\($0)\"" }.joined(separator: ",")
        #expect(books == "{\"books\":[\(list)]}\n", sourceLocation: location)
    }

    @Test func `link puts entities at either end, in the order in which they are named`() throws {
        let linked = store.run("link", "shelf", "top", "books", "c", "b", "--json")
        #expect(linked.outcome == .done && linked.diagnostics.isEmpty)
        let entries = #/\[\{"entry":"c#\d+","target":"c"\},\{"entry":"b#\d+","target":"b"\}\]\}\n/#
        let head = #"{"model":"shelf","id":"top","list":"books","outcome":"linked","entries":"#
        #expect(linked.output.hasPrefix(head))
        #expect(linked.output.dropFirst(head.count).wholeMatch(of: entries) != nil, "\(linked.output)")
        expect("a", "b", "a", "c", "b")
        let first = store.run("link", "shelf", "top", "books", "b", "c", "--at", "first")
        #expect(first.lines.count == 2)
        #expect(first.output.hasPrefix("books of shelf \"top\": linked b#"))
        expect("b", "c", "a", "b", "a", "c", "b")
        #expect(store.run("log", "--reverse", "--limit", "1").output.contains("link  by reprise"))
    }

    @Test func `link changes a to-one from its other side`() throws {
        #expect(store.run("put", "series", "--id", "other", "title=Other").outcome == .done)
        let linked = store.run("link", "series", "other", "volumes", "a", "c", "--json")
        #expect(linked.output.contains(#""entries":[{"entry":"a","target":"a"},{"entry":"c","target":"c"}]"#))
        #expect(store.run("fetch", "book", "--where", "series == \"other\"", "--count").output == "2\n")
        #expect(store.run("move", "series", "other", "volumes", "c", "--before", "a").outcome == .done)
        let volumes = store.run("fetch", "series", "--id", "other", "--columns", "volumes", "--csv").output
        #expect(volumes == "volumes\r\n\"[\"\"c\"\",\"\"a\"\"]\"\r\n")
        #expect(store.run("unlink", "series", "other", "volumes", "a").outcome == .done)
        #expect(store.run("fetch", "book", "--id", "a", "--columns", "series", "--json").output == "{}\n")
    }

    @Test func `an entry is named by its target where that is there once, and by its own name otherwise`() throws {
        let twice = store.run("unlink", "shelf", "top", "books", "a")
        #expect(twice.outcome == .usage)
        let head = "Error: books of shelf \"top\" holds \"a\" 2 times. Name one of its entries: "
        #expect(twice.diagnostics.hasPrefix(head))
        let rest = twice.diagnostics.dropFirst(head.count)
        let match = try #require(rest.wholeMatch(of: #/(a#\d+) at 1 or (a#\d+) at 3\.\n/#))
        let (first, last) = (String(match.1), String(match.2))
        #expect(store.run("move", "shelf", "top", "books", "b", "--after", last).outcome == .done)
        expect("a", "a", "b")
        let moved = store.run("move", "shelf", "top", "books", first, "--last", "--json")
        #expect(
            moved.output
                == "{\"model\":\"shelf\",\"id\":\"top\",\"list\":\"books\",\"outcome\":\"moved\",\"entries\":"
                + "[{\"entry\":\"\(first)\",\"target\":\"a\"}]}\n"
        )
        expect("a", "b", "a")
        #expect(store.run("unlink", "shelf", "top", "books", last, "b").lines.count == 2)
        expect("a")
        #expect(store.run("fetch", "book", "--id", "b", "--count").output == "1\n")
    }

    @Test func `a commit of several entries is made as a whole or not at all`() {
        #expect(store.run("link", "shelf", "top", "books", "c", "nobody").outcome == .no)
        #expect(store.run("unlink", "shelf", "top", "books", "b", "nobody").outcome == .no)
        expect("a", "b", "a")
    }

    @Test func `what cannot be has its exit code and says why`() {
        for (line, outcome, text) in [
            ("link shelf top bookz c", Outcome.usage, "shelf has no list `bookz`. Did you mean books? It has books."),
            ("link book a title c", .usage, "book.title is an attribute and no list. Set it with `reprise put`."),
            ("link author kant name x", .usage, "author.name is an attribute and no list."),
            ("link shelff top books c", .usage, "The store has no model `shelff`. Did you mean shelf?"),
            ("link shelf nowhere books c", .no, "There is no shelf \"nowhere\"."),
            ("link shelf top books nobody", .no, "points to book \"nobody\", which does not exist."),
            ("unlink shelf top books c", .no, "books of shelf \"top\" has no entry \"c\"."),
            ("move shelf top books b --before c", .no, "has no entry \"c\"."),
            ("move shelf top books b", .usage, "--before, --after, --first and --last"),
            ("move shelf top books b --first --last", .usage, "--before, --after, --first and --last"),
            ("link shelf top books", .usage, "<target>"), ("link shelf top books c --at end", .usage, "end"),
        ] {
            let words = line.split(separator: " ").map(String.init)
            let answer = store.run(words[0], Array(words.dropFirst()))
            #expect(answer.outcome == outcome, "\(line)")
            #expect(answer.diagnostics.contains(text), "\(answer.diagnostics)")
        }
        expect("a", "b", "a")
    }

    @Test func `put says of a list what changes it`() {
        let answer = store.run("put", "shelf", "--id", "top", "books=c")
        #expect(answer.outcome == .usage)
        #expect(
            answer.diagnostics
                == "Error: shelf has no attribute `books`; it is a list. Use `reprise link`, `unlink` and `move`.\n"
        )
    }
}
