import Reprise
import TestSupport
import Testing

/// Tasks whose hours become minutes and then a text, each of which may be nil.
private enum Task {
    struct One: Model {
        var id: ID
        var title: String
        var hours: Double?
        var note: String?
        static let schema = ModelSchema(
            "task",
            Self.init,
            .id("id", \.id),
            .attribute("title", \.title),
            .attribute("hours", \.hours),
            .attribute("note", \.note)
        )
    }

    struct Two: Model {
        var id: ID
        var title: String
        var minutes: Int?
        var note: String?
        var estimate: Int
        static let schema = ModelSchema(
            "task",
            Self.init,
            .id("id", \.id),
            .attribute("title", \.title),
            .attribute("minutes", \.minutes),
            .attribute("note", \.note),
            .attribute("estimate", \.estimate, default: 30)
        )
        .converting("minutes", from: "hours") { (hours: Double) in Optional(Int(hours * 60)) }
    }

    struct Three: Model, Equatable {
        var id: ID
        var title: String
        var duration: String?
        var label: String?
        var effort: String?
        static let schema = ModelSchema(
            "task",
            Self.init,
            .id("id", \.id),
            .attribute("title", \.title),
            .attribute("duration", \.duration),
            .attribute("label", \.label),
            .attribute("effort", \.effort)
        )
        .converting("duration", from: "minutes") { (minutes: Int) in Optional("\(minutes)m") }
        .converting("duration", from: "hours") { (hours: Double) in Optional("\(Int(hours * 60))m") }
        .converting("label", from: "note") { (note: String?) in note ?? Optional("none") }
        .converting("effort", from: "estimate") { (estimate: Int) in Optional("\(estimate)m") }
    }

    /// Whoever wrote it has forgotten what hours become.
    struct Forgetful: Model {
        var id: ID
        var title: String
        var duration: String?
        var label: String?
        var effort: String?
        static let schema = ModelSchema(
            "task",
            Self.init,
            .id("id", \.id),
            .attribute("title", \.title),
            .attribute("duration", \.duration),
            .attribute("label", \.label),
            .attribute("effort", \.effort)
        )
        .converting("duration", from: "minutes") { (minutes: Int) in Optional("\(minutes)m") }
        .converting("label", from: "note") { (note: String?) in note ?? Optional("none") }
        .converting("effort", from: "estimate") { (estimate: Int) in Optional("\(estimate)m") }
    }
}

/// What is older than several conversions of what may be nil (HIS-117, STO-86, STO-91).
@Suite struct `Attributes that are converted twice` {
    let app: AppStore
    /// The position behind the insertion, and those of the commits behind it.
    let inserted: Position
    let hoursOfT1: Position
    let deletionOfT2: Position

    init() throws {
        app = try AppStore()
        (inserted, hoursOfT1, deletionOfT2) = try app.with(Schema(Task.One.self)) { store in
            try store.write { transaction in
                for number in 0..<4 {
                    let hours = number == 3 ? nil : Double(number)
                    try transaction.insert(Task.One(id: .init("t\(number)"), title: "T", hours: hours))
                }
            }
            let inserted = try store.read { $0.position }
            _ = try store.write { try $0.update(Task.One.self, id: "t1") { $0.hours = 10 } }
            let hours = try store.read { $0.position }
            try store.write { try $0.delete(Task.One.self, id: "t2") }
            return (inserted, hours, try store.read { $0.position })
        }
        try app.with(Schema(Task.Two.self)) { _ in }
    }

    private func durations(_ tasks: [Task.Three]) -> [String] { tasks.map { "\($0.id) \($0.duration ?? "-")" } }

    @Test func `a difference over both tells what was changed, and applied it gives the rows of then`() throws {
        try app.with(Schema(Task.Three.self)) { store in
            let changes = try store.difference(from: .position(inserted))
            #expect(changes.counts.updated == 1 && changes.counts.deleted == 1)
            #expect(try store.apply(changes.inverted()).isDone)
            let then = try store.read(asOf: .position(inserted)) { try $0.fetch(FetchDescriptor<Task.Three>()) }
            #expect(durations(then) == ["t0 0m", "t1 60m", "t2 120m", "t3 -"])
            #expect(then.allSatisfy { $0.label == "none" })
            #expect(durations(try store.fetch(Task.Three.self)) == durations(then))
            #expect(try store.fetch(Task.Three.self).allSatisfy { $0.label == "none" })
        }
        try app.expectSound()
    }

    @Test func `a rollback over both gives the rows of then`() throws {
        try app.with(Schema(Task.Three.self)) { store in
            try store.rollback(to: .position(inserted))
            let tasks = try store.fetch(Task.Three.self)
            #expect(durations(tasks) == ["t0 0m", "t1 60m", "t2 120m", "t3 -"])
            #expect(tasks.allSatisfy { $0.label == "none" })
        }
        try app.expectSound()
    }

