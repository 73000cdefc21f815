import Reprise
import Testing

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The samples of ReadingAndQueries.md.
struct QuerySamples {
    private let gardenID: Project.ID = "garden"
    private let outsideID: Tag.ID = "outside"

    @Test func `rows are fetched by identifier, condition and list`() throws {
        let store = try gardenStore()
        let id: Task.ID = "mow"
        let task = try store.fetch(Task.self, id: id)
        let all = try store.fetch(Task.self)
        let open = try store.fetch(Task.self) { !$0.isDone && $0.priority == .high }
        let next = try store.fetchOne(FetchDescriptor<Task>().where { !$0.isDone }.sorted(by: \.due, nils: .last))
        let inOrder = try store.fetch(Project.tasks, of: gardenID)
        #expect(task?.title == "Mow the lawn")
        #expect(all.count == 3)
        #expect(open.map(\.id) == ["mow"])
        #expect(next?.id == "mow")
        #expect(inOrder.map(\.id) == ["water", "mow", "sow"])
    }

    @Test func `descriptors are refined`() throws {
        let store = try gardenStore()
        let open = FetchDescriptor<Task>().where { !$0.isDone }
        let soon = open.where { $0.due < Date(timeIntervalSinceNow: 7 * 24 * 60 * 60) }
            .sorted(by: \.due)
            .sorted(by: \.title)
            .limit(20)
        let tasks = try store.fetch(soon)
        #expect(tasks.map(\.id) == ["mow"])
        print(try store.explain(soon))
        let openInGarden = FetchDescriptor(Project.tasks, of: gardenID).where { !$0.isDone }
        #expect(try store.fetch(openInGarden).map(\.id) == ["mow", "sow"])
    }

    @Test func `conditions follow relationships`() throws {
        let store = try gardenStore()
        try store.write { try $0.append(Task.tags, of: "mow", outsideID) }
        let busy = try store.fetch(Project.self) { project in
            project[Project.tasks].any { !$0.isDone && $0[Task.tags].contains(outsideID) }
        }
        let inGarden = try store.fetch(Task.self) { $0.project.title == "Garden" }
        #expect(busy.map(\.id) == [gardenID])
        #expect(inGarden.count == 3)
    }

    /// The conditions in the table of the page.
    @Test func `every condition of the table compiles and finds what it says`() throws {
        let store = try gardenStore()
        try store.write { try $0.append(Task.tags, of: "mow", outsideID) }
        let (from, to) = (Date.distantPast, Date.distantFuture)
        let date = to
        let counts = try store.read { state in
            [
                try state.count(Task.self) { $0.isDone },
                try state.count(Task.self) { !$0.isDone },
                try state.count(Task.self) { $0.priority == .high },
                try state.count(Task.self) { $0.due < date },
                try state.count(Task.self) { $0.due.isIn(from...to) },
                try state.count(Task.self) { $0.priority.isIn([.low, .high]) },
                try state.count(Task.self) { $0.due == nil },
                try state.count(Task.self) { $0.due.isNil },
                try state.count(Task.self) { $0.title.contains("lawn") },
                try state.count(Task.self) { $0.title.hasPrefix("M", .caseInsensitive) },
                try state.count(Task.self) { $0.project == gardenID },
                try state.count(Task.self) { $0.project.title == "Garden" },
                try state.count(Task.self) { $0[Task.tags].contains(outsideID) },
                try state.count(Project.self) { $0[Project.tasks].isEmpty },
                try state.count(Project.self) { $0[Project.tasks].count > 10 },
                try state.count(Project.self) { $0[Project.tasks].any { $0.isDone } },
                try state.count(Project.self) { $0[Project.tasks].all { $0.isDone } },
                try state.count(Task.self) { $0.matches("mow lawn") },
                try state.count(Task.self) { !($0.due < date) },
            ]
        }
        #expect(counts == [1, 2, 1, 1, 1, 1, 2, 2, 1, 1, 3, 3, 1, 0, 0, 1, 0, 1, 2])
    }

    @Test func `a row comes with what it leads to`() throws {
        let store = try gardenStore()
        let pairs = try store.read { try $0.fetch(FetchDescriptor<Task>(), with: \.project) }
        for (task, project) in pairs {
            print(task.title, project?.title ?? "no project")
        }
        #expect(pairs.allSatisfy { $0.1?.id == gardenID })
    }

    @Test func `pages follow each other`() throws {
        let store = try gardenStore()
        var shown: [Task] = []
        func show(_ tasks: [Task]) { shown += tasks }
        var query = FetchDescriptor<Task>().sorted(by: \.due).limit(50)
        while true {
            let page = try store.fetchPage(query)
            show(page.models)
            guard let next = page.next else { break }
            query = query.after(next)
        }
        #expect(shown.count == 3)
    }

    @Test func `figures and words`() throws {
        let store = try gardenStore()
        let latest = try store.max(\Task.due)
        let figures = try store.group(FetchDescriptor<Task>(), by: \.priority, .count, .min(\.due))
        for (priority, count, earliest) in figures {
            print(priority, count, earliest as Any)
        }
        #expect(latest != nil)
        #expect(figures.map(\.1) == [1, 2])
        let hits = try store.search(Task.self, "mow lawn*", limit: 20) { !$0.isDone }
        for hit in hits { print(hit.score, hit.model.title) }
        #expect(hits.map(\.model.id) == ["mow"])
    }
}
