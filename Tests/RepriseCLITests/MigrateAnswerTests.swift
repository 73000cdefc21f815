import Foundation
import LegacyMigrator
import TestSupport
import Testing

@testable import RepriseCLI

/// What `migrate` answers scripts and leaves in the log.
struct MigrateAnswerTests {
    private let directory: TemporaryDirectory
    private let store: String
    private let export: String

    init() throws {
        directory = try TemporaryDirectory(named: "answer")
        store = directory.path("store")
        export = directory.path("tracks.csv")
        try Data("id,title\n1,A\n2,B\n".utf8).write(to: URL(filePath: export))
    }

    private func tool(
        _ words: String...
    ) -> (outcome: Outcome, output: String, diagnostics: String) {
        tool(words)
    }

    private func tool(
        _ words: [String]
    ) -> (outcome: Outcome, output: String, diagnostics: String) {
        let output = MemorySink()
        let diagnostics = MemorySink()
        var console = Console(output: output, diagnostics: diagnostics, isQuiet: true)
        let outcome = Tool.run(words, in: &console)
        return (outcome, output.text, diagnostics.text)
    }

    private func members(_ text: String) throws -> [String: JSONValue] {
        guard case .object(let members) = try JSONValue(parsing: text) else { return [:] }
        return Dictionary(uniqueKeysWithValues: members.map { ($0.name, $0.value) })
    }

    @Test func `the migration and its snapshot are always named, null where there is none`() throws
    {
        func migrate(_ words: String...) throws -> [String: JSONValue] {
            try members(tool(["migrate", export, "--into", store, "--json"] + words).output)
        }
        let planned = try migrate("--dry-run")
        #expect(planned["migration"] == .null && planned["snapshotBefore"] == .null)
        let made = try migrate()
        #expect(made["migration"] == .string("m1"))
        #expect(made["snapshotBefore"] == .string("before-migration-1"))
        let again = try migrate()
        #expect(again["migration"] == .string("m1") && again["snapshotBefore"] == .null)
        #expect(Set(planned.keys) == Set(made.keys) && Set(again.keys) == Set(made.keys))
        #expect(!tool("migrate", export, "--into", store, "--dry-run").output.contains("migration"))
    }

