import LegacyMigration
import Reprise
import Testing

@testable import LegacyMigrator

/// Notes of waiting rows among annotations that somebody else has written under their name.
@Suite struct WaitingNoteTests {
    private let library: TemporaryLibrary

    init() throws {
        library = try TemporaryLibrary(schema: Schema(InventedCompany.schema))
    }

    static let payloads = [
        "", "{", "null", "[1]", #"{"migration":7}"#, #"{"migration":"m1","rows":[]}"#,
        #"{"migration":"other","rows":[["person","x",true]]}"#,
        #"{"migration":"MINE","rows":[["person"]]}"#, #"{"migration":"MINE"}"#,
        #"{"migration":"MINE","before":18446744073709551615,"rows":[]}"#,
        #"{"migration":"MINE","before":1,"rows":[],"leftOut":[["person","n"]]}"#,
        #"{"migration":"MINE","rows":[["person","q",true],["person","m",true]]}"#,
    ]

    private func source(_ people: [(key: String, email: String)]) -> InventedSource {
        var company = InventedCompany()
        company.departments = [.init(key: "d", name: "d")]
        company.people = people.map {
            .init(key: $0.key, name: $0.key, email: $0.email, department: "d")
        }
        var source = company.source
        source.order = ["department", "person", "team"]
        return source
    }

    private var old: InventedSource { source([("r", "v"), ("a", "a")]) }
    private var new: InventedSource {
        source([("n", "v"), ("m", "m"), ("r", "w"), ("a", "a"), ("q", "q")])
    }

    /// Writes an annotation as the one of the last migration would be.
    private func annotate(_ store: Store, _ payload: String) throws {
        let key = old.identity.description
        let last = try MigrationRecord.all(in: store).first { $0.source == key }
        let payload = payload.replacing("MINE", with: last?.id ?? "none")
        _ = try store.write {
            try $0.annotate(name: WaitingRows.name, key: key, payload: Array(payload.utf8))
        }
    }

    @Test(arguments: payloads)
    func `do not keep a new migration from beginning`(payload: String) throws {
        _ = try library.migrate(old, batch: 1)
        try annotate(library.store, payload)
        #expect(try library.migrate(new, batch: 1).warningCounts.isEmpty)
        #expect(try MigrationVerifier(source: new, store: library.store).run().isEqual)
    }

    @Test(arguments: payloads)
    func `are found when a migration is taken up`(payload: String) throws {
        _ = try library.migrate(old, batch: 1)
        try library.expectSameDigestAfterAnyBatch(of: new) { try annotate($0, payload) }
    }

    @Test(arguments: payloads)
    func `do no harm in a first migration that is taken up`(payload: String) throws {
        try library.expectSameDigestAfterAnyBatch(of: new) { try annotate($0, payload) }
    }
}
