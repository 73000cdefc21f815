import Foundation
import LegacyMigration
import Reprise
import TestSupport
import Testing

@testable import RepriseCLI

/// An attribute or a list called `model`, where a line of JSON says with `model` what a record is.
struct ModelMemberTests {
    private static let schema = SchemaDescription(
        models: [
            ModelDescription(1, "maker", [("name", .string, true)]),
            ModelDescription(2, "car", [("model", .string, true), ("year", .int, true)]),
            ModelDescription(3, "van", [("model", .string, true), ("model_2", .string, true)]),
        ],
        relations: [
            RelationDescription(
                number: 1,
                kind: .list,
                source: .init(model: 1, name: "model", onDelete: .nullify),
                target: .init(model: 2, name: nil, onDelete: .nullify)
            )
        ]
    )

    private let directory: TemporaryDirectory
    private var store: String { directory.path("store") }

    init() throws {
        directory = try TemporaryDirectory(named: "model")
        let store = try Store.open(at: directory.path("store"), schema: Schema(Self.schema))
        defer { store.close() }
        try store.write { transaction in
            let rows: [(model: String, id: String, values: [String: Value])] = [
                ("car", "1", ["model": .string("Golf"), "year": .int(2001)]),
                ("car", "2", ["model": .string("Polo")]),
                ("van", "1", ["model": .string("a"), "model_2": .string("b")]),
                ("maker", "vw", ["name": .string("VW")]),
            ]
            for row in rows {
                try transaction.put(EntityReference(model: row.model, id: row.id), values: row.values)
            }
            try transaction.link("model", of: EntityReference(model: "maker", id: "vw"), to: "1")
        }
    }

    private func tool(_ words: String...) -> (outcome: Outcome, lines: [Substring], diagnostics: String) {
        let output = MemorySink()
        let diagnostics = MemorySink()
        var console = Console(output: output, diagnostics: diagnostics, isQuiet: true)
        let outcome = Tool.run(words, in: &console)
        return (outcome, output.text.split(separator: "\n"), diagnostics.text)
    }

    @Test func `an export calls it otherwise, and says so`() throws {
        let answer = tool("export", store)
        #expect(answer.outcome == .done)
        #expect(
            answer.lines == [
                #"{"model":"maker","id":"vw","name":"VW","model_2":["1"]}"#,
                #"{"model":"car","id":"1","model_2":"Golf","year":2001}"#,
                #"{"model":"car","id":"2","model_2":"Polo"}"#,
                #"{"model":"van","id":"1","model_3":"a","model_2":"b"}"#,
            ]
        )
        #expect(answer.diagnostics.contains("Warning: changedName: car.model is called model_2, because "))
        #expect(answer.diagnostics.contains("Warning: changedName: van.model is called model_3, because "))
        #expect(answer.diagnostics.split(separator: "\n").count == 3)
    }

    @Test func `what is fetched as JSON calls it so, too`() throws {
        for words in [["car", "--id", "1"], ["car", "--where", "model == \"Golf\""]] {
            let output = MemorySink()
            let diagnostics = MemorySink()
            var console = Console(output: output, diagnostics: diagnostics)
            #expect(Tool.run(["fetch", store] + words + ["--json"], in: &console) == .done)
            #expect(output.text.hasPrefix(#"{"model":"car","id":"1","model_2":"Golf","year":2001"#))
            #expect(diagnostics.text.contains("Warning: changedName: car.model is called model_2"))
        }
        // Nothing is shown, or nothing is called so.
        #expect(tool("fetch", store, "car", "--where", "year == 1", "--json").diagnostics.isEmpty)
        #expect(tool("fetch", store, "car", "--id", "1").diagnostics.isEmpty)
    }

    @Test func `what was exported is read back record by record, with the schema and without`() throws {
        let path = directory.path("cars.ndjson")
        #expect(tool("export", store, "--output", path).outcome == .done)
        let copy = try Store.open(at: directory.path("copy"), schema: Schema(Self.schema))
        let source = try NDJSONSource(path: path, schema: Self.schema)
        let report = try Migrator(source: source, store: copy).run()
        #expect(report.warningCounts[.unmappedProperty] == nil)
        copy.close()
        #expect(tool("export", directory.path("copy")).lines == tool("export", store).lines)

        let other = directory.path("other")
        #expect(tool("migrate", path, "--into", other, "--mapping", "own").outcome == .done)
        let fetched = tool("fetch", other, "car", "--json")
        #expect(fetched.lines.first?.hasPrefix(#"{"model":"car","id":"1","model_2":"Golf","year":2001"#) == true)
        #expect(fetched.lines.count == 2 && fetched.diagnostics.isEmpty)
    }
}
