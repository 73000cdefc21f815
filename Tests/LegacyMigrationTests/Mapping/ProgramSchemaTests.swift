import Foundation
import LegacyMigration
import Reprise
import TestSupport
import Testing

private struct Item: Model {
    enum Kind: String, StoredValue { case food, tool }

    var id: ID
    var name: String
    var price: Decimal?
    var kind: Kind
    var quantity: Int

    static let schema = ModelSchema(
        "item",
        Self.init,
        .id("id", \.id),
        .attribute("name", \.name),
        .attribute("price", \.price),
        .attribute("kind", \.kind),
        .attribute("quantity", \.quantity)
    )
}

/// Exports that become the models of a program.
@Suite struct ProgramSchemaTests {
    private let directory: TemporaryDirectory
    private let store: Store

    init() throws {
        directory = try TemporaryDirectory(named: "program-schema")
        store = try Store.temporary(Schema(Item.self))
    }

    private func migrate(_ source: some LegacySource, _ rules: String = "") throws -> MigrationReport {
        let json = #"{"classes": {"items": {"model": "item"\#(rules)}}}"#
        var mapping = try RecordMapping(json: Array(json.utf8))
        mapping.target = .schema(try store.schema)
        let mapped = try MappedSource(source, mapping)
        let report = try Migrator(source: mapped, store: store).run()
        #expect(try Migrator(source: mapped, store: store).run().eventCount == 0)
        #expect(try MigrationVerifier(source: mapped, store: store).run().isEqual)
        return report
    }

    private func database(_ rows: String) throws -> SQLiteDatabaseSource {
        let path = directory.path("items.sqlite")
        let database = try SQLiteScratch(at: path)
        try database.execute(
            "CREATE TABLE items(id INTEGER PRIMARY KEY, name TEXT NOT NULL, price REAL, kind TEXT, quantity INT)"
        )
        try database.execute("INSERT INTO items VALUES \(rows)")
        database.close()
        return try SQLiteDatabaseSource(path: path)
    }

    private func prices() throws -> [Decimal?] { try store.fetch(Item.self).map(\.price) }

    @Test(arguments: ["", #", "fields": {"price": {"type": "decimal"}}"#])
    func `binary numbers become the decimals that they are written as`(rules: String) throws {
        let source = try database("(1, 'a', 11.0, 'tool', 1), (2, 'b', 0.1, 'tool', 2), (3, 'c', NULL, 'food', 3)")
        #expect(try migrate(source, rules).warningCounts.isEmpty)
        #expect(try prices() == [11, Decimal(string: "0.1"), nil])
    }

    @Test func `zeros at the end of a fraction are no hindrance for a decimal`() throws {
        let path = directory.path("items.csv")
        try "id,name,price,kind,quantity\n1,a,189.30,tool,1\n2,b,12.00,tool,1\n3,c,7.25,food,2\n"
            .write(toFile: path, atomically: false, encoding: .utf8)
        #expect(try migrate(CSVSource(path: path)).warningCounts.isEmpty)
        #expect(try prices() == [Decimal(string: "189.3"), 12, Decimal(string: "7.25")])
    }

    @Test func `a required attribute of which nothing is said is named`() throws {
        let report = try migrate(try database("(1, 'a', 1.5, 'tool', 7)"), #", "fields": {"kind": null}"#)
        #expect(report.warningCounts == [.requiredUnsaid: 1] && report.isLossless)
        #expect(report.warnings.contains { $0.kind == .requiredUnsaid && $0.message.contains("item.kind") })
        #expect(try store.read { try $0.record(model: "item", id: "1") }?["quantity"] == .int(7))
    }
}