    @Test func `what is taken back and restored is what it was`() throws {
        try app.with(Schema(Task.Three.self)) { store in
            #expect(try store.revert(commits: [hoursOfT1]).counts.updated == 1)
            #expect(try store.restore(Task.Three.self, id: "t2").isDone)
            let tasks = try store.fetch(Task.Three.self)
            #expect(durations(tasks) == ["t0 0m", "t1 60m", "t2 120m", "t3 -"])
            #expect(tasks.allSatisfy { $0.label == "none" })
        }
        try app.expectSound()
    }

    @Test func `what was made of a default comes back`() throws {
        let deletion = try app.with(Schema(Task.Two.self)) { store in
            try store.write { try $0.delete(Task.Two.self, id: "t0") }
            return try store.read { $0.position }
        }
        try app.with(Schema(Task.Three.self)) { store in
            #expect(try store.fetch(Task.Three.self).allSatisfy { $0.effort == "30m" })
            #expect(try store.restore(Task.Three.self, id: "t0").isDone)
            #expect(try store.fetch(Task.Three.self, id: "t0")?.effort == "30m")
            try store.rollback(to: .position(Position(rawValue: deletion.rawValue - 1)))
            #expect(try store.fetch(Task.Three.self).map(\.effort) == ["30m", "30m", "30m"])
        }
        try app.expectSound()
    }

    @Test func `a program without the first function refuses what is older than both`() throws {
        try app.with(Schema(Task.Forgetful.self)) { store in
            let error = failure { _ = try store.revert(commits: [hoursOfT1]) }
            #expect(error?.code == .schemaMismatch)
            #expect(failure { _ = try store.restore(Task.Forgetful.self, id: "t2") }?.code == .schemaMismatch)
        }
        let tool = try Store.open(existing: app.path)
        defer { tool.close() }
        #expect(failure { _ = try tool.revert(commits: [hoursOfT1]) }?.code == .schemaMismatch)
        #expect(try tool.difference(from: .position(deletionOfT2)).isEmpty)
    }

    @Test func `changes in a file from before both are applied`() throws {
        let other = try AppStore()
        let path = other.path + ".changes"
        try other.with(Schema(Task.One.self)) { store in
            try store.write { try $0.insert(Task.One(id: "a", title: "A", hours: 1)) }
            let point = try store.read { $0.position }
            try store.write { transaction in
                try transaction.update(Task.One.self, id: "a") { $0.hours = 5 }
                try transaction.insert(Task.One(id: "b", title: "B", hours: 2))
            }
            try store.difference(from: .head, to: .position(point)).write(to: path)
        }
        for version in [Schema(Task.Two.self), Schema(Task.Three.self)] { try other.with(version) { _ in } }
        try other.with(Schema(Task.Three.self)) { (store) throws in
            #expect(try store.apply(ChangeSet(contentsOf: path)).isDone)
            #expect(durations(try store.fetch(Task.Three.self)) == ["a 60m"])
        }
    }

    @Test func `changes of a copy from before are applied, also where a name has changed since`() throws {
        struct Renamed: Model {
            var id: ID
            var heading: String
            var duration: String?
            static let schema = ModelSchema(
                "task",
                Self.init,
                .id("id", \.id),
                .attribute("heading", \.heading, renamedFrom: "title"),
                .attribute("duration", \.duration)
            )
            .converting("duration", from: "hours") { (hours: Double) in Optional("\(Int(hours * 60))m") }
            .removed("note")
        }
        let (other, copy) = (try AppStore(), try AppStore())
        let path = other.path + ".changes"
        try other.with(Schema(Task.One.self)) { store in
            try store.write { try $0.insert(Task.One(id: "a", title: "A", hours: 1)) }
            _ = try store.replay(into: copy.path)
        }
        try copy.with(Schema(Task.One.self)) { store in
            let point = try store.read { $0.position }
            _ = try store.write { try $0.update(Task.One.self, id: "a") { ($0.title, $0.hours) = ("AA", 5) } }
            try store.difference(from: .position(point)).write(to: path)
        }
        try other.with(Schema(Renamed.self)) { (store) throws in
            #expect(try store.apply(ChangeSet(contentsOf: path)).isDone)
            let task = try store.fetch(Renamed.self, id: "a")
            #expect(task?.heading == "AA" && task?.duration == "300m")
        }
        try other.expectSound()
    }

