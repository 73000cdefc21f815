import Foundation
import Reprise
import Testing

@testable import RepriseCLI

/// `reprise schema plan`, and the declarations that it reads (CLI-03, CLI-06).
struct SchemaPlanCommandTests {
    private let store: TestStore

    init() throws {
        store = try TestStore()
    }

    private static let nothing = #"{"refused":false,"older":false,"steps":[],"refusals":[]}"# + "\n"

    /// A file with a declaration beside the store.
    private func file(_ text: String) throws -> String {
        let path = store.directory.appendingPathComponent("declaration.json").path
        try Data(text.utf8).write(to: URL(fileURLWithPath: path))
        return path
    }

    /// The schema of the store in JSON, with one text in it replaced.
    private func schema(_ old: String, _ new: String) throws -> String {
        let json = store.run("schema show", "--json").output
        try #require(json.contains(old))
        return try file(json.replacingOccurrences(of: old, with: new))
    }

    @Test func `the schema that show prints changes nothing`() throws {
        let path = try file(store.run("schema show", "--json").output)
        let answer = store.run("schema plan", path, "--json")
        #expect(answer.outcome == .done)
        #expect(answer.output == Self.nothing)
        #expect(store.run("schema plan", path).output == "The store has this schema. Opening changes nothing.\n")
    }

