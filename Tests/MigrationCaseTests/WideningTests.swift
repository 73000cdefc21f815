import Foundation
import Reprise
import TestSupport
import Testing

@testable import RepriseCLI

/// A column whose values no longer fit the type that was guessed from the first file.
@Suite struct ColumnWideningTests {
    private func files(_ name: String, _ text: String) throws -> UserFiles {
        let files = try UserFiles("10-duration-in-milliseconds")
        try write(text, name, files)
        return files
    }

    private func write(_ text: String, _ name: String, _ files: UserFiles) throws {
        try text.write(toFile: files.path(name), atomically: false, encoding: .utf8)
    }

    private func set(_ model: String, _ id: String, _ values: [String: Value], _ files: UserFiles) throws {
        let store = try Store.open(existing: files.store)
        defer { store.close() }
        _ = try store.write { try $0.put(EntityReference(model: model, id: id), values: values) }
    }

    private func expectSettled(_ file: String, _ files: UserFiles) throws {
        #expect(files.verify(file).outcome == .done)
        let head = try files.head()
        let again = files.migrate(file)
        #expect(again.outcome == .done && !again.output.contains("widenedType"), "\(again.output)")
        #expect(try files.head() == head)
        #expect(files.reprise("verify", files.store).outcome == .done)
    }

