import Reprise
import TestSupport
import Testing

/// What a deletion does at first hand agrees with the plan of it, and what is severed before is as if it went with the
/// deletion (REL-27, REL-28).
@Suite struct DeletionConsequenceTests {
    private static let models = ["tree", "pair", "web"]

    private static func nodes(_ model: String) -> [EntityReference] {
        (0..<7).map { EntityReference(model: model, id: "\(model)\($0)") }
    }

    private func withStore(_ body: (Store) throws -> Void) throws {
        let directory = try TemporaryDirectory(named: "consequences")
        let store = try Store.open(at: directory.path("store"), schema: Matrix.schema)
        defer { store.close() }
        try store.write { transaction in
            for node in Self.models.flatMap(Self.nodes) { try transaction.put(node, values: [:]) }
        }
        try body(store)
        let verification = try store.verify()
        #expect(verification.isSound, "\(verification.faults)")
    }

    /// Makes or takes away an edge, or deletes an entity that may go.
    private func change(
        _ transaction: inout WriteTransaction,
        _ seed: inout SeededGenerator
    ) throws {
        let model = seed.pick(Self.models)
        let (near, far) = (seed.pick(Self.nodes(model)), seed.pick(Self.nodes(model)))
        // Few kinds of edges, so that they meet.
        let pair = seed.pick(RulePair.allCases.shuffled(using: &seed).prefix(4))
        if seed.once(in: 25) {
            guard try transaction.revision(of: near) != nil,
                try !transaction.plan(delete: near).isDenied
            else { return }
            try transaction.delete(near)
            return
        }
        guard try transaction.revision(of: near) != nil, try transaction.revision(of: far) != nil
        else { return }
        switch model {
        case "tree":
            let value: Value = seed.once(in: 5) ? .null : .reference(far.id)
            try transaction.put(near, values: ["up_\(pair)": value])
        case "pair":
            let value: Value = seed.once(in: 5) ? .null : .reference(far.id)
            try transaction.put(near, values: ["left_\(pair)": value])
        default:
            let list = "out_\(pair)"
            let entries = try transaction.entries(of: list, model: near.model, id: near.id)
            if seed.once(in: 3), let entry = seed.pickIfAny(entries) {
                try transaction.unlink(list, entry: entry, of: near)
            } else {
                let place: Placement = seed.once(in: 2) ? .first : .last
                try transaction.link(list, of: near, to: far.id, at: place)
            }
        }
    }

    /// All consequences of one deletion, by kind.
    private struct Direct: Equatable {
        var deleted: [EntityReference] = []
        var nullified: [DeletionPlan.NullifiedReference] = []
        var unlinked: [DeletionPlan.UnlinkedEntry] = []
        var dropped: [DeletionPlan.UnlinkedEntry] = []
        var deniedBy: [DeletionPlan.Denial] = []

        /// Where one stands among them: they come in an order.
        mutating func note(_ consequence: DeletionConsequence) -> Int {
            switch consequence {
            case .deletes(let other):
                deleted.append(other)
                return 0
            case .isDenied(let denial):
                deniedBy.append(denial)
                return 1
            case .nullifies(let reference):
                nullified.append(reference)
                return 2
            case .unlinks(let entry):
                unlinked.append(entry)
                return 2
            case .dropsEntry(let entry):
                dropped.append(entry)
                return 3
            }
        }
    }

    private func direct<State: StateReading & ~Copyable>(
        of entity: EntityReference,
        in state: borrowing State
    ) throws -> Direct {
        var direct = Direct()
        var ranks: [Int] = []
        try state.forEachConsequence(ofDeleting: entity) { consequence in
            ranks.append(direct.note(consequence))
            return true
        }
        #expect(ranks == ranks.sorted(), "\(entity)")
        return direct
    }

    private func check<State: StateReading & ~Copyable>(_ state: borrowing State) throws {
        for node in Self.models.flatMap(Self.nodes) {
            guard try state.revision(of: node) != nil else { continue }
            let plan = try state.plan(delete: node)
            let direct = try self.direct(of: node, in: state)
            #expect(!direct.deleted.contains(node))
            if direct.deleted.isEmpty {
                #expect(plan.deleted == [node])
                #expect(direct.nullified == plan.nullified, "\(node)")
                #expect(direct.unlinked == plan.unlinked, "\(node)")
                #expect(Set(direct.deniedBy) == Set(plan.deniedBy), "\(node)")
            }
            try checkEntries(of: node, direct, in: state)
            try checkClosure(of: node, plan, in: state)
        }
    }

    /// The entries of its own that are handed over are those of its lists.
    private func checkEntries<State: StateReading & ~Copyable>(
        of node: EntityReference,
        _ direct: Direct,
        in state: borrowing State
    ) throws {
        if node.model != "web" {
            #expect(direct.dropped.isEmpty)
            return
        }
        for pair in RulePair.allCases {
            let name = "out_\(pair)"
            let entries = try state.entries(of: name, model: node.model, id: node.id)
            let dropped = direct.dropped.filter { $0.relationship == name }
            #expect(dropped.map(\.entry) == entries)
            #expect(dropped.allSatisfy { $0.owner == node })
        }
    }

