import Foundation
import LegacyMigration
import Reprise
import TestSupport
import Testing

@testable import LegacyExport

@Suite struct SQLiteRoundTripTests {
    @Test(
        "a database that is read back has equal values, lists and orders where types allow",
        arguments: 1...40
    )
    func roundTrip(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let state = InventedState(using: &random)
        let library = try TemporaryLibrary(schema: Schema(state.schema))
        try state.fill(library.store, using: &random)
        let directory = try TemporaryDirectory(named: "export")
        let path = directory.path("out.sqlite")
        let report = try library.store.read { try SQLiteExport().write($0, to: path) }
        let before = try StateContent(library.store)
        #expect(report.rowCount == UInt64(before.records.values.reduce(0) { $0 + $1.count }))
        let source = try SQLiteDatabaseSource(path: path)
        let copy = try TemporaryLibrary(for: source)
        _ = try Migrator(replacing: source, store: copy.store).run()
        let after = try StateContent(copy.store)
        for model in state.schema.models {
            let (old, new) = (before.records[model.name] ?? [], after.records[model.name] ?? [])
            #expect(old.map(\.id) == new.map(\.id), "seed \(seed)")
            for (old, new) in zip(old, new) {
                for value in old.values {
                    let expected = Self.expected(value.value)
                    let found = new[value.name]
                    // A column that has nothing but dates is one of dates.
                    if case .date(let date) = found, case .string(let text)? = expected {
                        #expect(DateText.instant(text)?.date == date, "seed \(seed) \(old.id) \(value.name)")
                    } else if let expected {
                        #expect(found == expected, "seed \(seed) \(old.id) \(value.name)")
                    }
                }
                try expectEqualLists(old, new, model, state.schema, source.schema, seed)
            }
        }
    }

    @Test(arguments: [
        "2024-10-14 08:00:00.493", "1969-12-31 23:59:59.999", "2024-03-20 22:00:00.662", "2001-01-01 00:00:00.000",
        "1999-12-31 23:59:59.9995", "2024-02-29 12:00:00.123456", "0001-01-01 00:00:00.001",
    ])
    func `a date of a database is written with the digits that it had`(text: String) throws {
        let sequel = try DatabaseSequel(
            "CREATE TABLE t(id INTEGER PRIMARY KEY, at DATETIME); INSERT INTO t VALUES(1, '\(text)');"
        )
        guard case .date(let date)? = try sequel.values("t", "at")["1"] else {
            Issue.record("it is no date")
            return
        }
        #expect(ExportText.date(date, .threeOrMore)?.text == text)
        #expect(ExportText.date(date, .threeOrMore)?.isRounded == false)
    }

    /// What is read back; nil for JSON text.
    private static func expected(_ value: Value) -> Value? {
        switch value {
        case .bool(let value): .int(value ? 1 : 0)
        // There is no NaN, and one zero.
        case .float(let value): value.isNaN ? .null : .double(value == 0 ? 0 : Double(value))
        case .double(let value): value.isNaN ? .null : .double(value == 0 ? 0 : value)
        case .date(let date):
            ExportText.date(date, .threeOrMore).map { .string($0.text) } ?? .null
        case .uuid(let value): .string(value.uuidString.lowercased())
        case .decimal(let value): .string(value.description)
        case .list, .set, .map, .embedded: nil
        default: value
        }
    }

    private func expectEqualLists(
        _ old: Record,
        _ new: Record,
        _ model: ModelDescription,
        _ schema: SchemaDescription,
        _ readSchema: SchemaDescription,
        _ seed: UInt64
    ) throws {
        for list in schema.orderedLists(of: model) {
            let targets = old.lists.first { $0.name == list.name }?.targets ?? []
            if case .list = list.relation.kind {
                let found = new.lists.first { $0.name == list.name }?.targets
                #expect(found == targets, "seed \(seed) \(old.id) \(list.name)")
                continue
            }
            // The other side of a to-one: called as the database's reader calls it.
            let relation = try #require(
                readSchema.relations.first {
                    $0.source.name == list.relation.source.name
                        && readSchema.model($0.source.model)?.name == list.target.name
                }
            )
            let found = new.lists.first { $0.name == relation.target.name }?.targets
            #expect(found?.sorted() == targets.sorted(), "seed \(seed) \(old.id) \(list.name)")
            // A table is read in one order: that of its first to-one with a position.
            let first = list.target.attributes.first { attribute in
                attribute.type == .reference
                    && schema.relation(of: attribute, list.target).map {
                        if case .reference = $0.relation.kind {
                            $0.other.name != nil
                        } else {
                            false
                        }
                    } == true
            }
            if first?.name == list.relation.source.name {
                #expect(found == targets, "seed \(seed) \(old.id) \(list.name)")
            }
        }
    }
}
