import LegacyMigration
import Reprise
import Testing

/// Records that have no name of their own, until a mapping gives them one.
@Suite struct PositionalKeyTests {
    private func count(_ source: some LegacySource, _ mapping: String) throws -> Int {
        let mapped = try MappedSource(source, RecordMapping(json: Array(mapping.utf8)))
        let library = try TemporaryLibrary(for: mapped)
        let report = try Migrator(replacing: mapped, store: library.store).run()
        return [.positionalKey, .rowNumberKey].reduce(0) { $0 + (report.warningCounts[$1] ?? 0) }
    }

    @Test(arguments: [
        (#"{}"#, 2), (#"{"classes":{"a":{"id":"name"}}}"#, 1), (#"{"classes":{"a":null}}"#, 1),
        (#"{"classes":{"a":{"id":"name"},"b":{"id":["name","age"]}}}"#, 0),
    ])
    func `tables of a database without keys`(mapping: String, count: Int) throws {
        let sandbox = try DatabaseSandbox(
            """
            CREATE TABLE a(name TEXT); INSERT INTO a VALUES('x'), ('y');
            CREATE TABLE b(name TEXT, age INT); INSERT INTO b VALUES('x', 1), ('y', 2);
            """
        )
        let found = try self.count(SQLiteDatabaseSource(path: sandbox.path), mapping)
        #expect(found == count)
    }

    @Test(arguments: [(#"{}"#, 1), (#"{"classes":{"people":{"id":"name"}}}"#, 0)])
    func `lines without keys`(mapping: String, count: Int) throws {
        try TemporaryFile.with(Array("{\"name\":\"A\"}\n{\"name\":\"B\"}\n".utf8), named: "people.ndjson") { path in
            let found = try self.count(NDJSONSource(path: path, name: "lines"), mapping)
            #expect(found == count)
        }
        try TemporaryFile.with(Array("name,age\nA,1\nB,1\n".utf8), named: "people.csv") { path in
            let found = try self.count(CSVSource(path: path, name: "table"), mapping)
            #expect(found == count)
        }
    }
}
