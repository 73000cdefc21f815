import LegacyMigration
import Reprise
import Testing

/// Exports that no longer have what an earlier one of the same source had.
@Suite struct VanishedPartsTests {
    private func library() throws -> TemporaryLibrary {
        try TemporaryLibrary(schema: Schema(InventedCompany.schema))
    }

    private var company: InventedCompany {
        var company = InventedCompany()
        company.departments = [.init(key: "d", name: "D")]
        company.people = [
            .init(key: "a", name: "A", email: "a@x", department: "d"), .init(key: "b", name: "B"),
        ]
        company.teams = [.init(key: "t", name: "T", lead: "a", members: ["a", "b"])]
        return company
    }

    /// The same without what `isGone` tells, by model and field; nil for a whole class.
    private func source(
        _ company: InventedCompany,
        infers: Bool = false,
        without isGone: @escaping (String, String?) -> Bool
    ) -> InventedSource {
        var source = company.source
        source.infersSchema = infers
        var schema = source.schema
        let names = schema
        schema.relations.removeAll { relation in
            [relation.source, relation.target].contains { end in
                let model = names.model(end.model)?.name ?? ""
                return isGone(model, nil) || isGone(model, end.name)
            }
        }
        schema.models.removeAll { isGone($0.name, nil) }
        for place in schema.models.indices {
            let model = schema.models[place].name
            schema.models[place].attributes.removeAll { isGone(model, $0.name) }
        }
        source.records.removeAll { isGone($0.className, nil) }
        source.records = source.records.map { record in
            LegacyRecord(
                className: record.className,
                key: record.key,
                fields: record.fields.filter { !isGone(record.className, $0.name) }
            )
        }
        source.lists.removeAll { isGone($0.className, nil) || isGone($0.className, $0.name) }
        source.schema = schema
        return source
    }

    private func migrate(
        _ source: InventedSource,
        into library: TemporaryLibrary
    ) throws -> MigrationReport {
        try Migrator(replacing: source, store: library.store).run()
    }

    @Test
    func
        `an attribute, a to-one and a list that an export lacks now are named, and rows keep them`()
        throws
    {
        let library = try library()
        #expect(try migrate(company.source, into: library).warningCounts.isEmpty)
        let content = try library.content
        let gone: [(String, String)] = [("person", "email"), ("team", "lead"), ("team", "members")]
        let later = source(company) { model, field in gone.contains { $0 == (model, field ?? "") } }
        let expected = gone.map { "The export has no \($0.1) of \($0.0) any more;" }
        let plan = try Migrator(replacing: later, store: library.store).plan()
        #expect(plan.warningCounts == [.vanishedProperty: 3])
        let report = try migrate(later, into: library)
        #expect(report.warningCounts == [.vanishedProperty: 3] && report.eventCount == 0)
        #expect(!report.isLossless)
        for messages in [plan.warnings, report.warnings].map({ $0.map(\.message) }) {
            for text in expected {
                #expect(messages.contains { $0.hasPrefix(text) }, "\(messages)")
            }
        }
        #expect(try library.content == content)
        let verification = try MigrationVerifier(source: later, store: library.store).run()
        #expect(verification.isEqual && verification.warningCounts == [.vanishedProperty: 3])
        // It is not forgotten when something else is migrated, and not said when it is back.
        var changed = company
        changed.people[1].name = "new"
        let next = source(changed) { model, field in gone.contains { $0 == (model, field ?? "") } }
        #expect(try migrate(next, into: library).warningCounts == [.vanishedProperty: 3])
        #expect(try migrate(next, into: library).warningCounts == [.vanishedProperty: 3])
        #expect(try migrate(changed.source, into: library).warningCounts.isEmpty)
    }

