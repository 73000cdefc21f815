import LegacyMigration
import Reprise
import Testing

/// Migrations that are taken back after a newer export of the same source has come (HIS-116).
@Suite struct LastWordTests {
    private let library: TemporaryLibrary
    private var store: Store { library.store }

    init() throws {
        library = try TemporaryLibrary(schema: Schema(InventedCompany.schema))
    }

    private func company(_ people: [String], departments: [String] = []) -> InventedCompany {
        var company = InventedCompany()
        company.people = people.map { .init(key: $0, name: "\($0) of the export") }
        company.departments = departments.map { .init(key: $0, name: $0) }
        return company
    }

    @discardableResult
    private func migrate(_ company: InventedCompany, named name: String = "one") throws -> String {
        var source = company.source
        source.identity = SourceIdentity(kind: "invented", name: name)
        let options = Migrator.Options(replacesEverything: true)
        return try Migrator(source: source, store: store, options: options).run().migration
    }

    private func rename(_ key: String, _ context: CommitContext = CommitContext()) throws -> Position {
        try store.write(context) { tx in
            _ = try tx.put(EntityReference(model: "person", id: key), values: ["name": .string("mine")])
        }
        return try store.read { $0.head }
    }

    private func ids(_ model: String = "person") throws -> [String] {
        try store.read { try $0.records(RecordQuery(model: model)).map(\.id).sorted() }
    }

    @Test func `what the newer export has stays, and what it has no more is a conflict`() throws {
        let first = try migrate(company(["a", "b", "c", "d"]))
        _ = try rename("b")
        _ = try rename("c")
        let second = try migrate(company(["a", "b", "e"]))
        #expect(try ids() == ["a", "b", "c", "e"])

        let open = try store.revert(migration: first)
        #expect(open.newerMigrations == [second])
        #expect(open.report.conflicts.map(\.entity.id) == ["c"])
        let kept = try store.revert(migration: first, resolving: .ours)
        #expect(kept.report.isDone && kept.report.commit == nil)
        _ = try store.revert(migration: first, resolving: .theirs)
        #expect(try ids() == ["a", "b", "e"])
        #expect(try store.verify().isSound)
    }

    @Test func `the same export again and newer ones find what they left`() throws {
        let first = try migrate(company(["a", "b"]))
        try migrate(company(["a", "b", "c"]))
        _ = try store.revert(migration: first)
        try migrate(company(["a", "b", "c", "d"]))
        #expect(try ids() == ["a", "b", "c", "d"])
    }

    @Test func `all goes where both are taken back at once`() throws {
        let first = try migrate(company(["a", "b"]))
        let second = try migrate(company(["a", "c"]))
        let all = try revert([.correlation(first), .correlation(second)])
        #expect(all.report.isDone && all.newerMigrations.isEmpty)
        #expect(try ids().isEmpty)
    }

    @Test func `a newer migration that was taken back has no last word until that is taken back`() throws {
        let first = try migrate(company(["a", "b"]))
        let second = try migrate(company(["a", "c"]))
        let back = try store.revert(migration: second)
        #expect(back.report.isDone && back.newerMigrations.isEmpty)
        #expect(try ids() == ["a", "b"])
        #expect(try store.revert(migration: first, isPlan: true).newerMigrations.isEmpty)
        let commit = try #require(back.report.commit)
        _ = try store.revert(commits: [commit])
        #expect(try ids() == ["a", "c"])
        #expect(try store.revert(migration: first, isPlan: true).newerMigrations == [second])
        _ = try store.revert(migration: second)
        _ = try store.revert(migration: first)
        #expect(try ids().isEmpty)
        #expect(try store.verify().isSound)
    }

    @Test func `a newer migration that a rollback has taken back has no last word`() throws {
        let first = try migrate(company(["a", "b"]))
        let between = try store.read { $0.head }
        try migrate(company(["a", "b", "c"]))
        try store.rollback(to: .position(between))
        let report = try store.revert(migration: first)
        #expect(report.report.isDone && report.newerMigrations.isEmpty)
        #expect(try ids().isEmpty)
    }

