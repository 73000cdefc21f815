import LegacyMigration
import Reprise
import TestSupport
import Testing

/// What is kept here whatever sort of source says again what it said before: one of lines, whose schema is what it
/// holds, one behind a mapping, what was saved of a damaged file, and one that gives lists by themselves.
@Suite struct LocalChangeSourceTests {
    private func run(
        _ source: any LegacySource,
        in store: Store,
        isForeseen: Bool = true
    ) throws -> MigrationReport {
        let plan = try Migrator(replacing: source, store: store).plan()
        let report = try Migrator(replacing: source, store: store).run()
        #expect(plan.counts == report.counts)
        if isForeseen { #expect(plan.warningCounts == report.warningCounts) }
        #expect(plan.agreedCount == report.agreedCount)
        return report
    }

    // MARK: Lines of JSON

    /// Migrates lines of JSON.
    private func run(
        _ lines: [String],
        _ mapping: RecordMapping = RecordMapping(),
        into library: inout TemporaryLibrary?
    ) throws -> MigrationReport {
        try TemporaryFile.with(Array((lines.joined(separator: "\n") + "\n").utf8), named: "people.ndjson") { path in
            let source = try MappedSource(NDJSONSource(path: path, name: "lines"), mapping)
            let made = try library ?? TemporaryLibrary(schema: Schema(source.schema))
            library = made
            return try run(source, in: made.store)
        }
    }

    /// The only model of a store that lines of JSON have made.
    private func model(_ library: TemporaryLibrary) throws -> String {
        try #require(try library.store.schema.models.first?.name)
    }

    /// One of more values than are searched one by one.
    @Test func `so does one of many, and the others come`() throws {
        var library: TemporaryLibrary?
        func lines(_ first: Int, _ last: Int) -> [String] {
            let fields = (0..<100).map { #""f\#($0)":\#($0 == 0 ? first : $0 == 99 ? last : $0)"# }
            return [#"{"id":"a",\#(fields.joined(separator: ","))}"#]
        }
        _ = try run(lines(0, 99), into: &library)
        let made = try #require(library)
        let model = try model(made)
        try made.write { try $0.put(EntityReference(model: model, id: "a"), values: ["f0": .int(7), "f98": .int(8)]) }
        let report = try run(lines(0, 100), into: &library)
        #expect(report.warningCounts[.localChangeKept] == 1)
        #expect(report.counts[model]?.updated == 1)
        let values = try ["f0", "f1", "f98", "f99"].map { try made.value($0, of: model, "a") }
        #expect(values == [.int(7), .int(1), .int(8), .int(100)])
        #expect(try run(lines(0, 100), into: &library).eventCount == 0)
    }

    @Test(arguments: [false, true])
    func `a field of a line stays as it was changed here, with and without a mapping`(isMapped: Bool) throws {
        let mapping =
            isMapped
            ? try RecordMapping(json: Array(#"{"classes":{"people":{"fields":{"age":"years"}}}}"#.utf8))
            : RecordMapping()
        let attribute = isMapped ? "years" : "age"
        var library: TemporaryLibrary?
        func lines(_ age: Int, _ name: String) -> [String] {
            [#"{"id":"a","age":\#(age),"name":"A"}"#, #"{"id":"b","age":2,"name":"\#(name)"}"#]
        }
        _ = try run(lines(1, "B"), mapping, into: &library)
        let made = try #require(library)
        let row = EntityReference(model: try model(made), id: "a")
        func age() throws -> Value? { try made.value(attribute, of: row.model, row.id) }
        #expect(try age() == .int(1))
        func set(_ age: Int) throws {
            try made.write { try $0.put(row, values: [attribute: .int(age)]) }
        }
        try set(7)
        #expect(try run(lines(1, "B"), mapping, into: &library).eventCount == 0)
        #expect(try run(lines(1, "BB"), mapping, into: &library).warningCounts[.localChangeKept] == 1)
        #expect(try age() == .int(7))
        // Agreed, and changed here again.
        #expect(try run(lines(7, "BB"), mapping, into: &library).agreedCount == 1)
        try set(9)
        #expect(try run(lines(7, "BB"), mapping, into: &library).eventCount == 0)
        #expect(try age() == .int(9))
        let last = try run(lines(8, "BB"), mapping, into: &library)
        #expect(last.warningCounts[.localChangeOverwritten] == 1)
        #expect(try age() == .int(8))
    }

    @Test func `a field that lines have no longer is empty, also where it was changed here`() throws {
        var library: TemporaryLibrary?
        let other = #"{"id":"b","name":"B"}"#
        _ = try run([#"{"id":"a","age":1,"name":"A"}"#, other], into: &library)
        let made = try #require(library)
        let row = EntityReference(model: try model(made), id: "a")
        try made.write { try $0.put(row, values: ["age": .int(7)]) }
        let without = [#"{"id":"a","name":"A"}"#, other]
        #expect(try run(without, into: &library).warningCounts[.localChangeOverwritten] == 1)
        #expect(try made.value("age", of: row.model, "a") == .null)
        // It is empty in the source now: what is set here stays.
        try made.write { try $0.put(row, values: ["age": .int(9)]) }
        #expect(try run(without, into: &library).eventCount == 0)
        #expect(try made.value("age", of: row.model, "a") == .int(9))
    }

    // MARK: What was saved of a damaged file

    private var company: InventedCompany {
        var company = InventedCompany()
        company.departments = [.init(key: "d", name: "D")]
        company.people = ["a", "b", "c"].map { .init(key: $0, name: $0, age: 1, department: "d") }
        company.teams = [.init(key: "t", name: "T", members: ["a", "b", "c"])]
        return company
    }

    /// Changes a field, a list, an order, and deletes something.
    private func change(_ library: TemporaryLibrary) throws {
        try library.write { transaction in
            let team = EntityReference(model: "team", id: "t")
            let members = try transaction.entries(of: "members", model: "team", id: "t")
            try transaction.move("members", entry: members[2], of: team, to: .first)
            let department = EntityReference(model: "department", id: "d")
            let people = try transaction.entries(of: "people", model: "department", id: "d")
            try transaction.move("people", entry: people[2], of: department, to: .first)
            let person = EntityReference(model: "person", id: "a")
            try transaction.put(person, values: ["age": .int(7)])
        }
    }

    @Test(arguments: [false, true])
    func `what was saved of a damaged file changes nothing back, whole or not`(isShort: Bool) throws {
        let library = try TemporaryLibrary(schema: Schema(InventedCompany.schema))
        var company = company
        _ = try run(company.source, in: library.store)
        try change(library)
        let before = try library.content
        if isShort {
            company.people.remove(at: 1)
            company.teams[0].members.remove(at: 1)
        }
        var saved = company.source
        saved.isPartial = true
        for _ in 0..<2 {
            #expect(try run(saved, in: library.store).eventCount == 0)
            #expect(try library.content == before)
        }
        company.people[0].name = "A"
        saved = company.source
        saved.isPartial = true
        _ = try run(saved, in: library.store)
        #expect(try library.value("age", of: "person", "a") == .int(7))
        #expect(try library.members("members", of: "team", "t") == ["c", "a", "b"])
        #expect(try library.members("people", of: "department", "d") == ["c", "a", "b"])
        #expect(try run(saved, in: library.store).eventCount == 0)
    }

    // MARK: Lists on the other side of a to-one that the source gives

    private static let clubs = SchemaDescription(
        models: [
            ModelDescription(1, "club", [("name", .string, true)]),
            ModelDescription(2, "driver", [("note", .string, true), ("club", .reference, true)]),
        ],
        relations: [RelationDescription(1, .reference(slot: 1), (2, "club"), (1, "drivers"))]
    )

    private func clubs(_ drivers: [String]) -> InventedSource {
        var source = InventedSource(schema: Self.clubs)
        source.absentFields = ["driver": ["club"]]
        source.records.append(LegacyRecord(className: "club", key: "c", fields: []))
        for key in drivers.sorted() {
            source.records.append(LegacyRecord(className: "driver", key: key, fields: []))
        }
        let members = LegacyReferences(drivers)
        source.lists.append(LegacyList(className: "club", key: "c", name: "drivers", members: members))
        return source
    }

    @Test(arguments: [false, true])
    func `an order that both have given such a list is changed here again`(isLonger: Bool) throws {
        let library = try TemporaryLibrary(schema: Schema(Self.clubs))
        func arrange(_ wanted: [String]) throws {
            try library.write { transaction in
                for id in wanted {
                    let entries = try transaction.entries(of: "drivers", model: "club", id: "c")
                    guard let entry = entries.first(where: { $0.target == id }) else { continue }
                    let club = EntityReference(model: "club", id: "c")
                    try transaction.move("drivers", entry: entry, of: club, to: .last)
                }
            }
        }
        // Of a member that says itself where it belongs only the run says that it stays.
        func run(_ drivers: [String]) throws -> MigrationReport {
            try self.run(clubs(drivers), in: library.store, isForeseen: !isLonger)
        }
        _ = try run(["x", "y", "z"])
        if isLonger {
            try library.write {
                let driver = EntityReference(model: "driver", id: "mine")
                try $0.put(driver, values: ["club": .reference("c")])
            }
        }
        try arrange(["z", "mine", "y", "x"])
        #expect(try run(["z", "y", "x"]).agreedCount == 1)
        try arrange(["y", "mine", "z", "x"])
        let there = try library.members("drivers", of: "club", "c")
        #expect(try run(["z", "y", "x"]).eventCount == 0)
        #expect(try library.members("drivers", of: "club", "c") == there)
    }
}
