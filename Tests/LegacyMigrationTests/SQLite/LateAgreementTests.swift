import LegacyMigration
import Reprise
import TestSupport
import Testing

/// Rows that were made here, wait in their first migration for a value that another row has, and own an empty list.
@Suite struct LateAgreementTests {
    @Test(arguments: ["", ", boss INTEGER REFERENCES p(id)"])
    func `the same export again has nothing to agree upon`(further: String) throws {
        let sequel = try DatabaseSequel(
            """
            CREATE TABLE p(id INTEGER PRIMARY KEY, n TEXT UNIQUE\(further));
            CREATE TABLE t(id INTEGER PRIMARY KEY, w TEXT);
            CREATE TABLE p_t(p INTEGER NOT NULL REFERENCES p(id) ON DELETE CASCADE,
              t INTEGER NOT NULL REFERENCES t(id) ON DELETE CASCADE, position INTEGER NOT NULL,
              PRIMARY KEY(p, position));
            INSERT INTO p(id, n) VALUES(4, 'n9'); INSERT INTO t VALUES(1, 'w');
            """
        )
        _ = try sequel.library.store.write {
            try $0.put(EntityReference(model: "p", id: "5"), values: ["n": .string("n5")])
        }
        try sequel.change("DELETE FROM p; INSERT INTO p(id, n) VALUES(1, 'n3'), (5, 'n9');")
        if !further.isEmpty { try sequel.change("UPDATE p SET boss = 1 WHERE id = 1") }
        #expect(try sequel.again().agreedCount == 1)
        #expect(try sequel.values("p", "n") == ["1": .string("n3"), "5": .string("n9")])
    }
}
