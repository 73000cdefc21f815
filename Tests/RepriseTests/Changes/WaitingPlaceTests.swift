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
}
