import Foundation
import LegacyMigration
import Reprise
import TestSupport
import Testing

/// An export in memory.
struct ExportedRealmJSON {
    var text: String
    let schema: String
    let report: ExportReport

    init(_ store: Store, asOf point: Point = .head) throws {
        var bytes: [UInt8] = []
        (report, schema) = try store.read(asOf: point) { state in
            let report = try RealmJSONExport().write(state) { bytes += $0 }
            return (report, RealmJSONExport.schemaText(of: state.schema))
        }
        text = String(decoding: bytes, as: UTF8.self)
    }

    func count(_ kind: LegacyWarning.Kind) -> Int { report.warningCounts[kind, default: 0] }
}

@Suite struct RealmJSONExportTests {
    @Test(
        "a state that is exported and migrated again has equal values, lists and orders",
        arguments: 1...60
    )
    func roundTrip(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let state = InventedState(using: &random)
        let library = try TemporaryLibrary(schema: Schema(state.schema))
        try state.fill(library.store, using: &random)
        let export = try ExportedRealmJSON(library.store)
        try Realm2JSON.with(export.text, schema: export.schema) { source in
            let copy = try TemporaryLibrary(for: source)
            let report = try Migrator(replacing: source, store: copy.store).run()
            #expect(report.warnings.isEmpty, "seed \(seed)")
            let (before, after) = (try StateContent(library.store), try StateContent(copy.store))
            for model in state.schema.models {
                let (old, new) = (before.records[model.name] ?? [], after.records[model.name] ?? [])
                #expect(old.map(\.id) == new.map(\.id), "seed \(seed)")
                for (old, new) in zip(old, new) {
                    #expect(
                        old.values.map(\.name) == new.values.map(\.name),
                        "seed \(seed) \(old.id)"
                    )
                    for value in old.values {
                        #expect(
                            value.value == new[value.name],
                            "seed \(seed) \(old.id) \(value.name)"
                        )
                    }
                    for list in old.lists {
                        let copied = new.lists.first { $0.name == list.name }?.targets
                        #expect(list.targets == copied, "seed \(seed) \(old.id) \(list.name)")
                    }
                }
            }
            // The copy says the same, but for what is an attribute of its own there.
            #expect(try ExportedRealmJSON(copy.store).report.counts == export.report.counts)
        }
    }

    @Test func `the layout is that of realm2json in mode 0, and the schema that of its option`()
        throws
    {
        let company = InventedCompany.example
        let store = try TemporaryLibrary(for: company.source)
        _ = try Migrator(replacing: company.source, store: store.store).run()
        let export = try ExportedRealmJSON(store.store)
        #expect(
            export.text == """
                {
                "person":[{"id":"p1","name":"Ada \\"A\\"","email":"a@b","age":36,"pay":"4.5","tags":["x","x",""],\
                "department":"d1","boss":"p1","leads":["t1"]},\
                {"id":"p2","name":"Bob","email":null,"age":null,"pay":null,"tags":[],\
                "department":null,"boss":"p1","leads":[]}]
                ,"department":[{"id":"d1","name":"Root","parent":null,"people":["p1"],"children":[]}]
                ,"team":[{"id":"t1","name":"T","lead":"p1","members":["p2","p1","p2"]}]
                }

                """
        )
        let person = """
            [
            {"name":"class_person","primaryKey":"id","tableType":"TopLevel","properties":[\
            {"name":"id","type":"string"},{"name":"name","type":"string"},\
            {"name":"email","type":"string","isOptional":true,"isIndexed":true},\
            {"name":"age","type":"int","isOptional":true},\
            {"name":"pay","type":"decimal128","isOptional":true},{"name":"tags","type":"string","isArray":true},\
            {"name":"department","type":"object","objectType":"class_department","isOptional":true},
            """
        #expect(export.schema.hasPrefix(person))
        #expect(
            export.schema.contains(
                #"{"name":"members","type":"object","objectType":"class_person","isArray":true}]}"#
            )
        )
        #expect(export.report.counts.map(\.rowCount) == [2, 1, 1])
        // Two rules of deleting and something unique.
        #expect(export.report.warningCounts == [.lostRule: 3])
    }

    @Test func `equal states give equal bytes, whatever came before`() throws {
        let company = InventedCompany.example
        let one = try TemporaryLibrary(for: company.source)
        _ = try Migrator(replacing: company.source, store: one.store).run()
        let two = try TemporaryLibrary(for: company.source)
        _ = try two.store.write { transaction in
            try transaction.put(
                EntityReference(model: "department", id: "zz"),
                values: ["name": .string("gone")]
            )
        }
        _ = try two.store.write { try $0.delete(EntityReference(model: "department", id: "zz")) }
        _ = try Migrator(replacing: company.source, store: two.store).run()
        #expect(try ExportedRealmJSON(one.store).text == ExportedRealmJSON(two.store).text)
        let before = try one.head
        _ = try one.store.write { transaction in
            try transaction.put(
                EntityReference(model: "person", id: "p2"),
                values: ["name": .string("Rob")]
            )
        }
        #expect(try ExportedRealmJSON(one.store).text != ExportedRealmJSON(two.store).text)
        #expect(
            try ExportedRealmJSON(one.store, asOf: .position(before)).text
                == ExportedRealmJSON(two.store).text
        )
    }

    @Test func `structs become embedded objects, and what nests deeper a value of any type`() throws
    {
        let size = [
            EmbeddedField(name: "width", type: .double, isOptional: false),
            EmbeddedField(name: "unit", type: .string, isOptional: true),
        ]
        let store = try TemporaryLibrary(
            schema: Schema(
                Self.schema([
                    ("size", .embedded(size)),
                    ("sizes", .list(.embedded(size), nilElements: false)),
                    ("grid", .list(.list(.int, nilElements: true), nilElements: false)),
                    ("byName", .map(.embedded(size), nilValues: false)),
                ])
            )
        )
        let small = Value.embedded([.init("width", .double(1.5)), .init("unit", .string("m"))])
        let large = Value.embedded([.init("width", .double(.infinity))])
        try store.store.write { transaction in
            try transaction.put(
                EntityReference(model: "thing", id: "1"),
                values: [
                    "size": small, "sizes": .list([large, small]),
                    "grid": .list([.list([.int(1), .null]), .list([])]),
                    "byName": .map([.init("k", large)]),
                ]
            )
            try transaction.put(EntityReference(model: "thing", id: "2"), values: [:])
        }
        let export = try ExportedRealmJSON(store.store)
        #expect(
            export.text == """
                {
                "thing":[{"id":"1","size":{"width":1.5,"unit":"m"},\
                "sizes":[{"width":inf,"unit":null},{"width":1.5,"unit":"m"}],"grid":[[1,null],[]],\
                "byName":{"k":{"width":inf}}},{"id":"2","size":null,"sizes":null,"grid":null,"byName":null}]
                }

                """
        )
        #expect(export.schema.contains(#""tableType":"Embedded","properties":[{"name":"width""#))
        #expect(
            export.report.warningCounts == [.embeddedStruct: 2, .keptAsMixed: 2, .nilCollection: 1]
        )
        try Realm2JSON.with(export.text, schema: export.schema) { source in
            let readout = try Readout(source)
            #expect(readout.record("thing", "1")?["size"] == .reference("thing/1/size"))
            #expect(readout.record("thing_size", "thing/1/size")?["width"] == .double(1.5))
            #expect(
                readout.record("thing_sizes", "thing/1/sizes/0")?["width"] == .double(.infinity)
            )
            #expect(readout.record("thing", "1")?["grid"] == .string("[[1,null],[]]"))
        }
    }

    @Test func `what the form cannot say is counted`() throws {
        let store = try TemporaryLibrary(
            schema: Schema(
                Self.schema([
                    ("number", .double), ("date", .date), ("decimal", .decimal),
                    ("list", .list(.int, nilElements: false)),
                    ("map", .map(.int, nilValues: false)),
                ])
            )
        )
        try store.store.write { transaction in
            try transaction.put(
                EntityReference(model: "thing", id: String(repeating: "x", count: 201)),
                values: [
                    "number": .double(Double(bitPattern: 0x7FF8_0000_0000_BEEF)),
                    "date": .date(Date(timeIntervalSinceReferenceDate: .nan)),
                    "decimal": .decimal(Decimal(string: "12345678901234567890123456789012345")!),
                    "map": .map([.init("$date", .int(1))]),
                ]
            )
            try transaction.put(
                EntityReference(model: "thing", id: "2"),
                values: [
                    "date": .date(Date(timeIntervalSinceReferenceDate: 1e-12)), "list": .list([]),
                    "map": .map([]),
                ]
            )
        }
        let export = try ExportedRealmJSON(store.store)
        let expected: [LegacyWarning.Kind: Int] = [
            .lostNaN: 1, .unusualDate: 1, .longDecimal: 1, .nilCollection: 1, .unusualMapKey: 1,
            .unusualKey: 1, .roundedDate: 1,
        ]
        #expect(export.report.warningCounts == expected)
        #expect(export.text.contains(#""number":nan,"date":null,"#))
        #expect(export.text.contains(#""map":{"$dictionary":{"$date":1}}"#))
        #expect(export.text.contains(#""date":"2001-01-01 00:00:00","#))
    }

    @Test func `what the sink throws ends the export, as does progress`() throws {
        struct Enough: Error {}
        let store = try TemporaryLibrary(for: InventedCompany.example.source)
        _ = try Migrator(replacing: InventedCompany.example.source, store: store.store).run()
        _ = try store.store.read { state in
            #expect(throws: Enough.self) {
                try RealmJSONExport().write(state) { _ in throw Enough() }
            }
        }
        _ = try store.store.read { state in
            #expect(throws: Enough.self) {
                try RealmJSONExport().write(state) { _ in
                } progress: { _ in
                    throw Enough()
                }
            }
        }
    }

    @Test func `a schema without models is an object without classes`() throws {
        let store = try TemporaryLibrary(
            schema: Schema(SchemaDescription(models: [], relations: []))
        )
        let export = try ExportedRealmJSON(store.store)
        #expect(export.text == "{\n}\n" && export.schema == "[\n]\n")
    }

    /// One model, all of whose attributes are optional.
    static func schema(_ attributes: [(name: String, type: ValueType)]) -> SchemaDescription {
        let descriptions = attributes.enumerated().map {
            AttributeDescription(
                slot: $0.offset,
                name: $0.element.name,
                type: $0.element.type,
                isOptional: true
            )
        }
        let model = ModelDescription(
            number: 1,
            name: "thing",
            version: 1,
            slotCount: attributes.count,
            attributes: descriptions,
            indexes: []
        )
        return SchemaDescription(models: [model], relations: [])
    }
}

extension InventedCompany {
    /// Two people, one of them her own boss, and a team with repeats.
    static var example: InventedCompany {
        var company = InventedCompany()
        company.departments = [Department(key: "d1", name: "Root")]
        company.people = [
            Person(
                key: "p1",
                name: "Ada \"A\"",
                email: "a@b",
                age: 36,
                tags: ["x", "x", ""],
                department: "d1",
                boss: "p1"
            ),
            Person(key: "p2", name: "Bob", boss: "p1"),
        ]
        company.teams = [Team(key: "t1", name: "T", lead: "p1", members: ["p2", "p1", "p2"])]
        return company
    }
}
