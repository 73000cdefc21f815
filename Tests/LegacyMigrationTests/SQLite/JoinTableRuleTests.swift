import Foundation
import LegacyMigration
import Reprise
import TestSupport
import Testing

/// What may be deleted of a list that was a join table, as its foreign keys say.
@Suite struct JoinTableRuleTests {
    private static let teams = """
        CREATE TABLE team(id INTEGER PRIMARY KEY, name TEXT); INSERT INTO team VALUES(1, 't'), (2, 'u');
        CREATE TABLE player(id INTEGER PRIMARY KEY, name TEXT); INSERT INTO player VALUES(1, 'p'), (2, 'q'), (3, 'r');

        """

    private static func members(_ owner: String, _ member: String) -> String {
        teams + """
            CREATE TABLE team_player(team INT \(owner), player INT \(member), position INT);
            INSERT INTO team_player VALUES(1, 1, 1), (1, 2, 2), (2, 3, 1);
            """
    }

    private static let restricted = members(
        "REFERENCES team ON DELETE RESTRICT",
        "REFERENCES player ON DELETE RESTRICT"
    )

    @Test(arguments: [
        ("REFERENCES %", DeleteRule.deny), ("REFERENCES % ON DELETE RESTRICT", .deny),
        ("REFERENCES % ON DELETE NO ACTION", .deny), ("NOT NULL REFERENCES % ON DELETE SET NULL", .deny),
        ("REFERENCES % ON DELETE SET NULL", .nullify), ("REFERENCES % ON DELETE CASCADE", .nullify),
        ("NOT NULL REFERENCES % ON DELETE CASCADE", .nullify),
    ])
    func `a list forbids what the foreign keys of its table forbid, on each side`(
        _ declaration: String,
        _ rule: DeleteRule
    ) throws {
        func rules(_ owner: String, _ member: String) throws -> [DeleteRule] {
            let owner = owner.replacingOccurrences(of: "%", with: "team")
            let member = member.replacingOccurrences(of: "%", with: "player")
            let sandbox = try DatabaseSandbox(Self.members(owner, member))
            let source = try SQLiteDatabaseSource(path: sandbox.path)
            let list = try #require(source.schema.relations.first { $0.kind == .list })
            #expect(list.source.name == "player")
            return [list.source.onDelete, list.target.onDelete]
        }
        let cascade = "REFERENCES % ON DELETE CASCADE"
        #expect(try rules(declaration, cascade) == [rule, .nullify])
        #expect(try rules(cascade, declaration) == [.nullify, rule])
    }

    @Test func `columns of the primary key may not be NULL where that says so`() throws {
        let sandbox = try DatabaseSandbox(
            Self.teams + """
                CREATE TABLE team_player(team INT REFERENCES team ON DELETE SET NULL,
                    player INT REFERENCES player ON DELETE SET NULL, PRIMARY KEY(team, player)) WITHOUT ROWID;
                CREATE TABLE badge(id INTEGER PRIMARY KEY REFERENCES player ON DELETE SET NULL, v TEXT);
                """
        )
        let source = try SQLiteDatabaseSource(path: sandbox.path)
        let list = try #require(source.schema.relations.first { $0.kind == .list })
        #expect(list.source.onDelete == .deny && list.target.onDelete == .deny)
        let badge = try #require(source.schema.relations.first { $0.kind != .list })
        #expect(badge.target.onDelete == .deny)
    }

