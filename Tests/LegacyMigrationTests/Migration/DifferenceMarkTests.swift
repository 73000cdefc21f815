import LegacyMigration
import Reprise
import TestSupport
import Testing

/// What a verification says of the differences that it finds.
@Suite struct DifferenceMarkTests {
    private let library: TemporaryLibrary
    private var company = InventedCompany()

    init() throws {
        company.people = ["a", "b", "c"].map { .init(key: $0, name: $0) }
        company.teams = [
            .init(key: "t", name: "T", members: ["a", "b"]), .init(key: "u", name: "U", members: ["c"]),
        ]
        library = try TemporaryLibrary(schema: Schema(InventedCompany.schema))
        _ = try Migrator(replacing: company.source, store: library.store).run()
    }

    private func verification(of company: InventedCompany) throws -> MigrationVerification {
        try MigrationVerifier(source: company.source, store: library.store).run()
    }

    private func team(_ id: String) -> EntityReference { EntityReference(model: "team", id: id) }

    @Test func `the members of a list that differs know that they are in it`() throws {
        _ = try library.store.write { try $0.delete(EntityReference(model: "person", id: "a")) }
        let found = try verification(of: company)
        #expect(found.differenceCounts == [.missing: 1, .differentList: 1])
        #expect(!found.differences.contains { !$0.isChangedHere })
        #expect(try library.store.verify().isSound)
    }

    @Test func `a list that nobody has changed here is not marked for the sake of its owner`() throws {
        _ = try library.store.write { try $0.put(team("t"), values: ["name": .string("here")]) }
        var later = company
        later.teams[0].members = ["b", "c"]
        let marks = try verification(of: later).differences.map { ($0.name, $0.isChangedHere) }
        #expect(marks.map(\.0) == ["name", "members"] && marks.map(\.1) == [true, false])
    }

    @Test func `a list that somebody has changed here is marked`() throws {
        _ = try library.store.write {
            _ = try $0.link("members", of: team("t"), to: "c")
        }
        let differences = try verification(of: company).differences
        #expect(differences.map(\.name) == ["members"] && differences[0].isChangedHere)
    }
}

/// Lists of one owner whose other sides have the same name.
@Suite struct SameInverseTests {
    @Test func `two lists of one owner are told from each other where their members call it the same`() throws {
        func table(_ name: String, _ member: String) -> String {
            """
            CREATE TABLE \(name)(p INTEGER NOT NULL REFERENCES p(id) ON DELETE CASCADE,
              \(member) INTEGER NOT NULL REFERENCES \(member)(id) ON DELETE CASCADE, position INTEGER NOT NULL,
              PRIMARY KEY(p, position));
            INSERT INTO \(name) VALUES(1, 1, 0), (2, 1, 0), (2, 2, 1);

            """
        }
        let sequel = try DatabaseSequel(
            """
            CREATE TABLE p(id INTEGER PRIMARY KEY); CREATE TABLE t(id INTEGER PRIMARY KEY);
            CREATE TABLE v(id INTEGER PRIMARY KEY);
            INSERT INTO p VALUES(1), (2); INSERT INTO t VALUES(1), (2); INSERT INTO v VALUES(1), (2);

            """ + table("p_t", "t") + table("p_v", "v")
        )
        try sequel.change("DELETE FROM p_v WHERE p = 1")
        let source = try SQLiteFormat.source(path: sequel.sandbox.path)
        let found = try MigrationVerifier(source: source, store: sequel.library.store).run()
        #expect(found.differenceCounts == [.differentList: 1])
        #expect(try sequel.again().counts["p"]?.updated == 1)
    }
}
