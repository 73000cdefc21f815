import Foundation
import LegacyMigration
import SQLiteFile
import TestSupport
import Testing

@testable import SQLiteSources

/// Tables in a store that belong to no entity: the app's own, which are a loss, and those of a framework.
@Suite struct CoreDataForeignTableTests {
    private func read(_ sql: String) throws -> (skipped: [String], noted: [String]) {
        let sandbox = try DatabaseSandbox(
            """
            CREATE TABLE Z_METADATA(Z_VERSION INTEGER PRIMARY KEY, Z_UUID VARCHAR(255), Z_PLIST BLOB);
            INSERT INTO Z_METADATA VALUES(1, 'STORE-UUID', NULL);
            CREATE TABLE Z_PRIMARYKEY(Z_ENT INTEGER PRIMARY KEY, Z_NAME VARCHAR, Z_SUPER INTEGER, Z_MAX INTEGER);
            INSERT INTO Z_PRIMARYKEY VALUES(1, 'Asset', 0, 1);
            CREATE TABLE ZASSET(Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER);

            """ + sql,
            named: "default.store"
        )
        let readout = try Readout(CoreDataSource(path: sandbox.path))
        func names(_ kind: LegacyWarning.Kind) -> [String] {
            readout.warnings.filter { $0.kind == kind }.map { String($0.message.prefix { $0 != " " }) }
        }
        return (names(.skippedTable), names(.bookkeepingTable))
    }

    @Test func `a table of the app's own is a loss, whatever it is called, and one of a framework a note`() throws {
        let (skipped, noted) = try read(
            """
            CREATE TABLE notes(id INTEGER PRIMARY KEY, body TEXT); INSERT INTO notes VALUES(1, 'own');
            CREATE TABLE drafts(id INTEGER PRIMARY KEY, body TEXT);
            CREATE TABLE Z_7LOST(Z_7A INTEGER, Z_8B INTEGER); INSERT INTO Z_7LOST VALUES(1, 2);
            CREATE TABLE Z_MYAPP(x); INSERT INTO Z_MYAPP VALUES(1);
            CREATE TABLE ANSCKMYOWN(Z_PK INTEGER PRIMARY KEY); INSERT INTO ANSCKMYOWN VALUES(1);
            CREATE TABLE AtransactionLog(Z_PK INTEGER PRIMARY KEY); INSERT INTO AtransactionLog VALUES(1);
            CREATE TABLE aTransactionString(Z_PK INTEGER PRIMARY KEY); INSERT INTO aTransactionString VALUES(1);
            CREATE TABLE ATRANSACTION(id INTEGER PRIMARY KEY, sum REAL); INSERT INTO ATRANSACTION VALUES(1, 2.5);
            CREATE TABLE ACHANGE(Z_PK INTEGER PRIMARY KEY); INSERT INTO ACHANGE VALUES(1);
            CREATE TABLE ANSCKRECORDMETADATA(Z_PK INTEGER PRIMARY KEY); INSERT INTO ANSCKRECORDMETADATA VALUES(1);
            CREATE TABLE Y_UBMETA(x); INSERT INTO Y_UBMETA VALUES(1);
            """
        )
        #expect(
            skipped == [
                "notes", "Z_7LOST", "Z_MYAPP", "ANSCKMYOWN", "AtransactionLog", "aTransactionString", "ATRANSACTION",
            ]
        )
        #expect(noted == ["drafts", "ACHANGE", "ANSCKRECORDMETADATA", "Y_UBMETA"])
    }

    @Test func `a virtual table is a loss, and so is a table that is only called like one of an index`() throws {
        let (skipped, noted) = try read(
            """
            CREATE VIRTUAL TABLE found USING fts5(body); INSERT INTO found VALUES('word');
            CREATE VIRTUAL TABLE notes USING fts4(body);
            CREATE TABLE notes_config(x); INSERT INTO notes_config VALUES('own');
            CREATE VIRTUAL TABLE region USING rtree(id, a, b);
            CREATE TABLE region_data(x); INSERT INTO region_data VALUES('own');
            CREATE VIRTUAL TABLE Z_RT_Asset_bounds USING RTREE(Z_PK INTEGER PRIMARY KEY, ZA_MIN FLOAT, ZA_MAX FLOAT);
            CREATE VIRTUAL TABLE Z_RT_Other_bounds USING rtree(id, a, b);
            CREATE VIRTUAL TABLE Z_RT_Asset_words USING fts5(body);
            """
        )
        #expect(
            skipped == [
                "found", "notes", "notes_config", "region", "region_data", "Z_RT_Other_bounds", "Z_RT_Asset_words",
            ]
        )
        #expect(noted == ["Z_RT_Asset_bounds"])
    }

    @Test func `a virtual table whose module only the app has is a loss, with the tables beside it`() throws {
        let (skipped, noted) = try read(
            """
            CREATE TABLE found_content(x); INSERT INTO found_content VALUES('own');
            PRAGMA writable_schema = ON;
            INSERT INTO sqlite_schema VALUES('table', 'found', 'found', 0, 'CREATE VIRTUAL TABLE found USING apps(x)');
            """
        )
        #expect(skipped == ["found_content", "found"] && noted.isEmpty)
    }

    @Test func `tables of an index are known by its module only where SQLite does not have that`() {
        func names(_ module: String, known: Set<String>) -> Set<String> {
            CoreDataBookkeeping.shadowNames(of: ["n": module], known: known)
        }
        let words = ["n_content", "n_docsize", "n_segdir", "n_segments", "n_stat"]
        #expect(names("fts4", known: ["fts5"]).sorted() == words)
        #expect(names("rtree", known: []).sorted() == ["n_node", "n_parent", "n_rowid"])
        #expect(names("fts4", known: ["fts4"]).isEmpty && names("apps", known: []).isEmpty)
    }

    @Test(arguments: [
        ("CREATE VIRTUAL TABLE a USING FTS5(b)", "fts5"),
        ("CREATE VIRTUAL TABLE \"a \"\" using b\" USING rtree", "rtree"),
        ("CREATE VIRTUAL TABLE [a b]USING \"fts4\"(x)", "fts4"), ("CREATE VIRTUAL TABLE `a`\n using fts3 (x)", "fts3"),
        ("CREATE VIRTUAL TABLE 'a", nil), ("CREATE VIRTUAL TABLE ", nil), ("CREATE VIRTUAL TABLE a", nil),
        ("CREATE TABLE a(using, fts5)", nil), ("", nil), ("CREATE VIRTUAL TABLE a /* x */ USING fts5(b)", nil),
    ])
    func `the module is what the declaration names`(_ statement: String, _ module: String?) {
        #expect(CoreDataBookkeeping.module(in: statement) == module)
    }
}
