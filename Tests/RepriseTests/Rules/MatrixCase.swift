import Reprise
import Testing

extension RuleGraph {
    /// Inserts the nodes and makes the edges, through whichever side keeps them.
    func build(_ transaction: inout WriteTransaction) throws {
        for node in nodes where node.model.hasPrefix("leaf") == false {
            try transaction.put(node, values: [:])
        }
        for edge in edges {
            if edge.far.model.hasPrefix("leaf"), let slot = edge.farSlot {
                try transaction.put(edge.far, values: [slot: .reference(edge.near.id)])
            } else if edge.isEntry || edge.nearSlot == nil {
                try transaction.link(edge.nearName, of: edge.near, to: edge.far.id)
            } else if let slot = edge.nearSlot {
                try transaction.put(edge.near, values: [slot: .reference(edge.far.id)])
            }
        }
    }
}

/// One graph and one entity to delete.
struct MatrixCase {
    let graph: RuleGraph
    let root: EntityReference

    /// Plans, deletes, and reads the log: all three must say what the rules say.
    func check(in store: Store) throws {
        let expected = ExpectedDeletion(of: root, in: graph)
        let head = try store.read { $0.head }
        let plan = try store.read { try $0.plan(delete: root) }
        expect(plan, expected)
        if !expected.denials.isEmpty {
            try checkDenied(in: store, plan, head)
            return
        }
        let done = try store.write { try $0.delete(root) }
        #expect(done == plan, "\(graph): the deed differs from the plan")
        try checkState(in: store, expected)
        try checkLog(in: store, after: head, expected)
    }

    private func expect(_ plan: DeletionPlan, _ expected: ExpectedDeletion) {
        #expect(
            Set(plan.deniedBy.map { "\($0.partner) through \($0.entity).\($0.relationship)" })
                == expected.denials,
            "\(graph): deleting \(root)"
        )
        #expect(plan.isDenied == !expected.denials.isEmpty)
        #expect(plan.deleted.first == root)
        #expect(Set(plan.deleted) == expected.deleted, "\(graph): deleting \(root)")
        guard expected.denials.isEmpty else { return }
        #expect(plan.deleted.count == expected.deleted.count)
        #expect(
            Set(plan.nullified.map { "\($0.entity).\($0.attribute)" }) == expected.nullified,
            "\(graph): deleting \(root)"
        )
        #expect(plan.nullified.count == expected.nullified.count)
        #expect(
            plan.unlinked.map { "\($0.owner).\($0.relationship): \($0.entry.target)" }.sorted()
                == expected.unlinked,
            "\(graph): deleting \(root)"
        )
    }

    /// A denied deletion throws the denials and appends nothing.
    private func checkDenied(in store: Store, _ plan: DeletionPlan, _ head: Position) throws {
        let digest = try store.read { $0.digest }
        let error = try #require(throws: StoreError.self) {
            try store.write { _ = try $0.delete(root) }
        }
        #expect(error.code == .deleteDenied, "\(graph)")
        #expect(error.cause == .deleteDenied(by: plan.deniedBy), "\(graph)")
        try store.read { transaction in
            #expect(transaction.head == head, "\(graph): a denied deletion left a trace")
            #expect(transaction.digest == digest)
        }
    }

    private func checkState(in store: Store, _ expected: ExpectedDeletion) throws {
        try store.read { transaction in
            for node in graph.nodes {
                let record = try transaction.record(model: node.model, id: node.id)
                #expect((record == nil) == expected.deleted.contains(node), "\(graph): \(node)")
                guard let record else { continue }
                for edge in graph.edges where edge.near == node || edge.far == node {
                    let other = edge.near == node ? edge.far : edge.near
                    let slot = edge.near == node ? edge.nearSlot : edge.farSlot
                    guard let slot else { continue }
                    let value = record.values.first { $0.name == slot }?.value
                    let wanted: Value? =
                        expected.deleted.contains(other) ? nil : .reference(other.id)
                    #expect(value == wanted, "\(graph): \(node).\(slot)")
                }
            }
        }
    }

    /// The root's own event has no cause; every other names the deletion that led to it.
    private func checkLog(
        in store: Store,
        after head: Position,
        _ expected: ExpectedDeletion
    ) throws {
        var events: [EventRecord] = []
        try store.read { transaction in
            try transaction.forEachCommit(
                from: Position(rawValue: head.rawValue + 1),
                to: nil,
                reversed: false
            ) {
                events += $0.events
                return true
            }
        }
        var deletions: [Position: EntityReference] = [:]
        var nullified: Set<String> = []
        var unlinked: [String] = []
        for event in events {
            let entity = try #require(event.entity)
            let cause = event.cause.flatMap { deletions[$0] }
            switch event.type {
            case "deleted":
                deletions[event.position] = entity
                if entity == root {
                    #expect(event.cause == nil)
                } else {
                    let taker = try #require(cause, "\(graph): \(entity) has no cause")
                    #expect(expected.takers[entity]?.contains(taker) == true, "\(graph): \(entity)")
                }
            case "updated":
                for change in event.changes where change.to.isNull {
                    nullified.insert("\(entity).\(change.name)")
                    let gone = try #require(
                        cause,
                        "\(graph): \(entity).\(change.name) has no cause"
                    )
                    #expect(
                        change.from == .reference(gone.id),
                        "\(graph): \(entity).\(change.name)"
                    )
                }
            case "unlinked":
                let gone = try #require(cause, "\(graph): an entry of \(entity) has no cause")
                let edge = graph.edges.first { $0.near == entity && $0.far == gone }
                unlinked.append("\(entity).\(edge?.nearName ?? "?"): \(gone.id)")
            default:
                Issue.record("\(graph): the deletion recorded \(event.type)")
            }
        }
        #expect(Set(deletions.values) == expected.deleted, "\(graph): the log")
        #expect(nullified == expected.nullified, "\(graph): the log")
        #expect(unlinked.sorted() == expected.unlinked, "\(graph): the log")
    }
}
