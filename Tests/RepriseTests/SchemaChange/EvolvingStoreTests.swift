import Reprise
import TestSupport
import Testing

/// Random work on a store whose declaration changes in the middle of it, compared with dictionaries.
@Suite struct `A schema that evolves` {
    @Test(arguments: seeds([1, 2, 3, 41]))
    func `random work and random changes of the schema leave what dictionaries predict`(_ seed: UInt64) throws {
        // STO-82, STO-85, STO-86, STO-88, STO-89, STO-90, STO-92
        let run = try EvolvingStore(seed: seed)
        try run.run(stepCount: 160)
        // So that a run without changes cannot pass.
        #expect(run.schemaNumber > 10)
    }

    @Test func `an oracle that forgets what a change has done is found out`() throws {
        let run = try EvolvingStore(seed: 1)
        run.forgetsDefaults = true
        let failure = #expect(throws: EvolvingStore.Difference.self) { try run.run(stepCount: 160) }
        #expect(failure?.description.contains("seed 1") == true)
    }
}

private final class EvolvingStore {
    struct Difference: Error, CustomStringConvertible {
        let description: String
    }

    private struct Past {
        let position: Position
        let digest: StateDigest
        let state: EvolvingState
    }

    private let seed: UInt64
    private let directory: TemporaryDirectory
    private var generator: SeededGenerator
    private var schema: EvolvingSchema
    /// The version that the program at hand was made for: the last one, or one from before an addition.
    private var known: EvolvingSchema
    private var store: Store
    private var state = EvolvingState()
    private var past: [Past] = []
    private var trail: [String] = []
    private(set) var schemaNumber = 1
    /// A mistake on purpose.
    var forgetsDefaults = false

    init(seed: UInt64) throws {
        self.seed = seed
        directory = try TemporaryDirectory(named: "evolving")
        generator = SeededGenerator(seed: seed)
        schema = EvolvingSchema(&generator)
        known = schema
        store = try Store.open(at: directory.path("store"), schema: schema.declaration(&generator))
        try remember()
    }

    func run(stepCount: Int) throws {
        for step in 0..<stepCount {
            switch generator.below(20) {
            case 0...12: try commit()
            case 13: try abandon()
            case 14: try rollBack()
            case 15: try readPast()
            case 16: try replay()
            default: try changeSchema()
            }
            if step % 4 == 0 { try compare() }
        }
        try replay()
        try compare()
        store.close()
    }

    private func expect(_ isRight: Bool, _ what: @autoclosure () -> String) throws {
        if isRight { return }
        let last = trail.suffix(12).joined(separator: "; ")
        throw Difference(description: "seed \(seed): \(what()); after: \(last)")
    }

    private func remember() throws {
        let statistics = try store.statistics()
        past.append(Past(position: statistics.head, digest: statistics.digest, state: state))
    }

    // MARK: Steps

    private func commit() throws {
        let before = try store.statistics().head
        try store.write { transaction in
            for _ in 0...generator.below(6) { try operate(&transaction) }
        }
        if try store.statistics().head != before { try remember() }
    }

    private func abandon() throws {
        struct Abandoned: Error {}
        let before = state
        do {
            try store.write { transaction in
                for _ in 0...generator.below(6) { try operate(&transaction) }
                throw Abandoned()
            }
        } catch is Abandoned {
            state = before
        }
        trail.append("abandoned")
    }

    private func operate(_ transaction: inout WriteTransaction) throws {
        let item = EntityReference(model: "item", id: "i\(generator.below(30))")
        let box = EntityReference(model: "box", id: "b\(generator.below(5))")
        let isThere = state.items[item.id] != nil
        let hasBox = state.boxes.contains(box.id)
        let picks = state.picks[box.id] ?? []
        switch generator.below(12) {
        case 0...4: try put(item, &transaction)
        case 5 where isThere:
            trail.append("delete \(item.id)")
            try transaction.delete(item)
            state.deleteItem(item.id)
        case 6 where hasBox && generator.below(3) == 0: try delete(box, &transaction)
        case 7 where hasBox && isThere, 8 where hasBox && isThere:
            let place = generator.below(picks.count + 1)
            trail.append("pick \(item.id) in \(box.id) at \(place)")
            let entries = try transaction.entries(of: "picks", model: "box", id: box.id)
            let placement = place < picks.count ? Placement.before(entries[place]) : .last
            try transaction.link("picks", of: box, to: item.id, at: placement)
            state.pick(box.id, item.id, at: place)
        case 9 where !picks.isEmpty:
            let place = generator.below(picks.count)
            trail.append("unpick \(place) of \(box.id)")
            let entries = try transaction.entries(of: "picks", model: "box", id: box.id)
            try transaction.unlink("picks", entry: entries[place], of: box)
            state.unpick(box.id, at: place)
        case 10 where isThere:
            let target = hasBox && generator.below(4) > 0 ? box.id : nil
            trail.append("put \(item.id) into \(target ?? "none")")
            try transaction.put(item, values: ["box": target.map { .reference($0) } ?? .null])
            state.put(item.id, into: target)
        default:
            trail.append("add \(box.id)")
            try transaction.put(box, values: [:])
            state.addBox(box.id)
        }
    }

