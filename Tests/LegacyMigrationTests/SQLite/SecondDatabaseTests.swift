import Foundation
import LegacyMigration
import Reprise
import TestSupport
import Testing

/// Two databases whose rows have the same keys, in one store.
@Suite struct SecondDatabaseTests {
    /// One row of each sort of key, and rows that lead to some of them.
    private static func tables(_ value: String) -> String {
        """
        CREATE TABLE i(id INTEGER PRIMARY KEY, v TEXT); INSERT INTO i VALUES(1, '\(value)');
        CREATE TABLE b(id BLOB PRIMARY KEY, v TEXT); INSERT INTO b VALUES(x'0102', '\(value)');
        CREATE TABLE u(uid TEXT PRIMARY KEY, v TEXT); INSERT INTO u VALUES('k', '\(value)');
        CREATE TABLE w(uid TEXT PRIMARY KEY, v TEXT) WITHOUT ROWID; INSERT INTO w VALUES('k', '\(value)');
        CREATE TABLE t(id TEXT PRIMARY KEY, v TEXT); INSERT INTO t VALUES('k', '\(value)');
        CREATE TABLE n(name TEXT NOT NULL UNIQUE, v TEXT); INSERT INTO n VALUES('k', '\(value)');
        CREATE TABLE c(x TEXT, y TEXT, v TEXT, PRIMARY KEY(x, y)); INSERT INTO c VALUES('k', 'l', '\(value)');
        CREATE TABLE r(id INTEGER PRIMARY KEY, v TEXT, u TEXT REFERENCES u(uid), b BLOB REFERENCES b(id),
            n TEXT REFERENCES n(name));
        INSERT INTO r VALUES(1, '\(value)', 'k', x'0102', 'k');
        CREATE TABLE u_b(u TEXT REFERENCES u(uid), b BLOB REFERENCES b(id), position INT);
        INSERT INTO u_b VALUES('k', x'0102', 1);
        """
    }

    private func source(_ sandbox: DatabaseSandbox) throws -> SQLiteDatabaseSource {
        try SQLiteDatabaseSource(path: sandbox.path)
    }

    @Test func `rows of a second database are kept beside those of the first, whatever their keys are`() throws {
        let one = try DatabaseSandbox(Self.tables("one"), named: "one.db")
        let two = try DatabaseSandbox(Self.tables("two"), named: "two.db")
        let library = try TemporaryLibrary(for: source(one))
        _ = try Migrator(replacing: source(one), store: library.store).run()
        let plan = try Migrator(replacing: source(two), store: library.store).plan()
        let report = try Migrator(replacing: source(two), store: library.store).run()
        #expect(plan.counts == report.counts && plan.warningCounts == report.warningCounts)
        #expect(report.warningCounts == [.identifierTaken: 8, .joinTable: 1])
        let models = ["i", "b", "u", "w", "t", "n", "c", "r"]
        for model in models {
            let values = try library.values(model, "v")
            #expect(values.count == 2 && Set(values.values) == [.string("one"), .string("two")], "\(model)")
        }
        func renamed(_ model: String) throws -> String {
            try #require(try library.values(model, "v").first { $0.value == .string("two") }?.key)
        }
        let reference = try renamed("r")
        for model in ["u", "b", "n"] {
            let target = try renamed(model)
            #expect(target.contains("-"))
            #expect(try library.values("r", model)[reference] == .reference(target), "\(model)")
        }
        #expect(try library.entries(of: "b", "u", renamed("u")) == [renamed("b")])
        for sandbox in [one, two] {
            #expect(try MigrationVerifier(source: source(sandbox), store: library.store).run().isEqual)
            #expect(try Migrator(replacing: source(sandbox), store: library.store).run().eventCount == 0)
        }
    }

    @Test func `what repeats the key is indexed, and what else is unique stays so`() throws {
        let sandbox = try DatabaseSandbox(
            """
            CREATE TABLE a(uid TEXT PRIMARY KEY, email TEXT UNIQUE); INSERT INTO a VALUES('k', 'e');
            CREATE TABLE b(name TEXT NOT NULL UNIQUE, code TEXT NOT NULL UNIQUE); INSERT INTO b VALUES('k', 'c');
            CREATE TABLE c(x TEXT, y TEXT UNIQUE, PRIMARY KEY(x, y)); INSERT INTO c VALUES('k', 'l');
            """
        )
        for model in try source(sandbox).schema.models {
            let unique = model.indexes.filter { $0.slots.count == 1 }.map { index in
                "\(model.attribute(slot: index.slots[0])?.name ?? "") \(index.isUnique)"
            }
            let expected = ["a": ["uid false", "email true"], "b": ["name false", "code true"], "c": ["y true"]]
            #expect(Set(unique) == Set(expected[model.name] ?? []), "\(model.name)")
        }
    }