    @Test func `a row that a list has is not deleted where SQLite would not delete it`() throws {
        let sequel = try DatabaseSequel(Self.restricted)
        #expect(sequel.first.warningCounts == [.joinTable: 1])
        try sequel.library.store.read { state in
            for row in [("player", "1"), ("team", "1")] {
                let plan = try state.plan(delete: EntityReference(model: row.0, id: row.1))
                #expect(plan.isDenied, "\(row)")
            }
        }
        #expect(throws: StoreError.self) {
            try sequel.library.store.write { transaction in
                _ = try transaction.delete(EntityReference(model: "player", id: "1"))
            }
        }
    }

    @Test(arguments: [
        // A list that forbids it keeps nothing that the export lacks, as long as it lacks the entries, too.
        ("DELETE FROM team_player WHERE player = 2; DELETE FROM player WHERE id = 2", ["1", "2"], ["1", "3"], ["1"]),
        ("DELETE FROM team_player WHERE team = 1; DELETE FROM team WHERE id = 1", ["2"], ["1", "2", "3"], []),
        (
            "DELETE FROM team_player WHERE team = 1; DELETE FROM team WHERE id = 1; DELETE FROM player WHERE id < 3",
            ["2"], ["3"], []
        ),
        ("DELETE FROM team_player; DELETE FROM team; DELETE FROM player WHERE id = 1", [], ["2", "3"], []),
    ])
    func `a newer export deletes rows on both sides of a list that forbids it`(
        _ change: String,
        _ teams: [String],
        _ players: [String],
        _ entries: [String]
    ) throws {
        let sequel = try DatabaseSequel(Self.restricted)
        try sequel.change(change)
        let report = try sequel.again()
        #expect(report.warningCounts[.deletedInSourceButInUse] == nil)
        #expect(try sequel.values("team", "name").keys.sorted() == teams)
        #expect(try sequel.values("player", "name").keys.sorted() == players)
        if teams.contains("1") { #expect(try sequel.entries(of: "player", "team", "1") == entries) }
        #expect(try sequel.library.store.verify().isSound)
    }

    @Test func `rows that have each other in lists go together`() throws {
        let sequel = try DatabaseSequel(
            """
            CREATE TABLE person(id INTEGER PRIMARY KEY, name TEXT);
            INSERT INTO person VALUES(1, 'a'), (2, 'b'), (3, 'c'), (4, 'd');
            CREATE TABLE friend(person INT REFERENCES person, other INT REFERENCES person);
            INSERT INTO friend VALUES(1, 2), (2, 1), (3, 4), (4, 3), (1, 3), (3, 1);
            """
        )
        try sequel.change("DELETE FROM friend WHERE person < 3 OR other < 3; DELETE FROM person WHERE id < 3")
        let report = try sequel.again()
        #expect(report.counts["person"]?.deleted == 2)
        #expect(report.warningCounts[.deletedInSourceButInUse] == nil)
        #expect(try sequel.values("person", "name").keys.sorted() == ["3", "4"])
        #expect(try sequel.entries(of: "other", "person", "3") == ["4"])
    }

    @Test func `a row that somebody here has put into such a list stays`() throws {
        let sequel = try DatabaseSequel(Self.restricted)
        try sequel.library.store.write { transaction in
            _ = try transaction.link("player", of: EntityReference(model: "team", id: "2"), to: "1")
        }
        try sequel.change("DELETE FROM team_player WHERE player = 1; DELETE FROM player WHERE id = 1")
        let report = try Migrator(
            replacing: SQLiteDatabaseSource(path: sequel.sandbox.path),
            store: sequel.library.store
        ).run()
        #expect(report.warningCounts[.deletedInSourceButInUse] == 1)
        #expect(try sequel.entries(of: "player", "team", "2") == ["3", "1"])
        #expect(try sequel.entries(of: "player", "team", "1") == ["2"])
    }

    @Test func `a store whose lists forbid nothing goes on with newer exports`() throws {
        let sandbox = try DatabaseSandbox(Self.restricted)
        var schema = try SQLiteDatabaseSource(path: sandbox.path).schema
        for place in schema.relations.indices {
            schema.relations[place].source.onDelete = .nullify
            schema.relations[place].target.onDelete = .nullify
        }
        let library = try TemporaryLibrary(schema: Schema(schema))
        func run() throws -> MigrationReport {
            try Migrator(replacing: SQLiteDatabaseSource(path: sandbox.path), store: library.store).run()
        }
        _ = try run()
        let database = try SQLiteScratch(at: sandbox.path)
        try database.execute("DELETE FROM team_player WHERE team = 1; DELETE FROM team WHERE id = 1")
        database.close()
        let report = try run()
        #expect(report.counts["team"]?.deleted == 1 && report.warningCounts == [.joinTable: 1])
        #expect(try run().eventCount == 0)
    }

    @Test func `what a list forbids is in the database that is made of the store, and comes back`() throws {
        let sequel = try DatabaseSequel(Self.restricted)
        let directory = try TemporaryDirectory(named: "rules")
        let path = directory.path("out.sqlite")
        let report = try sequel.library.store.read { try SQLiteExport().write($0, to: path) }
        #expect(report.warningCounts.isEmpty)
        let database = try SQLiteScratch(at: path)
        let actions = try database.texts("SELECT on_delete FROM pragma_foreign_key_list('team_player')")
        #expect(actions == ["RESTRICT", "RESTRICT"])
        database.close()
        let list = try SQLiteDatabaseSource(path: path).schema.relations.first { $0.kind == .list }
        #expect(list?.source.onDelete == .deny && list?.target.onDelete == .deny)
    }
}
