import Reprise
import TestSupport

/// A to-do app: projects own ordered tasks, each in one project, and lists of favourites with repeats.
struct Project: Model, Equatable {
    var id: ID
    var title: String

    static let schema = ModelSchema("project", Self.init, .id("id", \.id), .attribute("title", \.title))
        .toMany("tasks", of: Job.self, inverse: "project", onDelete: .cascade)
        .toMany("favourites", of: Job.self)

    static let tasks = Relationship<Project, Job>("tasks")
    static let favourites = Relationship<Project, Job>("favourites")
}

struct Job: Model, Equatable {
    var id: ID
    var title: String
    var isDone = false
    var rank: Int?
    var project: Project.ID?

    static let schema = ModelSchema(
        "task",
        Self.init,
        .id("id", \.id),
        .attribute("title", \.title, unique: true),
        .attribute("isDone", \.isDone, indexed: true),
        .attribute("rank", \.rank, indexed: true),
        .toOne("project", \.project)
    )
    .inverse("likedBy", of: Project.self, "favourites")

    static let likedBy = Relationship<Job, Project>("likedBy")
}

/// Goes with its parent.
struct Chapter: Model, Equatable {
    var id: ID
    var parent: Chapter.ID?

    static let schema = ModelSchema("chapter", Self.init, .id("id", \.id), .toOne("parent", \.parent))
        .toMany("children", of: Chapter.self, inverse: "parent", onDelete: .cascade)
}

/// Needs its owner.
struct Stage: Model, Equatable {
    var id: ID
    var owner: Keeper.ID

    static let schema = ModelSchema("step", Self.init, .id("id", \.id), .toOne("owner", \.owner))
}

struct Keeper: Model, Equatable {
    var id: ID

    static let schema = ModelSchema("owner", Self.init, .id("id", \.id))
        .toMany("steps", of: Stage.self, inverse: "owner", onDelete: .deny)

    static let steps = Relationship<Keeper, Stage>("steps")
}

/// A store of such models, and what it has done.
struct CallStore {
    static let schema = Schema(Project.self, Job.self, Stage.self, Keeper.self, Chapter.self)
    let store: Store

    /// Tasks t0, t1 and so on of no project, and projects p and q.
    init(tasks count: Int = 0) throws {
        store = try Store.temporary(Self.schema)
        try store.write { transaction in
            try transaction.insert([Project(id: "p", title: "P"), Project(id: "q", title: "Q")])
            try transaction.insert((0..<count).map { Job(id: Job.ID("t\($0)"), title: "T\($0)") })
        }
    }

    /// The events of what `body` does: their types, in order.
    func events(_ body: (inout WriteTransaction) throws -> Void) throws -> [String] {
        let head = try store.read { $0.head }
        try store.write { try body(&$0) }
        return try store.read { state in
            var types: [String] = []
            try state.forEachCommit(from: Position(rawValue: head.rawValue + 1)) { commit in
                types += commit.events.map(\.type)
                return true
            }
            return types
        }
    }

    /// The code of the error that a write throws.
    func code(_ body: (inout WriteTransaction) throws -> Void) -> StoreError.Code? { error(body)?.code }

    func error(_ body: (inout WriteTransaction) throws -> Void) -> StoreError? {
        do {
            try store.write { try body(&$0) }
            return nil
        } catch { return error as? StoreError }
    }

    func task(_ id: Job.ID) throws -> Job? { try store.fetch(id: id) }

    func ids<Owner, Target>(_ list: Relationship<Owner, Target>, _ owner: Owner.ID) throws -> [String] {
        try store.entries(list, of: owner).map(\.target.rawValue)
    }
}
