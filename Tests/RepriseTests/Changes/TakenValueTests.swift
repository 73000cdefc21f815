import Reprise
import Testing

private struct Thing: Model, Equatable {
    var id: ID
    var name: String
    var barcode: String?
    var notes: String?

    static let schema = ModelSchema(
        "thing",
        Self.init,
        .id("id", \.id),
        .attribute("name", \.name, unique: true),
        .attribute("barcode", \.barcode, unique: true),
        .attribute("notes", \.notes)
    )
}

private struct Shopping: Model {
    var id: ID

    static let entries = Relationship<Shopping, Thing>("entries")
    static let schema = ModelSchema("shopping", Self.init, .id("id", \.id)).toMany(entries)
}

/// Unique values that a row of theirs brings and another row has: HIS-54.
struct TakenValueTests {
    private let store: Store
    private let branch: Store

    init() throws {
        store = try Store.temporary(Schema(Thing.self, Shopping.self))
        try store.write { try $0.insert(Shopping(id: "list")) }
        branch = try Store.temporary(branchOf: store)
    }

    private func buy(_ thing: Thing, _ store: Store) throws {
        try store.write { tx in
            try tx.insert(thing)
            try tx.append(Shopping.entries, of: "list", thing.id)
        }
    }

    @Test func `a row that both have scanned comes without its barcode, and stays where it was made`() throws {
        try buy(Thing(id: "a", name: "Milk", barcode: "400"), store)
        try buy(Thing(id: "b", name: "Whole milk", barcode: "400", notes: "the good one"), branch)
        let taken = ChangeSet.Conflict.Kind.taken(
            attributes: ["barcode"],
            by: EntityReference(model: "thing", id: "a")
        )
        #expect(try store.merge(branch).conflicts.map(\.kind) == [taken])
        #expect(try store.merge(branch, resolving: .ours).settled.map(\.kind) == [taken])
        #expect(try branch.merge(store).isDone)
        for side in [store, branch] {
            #expect(
                try side.fetch(Shopping.entries, of: "list") == [
                    Thing(id: "a", name: "Milk", barcode: "400"),
                    Thing(id: "b", name: "Whole milk", barcode: nil, notes: "the good one"),
                ]
            )
            #expect(try side.verify().isSound)
        }
    }

    @Test func `a row stays away that needs the value`() throws {
        try buy(Thing(id: "a", name: "Milk"), store)
        try buy(Thing(id: "b", name: "Milk", barcode: "1"), branch)
        #expect(try store.merge(branch, resolving: .ours).isDone)
        #expect(try store.fetch(Shopping.entries, of: "list").map(\.id) == ["a"])
        #expect(try store.verify().isSound)
    }
}
