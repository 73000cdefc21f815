import Reprise
import TestSupport
import Testing

/// Every delete rule, over trees, pairs, webs and bare edges with cycles and self-references: whatever a deletion does,
/// undo, redo and restore are exact (HIS-55, HIS-58, HIS-61).
struct UndoMatrixTests {
    private static let treeEdges: [any WritableKeyPath<TreeNode, TreeNode.ID?> & Sendable] = [
        \.cc, \.cn, \.cd, \.nc, \.nn, \.nd, \.dc, \.dn, \.dd,
    ]
    private static let pairEdges: [any WritableKeyPath<PairNode, PairNode.ID?> & Sendable] = [
        \.leftCC, \.leftCN, \.leftCD, \.leftNC, \.leftNN, \.leftND, \.leftDC, \.leftDN, \.leftDD,
    ]
    private static let bareEdges: [any WritableKeyPath<BareNode, BareNode.ID?> & Sendable] = [
        \.cascading, \.nullifying, \.denying,
    ]
    private static let webEdges = RulePair.allCases.map { "out_\($0)" }
    private static let names = ["a", "b", "c", "d", "e", "f"]

    /// Nodes of each shape with some random edges.
    private func store(_ dice: inout SeededGenerator) throws -> Store {
        let store = try Store.temporary(Matrix.schema)
        var edges: [(Int, Int, Int)] = []
        for _ in 0..<14 { edges.append((dice.below(6), dice.below(9), dice.below(6))) }
        try store.write { transaction in
            for name in Self.names {
                try transaction.insert(TreeNode(id: TreeNode.ID(name)))
                try transaction.insert(PairNode(id: PairNode.ID(name)))
                try transaction.insert(WebNode(id: WebNode.ID(name)))
                try transaction.insert(BareNode(id: BareNode.ID(name)))
            }
            for (from, edge, to) in edges {
                let (source, target) = (Self.names[from], Self.names[to])
                try transaction.update(TreeNode.self, id: TreeNode.ID(source)) {
                    $0[keyPath: Self.treeEdges[edge]] = TreeNode.ID(target)
                }
                try transaction.update(PairNode.self, id: PairNode.ID(source)) {
                    $0[keyPath: Self.pairEdges[edge]] = PairNode.ID(target)
                }
                try transaction.update(BareNode.self, id: BareNode.ID(source)) {
                    $0[keyPath: Self.bareEdges[edge % 3]] = BareNode.ID(target)
                }
                let web = EntityReference(model: "web", id: source)
                try transaction.link(Self.webEdges[edge], of: web, to: target)
            }
        }
        return store
    }

    @Test(arguments: 0..<24)
    func `a deletion under any rules is undone, brought back and restored exactly`(seed: Int) throws {
        var dice = SeededGenerator(seed: UInt64(seed))
        let store = try store(&dice)
        var count = 0
        for _ in 0..<32 {
            let entity = EntityReference(
                model: dice.pick(["tree", "pair", "web", "bare"]),
                id: dice.pick(Self.names)
            )
            let before = try store.read { $0.digest }
            do {
                try store.write { _ = try $0.delete(entity) }
            } catch let error as StoreError where [.deleteDenied, .entityMissing].contains(error.code) {
                continue
            }
            count += 1
            let after = try store.read { $0.digest }
            #expect(try store.undo()?.isDone == true)
            #expect(try store.read { $0.digest } == before, "\(entity) undone")
            #expect(try store.redo()?.isDone == true)
            #expect(try store.read { $0.digest } == after, "\(entity) deleted again")
            // The redo deletes one by one: what comes back with the entity is what the entity's own deletion took.
            #expect(try store.undo()?.isDone == true)
            try store.write { _ = try $0.delete(entity) }
            #expect(try store.restore(entity).isDone)
            #expect(try store.read { $0.digest } == before, "\(entity) restored")
            // Half of them stay deleted.
            if dice.once(in: 2) { try store.write { _ = try $0.delete(entity) } }
        }
        #expect(count > 0)
        try store.replay()
        #expect(try store.verify().isSound)
    }
}
