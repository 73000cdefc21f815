import Observation
import Reprise
import Testing

#if canImport(SwiftUI)
    import SwiftUI
#endif

/// The samples of ObservingResults.md.
@MainActor
struct LiveSamples {
    @MainActor
    final class TaskList {
        private(set) var tasks: [Task] = []

        func follow(_ project: Project.ID, in store: Store) async throws {
            let open = FetchDescriptor(Project.tasks, of: project).where { !$0.isDone }
            for try await update in store.observe(open) {
                tasks = update.results
            }
        }
    }

    @MainActor
    @Observable
    final class ProjectScreen {
        let tasks: LiveQuery<Task>

        init(_ project: Project.ID, in store: Store) {
            tasks = LiveQuery(FetchDescriptor(Project.tasks, of: project), in: store)
        }
    }

    #if canImport(SwiftUI)
        struct OpenTasks: View {
            @LiveFetch(FetchDescriptor<Task>().where { !$0.isDone }) var tasks

            var body: some View {
                List(tasks) { Text($0.title) }
            }
        }
    #endif

    private func wait(_ isDone: () -> Bool) async throws {
        for _ in 0..<1000 where !isDone() { try await _Concurrency.Task.sleep(for: .milliseconds(10)) }
        #expect(isDone())
    }

    @Test func `a list follows the tasks of a project`() async throws {
        let store = try gardenStore()
        let list = TaskList()
        let following = _Concurrency.Task { try await list.follow("garden", in: store) }
        try await wait { list.tasks.count == 2 }
        try await store.write { try $0.update(Task.self, id: "mow") { $0.isDone = true } }
        try await wait { list.tasks.map(\.id) == ["sow"] }
        following.cancel()
    }

    @Test func `a screen has the newest tasks`() async throws {
        let store = try gardenStore()
        let screen = ProjectScreen("garden", in: store)
        try await wait { screen.tasks.isLoaded }
        #expect(screen.tasks.results.count == 3)
    }

    @Test func `a difference leads from one result to the next`() async throws {
        let store = try gardenStore()
        func show(_ tasks: [Task], _ difference: LiveDifference) throws {
            if tasks.count == 3 {
                try store.write { try $0.insert(Task(id: "rake", title: "Rake the leaves")) }
            } else {
                #expect(tasks.map(\.id) == ["mow", "rake", "sow", "water"])
                #expect(difference.inserted == [1])
                store.close()
            }
        }
        var shown: [Task] = []
        for try await update in store.observe(FetchDescriptor<Task>().sorted(by: \.title)) {
            update.difference.apply(to: &shown, from: update.results)
            try show(shown, update.difference)
        }
    }
}