    private func put(_ item: EntityReference, _ transaction: inout WriteTransaction) throws {
        var values: [Int: Value] = [:]
        for attribute in known.attributes where generator.below(2) == 0 {
            let isNil = attribute.defaultValue == nil && generator.below(4) == 0
            values[attribute.identity] = isNil ? .null : EvolvingSchema.value(attribute.isText, &generator)
        }
        trail.append("put \(item.id) \(values.keys.sorted())")
        var named: [String: Value] = [:]
        for (identity, value) in values { named[known.attribute(identity)?.name ?? ""] = value }
        try transaction.put(item, values: named)
        state.put(item.id, values)
    }

    private func delete(_ box: EntityReference, _ transaction: inout WriteTransaction) throws {
        trail.append("delete \(box.id), \(schema.rule)")
        let isAllowed = state.deleteBox(box.id, schema.rule)
        do {
            try transaction.delete(box)
            try expect(isAllowed, "the deletion of \(box.id) should have been refused")
        } catch let error as StoreError where error.code == .deleteDenied {
            try expect(!isAllowed, "the deletion of \(box.id) was refused")
        }
    }

    private func rollBack() throws {
        let target = past[generator.below(past.count)]
        trail.append("roll back to \(target.position)")
        let report = try store.rollback(to: .position(target.position))
        state = target.state
        try expect(report.digest == target.digest, "the digest after a rollback")
        try remember()
    }

    private func readPast() throws {
        let target = past[generator.below(past.count)]
        trail.append("read as of \(target.position)")
        try store.read(asOf: .position(target.position)) { transaction in
            try expect(transaction.digest == target.digest, "the digest of the past")
            try compare(transaction, target.state)
        }
    }

    private func replay() throws {
        trail.append("replay")
        let digest = try store.statistics().digest
        let report = try store.replay()
        try expect(report.digest == digest, "the digest after a replay")
        let faults = try store.verify().faults
        try expect(faults.isEmpty, "verify found \(faults)")
    }

    // MARK: Changes

    private func changeSchema() throws {
        let older = schema
        let keepsOlderCode = schema.change(&generator)
        trail.append(schema.step)
        try reopen(schema, changes: 1)
        if keepsOlderCode, generator.below(2) == 0 {
            trail.append("older code")
            try reopen(older, changes: 0)
            for _ in 0..<3 { try commit() }
            try compare()
            try reopen(schema, changes: 0)
        }
    }

    private func reopen(_ schema: EvolvingSchema, changes: Int) throws {
        let before = try store.statistics()
        store.close()
        store = try Store.open(at: directory.path("store"), schema: schema.declaration(&generator))
        known = schema
        let now = try store.statistics()
        schemaNumber += changes
        try expect(now.schemaNumber == schemaNumber, "the number of the schema is \(now.schemaNumber)")
        try expect(now.digest == before.digest, "the digest after a change of the schema")
        let faults = try store.verify().faults
        try expect(faults.isEmpty, "verify found \(faults)")
        if changes > 0 { try remember() }
        try compare()
    }

    // MARK: Comparing

    private func compare() throws {
        try store.read { transaction in
            try expect(transaction.digest == past[past.count - 1].digest, "the digest of the head")
            try compare(transaction, state)
            try compareQueries(transaction)
        }
    }

    private func value(_ id: String, _ attribute: EvolvingSchema.Attribute, in state: EvolvingState) -> Value {
        forgetsDefaults ? state.items[id]?[attribute.identity] ?? .null : state.value(id, attribute)
    }

    private func compare(_ transaction: borrowing ReadTransaction, _ state: EvolvingState) throws {
        let items = try transaction.records(RecordQuery(model: "item"))
        try expect(Set(items.map(\.id)) == Set(state.items.keys), "the items are \(items.map(\.id))")
        for item in items {
            let names = schema.attributes.map(\.name) + ["box"]
            try expect(Set(item.values.map(\.name)).isSubset(of: names), "\(item.id) has \(item.values)")
            for attribute in schema.attributes {
                let wanted = value(item.id, attribute, in: state)
                let name = attribute.name
                try expect(item[name] == wanted, "\(item.id).\(name) is \(item[name]), should be \(wanted)")
            }
            let box = state.box(of: item.id).map { Value.reference($0) } ?? .null
            try expect(item["box"] == box, "\(item.id).box is \(item["box"]), should be \(box)")
        }
        let boxes = try transaction.records(RecordQuery(model: "box"))
        try expect(Set(boxes.map(\.id)) == state.boxes, "the boxes are \(boxes.map(\.id))")
        for box in boxes {
            for (name, wanted) in [("items", state.members[box.id]), ("picks", state.picks[box.id])] {
                let found = box.lists.first { $0.name == name }?.targets ?? []
                try expect(found == wanted ?? [], "\(box.id).\(name) is \(found), should be \(wanted ?? [])")
            }
        }
    }

    private func compareQueries(_ transaction: borrowing ReadTransaction) throws {
        for attribute in schema.attributes {
            let wanted = EvolvingSchema.value(attribute.isText, &generator)
            let path: FieldPath = [attribute.name]
            let filter = FilterExpression.compare(path, .equal, wanted)
            let found = try transaction.fetchIDs(RecordQuery(model: "item", filter: filter))
            let all = state.items.keys.filter { value($0, attribute, in: state) == wanted }
            try expect(Set(found) == Set(all), "\(attribute.name) == \(wanted): \(found), should be \(all)")
            let lacking = try transaction.count(RecordQuery(model: "item", filter: .isNil(path)))
            let none = state.items.keys.count { value($0, attribute, in: state) == .null }
            try expect(lacking == none, "\(lacking) items have no \(attribute.name), should be \(none)")
        }
    }
}
