import Reprise
import TestSupport
import Testing

/// Every combination of rules over small graphs: what is planned is what is done is what the log says (REL-20 …
/// REL-25).
@Suite struct DeleteRuleMatrixTests {
    private static let chain = [(0, 1), (1, 2)]
    private static let itself = [(0, 0)]
    private static let twoCycle = [(0, 1), (1, 0)]
    private static let threeCycle = [(0, 1), (1, 2), (2, 0)]
    private static let diamond = [(0, 1), (0, 2), (1, 3), (2, 3)]

    @Test(arguments: RuleGraph.Shape.allCases)
    func `a chain under every pair of rules`(shape: RuleGraph.Shape) throws {
        try check(shape, Self.chain, combinations(2))
    }

    @Test(arguments: RuleGraph.Shape.allCases)
    func `an entity that refers to itself, under every pair of rules`(shape: RuleGraph.Shape) throws
    {
        try check(shape, Self.itself, combinations(1))
    }

    @Test(arguments: RuleGraph.Shape.allCases)
    func `a cycle of two under every pair of rules`(shape: RuleGraph.Shape) throws {
        try check(shape, Self.twoCycle, combinations(2))
    }

    @Test(arguments: RuleGraph.Shape.allCases)
    func `a cycle of three under every combination of rules`(shape: RuleGraph.Shape) throws {
        try check(shape, Self.threeCycle, combinations(3), roots: 1)
    }

    @Test(arguments: [RuleGraph.Shape.tree, .web])
    func `a diamond under every combination of rules downwards, then upwards, then both`(
        shape: RuleGraph.Shape
    ) throws {
        let rules = DeleteRule.allRules
        let simple = rules.flatMap { a in
            rules.flatMap { b in rules.flatMap { c in rules.map { [a, b, c, $0] } } }
        }
        let downwards = simple.map { $0.map { RulePair(forward: $0, backward: .nullify) } }
        let upwards = simple.map { $0.map { RulePair(forward: .nullify, backward: $0) } }
        var generator = SeededGenerator(seed: 20_26)
        let both = (0..<200).map { _ in
            (0..<4).map { _ in generator.pick(RulePair.allCases) }
        }
        try check(shape, Self.diamond, downwards + both, roots: 1)
        try check(shape, Self.diamond, upwards, roots: 4)
    }

    @Test func `an entity that is listed twice is severed twice`() throws {
        try check(.web, [(0, 1), (0, 1), (2, 1)], combinations(1).map { [$0[0], $0[0], $0[0]] })
    }

    @Test func `a side without a name nullifies`() throws {
        let a = { (prefix: String) in EntityReference(model: "bare", id: "\(prefix).0") }
        let b = { (prefix: String) in EntityReference(model: "bare", id: "\(prefix).1") }
        let graphs = DeleteRule.allRules.flatMap { rule in
            ["one", "many"].map { kind in
                let name = "\(kind)_\(rule.letter)"
                return RuleGraph(
                    nodes: [a(name), b(name)],
                    edges: [
                        .init(
                            near: a(name),
                            far: b(name),
                            nearName: name,
                            farName: "bare.\(name)",
                            rules: RulePair(forward: rule, backward: .nullify),
                            nearSlot: kind == "one" ? name : nil,
                            farSlot: nil,
                            isEntry: kind == "many"
                        )
                    ]
                )
            }
        }
        try check(graphs.flatMap { graph in graph.nodes.map { (graph, $0) } })
    }

    @Test func `a required to-one is deleted with its target or keeps it`() throws {
        let pairs = RulePair.allCases.filter { $0.forward != .nullify }
        var cases: [(RuleGraph, EntityReference)] = []
        for pair in pairs {
            // Two leaves, so that deleting one meets the other.
            let graph = leafGraph("leaf_\(pair)", "leaves_\(pair)", "stem", pair)
            cases += graph.nodes.map { (graph, $0) }
        }
        let loose = leafGraph(
            "leaf_loose",
            "leaf_loose.stem",
            "stem",
            RulePair(forward: .deny, backward: .nullify)
        )
        cases += loose.nodes.map { (loose, $0) }
        try check(cases)
    }

    private func leafGraph(
        _ model: String,
        _ list: String,
        _ slot: String,
        _ rules: RulePair
    ) -> RuleGraph {
        let stem = EntityReference(model: "stem", id: model)
        let leaves = (0..<2).map { EntityReference(model: model, id: "\(model).\($0)") }
        return RuleGraph(
            nodes: [stem] + leaves,
            edges: leaves.map {
                .init(
                    near: stem,
                    far: $0,
                    nearName: list,
                    farName: slot,
                    rules: rules,
                    nearSlot: nil,
                    farSlot: slot,
                    isEntry: false
                )
            }
        )
    }

    // MARK: - The machine

    /// Every choice of rules for some edges.
    private func combinations(_ count: Int) -> [[RulePair]] {
        (0..<count).reduce([[]]) { all, _ in
            all.flatMap { one in RulePair.allCases.map { one + [$0] } }
        }
    }

    /// - Parameter roots: how many of the nodes are tried as the one to delete.
    private func check(
        _ shape: RuleGraph.Shape,
        _ topology: [(Int, Int)],
        _ rules: [[RulePair]],
        roots: Int = .max
    ) throws {
        var cases: [(RuleGraph, EntityReference)] = []
        for (number, rules) in rules.enumerated() {
            let first = RuleGraph(shape, "\(number)", topology, rules)
            for root in first.nodes.indices.prefix(roots) {
                let graph = RuleGraph(shape, "\(number)/\(root)", topology, rules)
                if graph.isPossible { cases.append((graph, graph.nodes[root])) }
            }
        }
        try check(cases)
    }

    private func check(_ cases: [(RuleGraph, EntityReference)]) throws {
        try #require(!cases.isEmpty)
        let directory = try TemporaryDirectory(named: "matrix")
        let store = try Store.open(at: directory.path("store"), schema: Matrix.schema)
        defer { store.close() }
        var built: Set<String> = []
        try store.write { transaction in
            for (graph, _) in cases where built.insert("\(graph.nodes)").inserted {
                try graph.build(&transaction)
            }
        }
        for (graph, root) in cases {
            // Graphs that several cases share are put back.
            let start = try store.read { $0.head }
            try MatrixCase(graph: graph, root: root).check(in: store)
            if built.count < cases.count { _ = try store.rollback(to: .position(start)) }
        }
        let verification = try store.verify()
        #expect(verification.isSound, "\(verification.faults)")
    }
}
