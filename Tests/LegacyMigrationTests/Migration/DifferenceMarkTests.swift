import LegacyMigration
import Reprise
import TestSupport
import Testing

/// What a verification says of the differences that it finds.
@Suite struct DifferenceMarkTests {
    private let library: TemporaryLibrary
    private var company = InventedCompany()

    init() throws {
        company.people = ["a", "b", "c"].map { .init(key: $0, name: $0) }
        company.teams = [
            .init(key: "t", name: "T", members: ["a", "b"]), .init(key: "u", name: "U", members: ["c"]),
        ]
        library = try TemporaryLibrary(schema: Schema(InventedCompany.schema))
        _ = try Migrator(source: company.source, store: library.store).run()
    }

    private func verification(of company: InventedCompany) throws -> MigrationVerification {
        try MigrationVerifier(source: company.source, store: library.store).run()
    }

    private func team(_ id: String) -> EntityReference { EntityReference(model: "team", id: id) }

    @Test func `the members of a list that differs know that they are in it`() throws {
        _ = try library.store.write { try $0.delete(EntityReference(model: "person", id: "a")) }
        let found = try verification(of: company)
        #expect(found.differenceCounts == [.missing: 1, .differentList: 1])
        #expect(found.differences.first?.isChangedHere == true)
        #expect(try library.store.verify().isSound)
    }

    @Test func `a list that nobody has changed here is not marked for the sake of its owner`() throws {
        _ = try library.store.write { try $0.put(team("t"), values: ["name": .string("here")]) }
        var later = company
        later.teams[0].members = ["b", "c"]
        let marks = try verification(of: later).differences.map { ($0.name, $0.isChangedHere) }
        #expect(marks.map(\.0) == ["name", "members"] && marks.map(\.1) == [true, false])
    }

    @Test func `a list that somebody has changed here is marked`() throws {
        _ = try library.store.write {
            _ = try $0.link("members", of: team("t"), to: "c")
        }
        let differences = try verification(of: company).differences
        #expect(differences.map(\.name) == ["members"] && differences[0].isChangedHere)
    }
}
