import Reprise
import TestSupport
import Testing

/// REL-15.
struct RespacingTests {
    private let stores: ListStores
    private var store: Store { stores.store }
    /// Holds the same lists, appended in the order that they have in the end.
    private var twin: Store { stores.twin }

    private static let ids: [Volume.ID] = (0..<40).map { Volume.ID("v\($0)") }

    init() throws { stores = try ListStores(Self.ids) }

    /// Puts entries anywhere, at the front and behind the second one most of all, and takes some out again.
    private func disturb(_ seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<4 {
            try store.write { transaction in
                for id in Self.ids {
                    let entries = try transaction.entries(Rack.volumes, of: "r")
                    let placement: Placement =
                        random.once(in: 3)
                        ? .first : entries.count > 1 ? .after(entries[1].id) : .last
                    try transaction.link(Rack.volumes, from: "r", to: id, at: placement)
                    let members = try transaction.entries(Box.contents, of: "b")
                    let place: Placement =
                        random.once(in: 4)
                        ? .first : members.count > 1 ? .before(members[1].id) : .last
                    try transaction.link(Box.contents, from: "b", to: id, at: place)
                    if random.once(in: 4) {
                        try transaction.unlink(
                            Rack.volumes,
                            entry: random.pick(transaction.entries(Rack.volumes, of: "r")).id,
                            of: "r"
                        )
                    }
                }
                let member = random.pick(try transaction.entries(Box.contents, of: "b"))
                try transaction.unlink(Box.contents, entry: member.id, of: "b")
            }
        }
    }

    private func entries(of store: Store) throws -> (rack: [Entry<Volume>], box: [Entry<Volume>]) {
        try store.read {
            (
                try $0.entries(Rack.volumes, of: "r"),
                try $0.entries(Box.contents, of: "b")
            )
        }
    }

    private func digest(of store: Store) throws -> StateDigest { try store.read { $0.digest } }

    @Test(arguments: 1...8 as ClosedRange<UInt64>)
    func `lists that were respaced are as if they had been appended`(seed: UInt64) throws {
        try disturb(seed)
        let before = try entries(of: store)
        let old = try digest(of: store)
        let position = try store.read { $0.position }
        try twin.write { transaction in
            for entry in before.rack {
                try transaction.link(Rack.volumes, from: "r", to: entry.target)
            }
            for entry in before.box {
                try transaction.link(Box.contents, from: "b", to: entry.target)
            }
        }
        #expect(try digest(of: twin) != old)
        let counts = try store.write {
            (
                try $0.respace(Rack.volumes, of: "r"),
                try $0.respace("contents", of: EntityReference(model: "box", id: "b"))
            )
        }
        #expect(counts.0 > 0 && counts.1 > 0)
        #expect(try digest(of: twin) == digest(of: store))
        // Order and identities stay.
        #expect(try entries(of: store) == before)
        #expect(try store.verify().isSound)
        #expect(try store.rollback(to: .position(position)).digest == old)
        #expect(try entries(of: store) == before)
        #expect(try store.verify().isSound)
    }

    @Test func `a list without gaps is not touched, and one that was respaced has none`() throws {
        try twin.write { transaction in
            for id in Self.ids { try transaction.link(Rack.volumes, from: "r", to: id) }
        }
        let head = try twin.read { $0.position }
        #expect(try twin.write { try $0.respace(Rack.volumes, of: "r") } == 0)
        #expect(try twin.write { try $0.respace(Box.contents, of: "b") } == 0)
        #expect(try twin.read { $0.position } == head)
        try disturb(9)
        #expect(try store.write { try $0.respace(Rack.volumes, of: "r") } > 0)
        #expect(try store.write { try $0.respace(Rack.volumes, of: "r") } == 0)
    }

    @Test func `the list of an owner that is not there cannot be respaced`() throws {
        let error = #expect(throws: StoreError.self) {
            try store.write { _ = try $0.respace(Rack.volumes, of: "nobody") }
        }
        #expect(error?.code == .entityMissing)
    }

    @Test(arguments: 1...8 as ClosedRange<UInt64>)
    func `what leads to one by a to-one without a list comes into the order of identifiers`(
        seed: UInt64
    ) throws {
        var random = SeededGenerator(seed: seed)
        let schema = Schema(Place.self, Visit.self)
        var both: [Store] = []
        for name in ["one", "other"] {
            let store = try Store.open(at: stores.path(name), schema: schema)
            both.append(store)
            try store.write { transaction in
                for id in ["p", "q"] as [Place.ID] { try transaction.insert(Place(id: id)) }
            }
            // The same visits, in two orders, some of them by way of the other place.
            for id in (0..<30).map({ Visit.ID("v\($0)") }).shuffled(using: &random) {
                try store.write { transaction in
                    let isStray = random.once(in: 3)
                    try transaction.insert(Visit(id: id, place: isStray ? "q" : "p"))
                    if isStray { try transaction.update(Visit.self, id: id) { $0.place = "p" } }
                }
            }
        }
        #expect(try digest(of: both[0]) != digest(of: both[1]))
        // As a whole, and a few at a time.
        for (store, limit) in zip(both, [Int.max, 1 + random.below(8)]) {
            let place = EntityReference(model: "place", id: "p")
            var count = limit
            while count == limit {
                count = try store.write {
                    try $0.respaceUnlisted("visit", by: "place", to: place, atMost: limit)
                }
                #expect(count <= limit)
                #expect(count > 0 || limit < .max)
            }
            #expect(
                try store.write { try $0.respaceUnlisted("visit", by: "place", to: place) } == 0
            )
            #expect(try store.verify().isSound)
            #expect(try store.fetch(FetchDescriptor<Visit>()).allSatisfy { $0.place == "p" })
        }
        #expect(try digest(of: both[0]) == digest(of: both[1]))
    }

    @Test func `a to-one with a list is not respaced as one without`() throws {
        let error = #expect(throws: StoreError.self) {
            try store.write {
                _ = try $0.respaceUnlisted(
                    "volume",
                    by: "box",
                    to: EntityReference(model: "box", id: "b")
                )
            }
        }
        #expect(error?.code == .unknownRelationship)
    }
}

private struct Place: Model, Equatable {
    var id: ID

    static let schema = ModelSchema("place", Self.init, .id("id", \.id))
}

private struct Visit: Model, Equatable {
    var id: ID
    var place: Place.ID?

    static let schema = ModelSchema(
        "visit",
        Self.init,
        .id("id", \.id),
        .toOne("place", \.place)
    )
}
