import Reprise
import TestSupport
import Testing

@testable import TodoV1
@testable import TodoV10
@testable import TodoV2
@testable import TodoV3
@testable import TodoV4
@testable import TodoV5
@testable import TodoV6
@testable import TodoV7
@testable import TodoV8
@testable import TodoV9

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Each version of the app opens the store that the one before it has left, and is used (STO-81).
struct ClimbTests {
    /// What each version reads after it was used.
    private static let readings: [@Sendable (Store) throws -> Void] = [
        readFirst, readSecond, readThird, readFourth, readFifth, readSixth, readSeventh, readEighth, readNinth,
        readTenth,
    ]

    @Test func `every version reads what it should, and the store is sound after each`() throws {
        var ladder = try Ladder()
        for (rung, read) in zip(Rung.all, Self.readings) {
            try ladder.climb(rung)
            try ladder.with(rung) { store in
                try read(store)
                #expect(try store.verify().faults == [], "version \(rung.number)")
                let digest = try store.read { $0.digest }
                #expect(try store.replay().digest == digest, "version \(rung.number)")
                try read(store)
                #expect(try store.verify().faults == [], "version \(rung.number), replayed")
            }
        }
    }

    private static func readFirst(_ store: Store) throws {
        typealias Todo = TodoV1.Todo
        let milk = Todo(
            id: "milk",
            text: "Buy milk",
            isDone: true,
            labels: ["shop"],
            reminder: .init(hour: 9, minute: 0),
            list: "home"
        )
        #expect(try store.fetch(Todo.self, id: "milk") == milk)
        #expect(try store.fetch(Todo.self, id: "call") == nil)
        #expect(try store.read { try $0.entries(TodoV1.List.todos, of: "home").map(\.target) } == ["rent", "milk"])
        #expect(try store.fetch(TodoV1.Badge.self, id: "first")?.list == "home")
    }

    private static func readSecond(_ store: Store) throws {
        typealias Todo = TodoV2.Todo
        let milk = try store.fetch(Todo.self, id: "milk")
        #expect(milk?.isPinned == false && milk?.estimate == 0 && milk?.dueTime == nil)
        let report = try store.fetch(Todo.self, id: "report")
        #expect(report?.isPinned == true && report?.estimate == 240 && report?.spent == 60)
        #expect(try store.fetch(Todo.self, id: "trip")?.dueTime == "17:30")
        #expect(try store.fetch(TodoV2.List.self, id: "home")?.color == "green")
        #expect(try store.fetch(TodoV2.List.self, id: "work")?.color == nil)
    }