    /// What follows from the consequences of all that goes is the plan.
    private func checkClosure<State: StateReading & ~Copyable>(
        of node: EntityReference,
        _ plan: DeletionPlan,
        in state: borrowing State
    ) throws {
        var closure = [node]
        var isMember: Set = [node]
        var all: [Direct] = []
        while all.count < closure.count {
            let direct = try self.direct(of: closure[all.count], in: state)
            all.append(direct)
            for other in direct.deleted where isMember.insert(other).inserted {
                closure.append(other)
            }
        }
        #expect(closure == plan.deleted, "\(node)")
        let nullified = all.flatMap(\.nullified).filter { !isMember.contains($0.entity) }
        let unlinked = all.flatMap(\.unlinked).filter { !isMember.contains($0.owner) }
        let denials = all.flatMap(\.deniedBy).filter { !isMember.contains($0.partner) }
        #expect(Set(nullified) == Set(plan.nullified), "\(node)")
        #expect(Set(unlinked) == Set(plan.unlinked), "\(node)")
        #expect(Set(denials) == Set(plan.deniedBy), "\(node)")
    }

    @Test(arguments: 0..<25)
    func `what is walked through agrees with the plan, and what follows from it is the plan`(
        number: UInt64
    ) throws {
        try seeded(number) { seed in
            try withStore { store in
                for _ in 0..<4 {
                    // Some of it is only in memory when it is asked.
                    try store.write { transaction in
                        for step in 0..<40 {
                            try change(&transaction, &seed)
                            if step % 13 == 12 { try check(transaction) }
                        }
                    }
                    try store.read { try check($0) }
                }
                let head = try store.read { $0.head }
                try store.write { for _ in 0..<40 { try change(&$0, &seed) } }
                try store.read(asOf: .position(head)) { try check($0) }
            }
        }
    }

    @Test func `it can be stopped, and asks nothing of what is not there`() throws {
        try withStore { store in
            let (owner, target) = (Self.nodes("web")[0], Self.nodes("web")[1])
            try store.write { transaction in
                for _ in 0..<5 { try transaction.link("out_nn", of: owner, to: target.id) }
            }
            try store.read { state in
                for (entity, count) in [(owner, 3), (target, 4), (owner, 9)] {
                    var seenCount = 0
                    try state.forEachConsequence(ofDeleting: entity) { _ in
                        seenCount += 1
                        return seenCount < count
                    }
                    #expect(seenCount == min(count, 5))
                }
                let nobody = EntityReference(model: "web", id: "nobody")
                let error = try #require(throws: StoreError.self) {
                    try state.forEachConsequence(ofDeleting: nobody) { _ in true }
                }
                #expect(error.code == .entityMissing)
            }
        }
    }

    @Test(arguments: 0..<25)
    func `what is severed piece by piece and then deleted is as if it was deleted at once`(
        number: UInt64
    ) throws {
        try seeded(1000 + number) { seed in
            try withStore { store in
                try store.write { for _ in 0..<120 { try change(&$0, &seed) } }
                let start = try store.read { $0.head }
                for node in Self.models.flatMap(Self.nodes) {
                    guard try store.read({ try $0.revision(of: node) }) != nil,
                        try store.read({ try !$0.plan(delete: node).isDenied })
                    else { continue }
                    try store.write { _ = try $0.delete(node) }
                    let atOnce = try store.read { $0.digest }
                    try store.rollback(to: .position(start))
                    let countMax = 1 + seed.below(4)
                    var count = countMax
                    while count == countMax {
                        count = try store.write { try $0.sever(node, upTo: countMax) }
                    }
                    let more = try store.write { try $0.sever(node, upTo: 5) }
                    #expect(more == 0)
                    try store.write { _ = try $0.delete(node) }
                    #expect(try store.read { $0.digest } == atOnce, "\(node)")
                    try store.rollback(to: .position(start))
                }
            }
        }
    }

    @Test func `what is severed has no cause, and cascades and denials stay`() throws {
        try withStore { store in
            let nodes = Self.nodes("web")
            try store.write { transaction in
                for name in ["out_nn", "out_cn", "out_dn"] {
                    try transaction.link(name, of: nodes[0], to: nodes[1].id)
                    try transaction.link(name, of: nodes[2], to: nodes[0].id)
                }
            }
            let head = try store.read { $0.head }
            #expect(try store.write { try $0.sever(nodes[0], upTo: 100) } == 4)
            try store.read { state in
                let first = Position(rawValue: head.rawValue + 1)
                try state.forEachCommit(from: first, to: nil, reversed: false) { commit in
                    #expect(commit.events.map(\.type) == Array(repeating: "unlinked", count: 4))
                    #expect(commit.events.allSatisfy { $0.cause == nil })
                    return true
                }
                for (name, count) in [("out_nn", 0), ("out_cn", 1), ("out_dn", 1)] {
                    let own = try state.entries(of: name, model: "web", id: nodes[0].id)
                    #expect(own.count == count)
                    let others = try state.entries(of: name, model: "web", id: nodes[2].id)
                    #expect(others.isEmpty)
                }
            }
        }
    }
}
