import TestSupport
import Testing

@testable import Reprise

/// Every delete rule, over trees, pairs, webs and bare edges with cycles and self-references: whatever a deletion does,
/// undo, redo and restore are exact (HIS-55, HIS-58, HIS-61), in one transaction and in steps (HIS-113).
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

    private func emptyStore(isInSteps: Bool) throws -> Store {
        try Store.temporary(Matrix.schema, configuration: .merging(inSteps: isInSteps))
    }

    /// Makes nodes of each shape with some random edges.
    private func fill(_ store: Store, _ dice: inout SeededGenerator) throws {
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
    }

    @Test(arguments: 0..<24)
    func `a deletion under any rules is undone, brought back and restored exactly`(seed: Int) throws {
        var dice = SeededGenerator(seed: UInt64(seed))
        let store = try emptyStore(isInSteps: seed % 4 == 3)
        try fill(store, &dice)
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

    @Test(arguments: 0..<24)
    func `all that was made goes in steps, whatever the rules between it, and comes back`(seed: Int) throws {
        var dice = SeededGenerator(seed: UInt64(100 + seed))
        let store = try emptyStore(isInSteps: true)
        let empty = try store.digest()
        try fill(store, &dice)
        let nodes = try store.resolve(.head)
        try store.write { transaction in
            try transaction.insert(Stem(id: "stem"))
            try transaction.insert(Leaf<CascadeCascade>(id: "leaf", stem: "stem"))
            try transaction.insert(Leaf<DenyDeny>(id: "leaf", stem: "stem"))
            try transaction.insert(Leaf<Loose>(id: "leaf", stem: "stem"))
        }
        let full = try store.digest()
        let report = try store.revert(commits: [nodes, try store.resolve(.head)])
        #expect(report.isDone)
        #expect(try store.digest() == empty)
        #expect(try store.verify().isSound)
        #expect(try store.revert(commits: [try #require(report.commit)]).isDone)
        #expect(try store.digest() == full)
        #expect(store.stepwiseCommitCount == 2)
        try store.replay()
        #expect(try store.verify().isSound)
    }

    @Test(arguments: 0..<24)
    func `members that take each other's places go back to theirs in steps`(seed: Int) throws {
        var dice = SeededGenerator(seed: UInt64(200 + seed))
        let store = try emptyStore(isInSteps: true)
        let members = (0..<40).map { TreeNode.ID("\($0)") }
        try store.write { transaction in
            for owner in ["a", "b", "c"] { try transaction.insert(TreeNode(id: TreeNode.ID(owner))) }
            for (number, id) in members.enumerated() {
                var node = TreeNode(id: id)
                node.cn = ["a", "b", "c"][number % 3]
                node.nn = ["b", "a"][number % 2]
                try transaction.insert(node)
            }
        }
        let before = try store.digest()
        try store.write { transaction in
            // Whoever stands in a list then gets the places of the others.
            var moved = members
            moved.shuffle(using: &dice)
            for id in moved.prefix(10) { try transaction.delete(TreeNode.self, id: id) }
            for id in moved.dropFirst(10) {
                try transaction.update(TreeNode.self, id: id) {
                    $0.cn = nil
                    $0.nn = nil
                }
            }
            for id in moved.dropFirst(15) {
                try transaction.update(TreeNode.self, id: id) { $0.cn = dice.pick(["a", "b", "c"]) }
            }
            for id in moved.dropFirst(20).reversed() {
                try transaction.update(TreeNode.self, id: id) { $0.nn = dice.pick(["a", "b", "c"]) }
            }
            for number in 0..<5 { try transaction.insert(TreeNode(id: TreeNode.ID("new \(number)"), cn: "a", nn: "b")) }
        }
        let edited = try store.digest()
        let report = try store.revert(commits: [try store.resolve(.head)])
        #expect(report.isDone)
        #expect(try store.digest() == before)
        #expect(try store.revert(commits: [try #require(report.commit)]).isDone)
        #expect(try store.digest() == edited)
        #expect(store.stepwiseCommitCount == 2)
        #expect(try store.verify().isSound)
        try store.replay()
        #expect(try store.verify().isSound)
    }
}
