import Reprise
import Testing

@testable import TodoApp

struct TodoAppTests {
    let app: TodoApp
    let home = Project(name: "Home")

    init() throws {
        app = TodoApp(store: try Store.temporary(TodoApp.schema))
        try app.store.write { try $0.insert(home) }
    }

    @Test func `open tasks follow each change, in their order`() async throws {
        let milk = try app.addTask("Buy milk", to: home.id)
        let plants = try app.addTask("Water the plants", to: home.id)
        var updates = app.openTasks(of: home.id).makeAsyncIterator()
        #expect(try await updates.next()?.results.map(\.title) == ["Buy milk", "Water the plants"])
        try app.move(plants.id, in: home.id, before: milk.id)
        #expect(try await updates.next()?.results.map(\.title) == ["Water the plants", "Buy milk"])
        try app.finish(plants.id)
        #expect(try await updates.next()?.results.map(\.title) == ["Buy milk"])
        let bread = try app.addTask("Buy bread", to: home.id)
        #expect(try await updates.next()?.results.map(\.title) == ["Buy milk", "Buy bread"])
        try app.move(milk.id, in: home.id, before: nil)
        #expect(try await updates.next()?.results.map(\.title) == ["Buy bread", "Buy milk"])
        try app.move(milk.id, in: home.id, before: bread.id)
        #expect(try await updates.next()?.results.map(\.title) == ["Buy milk", "Buy bread"])
    }

    @Test func `tasks are found by tag and by word`() throws {
        _ = try app.addTask("Buy milk", to: home.id, tags: ["shop"])
        _ = try app.addTask("Buy a lamp", to: home.id, tags: ["shop", "later"])
        #expect(try app.tasks(tagged: "shop").count == 2)
        #expect(try app.tasks(tagged: "later").map(\.title) == ["Buy a lamp"])
        #expect(try app.search("milk").map(\.title) == ["Buy milk"])
    }

    @Test func `clearing can be taken back`() throws {
        let milk = try app.addTask("Buy milk", to: home.id, tags: ["shop"])
        try app.finish(milk.id)
        let before = try app.clearDone()
        #expect(try app.store.count(Task.self) == 0)
        try app.goBack(to: before)
        #expect(try app.tasks(tagged: "shop").map(\.title) == ["Buy milk"])
    }
}
