import Reprise
import TestSupport
import Testing

/// Rows that wait for places in lists which others leave only when all of them are gone: HIS-54, HIS-55.
@Suite("Places that are waited for")
struct WaitingPlaceTests {
    @Test("Rows that forbid each other's deletion leave their places to those that come (HIS-55)")
    func placesOfARing() throws {
        let store = try Store.temporary(Club.schema)
        try store.write { transaction in
            for id in ["owner", "a", "b", "x", "y"] {
                _ = try transaction.put(EntityReference(model: "vertex", id: id), values: [:])
            }
            try transaction.append(Vertex.kept, of: "owner", contentsOf: ["x", "y"])
            // Neither goes before the other.
            try transaction.update(Vertex.self, id: "x") { $0.anchor = "y" }
            try transaction.update(Vertex.self, id: "y") { $0.anchor = "x" }
        }
        let begin = try store.resolve(.head)
        try store.write { transaction in
            for id in ["x", "y"] as [Vertex.ID] { try transaction.update(Vertex.self, id: id) { $0.anchor = nil } }
            try transaction.delete(Vertex.self, ids: ["x", "y"])
        }
        // The list is empty, so that these get the places which the others had.
        try store.write { try $0.append(Vertex.kept, of: "owner", contentsOf: ["a", "b"]) }
        try store.write { transaction in
            let new = EntityReference(model: "vertex", id: "c")
            _ = try transaction.put(new, values: ["keeper": .reference("owner")])
        }
        let digest = try store.digest()
        let branch = try Store.temporary(branchOf: store, at: .position(begin))
        #expect(try branch.merge(store).isDone)
        #expect(try branch.digest() == digest)
        // And back: the ring comes again, and its places are taken by those that go from them.
        let changes = try store.difference(from: .head, to: .position(begin))
        #expect(try store.apply(changes).isDone)
        #expect(try store.digest() == branch.read(asOf: .position(begin)) { $0.digest })
        #expect(try store.verify().isSound)
    }

    @Test("A row that waits for a place comes before what stands in its lists (HIS-55)")
    func listsOfAWaitingRow() throws {
        let store = try Store.temporary(Club.schema)
        try store.write { transaction in
            for id in ["owner", "x", "y", "z", "d"] {
                _ = try transaction.put(EntityReference(model: "vertex", id: id), values: [:])
            }
            try transaction.append(Vertex.kept, of: "owner", contentsOf: ["y", "x"])
            for id in ["y", "z"] as [Vertex.ID] { try transaction.update(Vertex.self, id: id) { $0.anchor = "owner" } }
            try transaction.append(Vertex.guarded, of: "x", "d")
        }
        let digest = try store.digest()
        try store.write { try $0.delete(Vertex.self, id: "x") }
        let deletion = try store.resolve(.head)
        // The place of x goes to y, which waits for the place of z when that is taken back, as z waits for that of y.
        try store.write { transaction in
            for id in ["y", "z"] as [Vertex.ID] {
                try transaction.update(Vertex.self, id: id) { ($0.keeper, $0.anchor) = (nil, nil) }
            }
            try transaction.append(Vertex.kept, of: "owner", contentsOf: ["d", "y"])
            for id in ["z", "y"] as [Vertex.ID] { try transaction.update(Vertex.self, id: id) { $0.anchor = "owner" } }
        }
        #expect(try store.revert(commits: [deletion, store.resolve(.head)]).isDone)
        #expect(try store.digest() == digest)
        #expect(try store.verify().faults.map(\.message) == [])
    }

    @Test("What goes with a row that theirs takes away gets nothing any more (HIS-54)")
    func cascadeOfTheirs() throws {
        let store = try Store.temporary(Club.schema)
        func put(_ store: Store, _ id: String, keeper: String? = nil) throws {
            try store.write { transaction in
                let values = keeper.map { ["keeper": Value.reference($0)] } ?? [:]
                _ = try transaction.put(EntityReference(model: "vertex", id: id), values: values)
            }
        }
        for id in ["goes", "along", "other"] { try put(store, id) }
        let branch = try Store.temporary(branchOf: store)
        try put(store, "along", keeper: "goes")
        try branch.write { transaction in
            try transaction.delete(Vertex.self, id: "goes")
            try transaction.append(Vertex.guarded, of: "along", "other")
            try transaction.update(Vertex.self, id: "along") { $0.weight = 5 }
        }
        let open = try store.merge(branch, isPlan: true)
        #expect(open.conflicts.count == 1)
        let plan = try store.merge(branch, resolving: .theirs, isPlan: true)
        #expect(plan.conflicts.isEmpty)
        #expect(plan.counts.deleted == 2)
        #expect(try store.merge(branch, resolving: .theirs).isDone)
        #expect(try store.count(Vertex.self) == 1)
        #expect(try store.verify().isSound)
        try store.replay()
        #expect(try store.verify().isSound)
        try put(store, "along")
        #expect(try store.entries(Vertex.guarded, of: "along").isEmpty)
    }
}