    @Test func `what a mapping takes for the identifier is not unique beside it`() throws {
        let sandboxes = try ["one", "two"].map { name in
            try DatabaseSandbox(
                "CREATE TABLE a(id INTEGER PRIMARY KEY, email TEXT UNIQUE, v TEXT); "
                    + "INSERT INTO a VALUES(1, 'e', '\(name)')",
                named: "\(name).db"
            )
        }
        let mapping = RecordMapping(classes: ["a": .init(identifier: .field("email"))])
        func source(_ place: Int) throws -> MappedSource {
            try MappedSource(SQLiteDatabaseSource(path: sandboxes[place].path), mapping)
        }
        let library = try TemporaryLibrary(for: source(0))
        _ = try Migrator(replacing: source(0), store: library.store).run()
        let report = try Migrator(replacing: source(1), store: library.store).run()
        #expect(report.warningCounts == [.identifierTaken: 1])
        #expect(try Set(library.values("a", "v").values) == [.string("one"), .string("two")])
    }

    @Test(arguments: [("csv", "id,v\nk,%\n"), ("ndjson", #"{"id":"k","v":"%"}"# + "\n")])
    func `rows of a second table of text are kept beside those of the first`(_ type: String, _ text: String) throws {
        let directory = try TemporaryDirectory(named: "second")
        func source(_ name: String) throws -> any LegacySource {
            try FileManager.default.createDirectory(
                atPath: directory.path(name),
                withIntermediateDirectories: true
            )
            let path = directory.path("\(name)/t.\(type)")
            try text.replacingOccurrences(of: "%", with: name).write(toFile: path, atomically: false, encoding: .utf8)
            return type == "csv" ? try CSVSource(path: path, name: name) : try NDJSONSource(path: path, name: name)
        }
        let (one, two) = (try source("one"), try source("two"))
        let library = try TemporaryLibrary(schema: Schema(one.schema))
        _ = try Migrator(replacing: one, store: library.store).run()
        let counts = try Migrator(replacing: two, store: library.store).run().warningCounts
        #expect(counts[.identifierTaken] == 1 && counts[.uniqueValueTaken] == nil && counts[.refusedRecord] == nil)
        #expect(try Set(library.values("t", "v").values) == [.string("one"), .string("two")])
    }

    /// The schema of a database as it was made before: the key is unique beside the identifier.
    private func earlierSchema(_ source: SQLiteDatabaseSource) -> SchemaDescription {
        var schema = source.schema
        for place in schema.models.indices {
            schema.models[place].indexes = schema.models[place].indexes.map { index in
                IndexDescription(number: index.number, slots: index.slots, isUnique: index.slots.count == 1)
            }
        }
        return schema
    }

    @Test func `a store in which the key is unique as well goes on with newer exports`() throws {
        let sandbox = try DatabaseSandbox(
            "CREATE TABLE u(uid TEXT PRIMARY KEY, v TEXT); INSERT INTO u VALUES('a', '1'), ('b', '2'), ('c', '3');",
            named: "one.db"
        )
        let library = try TemporaryLibrary(schema: Schema(earlierSchema(source(sandbox))))
        _ = try Migrator(replacing: source(sandbox), store: library.store).run()
        let database = try SQLiteScratch(at: sandbox.path)
        try database.execute(
            "DELETE FROM u WHERE uid = 'a'; UPDATE u SET v = '22' WHERE uid = 'b'; INSERT INTO u VALUES('d', '4')"
        )
        database.close()
        let plan = try Migrator(replacing: source(sandbox), store: library.store).plan()
        let report = try Migrator(replacing: source(sandbox), store: library.store).run()
        #expect(plan.counts == report.counts && report.warningCounts.isEmpty)
        #expect(try library.values("u", "v") == ["b": .string("22"), "c": .string("3"), "d": .string("4")])
        #expect(try MigrationVerifier(source: source(sandbox), store: library.store).run().isEqual)
        #expect(try Migrator(replacing: source(sandbox), store: library.store).run().eventCount == 0)
        // The store's own rule is what it is: a second database with the same keys breaks it, and that is said.
        let other = try DatabaseSandbox(
            "CREATE TABLE u(uid TEXT PRIMARY KEY, v TEXT); INSERT INTO u VALUES('b', 'x'), ('e', 'y');",
            named: "two.db"
        )
        let second = try Migrator(replacing: source(other), store: library.store).run()
        #expect(second.warningCounts == [.identifierTaken: 1, .uniqueValueTaken: 1])
        #expect(try library.values("u", "v")["e"] == .string("y"))
    }
}
