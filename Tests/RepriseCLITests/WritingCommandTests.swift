import Foundation
import Reprise
import Testing

@testable import RepriseCLI

struct WritingCommandTests {
    private let store: TestStore

    init() throws {
        store = try TestStore()
    }

    @Test func `put inserts, updates, and sees when nothing changes`() {
        let inserted = store.run("put", "book", "--id", "d", "title=So", "isLent=false", "--json")
        #expect(inserted.output == #"{"model":"book","id":"d","outcome":"inserted"}"# + "\n")
        let updated = store.run("put", "book", "--id", "d", "author=kant", "weight=1.5")
        #expect(updated.output == "book \"d\" updated\n")
        #expect(
            store.run("put", "book", "--id", "d", "weight=1.5").output == "book \"d\" unchanged\n"
        )
        #expect(store.run("put", "book", "--id", "d", "weight=", "title:=\"\"").outcome == .done)
        #expect(
            store.run("fetch", "book", "--id", "d", "--json").lines
                == [#"{"model":"book","id":"d","title":"","isLent":false,"author":"kant"}"#]
        )
        #expect(
            store.run("fetch", "author", "--id", "kant", "--json").output.contains(
                #"["a","b","d"]"#
            )
        )
    }

    @Test func `put refuses what cannot be`() {
        let before = store.run("export").output
        #expect(store.run("put", "book", "--id", "d", "title=x").outcome == .badData)
        #expect(store.run("put", "book", "--id", "a", "pages=x").outcome == .badData)
        #expect(store.run("put", "book", "--id", "a", "title=").outcome == .badData)
        #expect(store.run("put", "book", "--id", "a", "titel=x").outcome == .usage)
        #expect(store.run("put", "book", "--id", "a", "pages=1", "pages=2").outcome == .usage)
        #expect(store.run("put", "bok", "--id", "a").outcome == .usage)
        #expect(store.run("put", "book", "--id", "a", "author=nobody").outcome == .no)
        let long = String(repeating: "x", count: 300)
        #expect(store.run("put", "author", "--id", long, "name=x").outcome == .badData)
        #expect(store.run("export").output == before)
    }

    @Test func `delete shows its plan, carries it out, and says what forbids it`() {
        let denied = store.run("delete", "author", "kant", "--json")
        #expect(denied.outcome == .no)
        #expect(
            denied.lines == [
                #"{"deleted":[],"nullified":[],"unlinked":[],"deniedBy":["#
                    + #"{"model":"book","id":"a","relationship":"books","denies":{"model":"author","id":"kant"}},"#
                    + #"{"model":"book","id":"b","relationship":"books","denies":{"model":"author","id":"kant"}}]}"#
            ]
        )
        let planned = store.run("delete", "author", "kant", "--plan", "--json")
        #expect(planned.outcome == .no)
        #expect(planned.output.hasPrefix(#"{"deleted":[{"model":"author","id":"kant"}],"#))
        #expect(store.run("delete", "author", "kant").output.contains("still holds book \"a\""))

        let before = store.run("export").output
        let plan = store.run("delete", "series", "critiques", "--plan", "--json")
        #expect(plan.outcome == .done)
        #expect(
            plan.output.hasPrefix(
                #"{"deleted":[{"model":"series","id":"critiques"},{"model":"book","id":"a"},{"model":"book","id":"b"}]"#
            )
        )
        #expect(
            plan.output.contains(
                #"{"model":"shelf","id":"top","relationship":"books","target":"b"}"#
            )
        )
        #expect(store.run("export").output == before)
        #expect(
            store.run("delete", "series", "critiques", "--plan").lines.first
                == "would delete series \"critiques\""
        )
        #expect(store.run("delete", "series", "critiques", "--json").output == plan.output)
        #expect(store.run("fetch", "book", "--count").output == "1\n")
        #expect(store.run("delete", "series", "critiques").outcome == .no)
        #expect(store.run("delete", "author", "kant").lines == ["deleted author \"kant\""])
    }

    @Test func `snapshots are made, listed, gone back to and deleted`() throws {
        let before = store.run("export").output
        let created = store.run("snapshot create", "before", "--json")
        #expect(created.outcome == .done)
        let list = store.run("snapshot list", "--json")
        #expect(list.output == created.output)
        #expect(list.output.hasPrefix(#"{"name":"before","position":"#))
        #expect(store.run("snapshot create", "before").outcome == .cannotCreate)
        #expect(store.run("snapshot create", "2024-05-31").outcome == .badData)
        #expect(store.run("delete", "series", "critiques").outcome == .done)
        #expect(store.run("export", "--as-of", "before").output == before)
        #expect(store.run("fetch", "book", "--count", "--as-of", "before").output == "3\n")

        let rollback = store.run("rollback", "before", "--json")
        #expect(rollback.outcome == .done)
        guard case .object(let members) = try JSONValue(parsing: String(rollback.output.dropLast()))
        else {
            Issue.record("\(rollback.output)")
            return
        }
        #expect(members.map(\.name) == ["from", "to", "head", "changed", "digest"])
        #expect(store.run("export").output == before)
        #expect(store.run("rollback", "nowhere").outcome == .no)
        #expect(store.run("rollback", "999999").outcome == .no)

        #expect(store.run("snapshot list").output.contains("before"))
        #expect(store.run("snapshot delete", "before").output == "Snapshot \"before\" deleted.\n")
        #expect(store.run("snapshot delete", "before").outcome == .no)
        #expect(store.run("snapshot list").output.isEmpty)
        #expect(store.run("snapshot create").outcome == .done)
        #expect(store.run("snapshot list", "--json").output.hasPrefix(#"{"name":"snapshot-"#))
    }

    @Test func `a rollback says how to undo it`() throws {
        let before = store.run("export").output
        #expect(store.run("put", "book", "--id", "c", "title=X").outcome == .done)
        let after = store.run("export").output
        let lines = store.run("rollback", "1").lines
        #expect(store.run("export").output.isEmpty)
        let undo = try #require(lines.last?.split(separator: " ").last.map(String.init))
        #expect(store.run("rollback", undo).outcome == .done)
        #expect(store.run("export").output == after)
        #expect(after != before)
    }

    @Test func `a reader that leaves stops an export quietly`() {
        var console = Console(
            output: MemorySink(refusing: .closedPipe),
            diagnostics: MemorySink()
        )
        #expect(Tool.run(["export", store.path], in: &console) == .done)
    }

    @Test func `an interrupted export ends as one`() {
        let diagnostics = MemorySink()
        var console = Console(
            output: MemorySink(),
            diagnostics: diagnostics,
            interruption: Interruption { true }
        )
        #expect(Tool.run(["export", store.path], in: &console) == .interrupted)
        #expect(diagnostics.text.contains("the store is as it was"))
    }
}