    @Test func `classes that only earlier exports had are counted, and none that there is not`() throws {
        let lines = directory.path("l.ndjson")
        func migrate(_ text: String) throws -> [String: JSONValue] {
            try Data(text.utf8).write(to: URL(filePath: lines))
            return try members(tool("migrate", lines, "--into", store, "--json").output)
        }
        let first = #"{"class":"a","id":"a1"}"# + "\n"
        _ = try migrate(first + #"{"class":"b","id":"b1"}"# + "\n")
        let report = try migrate(first)
        #expect(report["deleted"] == (try JSONValue(parsing: #"{"a":0,"b":1}"#)))
        #expect(report["read"] == (try JSONValue(parsing: #"{"a":1,"b":0}"#)))
        let database = try SQLiteScratch(at: directory.path("a.db"))
        try database.execute(
            """
            CREATE TABLE p(id INTEGER PRIMARY KEY); CREATE TABLE t(id INTEGER PRIMARY KEY);
            CREATE TABLE p_t(id INTEGER PRIMARY KEY, p INT REFERENCES p(id), t INT REFERENCES t(id), rank INT);
            INSERT INTO p VALUES(1); INSERT INTO t VALUES(1), (2); INSERT INTO p_t VALUES(1, 1, 1, 1);
            """
        )
        let words = ["migrate", directory.path("a.db"), "--into", directory.path("other"), "--json"]
        #expect(tool(words).outcome == .done)
        // By itself it would be a table now.
        try database.execute("ALTER TABLE p_t ADD COLUMN note TEXT; INSERT INTO p_t VALUES(2, 1, 2, 2, NULL)")
        database.close()
        for word in ["--dry-run", "--strict"] {
            let read = try members(tool(words + [word]).output)["read"]
            #expect(read == (try JSONValue(parsing: #"{"p":1,"t":2}"#)))
        }
    }

    @Test func `rules name what an earlier export was understood as, whatever this one could be`() throws {
        let database = try SQLiteScratch(at: directory.path("a.db"))
        try database.execute(
            """
            CREATE TABLE p(id INTEGER PRIMARY KEY); CREATE TABLE t(id INTEGER PRIMARY KEY);
            CREATE TABLE p_t(id INTEGER PRIMARY KEY, p INT REFERENCES p(id), t INT REFERENCES t(id), note TEXT);
            INSERT INTO p VALUES(1); INSERT INTO t VALUES(1), (2); INSERT INTO p_t VALUES(1, 1, 1, 'n');
            """
        )
        let rules = directory.path("rules.json")
        try Data(#"{"classes":{"p_t":{"model":"entry"}}}"#.utf8).write(to: URL(filePath: rules))
        let words = ["migrate", directory.path("a.db"), "--into", directory.path("other"), "--mapping", rules]
        #expect(tool(words).outcome == .done)
        // By itself it would be a list now.
        try database.execute("ALTER TABLE p_t DROP COLUMN note; INSERT INTO p_t VALUES(2, 1, 2)")
        database.close()
        #expect(tool(words + ["--dry-run"]).outcome == .done && tool(words).outcome == .done)
        #expect(tool("fetch", directory.path("other"), "entry").output.split(separator: "\n").count == 3)
        let verdict = tool(["verify-migration"] + words.dropFirst().filter { $0 != "--into" })
        #expect(verdict.outcome == .done, "\(verdict)")
    }

    @Test func `every commit of a migration names the tool`() throws {
        #expect(tool("migrate", export, "--into", store).outcome == .done)
        let commits = try tool("log", store, "--json").output.split(separator: "\n").map {
            try members(String($0))
        }
        #expect(commits.contains { $0["intent"] == .string(Migrator.intent) })
        for commit in commits { #expect(commit["actor"] == .string(StoreLocation.actor)) }
    }

    @Test func `a revert names the newer migrations whose rows stay`() throws {
        func migrate() throws -> String {
            let answer = try members(tool("migrate", export, "--into", store, "--json").output)
            guard case .string(let name) = answer["migration"] else { return "" }
            return name
        }
        let first = try migrate()
        try Data("id,title\n1,A\n2,B\n3,C\n".utf8).write(to: URL(filePath: export))
        let second = try migrate()
        let plan = tool("revert", store, first, "--plan").diagnostics
        #expect(plan.contains("\(second) is a newer migration of the same source: the rows of the source stay"))
        let one = try members(tool("revert", store, first, "--json").output)
        #expect(one["newer"] == .array([.string(second)]))
        #expect(one["changed"] == (try JSONValue(parsing: "0")))
        let both = try members(tool("revert", store, first, second, "--json").output)
        #expect(both["newer"] == nil)
        #expect(both["changed"] == (try JSONValue(parsing: "3")))
    }

    @Test func `a place where no store can be made is told by its own name`() throws {
        let nowhere = directory.path("nothing/store")
        let sentences =
            "Error: The directory that shall hold the store \"\(nowhere)\" does not exist. "
            + "Make it first, or choose another path.\n"
        #expect(tool("migrate", export, "--into", store).outcome == .done)
        for words in [["migrate", export], ["replay", store]] {
            let answer = tool(words + ["--into", nowhere])
            #expect(answer.outcome == .cannotCreate && answer.diagnostics == sentences)
        }
        // The store that is replayed is an input all the same.
        let missing = tool("replay", nowhere, "--into", directory.path("copy"))
        #expect(missing.outcome == .noInput)
        #expect(
            missing.diagnostics == "Error: There is no store at \"\(nowhere)\". Check the path.\n"
        )
    }

    @Test func `a path that is too long is told as such`() throws {
        let long = directory.path(String(repeating: "x/", count: 2500) + "store")
        let sentences =
            "Error: The path \"\(long.prefix(40))…\", or a name in it, is longer than this system takes. "
            + "Choose a shorter one.\n"
        #expect(tool("migrate", export, "--into", store).outcome == .done)
        for words in [["migrate", export], ["replay", store]] {
            let answer = tool(words + ["--into", long])
            #expect(answer.outcome == .cannotCreate && answer.diagnostics == sentences)
        }
        let name = directory.path(String(repeating: "x", count: 300))
        let missing = tool("stats", name)
        #expect(missing.outcome == .noInput)
        #expect(missing.diagnostics.hasSuffix("Choose a shorter one.\n"))
    }
}