    @Test func `a new row that needs what the export lacks now has nothing there, which is said`() throws {
        let library = try library()
        _ = try migrate(company.source, into: library)
        var larger = company
        larger.teams.append(.init(key: "u", name: "U", members: ["b"]))
        let later = source(larger) { model, field in model == "team" && field == "name" }
        let plan = try Migrator(replacing: later, store: library.store).plan()
        let report = try migrate(later, into: library)
        #expect(plan.warningCounts == [.vanishedProperty: 1, .defaultedValue: 1])
        #expect(report.warningCounts == plan.warningCounts)
        let expected = "The export has no name any more, which the new team \"u\""
        for messages in [plan.warnings, report.warnings].map({ $0.map(\.message) }) {
            #expect(messages.contains { $0.hasPrefix(expected) }, "\(messages)")
        }
        let names = try library.store.read { state in
            try ["t", "u"].map { try state.record(model: "team", id: $0)?["name"] }
        }
        #expect(names == [.string("T"), .string("")])
        _ = try library.store.write { try $0.delete(EntityReference(model: "team", id: "t")) }
        let again = try migrate(later, into: library)
        #expect(again.warningCounts == [.localChangeKept: 1] && again.eventCount == 0)
    }

    @Test func `a class that an export lacks now is named, and its rows stay`() throws {
        let library = try library()
        _ = try migrate(company.source, into: library)
        let content = try library.content
        let later = source(company) { model, field in model == "team" && field == nil }
        let report = try migrate(later, into: library)
        #expect(report.warningCounts == [.vanishedClass: 1] && report.eventCount == 0)
        #expect(
            report.warnings.first?.message.hasPrefix("The export has no class team any more")
                == true
        )
        #expect(try library.content == content)
    }

    @Test func `what no row of the source has anything in is not missed`() throws {
        let library = try library()
        let undone = try migrate(company.source, into: library).snapshotBefore
        let later = source(company) { model, field in
            model == "team" && field == nil || model == "person" && field == "age"
        }
        // Nobody ever had an age.
        #expect(try migrate(later, into: library).warningCounts == [.vanishedClass: 1])
        // What was undone is gone, and what somebody made here is not the source's.
        try library.store.rollback(to: .snapshot(try #require(undone)))
        _ = try library.store.write {
            try $0.put(EntityReference(model: "team", id: "mine"), values: ["name": .string("M")])
        }
        #expect(try migrate(later, into: library).warningCounts.isEmpty)
    }

    @Test func `what is saved of a damaged file misses nothing`() throws {
        let library = try library()
        _ = try migrate(company.source, into: library)
        var later = source(company) { model, field in model == "team" && field == nil }
        later.isPartial = true
        #expect(try migrate(later, into: library).warningCounts.isEmpty)
    }

    @Test func `a relationship that the export gives from its other side is not missed`() throws {
        let library = try library()
        _ = try migrate(company.source, into: library)
        var later = company.source
        // The people of a department are given now, and not the department of each person.
        later.absentFields = ["person": ["department"]]
        later.lists.append(
            LegacyList(
                className: "department",
                key: "d",
                name: "people",
                members: LegacyReferences(["a"])
            )
        )
        let report = try migrate(later, into: library)
        #expect(report.warningCounts.isEmpty, "\(report.warnings)")
    }

    @Test
    func `where the schema is what an export happens to hold, a field is named that rows lose`()
        throws
    {
        let library = try library()
        var full = company.source
        full.infersSchema = true
        _ = try migrate(full, into: library)
        let later = source(company, infers: true) { model, field in
            model == "person" && ["email", "age"].contains(field)
                || model == "team" && field == nil
        }
        let plan = try Migrator(replacing: later, store: library.store).plan()
        #expect(plan.warningCounts == [.vanishedProperty: 1])
        let report = try migrate(later, into: library)
        #expect(report.warningCounts == [.vanishedProperty: 1])
        #expect(report.warnings.first?.message.contains("is taken out of the rows") == true)
        // Rows of the class are counted as deleted, and what nobody has any more is not said again.
        #expect(report.counts["team"]?.deleted == 1)
        #expect(
            try library.store.read { try $0.record(model: "person", id: "a")?["email"] } == .null
        )
        #expect(try migrate(later, into: library).warningCounts.isEmpty)
    }
}
