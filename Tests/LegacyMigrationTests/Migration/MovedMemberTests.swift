import LegacyMigration
import Reprise
import Testing

/// Making room in a list moves its members. That neither hides nor feigns what somebody changed (STO-49).
@Suite struct MovedMemberTests {
    private let library: TemporaryLibrary
    private var company = InventedCompany()

    init() throws {
        library = try TemporaryLibrary(schema: Schema(InventedCompany.schema))
        company.departments = [.init(key: "d", name: "D")]
        company.people = (0..<8).map { .init(key: "p\($0)", name: "\($0)", department: "d") }
    }

    /// The export says nothing of how old people are.
    private var source: InventedSource {
        var source = company.source
        source.absentFields = ["person": ["age"]]
        return source
    }

    @discardableResult
    private func migrate() throws -> MigrationReport {
        try Migrator(replacing: source, store: library.store).run()
    }

    private func revision(_ id: String) throws -> Position? {
        try library.store.read {
            try $0.revision(of: EntityReference(model: "person", id: id))?.revision.position
        }
    }

    @Test mutating func `a member that was changed here stays, though a migration moved it`() throws
    {
        try migrate()
        _ = try library.store.write {
            try $0.put(EntityReference(model: "person", id: "p1"), values: ["age": .int(30)])
        }
        let changed = try #require(try revision("p1"))
        // More than a gap between two members has room for.
        for run in 0..<2 {
            let new = (0..<300).map {
                InventedCompany.Person(key: "n\(run).\($0)", name: "new", department: "d")
            }
            company.people.insert(contentsOf: new, at: 1)
            #expect(try migrate().warningCounts.isEmpty)
        }
        let moved = try #require(try revision("p1"))
        #expect(moved > changed)
        company.people.removeAll { $0.key == "p1" }
        for _ in 0..<2 {
            #expect(try migrate().warningCounts == [.deletedInSourceButChanged: 1])
            let row = try library.store.read { try $0.record(model: "person", id: "p1") }
            #expect(row?["age"] == .int(30))
        }
    }

    @Test mutating func `a member that moved because somebody made room goes with the export`()
        throws
    {
        try migrate()
        let before = try #require(try revision("p1"))
        let department = EntityReference(model: "department", id: "d")
        _ = try library.store.write { transaction in
            for number in 0..<48 {
                let mine = EntityReference(model: "person", id: "mine\(number)")
                try transaction.put(mine, values: ["name": .string("M"), "tags": .list([])])
                let entries = try transaction.entries(
                    of: "people",
                    model: "department",
                    id: "d"
                )
                let next = try #require(entries.first { $0.target == "p1" })
                try transaction.link(
                    "people",
                    of: department,
                    to: mine.id,
                    at: .before(next)
                )
            }
        }
        let moved = try #require(try revision("p1"))
        #expect(moved > before)
        company.people.removeAll { $0.key == "p1" }
        #expect(try migrate().warningCounts == [.entryAddedHere: 1])
        #expect(try revision("p1") == nil)
        #expect(try revision("mine0") != nil)
    }
}
