import Reprise
import TestSupport
import Testing

/// The changes that a to-do app's declaration meets most: each does what its line says and leaves the rows alone.
struct ThirteenChangesTests {
    struct Change: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let schema: Schema
        /// False where the declaration says what the store has.
        var isChange = true
        let check: @Sendable (Store) throws -> Void
    }

    private static let changes = [
        Change(
            testDescription: "an optional attribute",
            schema: Schema(Before.List.self, Changed.WithNote.self, Before.Setting.self)
        ) { store throws in
            #expect(try store.fetch(Changed.WithNote.self, id: "cake")?.note == nil)
            _ = try store.write { try $0.update(Changed.WithNote.self, id: "cake") { $0.note = "Lemon" } }
            #expect(try store.fetch(Changed.WithNote.self, id: "cake")?.note == "Lemon")
        },
        Change(
            testDescription: "an attribute with a default",
            schema: Schema(Before.List.self, Changed.WithStars.self, Before.Setting.self)
        ) { store throws in
            let plain = FetchDescriptor<Changed.WithStars>().where { $0.stars == 1 }
            #expect(try store.fetch(plain).map(\.id) == ["cake", "flour"])
            _ = try store.write { try $0.update(Changed.WithStars.self, id: "cake") { $0.stars = 5 } }
            #expect(try store.fetch(plain).map(\.id) == ["flour"])
        },
        Change(
            testDescription: "a rename",
            schema: Schema(Before.List.self, Changed.Renamed.self, Before.Setting.self)
        ) { store throws in
            #expect(try store.fetch(Changed.Renamed.self, id: "cake")?.summary == "Bake a cake")
            let record = try store.read { try $0.record(model: "todo", id: "cake") }
            #expect(record?["summary"] == .string("Bake a cake"))
        },
        Change(
            testDescription: "a Swift property that is renamed alone",
            schema: Schema(Before.List.self, Changed.PropertyRenamed.self, Before.Setting.self),
            isChange: false
        ) { store throws in
            let cake = try store.fetch(Changed.PropertyRenamed.self, id: "cake")
            #expect(cake?.summary == "Bake a cake" && cake?.deadline == "2024-06-01")
            #expect(try store.fetch(Changed.PropertyRenamed.self, id: "flour")?.whole == "cake")
        },
        Change(
            testDescription: "a new model",
            schema: Schema(Before.List.self, Before.Todo.self, Before.Setting.self, Changed.Tag.self)
        ) { store throws in
            try store.write { transaction in
                try transaction.insert(Changed.Tag(id: "t", name: "Sweet"))
                try transaction.link(Changed.Tag.lists, from: "t", to: "home")
            }
            #expect(try store.read { try $0.entries(Changed.Tag.lists, of: "t").map(\.target) } == ["home"])
        },
        Change(
            testDescription: "a new index",
            schema: Schema(Before.List.self, Changed.Indexed.self, Before.Setting.self)
        ) { store throws in
            let due = FetchDescriptor<Changed.Indexed>().where { $0.due == "2024-06-01" }
            let explanation = try store.explain(due)
            #expect("\(explanation)".contains("index"))
            #expect(try store.fetch(due).map(\.id) == ["cake"])
        },
        Change(
            testDescription: "a search index",
            schema: Schema(Before.List.self, Changed.Searchable.self, Before.Setting.self)
        ) { store throws in
            #expect(try store.search(Changed.Searchable.self, "cake").map(\.model.id) == ["cake"])
        },
        Change(
            testDescription: "another delete rule",
            schema: Schema(Before.List.self, Changed.Cascading.self, Before.Setting.self)
        ) { store throws in
            _ = try store.write { try $0.delete(Changed.Cascading.self, id: "cake") }
            #expect(try store.count(FetchDescriptor<Changed.Cascading>()) == 0)
        },
        Change(
            testDescription: "an optional field more in an embedded struct",
            schema: Schema(Before.List.self, Changed.WithCity.self, Before.Setting.self)
        ) { store throws in
            #expect(try store.fetch(Changed.WithCity.self, id: "cake")?.place == .init(street: "Mill Lane"))
            _ = try store.write { try $0.update(Changed.WithCity.self, id: "cake") { $0.place?.city = "Bath" } }
            #expect(try store.fetch(Changed.WithCity.self, id: "cake")?.place?.city == "Bath")
        },
        Change(
            testDescription: "attributes in another order",
            schema: Schema(Before.List.self, Changed.Reordered.self, Before.Setting.self),
            isChange: false
        ) { store throws in
            let flour = Changed.Reordered(parent: "cake", list: "home", title: "Buy flour", id: "flour")
            #expect(try store.fetch(Changed.Reordered.self, id: "flour") == flour)
        },
        Change(
            testDescription: "a higher version",
            schema: Schema(Before.List.self, Changed.Raised.self, Before.Setting.self)
        ) { store throws in
            #expect(try store.schema.model(named: "todo")?.version == 2)
            #expect(try store.fetch(Changed.Raised.self, id: "cake")?.title == "Bake a cake")
        },
        Change(
            testDescription: "a model that is dropped, with the word for it",
            schema: Schema(Before.List.self, Before.Todo.self, removed: ["setting"])
        ) { store throws in
            #expect(try store.read { $0.counts.map(\.model).sorted() } == ["list", "todo"])
            #expect(try store.fetch(Before.Todo.self, id: "cake")?.title == "Bake a cake")
        },
        Change(
            testDescription: "models in another order",
            schema: Schema(Before.Setting.self, Before.Todo.self, Before.List.self),
            isChange: false
        ) { store throws in
            #expect(try store.fetch(Before.List.self, id: "home")?.name == "Home")
            #expect(try store.fetch(Before.Setting.self, id: "theme")?.value == "dark")
        },
    ]

    /// A store as it was before.
    private func makeStore() throws -> Ladder {
        let ladder = try Ladder()
        try ladder.with(Before.schema) { store in
            try store.write { transaction in
                try transaction.insert(Before.List(id: "home", name: "Home"))
                try transaction.insert(
                    Before.Todo(
                        id: "cake",
                        title: "Bake a cake",
                        due: "2024-06-01",
                        place: .init(street: "Mill Lane"),
                        list: "home"
                    )
                )
                try transaction.insert(
                    Before.Todo(id: "flour", title: "Buy flour", list: "home", parent: "cake")
                )
                try transaction.insert(Before.Setting(id: "theme", value: "dark"))
            }
        }
        return ladder
    }

    /// The end of the log and the digest of the rows.
    private func state(_ store: Store) throws -> [String] { try store.read { ["\($0.head)", "\($0.digest)"] } }

    @Test(arguments: changes)
    func `a change that the declaration says is made when the store is opened`(change: Change) throws {
        // STO-81, STO-82, STO-87 to STO-90
        let ladder = try makeStore()
        let before = try ladder.byNames(state)
        let plan = try Store.plan(change.schema, at: ladder.path)
        #expect(plan.refusals.isEmpty)
        #expect(plan.steps.isEmpty != change.isChange)
        let after = try ladder.with(change.schema, state)
        #expect(after[1] == before[1], "The rows are not rewritten.")
        #expect((after[0] != before[0]) == change.isChange)
        // Only once.
        #expect(try ladder.with(change.schema, state) == after)
        try ladder.with(change.schema) { store in
            #expect(try store.verify().faults == [])
            try change.check(store)
            #expect(try store.verify().faults == [])
            let digest = try store.read { $0.digest }
            #expect(try store.replay().digest == digest)
        }
    }

    @Test func `there are thirteen of them`() {
        #expect(Self.changes.count == 13)
    }

    struct Refusal: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let schema: Schema
        /// What differs, and what to write.
        let words: [String]
    }

    @Test(arguments: [
        Refusal(
            testDescription: "a model that is dropped",
            schema: Schema(Before.List.self, Before.Todo.self),
            words: ["a model setting that is not declared", "Schema(…, removed: [\"setting\"])"]
        ),
        Refusal(
            testDescription: "a rename",
            schema: Schema(Before.List.self, Unsaid.Renamed.self, Before.Setting.self),
            words: ["todo.title is gone and todo.summary", "write renamedFrom: \"title\" at summary"]
        ),
        Refusal(
            testDescription: "an attribute without a default",
            schema: Schema(Before.List.self, Unsaid.WithStars.self, Before.Setting.self),
            words: ["todo.stars is new and required", "Make it optional, or give it a default."]
        ),
    ])
    func `a change without the word for it is refused with the word`(refusal: Refusal) throws {
        // STO-83
        let schema = refusal.schema
        let ladder = try makeStore()
        let before = try ladder.byNames(state)
        let error = #expect(throws: StoreError.self) { try ladder.with(schema) { _ in } }
        #expect(error?.code == .schemaMismatch)
        for word in refusal.words { #expect(error?.message.contains(word) == true, "\(error?.message ?? "")") }
        #expect(try ladder.byNames(state) == before)
        #expect(try ladder.with(Before.schema, state) == before)
    }
}
