import LegacyMigration
import Reprise
import Synchronization
import Testing

/// What a closure does to the records of a source.
@Suite struct ClosureTests {
    private var company: InventedSource {
        var company = InventedCompany()
        company.people = ["a", "b", "c"].map { .init(key: $0, name: $0, age: 1) }
        company.teams = [
            .init(key: "t", name: "T", members: ["a", "b", "a"]), .init(key: "u", name: "U", members: ["c"]),
        ]
        return company.source
    }

    private func report(
        _ transform: @escaping MappedSource.Transform
    ) throws -> (migrated: MigrationReport, verified: MigrationVerification) {
        let source = try MappedSource(company, transform: transform)
        let library = try TemporaryLibrary(for: source)
        let migrated = try Migrator(replacing: source, store: library.store).run()
        return (migrated, try MigrationVerifier(source: source, store: library.store).run())
    }

    @Test(arguments: [["t"], ["t", "u"]])
    func `a record that it leaves out goes with its lists, and nothing is missed`(_ keys: [String]) throws {
        let (migrated, verified) = try report { record in
            record.className == "team" && keys.contains(record.key) ? nil : record
        }
        #expect(migrated.counts["team"]?.inserted ?? 0 == 2 - keys.count)
        #expect(migrated.isLossless)
        #expect(migrated.warningCounts == [.leftOutByMapping: 1])
        #expect(migrated.warnings.first?.message == "The closure leaves out records of team.")
        #expect(verified.isEqual)
        #expect(verified.warningCounts == migrated.warningCounts)
    }

    @Test func `what names a record that it leaves out is counted alike by a migration and its verification`() throws {
        let (migrated, verified) = try report { record in
            record.className == "person" && record.key != "c" || record.key == "u" ? nil : record
        }
        // Records of both classes are left out.
        #expect(migrated.warningCounts == [.missingTarget: 3, .leftOutByMapping: 2])
        #expect(verified.isEqual)
        #expect(verified.warningCounts == migrated.warningCounts)
    }

    @Test func `a record that it leaves out only at first ends the reading`() throws {
        let names = Mutex<Set<String>>([])
        let mapping = try RecordMapping(json: Array(#"{"classes": {"person": {"id": "name"}}}"#.utf8))
        let source = try MappedSource(company, mapping) { record in
            names.withLock { $0.insert(record.key).inserted } ? nil : record
        }
        #expect(try code { _ = try Readout(source) } == .malformed)
    }

    @Test func `a field that the schema has not is said once`() throws {
        let (migrated, _) = try report { record in
            guard record.className == "person" else { return record }
            let added = LegacyField("nonsense", .string("x"))
            return LegacyRecord(className: "person", key: record.key, fields: record.fields + [added])
        }
        #expect(migrated.warningCounts == [.unmappedProperty: 1])
        #expect(migrated.warnings.first?.message.contains("person a field \"nonsense\"") == true)
    }

    @Test(arguments: [("team", "a"), ("person", "z")])
    func `the class and the key stay`(className: String, key: String) throws {
        let found = try code {
            _ = try report { record in
                record.key == "a"
                    ? LegacyRecord(className: className, key: key, fields: record.fields) : record
            }
        }
        #expect(found == .malformed)
    }
}
