import Foundation
import Reprise
import Testing

@testable import RepriseCLI

/// `reprise schema show`, `history` and `diff` (CLI-01, CLI-02, CLI-04, CLI-05).
struct SchemaCommandTests {
    private let store: TestStore

    init() throws {
        store = try TestStore()
    }

    private static let models = #"""
        [{"name":"author","version":1,"attributes":[{"name":"name","type":"string","optional":false}],"relationships":[],"indexes":[]},\#
        {"name":"book","version":1,"attributes":[{"name":"title","type":"string","optional":false},\#
        {"name":"pages","type":"int","optional":true},{"name":"weight","type":"double","optional":true},\#
        {"name":"published","type":"date","optional":true},{"name":"cover","type":"data","optional":true},\#
        {"name":"isLent","type":"bool","optional":false},{"name":"author","type":"reference","optional":true},\#
        {"name":"series","type":"reference","optional":true}],"relationships":[\#
        {"name":"author","kind":"toOne","target":"author","inverse":"books","onDelete":"nullify","inverseOnDelete":"deny"},\#
        {"name":"series","kind":"toOne","target":"series","inverse":"volumes","onDelete":"nullify","inverseOnDelete":"cascade"}],\#
        "indexes":[{"attributes":["title"],"unique":false}]},\#
        {"name":"series","version":1,"attributes":[{"name":"title","type":"string","optional":false}],"relationships":[],"indexes":[]},\#
        {"name":"shelf","version":1,"attributes":[{"name":"name","type":"string","optional":false}],"relationships":[\#
        {"name":"books","kind":"toMany","target":"book","onDelete":"nullify","inverseOnDelete":"nullify"}],"indexes":[]}]
        """#

    @Test func `show prints the whole schema as one object`() {
        let answer = store.run("schema show", "--json")
        #expect(answer.outcome == .done)
        #expect(answer.lines == ["{\"number\":1,\"position\":1,\"models\":\(Self.models)}"])
    }

    @Test func `people get a table a model`() {
        let answer = store.run("schema show")
        #expect(
            answer.output.hasPrefix(
                """
                schema 1, declared at position 1

                author, version 1
                attribute  type    inverse  on delete
                name       string
                books      [book]  author   deny

                book, version 1
                attribute  type     inverse  on delete
                title      string
                pages      int?
                """
            )
        )
        #expect(answer.output.contains("\nauthor     author?  books    nullify\n"))
        #expect(answer.output.contains("\nindex of title\n"))
        let narrow = store.run("schema show", screen: 30).lines.dropFirst()
        #expect(narrow.allSatisfy { DisplayWidth.of($0) <= 30 })
    }

    @Test func `the schema of a point is that of the last declaration before it`() throws {
        let head = try #require(store.head)
        try store.addShelfPlace()
        let now = store.run("schema show", "--json").output
        #expect(now.hasPrefix("{\"number\":2,\"position\":\(head + 1),"))
        #expect(now.contains(#"{"name":"place","type":"string","optional":true}"#))
        let then = store.run("schema show", "--json", "--as-of", "\(head)")
        #expect(then.lines == ["{\"number\":1,\"position\":1,\"models\":\(Self.models)}"])
        // Rollbacks take no declaration away.
        #expect(store.run("rollback", "\(head)").outcome == .done)
        #expect(store.run("schema show", "--json").output == now)
        let never = store.run("schema show", "--json", "--as-of", "0")
        #expect(never.output == "{\"number\":0,\"position\":0,\"models\":[]}\n")
        #expect(store.run("schema show", "--as-of", "0").output == "No schema was declared then.\n")
        #expect(store.run("schema show", "--as-of", "nowhere").outcome == .no)
    }

    @Test func `history prints a line for each declaration with what it changed`() throws {
        let head = try #require(store.head)
        try store.addShelfPlace()
        let lines = store.run("schema history").lines
        #expect(lines.count == 3)
        #expect(lines.first?.hasPrefix("schema  position  declared") == true)
        #expect(lines.dropFirst().first?.hasSuffix(" declares 4 models") == true)
        #expect(lines.last?.hasPrefix("     2") == true)
        #expect(lines.last?.hasSuffix("  adds shelf.place; builds an index of shelf: place") == true)
        let json = store.run("schema history", "--json").lines
        #expect(json.first?.hasPrefix(#"{"number":1,"position":1,"at":"2001-01-01T00:00:00Z","steps":["#) == true)
        #expect(json.last?.hasPrefix("{\"number\":2,\"position\":\(head + 1),\"at\":\"20") == true)
        #expect(json.last?.hasSuffix(",\(Self.placeSteps),\"refusals\":[]}") == true)
    }

    private static let placeSteps =
        #""steps":[{"kind":"addsAttribute","model":"shelf","names":["place"],"text":"adds shelf.place"},"#
        + #"{"kind":"addsIndex","model":"shelf","names":["place"],"text":"builds an index of shelf: place"}]"#

    @Test func `diff prints the steps between two points, and is no failure`() throws {
        let head = try #require(store.head)
        try store.addShelfPlace()
        let answer = store.run("schema diff", "\(head)")
        #expect(answer.outcome == .done)
        #expect(
            answer.output == """
                From schema 1 to schema 2:
                  adds shelf.place
                  builds an index of shelf: place

                """
        )
        let ends = "\"from\":{\"number\":1,\"position\":1},\"to\":{\"number\":2,\"position\":\(head + 1)}"
        #expect(
            store.run("schema diff", "1", "head", "--json").lines
                == ["{\(ends),\(Self.placeSteps),\"refusals\":[]}"]
        )
        let same = store.run("schema diff", "1", "\(head)")
        #expect(same.outcome == .done)
        #expect(same.output == "schema 1 is in force at both points.\n")
        #expect(store.run("schema diff", "0", "1").output.hasPrefix("From no schema to schema 1:\n"))
        #expect(store.run("schema diff", "head", "1").output.contains("shelf.place"))
        #expect(store.run("schema diff", "99999").outcome == .no)
    }
}

extension TestStore {
    /// The position of the last event.
    var head: Int? {
        run("stats", "--json").output.firstMatch(of: #/"head":(\d+)/#).flatMap { Int($0.1) }
    }

    /// Gives shelves a place, which is optional and indexed.
    func addShelfPlace() throws {
        try declare { schema in
            guard let shelf = schema.models.firstIndex(where: { $0.name == "shelf" }) else { return }
            let slot = schema.models[shelf].slotCount
            schema.models[shelf].slotCount += 1
            schema.models[shelf].attributes.append(
                AttributeDescription(slot: slot, name: "place", type: .string, isOptional: true)
            )
            schema.models[shelf].indexes.append(IndexDescription(number: 9, slots: [slot], isUnique: false))
        }
    }

    /// Declares a schema that differs from the one in force.
    func declare(_ change: (inout SchemaDescription) -> Void) throws {
        let old = try Store.open(existing: path)
        var schema = try old.schema
        old.close()
        change(&schema)
        try Store.open(at: path, schema: Schema(schema)).close()
    }
}
