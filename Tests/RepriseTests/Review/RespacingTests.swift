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
}
