import Reprise

/// A few entities and the edges between them, with nothing of the engine but the names of things.
struct RuleGraph: CustomStringConvertible {
    /// How an edge is kept.
    enum Shape: CaseIterable {
        /// The far end refers to the near one: `far.up` and `near.down`.
        case tree
        /// Both refer to each other: `near.left` and `far.right`.
        case pair
        /// The near end has an entry: `near.out` and `far.in`.
        case web
    }

    struct Edge {
        let near: EntityReference
        let far: EntityReference
        let nearName: String
        /// The name as the engine shows it: of the near side when the far one has none.
        let farName: String
        let rules: RulePair
        /// The to-one that becomes nil at an end that stays; nil where there is none.
        let nearSlot: String?
        let farSlot: String?
        /// Whether the near end has an entry in a list of its own.
        let isEntry: Bool
    }

    let nodes: [EntityReference]
    let edges: [Edge]

    var description: String {
        edges.map { "\($0.near) -\($0.nearName)-> \($0.far)" }.joined(separator: ", ")
    }

    /// - Parameters:
    ///   - prefix: makes the ids unique in the store.
    ///   - topology: pairs of node numbers.
    ///   - rules: one pair for each edge.
    init(_ shape: Shape, _ prefix: String, _ topology: [(Int, Int)], _ rules: [RulePair]) {
        let model =
            switch shape {
            case .tree: "tree"
            case .pair: "pair"
            case .web: "web"
            }
        let count = (topology.flatMap { [$0, $1] }.max() ?? 0) + 1
        let nodes = (0..<count).map { EntityReference(model: model, id: "\(prefix).\($0)") }
        self.nodes = nodes
        edges = zip(topology, rules).map { ends, rules in
            let names =
                switch shape {
                case .tree: ("down_\(rules)", "up_\(rules)")
                case .pair: ("left_\(rules)", "right_\(rules)")
                case .web: ("out_\(rules)", "in_\(rules)")
                }
            return Edge(
                near: nodes[ends.0],
                far: nodes[ends.1],
                nearName: names.0,
                farName: names.1,
                rules: rules,
                nearSlot: shape == .pair ? names.0 : nil,
                farSlot: shape == .web ? nil : names.1,
                isEntry: shape == .web
            )
        }
    }

    init(nodes: [EntityReference], edges: [Edge]) {
        self.nodes = nodes
        self.edges = edges
    }

    /// Whether every edge has a place of its own: a to-one can hold one.
    var isPossible: Bool {
        let slots = edges.flatMap { edge in
            [edge.nearSlot.map { "\(edge.near).\($0)" }, edge.farSlot.map { "\(edge.far).\($0)" }]
        }
        let taken = slots.compactMap(\.self)
        return Set(taken).count == taken.count
    }
}

/// What must happen, by trying each rule on each edge until nothing changes any more.
struct ExpectedDeletion {
    private(set) var deleted: Set<EntityReference>
    private(set) var nullified: Set<String> = []
    private(set) var unlinked: [String] = []
    private(set) var denials: Set<String> = []
    /// Whom each deleted entity may have been taken along by.
    private(set) var takers: [EntityReference: Set<EntityReference>] = [:]

    init(of root: EntityReference, in graph: RuleGraph) {
        deleted = [root]
        var before: Set<EntityReference> = []
        while before != deleted {
            before = deleted
            for edge in graph.edges {
                take(edge.far, along: edge.near, edge.rules.forward)
                take(edge.near, along: edge.far, edge.rules.backward)
            }
        }
        for edge in graph.edges {
            deny(edge.near, edge.nearName, edge.far, edge.rules.forward)
            deny(edge.far, edge.farName, edge.near, edge.rules.backward)
            if deleted.contains(edge.near) && !deleted.contains(edge.far), let slot = edge.farSlot {
                nullified.insert("\(edge.far).\(slot)")
            }
            if deleted.contains(edge.far) && !deleted.contains(edge.near) {
                if let slot = edge.nearSlot { nullified.insert("\(edge.near).\(slot)") }
                if edge.isEntry { unlinked.append("\(edge.near).\(edge.nearName): \(edge.far.id)") }
            }
        }
        unlinked.sort()
    }

    private mutating func take(
        _ other: EntityReference,
        along entity: EntityReference,
        _ rule: DeleteRule
    ) {
        guard rule == .cascade && deleted.contains(entity) else { return }
        deleted.insert(other)
        takers[other, default: []].insert(entity)
    }

    private mutating func deny(
        _ entity: EntityReference,
        _ name: String,
        _ partner: EntityReference,
        _ rule: DeleteRule
    ) {
        guard rule == .deny && deleted.contains(entity) && !deleted.contains(partner) else {
            return
        }
        denials.insert("\(partner) through \(entity).\(name)")
    }
}
