import LegacyMigration
import Reprise
import TestSupport
import Testing

/// Newer exports in which rows take unique values from each other (HIS-54).
@Suite struct UniqueSwapTests {
    private typealias Person = InventedCompany.Person

    private func library(
        _ schema: SchemaDescription = InventedCompany.schema
    ) throws -> TemporaryLibrary {
        try TemporaryLibrary(schema: Schema(schema))
    }

    @discardableResult
    private func migrate(
        _ source: InventedSource,
        into library: TemporaryLibrary
    ) throws -> MigrationReport {
        let options = Migrator.Options(replacesEverything: true)
        return try Migrator(source: source, store: library.store, options: options).run()
    }

    private func company(_ emails: KeyValuePairs<String, String>) -> InventedCompany {
        var company = InventedCompany()
        company.people = emails.map { Person(key: $0.key, name: $0.key, email: $0.value) }
        return company
    }

    /// Migrates a newer export: a plan foretells it, the store then has what the export has, every row is the one that
    /// it was, and nothing is left to do.
    @discardableResult
    private func expectTaken(
        _ source: InventedSource,
        by library: TemporaryLibrary
    ) throws -> MigrationReport {
        let before = try created(library)
        let plan = try Migrator(replacing: source, store: library.store).plan()
        let report = try migrate(source, into: library)
        #expect(report.warningCounts.isEmpty)
        #expect(report.counts["person"] == plan.counts["person"])
        #expect(try MigrationVerifier(source: source, store: library.store).run().isEqual)
        let after = try created(library)
        for (id, position) in after where before[id] != nil { #expect(before[id] == position) }
        #expect(try library.store.verify().isSound)
        #expect(try migrate(source, into: library).eventCount == 0)
        return report
    }

    private func created(_ library: TemporaryLibrary) throws -> [String: Position] {
        try library.store.read { state in
            let people = try state.records(RecordQuery(model: "person"))
            return Dictionary(uniqueKeysWithValues: people.map { ($0.id, $0.created) })
        }
    }

    @Test func `two rows swap their values`() throws {
        let library = try library()
        try migrate(company(["a": "x", "b": "y"]).source, into: library)
        let report = try expectTaken(
            company(["a": "y", "b": "x"]).source,
            by: library
        )
        #expect(report.counts["person"]?.updated == 2)
        #expect(report.counts["person"]?.deleted == 0)
    }

    @Test(arguments: seeds(Array(0..<60))) func `values go round among many rows`(number: UInt64) throws {
        var seed = TestSupport.SeededGenerator(seed: number)
        let library = try library()
        var company = InventedCompany(seed: &seed, size: 5)
        try migrate(company.source, into: library)
        for _ in 0..<3 {
            let moved = company.people.indices.filter { _ in seed.once(in: 2) }
            var emails = moved.map { company.people[$0].email }
            emails.shuffle(using: &seed)
            for (place, email) in zip(moved, emails) { company.people[place].email = email }
            if seed.once(in: 2) { for _ in 0..<4 { company.change(&seed) } }
            let plan = try Migrator(replacing: company.source, store: library.store).plan()
            let report = try migrate(company.source, into: library)
            #expect(report.warningCounts[.uniqueValueTaken] == nil)
            #expect((plan.writtenCount == 0) == (report.writtenCount == 0))
            let fresh = try self.library()
            try migrate(company.source, into: fresh)
            #expect(try library.content == fresh.content)
            #expect(try migrate(company.source, into: library).eventCount == 0)
        }
    }

    @Test func `a ring lets a new row in, and takes over from one that goes`() throws {
        let library = try library()
        try migrate(company(["a": "1", "b": "2", "c": "3", "d": "4"]).source, into: library)
        // The fourth goes; the fifth takes what the third gives up.
        let report = try expectTaken(
            company(["e": "3", "a": "2", "b": "1", "c": "4"]).source,
            by: library
        )
        #expect(report.counts["person"]?.inserted == 1)
        #expect(report.counts["person"]?.deleted == 1)
    }

    @Test func `what must be unique together may have a to-one in it that comes later`() throws {
        var schema = InventedCompany.schema
        schema.models[0].indexes = [IndexDescription(number: 1, slots: [5, 0], isUnique: true)]
        let library = try library(schema)
        var company = InventedCompany()
        company.departments = [.init(key: "d", name: "D"), .init(key: "e", name: "E")]
        company.people = [
            .init(key: "a", name: "1", department: "d"),
            .init(key: "b", name: "2", department: "d"),
            .init(key: "c", name: "1", department: "e"),
        ]
        func source() -> InventedSource {
            var source = company.source
            source.schema = schema
            return source
        }
        try migrate(source(), into: library)
        company.people[0].department = "e"
        company.people[2].department = "d"
        try expectTaken(source(), by: library)
        company.people[0].name = "2"
        company.people[0].department = "d"
        company.people[1].name = "1"
        company.people[2].department = "e"
        try expectTaken(source(), by: library)
    }

    @Test func `rows that wait for what stays taken stay as they are, with their entries`() throws {
        let library = try library()
        var company = company(["a": "x", "b": "y", "c": "z"])
        company.teams = [.init(key: "t", name: "T", members: ["a", "b", "a"])]
        try migrate(company.source, into: library)
        let mine = EntityReference(model: "person", id: "mine")
        _ = try library.store.write {
            try $0.put(
                mine,
                values: ["name": .string("M"), "tags": .list([]), "email": .string("m")]
            )
        }
        let people = try created(library)
        let entries = try library.store.read {
            try $0.entries(of: "members", model: "team", id: "t")
        }
        company.people[0].email = "y"
        company.people[1].email = "m"
        company.people[2].name = "C"
        let report = try migrate(company.source, into: library)
        #expect(report.warningCounts == [.uniqueValueTaken: 2])
        #expect(report.counts["person"]?.deleted == 0)
        #expect(report.counts["person"]?.updated == 1)
        #expect(try created(library) == people)
        let kept = try library.store.read {
            try $0.entries(of: "members", model: "team", id: "t")
        }
        #expect(kept == entries)
        let emails = try library.store.read { state in
            try ["a", "b"].map { try state.record(model: "person", id: $0)?["email"] }
        }
        #expect(emails == [.string("x"), .string("y")])
        #expect(try migrate(company.source, into: library).eventCount == 0)
    }

    @Test func `a row whose required target never comes is not deleted for that`() throws {
        var schema = InventedCompany.schema
        schema.models[0].attributes[5].isOptional = false
        let library = try library(schema)
        var company = InventedCompany()
        company.departments = [.init(key: "d", name: "D")]
        company.people = [
            .init(key: "a", name: "A", department: "d"),
            .init(key: "b", name: "B", department: "d"),
        ]
        try migrate(company.source, into: library)
        let people = try created(library)
        company.people[0].department = "nowhere"
        company.people[1].name = "C"
        let report = try migrate(company.source, into: library)
        #expect(report.counts["person"]?.deleted == 0)
        #expect(try created(library) == people)
        let row = try library.store.read { try $0.record(model: "person", id: "a") }
        #expect(row?["department"] == .reference("d"))
        #expect(try migrate(company.source, into: library).eventCount == 0)
    }

    @Test(arguments: 1...4)
    func `a swap that is cancelled somewhere is done when it is made again`(steps: Int) throws {
        let first = company(["a": "1", "b": "2", "c": "3", "d": "4", "e": "5"]).source
        let newer = company(["a": "2", "b": "1", "c": "5", "d": "3", "e": "4"]).source
        let (whole, broken) = (try library(), try library())
        let options = Migrator.Options(replacesEverything: true)
        for library in [whole, broken] { try migrate(first, into: library) }
        try migrate(newer, into: whole)
        var left = steps
        do {
            _ = try Migrator(source: newer, store: broken.store, options: options)
                .run { _ in
                    left -= 1
                    return left > 0
                }
        } catch let error as MigrationError where error.code == .cancelled {
            try migrate(newer, into: broken)
        }
        #expect(try broken.content == whole.content)
        #expect(try broken.digest == whole.digest)
        #expect(try MigrationVerifier(source: newer, store: broken.store).run().isEqual)
    }

    @Test func `what somebody changed is overwritten in a swap with a warning`() throws {
        let library = try library()
        try migrate(company(["a": "x", "b": "y"]).source, into: library)
        _ = try library.store.write {
            try $0.put(EntityReference(model: "person", id: "a"), values: ["name": .string("Z")])
        }
        var company = company(["a": "y", "b": "x"])
        for place in company.people.indices { company.people[place].name += ", too" }
        let newer = company.source
        let report = try migrate(newer, into: library)
        #expect(report.warningCounts == [.localChangeOverwritten: 1])
        #expect(try MigrationVerifier(source: newer, store: library.store).run().isEqual)
    }
}