    @Test func `the last word is that of the newest one that is left`() throws {
        let first = try migrate(company(["a"]))
        let second = try migrate(company(["a", "b"]))
        let between = try store.read { $0.head }
        try migrate(company(["a", "b", "c"]))
        try store.rollback(to: .position(between))
        let report = try store.revert(migration: first)
        #expect(report.newerMigrations == [second])
        #expect(try ids() == ["a", "b"])
    }

    @Test func `an export of another source has no last word`() throws {
        let first = try migrate(company(["a"]))
        try migrate(company(["b"]), named: "other")
        let report = try store.revert(migration: first)
        #expect(report.newerMigrations.isEmpty)
        #expect(try ids() == ["b"])
    }

    @Test func `of three migrations one is taken back, and what the others brought stays, same name or not`() throws {
        let first = try migrate(company(["a", "b"]))
        try migrate(company(["b", "c"]), named: "two")
        try migrate(company(["c", "d"]), named: "three")
        let others = try ids().filter { $0 != "a" && $0 != "b" }
        #expect(others.count == 4 && others.contains { $0.hasPrefix("b-") } && others.contains { $0.hasPrefix("c-") })
        #expect(try store.revert(migration: first).report.isDone)
        #expect(try ids() == others)
        #expect(try store.verify().isSound)
    }

    @Test func `rows of a model of which the newer export has none go`() throws {
        let first = try migrate(company(["a"], departments: ["d"]))
        var newer = company(["a", "b"]).source
        newer.schema.models.removeAll { $0.name == "department" }
        newer.schema.relations.removeAll { $0.source.model == 2 || $0.target.model == 2 }
        let options = Migrator.Options(replacesEverything: true)
        let report = try Migrator(source: newer, store: store, options: options).run()
        #expect(report.warningCounts.keys.contains(.vanishedClass))
        #expect(try ids("department") == ["d"])
        _ = try store.revert(migration: first)
        #expect(try ids("department").isEmpty)
        #expect(try ids() == ["a", "b"])
    }

    @Test func `what others have changed is taken back beside it`() throws {
        let first = try migrate(company(["a", "b"]))
        let edit = try rename("a")
        try migrate(company(["a", "b", "c"]))
        let report = try revert([.correlation(first), .commit(edit)])
        #expect(report.report.isDone && report.report.counts.entities == 1)
        let people = try store.read { try $0.records(RecordQuery(model: "person")) }
        #expect(people.first { $0.id == "a" }?["name"] == .string("a of the export"))
        #expect(try ids() == ["a", "b", "c"])
    }

    private func name(of key: String) throws -> Value? {
        try store.read { try $0.records(RecordQuery(model: "person")) }.first { $0.id == key }?["name"]
    }

    private func revert(_ selections: [CommitSelection]) throws -> MigrationRevert {
        let context = CommitContext(intent: "revert")
        return try store.revertKeepingNewerExports(selections, resolving: .none, isPlan: false, context: context)
    }

    @Test func `where the newest is taken back the one before it has the last word`() throws {
        let first = try migrate(company(["a", "b"]))
        let second = try migrate(company(["a", "b", "c"]))
        let third = try migrate(company(["a", "b", "c", "d"]))
        #expect(try store.revert(migration: first, isPlan: true).newerMigrations == [third])
        _ = try store.revert(migration: third)
        #expect(try ids() == ["a", "b", "c"])
        #expect(try store.revert(migration: first).newerMigrations == [second])
        #expect(try ids() == ["a", "b", "c"])
        _ = try migrate(company(["a", "b", "c", "e"]))
        #expect(try ids() == ["a", "b", "c", "e"])
    }

    @Test func `the one that stays between two has the last word on the older of them`() throws {
        let first = try migrate(company(["a", "b"]))
        let second = try migrate(company(["a", "b", "c"]))
        let third = try migrate(company(["a", "b", "c", "d"]))
        let report = try revert([.correlation(first), .correlation(third)])
        #expect(report.newerMigrations == [second])
        #expect(try ids() == ["a", "b", "c"])
    }