    @Test func `a branch of the past is merged, and one that has not converted at all`() throws {
        let path = app.path + ".branch"
        try app.with(Schema(Task.Two.self)) { store in try store.branch(to: path, at: .position(hoursOfT1)).close() }
        try app.with(Schema(Task.Three.self)) { store in
            _ = try store.write { try $0.update(Task.Three.self, id: "t0") { $0.duration = "99m" } }
            let branch = try Store.temporary(branchOf: store, at: .position(inserted))
            defer { branch.close() }
            #expect(try store.merge(branch).commit == nil)
            #expect(try branch.merge(store).isDone)
            #expect(try store.difference(to: branch).isEmpty)
            #expect(durations(try branch.fetch(Task.Three.self)) == ["t0 99m", "t1 600m", "t3 -"])
        }
        let branch = try Store.open(existing: path)
        defer { branch.close() }
        _ = try branch.write { try $0.put(EntityReference(model: "task", id: "t1"), values: ["minutes": .int(7)]) }
        try app.with(Schema(Task.Three.self)) { (store) throws in
            #expect(try store.merge(branch).isDone)
            #expect(durations(try store.fetch(Task.Three.self)) == ["t0 99m", "t1 7m", "t3 -"])
        }
        try app.expectSound()
    }

    @Test func `a file that changes what was removed after the conversion is applied`() throws {
        struct Kept: Model {
            var id: ID
            var title: String
            var length: Int?
            static let schema = ModelSchema(
                "task",
                Self.init,
                .id("id", \.id),
                .attribute("title", \.title),
                .attribute("length", \.length)
            )
            .converting("length", from: "title") { (title: String) in Optional(title.count) }
            .removed("hours", "note")
        }
        struct Last: Model {
            var id: ID
            var length: Int?
            static let schema = ModelSchema("task", Self.init, .id("id", \.id), .attribute("length", \.length))
                .converting("length", from: "title") { (title: String) in Optional(title.count) }
                .removed("title", "hours", "note")
        }
        let other = try AppStore()
        let path = other.path + ".changes"
        try other.with(Schema(Task.One.self)) { try $0.write { try $0.insert(Task.One(id: "a", title: "A")) } }
        try other.with(Schema(Kept.self)) { store in
            let point = try store.read { $0.position }
            _ = try store.write { try $0.update(Kept.self, id: "a") { ($0.title, $0.length) = ("AA", 7) } }
            try store.difference(from: .head, to: .position(point)).write(to: path)
        }
        try other.with(Schema(Last.self)) { (store) throws in
            #expect(try store.apply(ChangeSet(contentsOf: path)).isDone)
            #expect(try store.fetch(Last.self, id: "a")?.length == 1)
        }
        try other.expectSound()
    }

    @Test func `a branch that has skipped a version, and numbers otherwise, is merged`() throws {
        // HIS-98
        let path = app.path + ".branch"
        let one = try AppStore()
        try one.with(Schema(Task.One.self)) { store in
            try store.write { try $0.insert(Task.One(id: "a", title: "A", hours: 1)) }
            let branch = try store.branch(to: path)
            _ = try branch.write { try $0.update(Task.One.self, id: "a") { $0.hours = 50 } }
            branch.close()
        }
        for version in [Schema(Task.Two.self), Schema(Task.Three.self)] { try one.with(version) { _ in } }
        let branch = try Store.open(at: path, schema: Schema(Task.Three.self))
        defer { branch.close() }
        try one.with(Schema(Task.Three.self)) { (store) throws in
            #expect(try store.merge(branch).isDone)
            #expect(try store.fetch(Task.Three.self, id: "a")?.duration == "3000m")
            _ = try store.write { try $0.update(Task.Three.self, id: "a") { $0.duration = "7m" } }
            #expect(try branch.merge(store).isDone)
            #expect(try branch.fetch(Task.Three.self, id: "a")?.duration == "7m")
            #expect(try store.difference(to: branch).isEmpty)
            #expect(try branch.verify().isSound)
        }
        try one.expectSound()
    }

    @Test func `a range over a change of the schema leaves what its code has done`() throws {
        // HIS-57
        let second = try app.with(Schema(Task.Two.self)) { store in
            _ = try store.write { try $0.update(Task.Two.self, id: "t0") { $0.title = "before" } }
            return try store.read { $0.position }
        }
        let changed = Schema(Task.Three.self).change(to: 1) { _, new in
            _ = try new.update(Task.Three.self, id: "t1") { $0.title = "by code" }
        }
        try app.with(changed) { store in
            _ = try store.write { try $0.update(Task.Three.self, id: "t0") { $0.title = "behind" } }
            #expect(try store.revert(range: second...store.read { $0.position }).takenBack.count == 2)
            #expect(try store.fetch(Task.Three.self).map(\.title) == ["T", "by code", "T"])
        }
    }
}
