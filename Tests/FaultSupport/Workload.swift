package import Reprise

/// What a store is asked to do as one commit.
package enum Step: Sendable {
    case changes([Change])
    case createSnapshot(String)
    case deleteSnapshot(String)
    case rollBack(toSnapshot: String)

    package func run(on store: Store) throws {
        switch self {
        case .changes(let changes):
            try store.write(CommitContext(intent: "step")) { transaction in
                for change in changes { try change.apply(to: &transaction) }
            }
        case .createSnapshot(let name): try store.createSnapshot(named: name)
        case .deleteSnapshot(let name): try store.deleteSnapshot(named: name)
        case .rollBack(let name): try store.rollback(to: .snapshot(name))
        }
    }
}

/// An endless sequence of steps that depends on its seed alone, and what a store holds after each.
package struct Workload: Sendable {
    package private(set) var state = ModelState()
    package private(set) var snapshots: [(name: String, state: ModelState)] = []
    package private(set) var stepCount = 0
    private var generator: SeededGenerator
    private var serial = 0
    private let changeCountMax: Int
    private let hasHistory: Bool

    /// - Parameter hasHistory: whether snapshots and rollbacks are among the steps.
    package init(seed: UInt64, changeCountMax: Int = 8, hasHistory: Bool = false) {
        generator = SeededGenerator(seed: seed)
        self.changeCountMax = changeCountMax
        self.hasHistory = hasHistory
    }

    /// The next step. The state is what it leads to.
    package mutating func next() -> Step {
        stepCount += 1
        if hasHistory, stepCount > 4, let step = historyStep() { return step }
        var changes: [Change] = []
        for _ in 0...generator.below(changeCountMax) {
            let change = change()
            state.apply(change)
            changes.append(change)
        }
        return .changes(changes)
    }

    package mutating func advance(to count: Int) {
        while stepCount < count { _ = next() }
    }

    private mutating func historyStep() -> Step? {
        switch generator.below(6) {
        case 0:
            serial += 1
            snapshots.append(("snapshot-\(serial)", state))
            return .createSnapshot("snapshot-\(serial)")
        case 1 where snapshots.count > 6:
            return .deleteSnapshot(snapshots.remove(at: generator.below(snapshots.count)).name)
        case 2 where !snapshots.isEmpty:
            let target = snapshots[generator.below(snapshots.count)]
            state = target.state
            return .rollBack(toSnapshot: target.name)
        default: return nil
        }
    }

    private mutating func change() -> Change {
        if state.shelfIDs.isEmpty || state.shelfIDs.count < 8 && generator.below(20) == 0 {
            serial += 1
            return .addShelf(Shelf(id: Shelf.ID("shelf-\(serial)"), title: "Shelf \(serial % 7)"))
        }
        let shelf = state.shelfIDs[generator.below(state.shelfIDs.count)]
        guard state.itemIDs.count > 4 else { return insertion(on: shelf) }
        let item = state.itemIDs[generator.below(state.itemIDs.count)]
        let pickCount = state.picks[shelf]?.count ?? 0
        switch generator.below(20) {
        case 0...5 where state.itemIDs.count < 250: return insertion(on: shelf)
        case 6, 7: return .remove(item)
        case 8 where state.itemIDs.count > 120: return .removeShelf(shelf)
        case 9...11: return .reshelve(item, to: generator.below(4) == 0 ? nil : shelf)
        case 12...15: return .pick(shelf: shelf, item: item, index: generator.below(pickCount + 1))
        case 16 where pickCount > 0: return .unpick(shelf: shelf, index: generator.below(pickCount))
        case 17 where pickCount > 0:
            return .movePick(
                shelf: shelf,
                from: generator.below(pickCount),
                to: generator.below(pickCount)
            )
        default: return .revise(item, amount: generator.below(100), note: note())
        }
    }

    private mutating func insertion(on shelf: String) -> Change {
        serial += 1
        return .add(
            Item(
                id: Item.ID("item-\(serial)"),
                name: "Name \(generator.below(30))",
                amount: generator.below(100),
                code: serial,
                note: note(),
                shelf: generator.below(3) == 0 ? nil : Shelf.ID(shelf)
            )
        )
    }

    /// Now and then large enough for pages of its own.
    private mutating func note() -> String? {
        switch generator.below(12) {
        case 0...5: nil
        case 6: String(repeating: "long ", count: 100 + generator.below(1500))
        default: "note \(generator.below(1000))"
        }
    }
}