    @Test func `an undo of its revert gives a migration its last word back`() throws {
        let first = try migrate(company(["a", "b"]))
        let second = try migrate(company(["a", "b", "c"]))
        _ = try store.revert(migration: second)
        _ = try store.undo()
        #expect(try store.revert(migration: first).newerMigrations == [second])
        #expect(try ids() == ["a", "b", "c"])
        _ = try store.redo()
        _ = try store.revert(migration: first)
        #expect(try ids().isEmpty)
    }

    @Test func `one that was taken back together with later work, or under another intent, has no last word`() throws {
        let first = try migrate(company(["a", "b"]))
        let second = try migrate(company(["a", "b", "c"]))
        let edit = try rename("c")
        _ = try revert([.correlation(second), .commit(edit)])
        #expect(try ids() == ["a", "b"])
        #expect(try store.revert(migration: first, isPlan: true).newerMigrations.isEmpty)
        let again = try migrate(company(["a", "b", "d"]))
        _ = try store.revert(migration: again, context: CommitContext(intent: "clean up"))
        #expect(try store.revert(migration: first).newerMigrations.isEmpty)
        #expect(try ids().isEmpty)
    }

    @Test func `a row of the user's that an earlier export has changed is as the user made it`() throws {
        try migrate(company(["a"]))
        try store.write { tx in
            let person = EntityReference(model: "person", id: "x")
            _ = try tx.put(person, values: ["name": .string("mine"), "tags": .list([])])
        }
        let second = try migrate(company(["a", "x"]))
        #expect(try name(of: "x") == .string("x of the export"))
        let third = try migrate(company(["a", "b"]))
        #expect(try store.revert(migration: second).newerMigrations == [third])
        #expect(try name(of: "x") == .string("mine"))
        #expect(try ids() == ["a", "b", "x"])
    }

    @Test func `a row that the newer export lacks and something needs is a conflict`() throws {
        let first = try migrate(company(["a", "b"]))
        try store.write { tx in
            let team = EntityReference(model: "team", id: "mine")
            _ = try tx.put(team, values: ["name": .string("mine")])
            try tx.link("members", of: team, to: "b")
        }
        let second = try migrate(company(["a", "c"]))
        #expect(try ids() == ["a", "b", "c"])
        let report = try store.revert(migration: first)
        #expect(report.newerMigrations == [second])
        #expect(report.report.conflicts.map(\.entity.id) == ["b"])
        #expect(try store.revert(migration: first, resolving: .theirs).report.isDone)
        #expect(try ids() == ["a", "c"])
    }

    @Test func `what was changed before and behind a migration goes back to what the migration has made`() throws {
        func export(_ name: String, and other: String? = nil) -> InventedCompany {
            var company = company(["b"] + (other.map { [$0] } ?? []))
            company.people.append(.init(key: "a", name: name))
            return company
        }
        try migrate(export("first"))
        let before = try rename("a")
        try migrate(export("second"))
        try store.write { tx in
            _ = try tx.put(EntityReference(model: "person", id: "a"), values: ["name": .string("mine again")])
            _ = try tx.put(EntityReference(model: "person", id: "b"), values: ["name": .string("mine")])
        }
        let end = try store.read { $0.head }
        let third = try migrate(export("second", and: "c"))
        let report = try revert([.range(before...end)])
        #expect(report.newerMigrations == [third] && report.report.conflicts.isEmpty)
        #expect(try name(of: "a") == .string("second"))
        #expect(try name(of: "b") == .string("b of the export"))
        #expect(try ids() == ["a", "b", "c"])
        #expect(try store.verify().isSound)
    }

    @Test func `a revert of other work reads nothing of migrations`() throws {
        try migrate(company(["a", "b"]))
        let edit = try rename("a")
        try store.write { tx in
            _ = try tx.annotate(name: "migration.started", key: "mine", payload: Array("hello".utf8))
        }
        #expect(try revert([.commit(edit)]).report.isDone)
        #expect(try name(of: "a") == .string("a of the export"))
    }

    @Test func `a migration that is not there is said so`() throws {
        #expect(throws: StoreError.self) { try store.revert(migration: "m77") }
    }
}