    private static func readThird(_ store: Store) throws {
        typealias Todo = TodoV3.Todo
        let due = FetchDescriptor<Todo>().where { $0.due >= "2024-03-01" }
        let explanation = try store.explain(due)
        #expect("\(explanation)".contains("index"))
        #expect(try store.fetch(due.sorted(by: \.due)).map(\.id) == ["rent", "trip", "tulips"])
        #expect(try store.search(Todo.self, "paint").map(\.model.id) == ["shed"])
        #expect(try store.fetch(Todo.self, id: "shed")?.isPinned == true)
        #expect(try store.fetch(Todo.self, id: "milk") == nil)
        let error = #expect(throws: StoreError.self) {
            try store.write { try $0.insert(TodoV3.List(id: "other", name: "Home")) }
        }
        #expect(error?.code == .uniqueViolation)
    }

    private static func readFourth(_ store: Store) throws {
        typealias Todo = TodoV4.Todo
        #expect(
            try store.read { try $0.entries(Todo.tags, of: "shed").map(\.target) } == ["outside", "someday"]
        )
        let outside = try store.read { try $0.entries(of: "todos", model: "tag", id: "outside") }
        #expect(outside.map(\.target).sorted() == ["shed", "tulips"])
        // A list that was deleted has taken its to-dos along.
        #expect(try store.fetch(TodoV4.List.self, id: "attic") == nil)
        #expect(try store.fetch(Todo.self, id: "boxes") == nil)
    }

    private static func readFifth(_ store: Store) throws {
        typealias Task = TodoV5.Task
        #expect(try store.fetch(Task.self, id: "report")?.title == "Write the yearly report")
        #expect(try store.fetch(Task.self, id: "rent")?.title == "Pay the rent")
        #expect(try store.read { try $0.entries(TodoV5.List.tasks, of: "work").map(\.target) } == ["slides", "report"])
        #expect(try store.read { try $0.entries(Task.tags, of: "shed").map(\.target) } == ["outside"])
        let outside = try store.read { try $0.entries(of: "tasks", model: "tag", id: "outside") }
        #expect(outside.map(\.target).sorted() == ["shed", "tulips"])
        #expect(try store.search(Task.self, "yearly").map(\.model.id) == ["report"])
    }

    private static func readSixth(_ store: Store) throws {
        typealias Task = TodoV6.Task
        let lists = try store.fetch(FetchDescriptor<TodoV6.List>())
        #expect(lists.map(\.id) == ["club", "garden", "home", "work"])
        #expect(lists.map(\.color) == ["blue", "gray", "green", "gray"])
        #expect(try store.fetch(Task.self, id: "chess")?.reminder?.sound == "bell")
        #expect(try store.fetch(Task.self, id: "rent")?.reminder == .init(hour: 7, minute: 45, sound: nil))
    }

    private static func readSeventh(_ store: Store) throws {
        typealias Task = TodoV7.Task
        let report = try store.fetch(Task.self, id: "report")
        // What was called estimate is what was spent.
        #expect(report?.spent == 255 && report?.estimate == 60)
        #expect(report?.summary == "Write the yearly report" && report?.project == "work")
        #expect(try store.fetch(Task.self, id: "taxes")?.estimate == 120)
        #expect(try store.fetch(Task.self, id: "chess")?.estimate == 0)
        #expect(try store.fetch(TodoV7.Project.self, id: "work")?.color == "red")
        #expect(try store.fetch(TodoV7.Badge.self, id: "first")?.list == "home")
    }

    private static func readEighth(_ store: Store) throws {
        typealias Task = TodoV8.Task
        let tasks = try store.fetch(FetchDescriptor<Task>())
        #expect(tasks.map(\.id.rawValue) == ["bike", "chess", "rent", "report", "shed", "slides", "taxes", "trip"])
        #expect(tasks.map(\.priority) == [3, 2, 3, 2, 2, 1, 2, 2])
        let days = tasks.map { $0.due.map { Int($0.timeIntervalSinceReferenceDate) } }
        // Days since 2001-01-01: 2024-03-01 is the 8460th, at 8:00; 2024-04-03 the 8493rd, at 17:30.
        let rent = 8460 * 86_400 + 8 * 3600
        let trip = 8493 * 86_400 + 17 * 3600 + 1800
        #expect(days == [735_000_000, nil, rent, nil, nil, 8540 * 86_400, nil, trip])
        let early = FetchDescriptor<Task>().where { $0.due < Date(timeIntervalSinceReferenceDate: 735_000_000) }
        #expect(try store.fetch(early).map(\.id) == ["rent", "trip"])
    }

    private static func readNinth(_ store: Store) throws {
        typealias Task = TodoV9.Task
        func tags(_ task: Task.ID) throws -> [String] {
            try store.read { try $0.entries(Task.tags, of: task).map(\.target.rawValue) }
        }
        #expect(try tags("report") == ["urgent", "office", "money"])
        #expect(try tags("rent") == ["money"])
        #expect(try tags("shed") == ["outside", "shop"])
        #expect(try store.fetch(TodoV9.Tag.self, id: "shop")?.name == "shopping")
        #expect(try store.count(FetchDescriptor<TodoV9.Tag>()) == 5)
    }

    private static func readTenth(_ store: Store) throws {
        typealias Task = TodoV10.Task
        #expect(try store.schema.models.map(\.name).sorted() == ["project", "tag", "task"])
        let party = Task(id: "party", summary: "Plan the party", estimate: 60, project: "club")
        #expect(try store.fetch(Task.self, id: "party") == party)
        #expect(try store.fetch(Task.self, id: "rent")?.isDone == true)
        #expect(try store.fetch(Task.self, id: "shed") == nil)
        let projects = try store.fetch(FetchDescriptor<TodoV10.Project>())
        #expect(projects.map(\.name) == ["Club", "Home", "Work"])
        #expect(try store.search(Task.self, "party").map(\.model.id) == ["party"])
    }
}