    @Test func `case 02: whole numbers become text with the first word`() throws {
        let files = try files("todo.csv", "id,title,prio\n1,a,1\n2,b,2\n3,c,\n")
        #expect(files.migrate("todo.csv").outcome == .done)
        let before = try files.head()
        try write("id,title,prio\n1,a,1\n2,b,high\n3,c,\n4,d,05\n", "todo.csv", files)
        let answer = files.migrate("todo.csv")
        #expect(answer.outcome == .done, "\(answer.diagnostics)")
        #expect(answer.output.contains("todo.prio held whole numbers"), "\(answer.output)")
        #expect(answer.output.contains("widenedType: 1") && !answer.output.contains("unexpectedType"))
        let prio = try files.rows("todo").mapValues { $0["prio"] }
        #expect(prio == ["1": .string("1"), "2": .string("high"), "3": .null, "4": .string("05")])
        try expectSettled("todo.csv", files)

        #expect(files.reprise("rollback", files.store, "\(before.rawValue)").outcome == .done)
        #expect(
            try files.rows("todo").mapValues { $0["prio"] } == ["1": .string("1"), "2": .string("2"), "3": .null]
        )
        #expect(files.reprise("replay", files.store).outcome == .done)
        #expect(try files.rows("todo")["2"]?["prio"] == .string("2"))
        #expect(files.migrate("todo.csv").outcome == .done)
        #expect(try files.rows("todo").mapValues { $0["prio"] } == prio)
        try expectSettled("todo.csv", files)
        #expect(files.reprise("rollback", files.store, "before-migration-1").outcome == .done)
        #expect(try files.rows("todo").isEmpty)
    }

    @Test func `an export of the narrower type after a rollback is understood as it was`() throws {
        let old = "id,prio,done\n1,1,true\n2,2,false\n"
        let files = try files("todo.csv", old)
        #expect(files.migrate("todo.csv").outcome == .done)
        let before = try files.head()
        try write("id,prio,done\n1,1.5,true\n2,2,maybe\n", "todo.csv", files)
        #expect(files.migrate("todo.csv").outcome == .done)
        #expect(try files.rows("todo")["1"]?["prio"] == .double(1.5))
        #expect(try files.rows("todo")["2"]?["done"] == .string("maybe"))
        #expect(files.reprise("rollback", files.store, "\(before.rawValue)").outcome == .done)
        try write(old, "todo.csv", files)
        let answer = files.migrate("todo.csv")
        #expect(answer.outcome == .done && !answer.output.contains("unexpectedType"), "\(answer.output)")
        let row = try #require(try files.rows("todo")["2"])
        #expect(row["prio"] == .double(2) && row["done"] == .string("false"))
        try expectSettled("todo.csv", files)
    }

    @Test func `whole numbers become numbers where each is exact, and otherwise text`() throws {
        let files = try files("sizes.csv", "id,small,large\n1,1,9007199254740993\n2,2,2\n")
        #expect(files.migrate("sizes.csv").outcome == .done)
        try write("id,small,large\n1,1,1\n2,2.5,2.5\n", "sizes.csv", files)
        let answer = files.migrate("sizes.csv", "--replace-all")
        #expect(answer.outcome == .done, "\(answer.diagnostics)")
        let row = try #require(try files.rows("sizes")["2"])
        #expect(row["large"] == .string("2.5"))
        #expect(files.verify("sizes.csv").outcome == .done)
    }

    @Test func `what was changed in the store stays in its wider type`() throws {
        let files = try files("todo.csv", "id,prio\n1,1\n2,2\n3,3\n4,4\n")
        #expect(files.migrate("todo.csv").outcome == .done)
        try set("todo", "1", ["prio": .int(9)], files)
        try set("todo", "3", ["prio": .int(9)], files)
        try write("id,prio\n1,1\n2,high\n4,4\n", "todo.csv", files)
        let answer = files.migrate("todo.csv")
        #expect(answer.outcome == .done, "\(answer.diagnostics)")
        let prio = try files.rows("todo").mapValues { $0["prio"] }
        // The export says 1 as before, and so the 9 stays; row 3 is gone from the export and was changed here.
        #expect(prio == ["1": .string("9"), "2": .string("high"), "3": .string("9"), "4": .string("4")])
        let head = try files.head()
        #expect(files.migrate("todo.csv").outcome == .done)
        #expect(try files.head() == head)
        try write("id,prio\n2,high\n", "todo.csv", files)
        #expect(files.migrate("todo.csv", "--replace-all").outcome == .done)
        #expect(try Set(files.rows("todo").keys) == ["1", "2", "3"])
    }

    @Test func `a column of a database becomes text`() throws {
        let files = try UserFiles("21-sqlitedata-types")
        let database = try SQLiteScratch(at: files.path("app.sqlite"))
        try database.execute(
            """
            CREATE TABLE task(id INTEGER PRIMARY KEY, prio INTEGER, is_done INTEGER, weight INTEGER);
            INSERT INTO task VALUES (1, 1, 0, 1), (2, 2, 1, 2), (3, 1, 0, 1), (4, 2, 1, 2), (5, 1, 0, 1);
            """
        )
        #expect(files.migrate("app.sqlite").outcome == .done)
        try database.execute(
            "UPDATE task SET prio = 'high' WHERE id = 2; UPDATE task SET is_done = 2, weight = 2.5 WHERE id = 1"
        )
        database.close()
        let answer = files.migrate("app.sqlite")
        #expect(answer.outcome == .done, "\(answer.diagnostics)")
        #expect(answer.output.contains("widenedType: 3"), "\(answer.output)")
        #expect(!answer.output.contains("mixedTypes") && !answer.output.contains("unexpectedType"), "\(answer.output)")
        let rows = try files.rows("task")
        #expect(rows["1"]?["prio"] == .string("1") && rows["2"]?["prio"] == .string("high"))
        #expect(rows["1"]?["is_done"] == .int(2) && rows["2"]?["is_done"] == .int(1))
        #expect(rows["1"]?["weight"] == .double(2.5) && rows["2"]?["weight"] == .double(2))
        try expectSettled("app.sqlite", files)
    }

    @Test func `a member of JSON becomes text as it is written`() throws {
        let files = try files("tasks.ndjson", "{\"id\":\"1\",\"prio\":1}\n{\"id\":\"2\",\"prio\":2}\n")
        #expect(files.migrate("tasks.ndjson").outcome == .done)
        try write("{\"id\":\"1\",\"prio\":1}\n{\"id\":\"2\",\"prio\":\"high\"}\n", "tasks.ndjson", files)
        let answer = files.migrate("tasks.ndjson")
        #expect(answer.outcome == .done, "\(answer.diagnostics)")
        #expect(answer.output.contains("widenedType: 1"), "\(answer.output)")
        let rows = try files.rows("tasks")
        #expect(rows["1"]?["prio"] == .string("1") && rows["2"]?["prio"] == .string("high"))
        try expectSettled("tasks.ndjson", files)
    }

    @Test func `a dry run says what becomes of the column, and changes nothing`() throws {
        let files = try files("todo.csv", "id,prio\n1,1\n2,2\n")
        #expect(files.migrate("todo.csv").outcome == .done)
        let head = try files.head()
        try write("id,prio\n1,1\n2,high\n", "todo.csv", files)
        let answer = files.migrate("todo.csv", "--dry-run")
        #expect(answer.output.contains("todo.prio held whole numbers"), "\(answer.output)")
        #expect(try files.head() == head && files.rows("todo")["1"]?["prio"] == .int(1))
    }

    @Test func `a store that a program has written to keeps the types of the program`() throws {
        let files = try files("task.csv", "id,prio\n1,1\n2,2\n")
        let number = AttributeDescription(slot: 0, name: "prio", type: .int, isOptional: true)
        let schema = SchemaDescription(
            models: [
                ModelDescription(
                    number: 1,
                    name: "task",
                    version: 1,
                    slotCount: 1,
                    attributes: [number],
                    indexes: []
                )
            ],
            relations: []
        )
        try Store.open(at: files.store, schema: Schema(schema)).close()
        try set("task", "own", ["prio": .int(7)], files)
        #expect(files.migrate("task.csv").outcome == .done)
        try write("id,prio\n1,1\n2,high\n", "task.csv", files)
        let answer = files.migrate("task.csv")
        #expect(answer.output.contains("unexpectedType: 1"), "\(answer.output)")
        #expect(try files.schema().model(named: "task")?.attribute(named: "prio")?.type == .int)
    }
}