    @Test(
        arguments: [
            (#""version":1"#, #""version":2"#, "sets the version of book to 2"),
            (#""name":"isLent","type":"bool","optional":false"#, #""name":"isLent","type":"bool","optional":true"#,
                "makes book.isLent optional"),
            (#"{"attributes":["title"],"unique":false}"#, "", "drops the index of book: title"),
            (#"["title"],"unique":false"#, #"["title"],"unique":true"#, "builds a unique index of book: title"),
            (#""inverseOnDelete":"cascade""#, #""inverseOnDelete":"deny""#,
                "changes the delete rule of series.volumes from cascade to deny"),
            (#""kind":"toMany","target":"book","#, #""kind":"toMany","target":"book","inverse":"shelves","#,
                "adds book.shelves, the other side of a relationship"),
            (#""name":"pages","type":"int""#, #""name":"length","renamedFrom":["pages"],"type":"int""#,
                "renames book.pages to length"),
            (#""attributes":[{"name":"title","type":"string","optional":false},{"name":"pages","type":"int""#
                + #","optional":true},"#,
                #""removed":["pages"],"attributes":[{"name":"title","type":"string","optional":false},"#,
                "removes book.pages, whose values stay in the history"),
            (#""name":"weight","type":"double","optional":true"#,
                #""name":"weight","type":"double","optional":false,"default":1.5"#, "makes book.weight required"),
            (#"{"name":"series","version":1"#, #"{"name":"box"},{"name":"series","version":1"#, "adds the model box"),
        ]
    )
    func `each part of a declaration counts`(_ old: String, _ new: String, _ step: String) throws {
        let answer = store.run("schema plan", try schema(old, new))
        #expect(answer.outcome == .done)
        #expect(answer.lines.first == "Opening changes the schema in one commit:")
        #expect(answer.lines.contains { $0.hasPrefix("  " + step) }, "\(answer.output)\(answer.diagnostics)")
        #expect(store.run("stats", "--json").output.contains("\"schema\":1,"))
    }

    @Test func `rows that are read are counted`() throws {
        let path = try schema(#"["title"],"unique":false"#, #"["title"],"unique":true"#)
        #expect(
            store.run("schema plan", path).lines.contains("  builds a unique index of book: title (reads 3 rows)")
        )
        let step =
            #"{"kind":"addsUniqueIndex","model":"book","names":["title"],"rows":3,"buildsIndex":true,"#
            + #""text":"builds a unique index of book: title"}"#
        #expect(store.run("schema plan", path, "--json").output.contains(step))
    }

    @Test func `a refusal is exit code 1 and a sentence`() throws {
        // The note could be added, but a declaration is taken as a whole.
        let changed = #"{"name":"note","type":"data","optional":true},{"name":"pages","type":"string""#
        let path = try schema(#"{"name":"pages","type":"int""#, changed)
        let answer = store.run("schema plan", path)
        #expect(answer.outcome == .no)
        #expect(
            answer.output == """
                Opening is refused and changes nothing:
                  book.pages is int in the store and string in the declaration. Declare it as it was, a new \
                attribute under another name, or the function that makes its values: .converting("pages", from: "pages") { … }.

                """
        )
    }

    @Test func `a relationship that leads elsewhere is said with where it leads`() throws {
        let path = try schema(
            #""kind":"toMany","target":"book","onDelete""#,
            #""kind":"toMany","target":"author","onDelete""#
        )
        let answer = store.run("schema plan", path)
        #expect(answer.outcome == .no)
        #expect(
            answer.output.contains(
                "The relationship shelf.books is a list of book in the store and a list of author in the declaration."
            )
        )
    }

    @Test func `another store is a declaration too, and an earlier one is older`() throws {
        let other = try TestStore()
        #expect(store.run("schema plan", other.path, "--json").output == Self.nothing)
        try other.addShelfPlace()
        let newer = store.run("schema plan", other.path)
        #expect(newer.lines.contains("  adds shelf.place"))
        let older = other.run("schema plan", store.path)
        #expect(older.outcome == .done)
        #expect(older.output == "The declaration is older than the store. Opening leaves the store as it is.\n")
    }

    @Test func `code that is too old is exit code 1`() throws {
        let path = try file(store.run("schema show", "--json").output)
        try store.declare { schema in
            for model in schema.models.indices { schema.models[model].makeOptional("isLent") }
        }
        let answer = store.run("schema plan", path, "--json")
        #expect(answer.outcome == .no)
        #expect(answer.output.hasPrefix(#"{"refused":true,"older":true,"steps":[],"refusals":["A newer version"#))
        #expect(
            store.run("schema plan", path).lines.first
                == "The declaration is older than the store and too old for it. Opening is refused:"
        )
    }

    @Test func `every type and every index survives the way through JSON`() throws {
        let path = store.directory.appendingPathComponent("types").path
        try Store.open(at: path, schema: Schema(Self.everything)).close()
        let shown = RunOutside.run("schema", "show", path, "--json").output
        #expect(RunOutside.run("schema", "plan", path, try file(shown), "--json").output == Self.nothing)
        for (old, new) in [
            (#""weight":3"#, #""weight":4"#), (#"{"kind":"set","of":"int""#, #"{"kind":"set","of":"string""#),
            (#""of":"string","optional":true"#, #""of":"string","optional":false"#),
            (#"{"kind":"map","of":"string""#, #"{"kind":"map","of":"data""#), (#""width""#, #""breadth""#),
            (#"["pages","price"]"#, #"["price","pages"]"#), (#""onDelete":"cascade""#, #""onDelete":"deny""#),
            (#""kind":"oneToOne","target":"author","inverse":"own""#, #""kind":"toOne","target":"book""#),
        ] {
            try #require(shown.contains(old))
            let changed = try file(shown.replacingOccurrences(of: old, with: new))
            #expect(RunOutside.run("schema", "plan", path, changed, "--json").output != Self.nothing, "\(old)")
        }
        let table = RunOutside.run("schema", "show", path).output
        #expect(table.contains("{width: double, unit: string?}?"))
        #expect(table.contains("\nunique index of pages, price\nsearch index of title (weight 3)\n"))
    }

    /// Every type of attribute, every kind of index, and a one-to-one.
    private static var everything: SchemaDescription {
        var schema = SampleSchema.schema
        schema.models[0].indexes = [IndexDescription(number: 1, slots: [1, 2], isUnique: true)]
        schema.models[0].search = SearchDescription(number: 2, fields: [.init(slot: 0, weight: 3)])
        schema.models[0].slotCount = 15
        schema.models[0].attributes.append(.init(slot: 14, name: "owner", type: .reference, isOptional: true))
        schema.models[1].slotCount = 3
        schema.models[1].attributes.append(.init(slot: 2, name: "own", type: .reference, isOptional: true))
        schema.relations.append(
            RelationDescription(
                number: 2,
                kind: .pair(sourceSlot: 14, targetSlot: 2),
                source: .init(model: 1, name: "owner", onDelete: .cascade),
                target: .init(model: 2, name: "own", onDelete: .nullify)
            )
        )
        return schema
    }

    @Test func `what can be left out has a meaning`() throws {
        let path = try file(#"{"models":[{"name":"author","attributes":[{"name":"name","type":"string"}]}]}"#)
        let answer = store.run("schema plan", path)
        #expect(answer.outcome == .no)
        #expect(answer.lines.filter { $0.hasPrefix("  The store has a model") }.count == 3)
    }

    @Test(
        arguments: [
            ("{", "expected"), ("[]", "must be an object and is an array"),
            (#"{"models":[{"nam":"a"}]}"#, "models[0].name is missing."),
            (#"{"models":[{"name":"a","indxes":[]}]}"#,
                "models[0] has a key \"indxes\", which has no meaning there; did you mean \"indexes\"?"),
            (#"{"models":[{"name":"a","attributes":[{"name":"b","type":"strng"}]}]}"#,
                "models[0].attributes[0].type is \"strng\", which is no type; did you mean \"string\"?"),
            (#"{"models":[{"name":"a","attributes":[{"name":"b","type":{"kind":"bag","of":"int"}}]}]}"#,
                "models[0].attributes[0].type.kind is \"bag\" and must be one of list, set, map, embedded."),
            (#"{"models":[{"name":"a","version":-1}]}"#,
                "models[0].version must be a whole number from 0 to 4294967295 and is the number -1."),
            (#"{"models":[{"name":"a","attributes":[{"name":"b","type":"reference"}]}]}"#,
                "models[0].attributes[0] has the type reference, and no relationship has the name \"b\"."),
            (#"{"models":[{"name":"a","relationships":[{"name":"b","kind":"toOne","target":"a"}]}]}"#,
                "models[0].relationships[0].name needs an attribute \"b\" of the type reference in a."),
            (#"{"models":[{"name":"a","relationships":[{"name":"b","kind":"toMany","target":"c"}]}]}"#,
                "models[0].relationships[0].name leads to the model \"c\", which is not there."),
            (#"{"models":[{"name":"a","indexes":[{"attributes":["b"]}]}]}"#,
                "models[0].indexes[0].attributes[0] is \"b\", which is no attribute of a."),
            (#"{"models":[{"name":"a"},{"name":"a"}]}"#, "Two models have this name"),
        ]
    )
    func `a mistake in a declaration is exit code 65 with its place`(_ text: String, _ message: String) throws {
        let answer = store.run("schema plan", try file(text))
        #expect(answer.outcome == .badData)
        #expect(answer.output.isEmpty)
        #expect(answer.diagnostics.contains(message), "\(answer.diagnostics)")
    }

    @Test func `a declaration that is cut or lacks a byte is answered with an exit code`() throws {
        let path = store.directory.appendingPathComponent("types").path
        try Store.open(at: path, schema: Schema(Self.everything)).close()
        let whole = Array(RunOutside.run("schema", "show", path, "--json").output.utf8)
        for place in stride(from: 1, to: whole.count - 1, by: 97) {
            for bytes in [whole[..<place] + whole[(place + 1)...], whole[..<place]] {
                let answer = RunOutside.run("schema", "plan", path, try file(String(decoding: bytes, as: UTF8.self)))
                #expect([.done, .no, .badData].contains(answer.outcome), "\(place)")
                #expect(answer.outcome == .badData || bytes.count == whole.count - 1, "\(place)")
            }
        }
    }

    @Test func `what is neither a file nor a store is told apart`() {
        #expect(store.run("schema plan", store.directory.path + "/nothing").outcome == .noInput)
        #expect(RunOutside.run("schema", "plan", store.directory.path + "/nothing", store.path).outcome == .noInput)
    }
}

extension ModelDescription {
    fileprivate mutating func makeOptional(_ name: String) {
        for place in attributes.indices where attributes[place].name == name { attributes[place].isOptional = true }
    }
}
