import Foundation
import Reprise
import Testing

@testable import RepriseCLI

/// What changes of a schema leave behind, as `reprise schema` shows it (CLI-02, CLI-03).
struct ChangedSchemaTests {
    private struct First: Model {
        var id: ID
        var title: String
        var stars: Double
        var note: String?
        static let schema = ModelSchema(
            "book",
            Self.init,
            .id("id", \.id),
            .attribute("title", \.title),
            .attribute("stars", \.stars),
            .attribute("note", \.note)
        )
    }

    private struct Second: Model {
        var id: ID
        var name: String
        var stars: Int
        var color: String
        static let schema = ModelSchema(
            "volume",
            Self.init,
            .id("id", \.id),
            .attribute("name", \.name, renamedFrom: "title"),
            .attribute("stars", \.stars),
            .attribute("color", \.color, default: "red")
        )
        .renamedFrom("book")
        .removed("note")
        .converting("stars", from: "stars") { (stars: Double) in Int(stars) }
    }

    private let store: TestStore
    private let path: String

    init() throws {
        store = try TestStore()
        path = store.directory.appendingPathComponent("changed").path
        let first = try Store.open(at: path, schema: Schema(First.self))
        try first.write { try $0.insert(First(id: "a", title: "A", stars: 4, note: "n")) }
        first.close()
        try Store.open(at: path, schema: Schema(Second.self).change(to: 2) { _, _ in }).close()
    }

    @Test func `people see earlier names, defaults, what was made of what, and what was removed`() {
        let shown = RunOutside.run("schema", "show", path).output
        #expect(shown.contains("volume, version 1, called book before"))
        #expect(shown.contains("name, called title before"))
        #expect(shown.contains("stars was made of stars by the program"))
        #expect(shown.contains("color is red in rows that are older than it"))
        #expect(shown.contains("removed: note\n"))
    }

    @Test func `the schema that show prints changes nothing`() throws {
        let json = RunOutside.run("schema", "show", path, "--json").output
        let file = store.directory.appendingPathComponent("declaration.json")
        try Data(json.utf8).write(to: file)
        let plan = RunOutside.run("schema", "plan", path, file.path).output
        #expect(plan == "The store has this schema. Opening changes nothing.\n")
    }

    @Test func `history names every step, and the past is read by its own names`() {
        let history = RunOutside.run("schema", "history", path).output
        for step in [
            "renames the model book to volume", "renames volume.title to name", "adds volume.color",
            "removes volume.note", "makes volume.stars of stars, row by row",
            "runs the program's change to version 2",
        ] {
            #expect(history.contains(step), "\(step)")
        }
        let past = RunOutside.run("fetch", path, "book", "--as-of", "2", "--json").output
        #expect(past == #"{"model":"book","id":"a","title":"A","stars":4.0,"note":"n"}"# + "\n")
        let now = RunOutside.run("fetch", path, "volume", "--json").output
        #expect(now == #"{"model":"volume","id":"a","name":"A","stars":4,"color":"red"}"# + "\n")
    }

    /// STO-93
    @Test func `a rollback says that code of the app does not run again`() throws {
        let json = RunOutside.run("rollback", path, "2", "--json").output
        #expect(json.contains(#""rowVersion":0,"schemaVersion":2"#))
        let text = RunOutside.run("rollback", path, "2").output
        #expect(
            text.contains(
                "The rows are as version 0 of the app's schema left them. The schema is at version 2; its code does "
                    + "not run again."
            )
        )
    }
}
