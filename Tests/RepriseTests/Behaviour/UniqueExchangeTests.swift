import Reprise
import TestSupport
import Testing

/// Rows that are updated together (STO-48).
@Suite struct UniqueExchangeTests {
    private static let schema = SchemaDescription(
        models: [
            ModelDescription(
                number: 1,
                name: "seat",
                version: 1,
                slotCount: 5,
                attributes: [
                    AttributeDescription(slot: 0, name: "code", type: .string, isOptional: true),
                    AttributeDescription(slot: 1, name: "place", type: .int, isOptional: true),
                    AttributeDescription(slot: 2, name: "row", type: .reference, isOptional: true),
                    AttributeDescription(slot: 3, name: "twin", type: .reference, isOptional: true),
                    AttributeDescription(slot: 4, name: "of", type: .reference, isOptional: true),
                ],
                indexes: [
                    IndexDescription(number: 1, slots: [0], isUnique: true),
                    IndexDescription(number: 2, slots: [2, 1], isUnique: true),
                ]
            )
        ],
        relations: [
            RelationDescription(1, .reference(slot: 2), (1, "row"), (1, "seats")),
            RelationDescription(2, .pair(sourceSlot: 3, targetSlot: 4), (1, "twin"), (1, "of")),
        ]
    )

    private let directory: TemporaryDirectory
    private let store: Store

    init() throws {
        directory = try TemporaryDirectory()
        store = try Store.open(at: directory.path("seats"), schema: Schema(Self.schema))
    }

    private func seat(_ id: String) -> EntityReference { EntityReference(model: "seat", id: id) }

    private func row(_ id: String, code: Value) -> RowValues {
        RowValues(seat(id), [code, nil, nil, nil, nil])
    }

    private func insert(_ codes: KeyValuePairs<String, String>) throws {
        try store.write { transaction in
            for (id, code) in codes {
                try transaction.put(seat(id), inOrder: [.string(code), nil, nil, nil, nil])
            }
        }
    }

    @discardableResult
    private func update(_ rows: [RowValues]) throws -> [StoreError.Code?] {
        let foreseen = try store.read { try $0.refusals(together: rows) }
        let refusals = try store.write { try $0.update(together: rows) }
        #expect(foreseen.map { $0?.message } == refusals.map { $0?.message })
        return refusals.map { $0?.code }
    }

    private func codes() throws -> [String: Value] {
        try store.read { state in
            let seats = try state.records(RecordQuery(model: "seat"))
            return Dictionary(uniqueKeysWithValues: seats.map { ($0.id, $0["code"]) })
        }
    }

    @Test func `rows swap what is unique, in one commit of plain updates`() throws {
        try insert(["a": "1", "b": "2", "c": "3"])
        let (before, digest) = try store.read { ($0.head, $0.digest) }
        let rows = [
            row("a", code: .string("2")), row("b", code: .string("3")),
            row("c", code: .string("1")),
        ]
        #expect(try update(rows) == [nil, nil, nil])
        #expect(try codes() == ["a": .string("2"), "b": .string("3"), "c": .string("1")])
        // A position in the middle stands for the state before.
        let middle = Position(rawValue: before.rawValue + 1)
        let between = try store.read(asOf: .position(middle)) { $0.digest }
        #expect(between == digest)
        #expect(try store.verify().isSound)
        // What was given up and taken is taken now.
        let taken = try store.read { try $0.refusal(of: seat("d"), inOrder: rows[0].values) }
        #expect(taken?.code == .uniqueViolation)
        let after = try store.read { $0.digest }
        try store.rollback(to: .position(before))
        #expect(try codes() == ["a": .string("1"), "b": .string("2"), "c": .string("3")])
        try store.rollback(to: .position(Position(rawValue: before.rawValue + 3)))
        #expect(try store.read { $0.digest } == after)
        #expect(try store.verify().isSound)
    }

    @Test func `a ring with one who cannot move stays, the others go on`() throws {
        try insert(["a": "1", "b": "2", "c": "3", "d": "4", "e": "5"])
        let rows = [
            row("a", code: .string("2")), row("b", code: .string("5")),
            row("c", code: .string("4")),
            row("d", code: .string("3")), row("x", code: .string("9")),
        ]
        #expect(
            try update(rows) == [.uniqueViolation, .uniqueViolation, nil, nil, .entityMissing]
        )
        #expect(try codes()["a"] == .string("1"))
        #expect(try codes()["c"] == .string("4"))
        // Two who want the same: the first has it.
        let two = [
            row("a", code: .string("2")), row("b", code: .string("1")),
            row("e", code: .string("2")),
        ]
        #expect(try update(two) == [nil, nil, .uniqueViolation])
        #expect(throws: StoreError.self) { try update([two[0], two[0]]) }
        #expect(try store.verify().isSound)
    }

    @Test func `who gives nothing up lets nobody in, and nil lets everybody`() throws {
        try insert(["a": "1", "b": "2", "c": "3"])
        #expect(
            try update([row("a", code: .string("2")), row("b", code: .string("2"))])
                == [.uniqueViolation, nil]
        )
        #expect(
            try update([row("a", code: .string("2")), row("b", code: .null)]) == [nil, nil]
        )
        #expect(try codes() == ["a": .string("2"), "b": .null, "c": .string("3")])
    }

    @Test func `to-ones are part of it, and so are partners`() throws {
        try insert(["r": "r", "s": "s"])
        try store.write { transaction in
            for (id, row) in [("a", "r"), ("b", "s")] {
                let values: [Value?] = [nil, .int(1), .reference(row), nil, nil]
                try transaction.put(seat(id), inOrder: values)
            }
        }
        func moved(_ id: String, to row: String) -> RowValues {
            RowValues(seat(id), [nil, nil, .reference(row), nil, nil])
        }
        #expect(try update([moved("a", to: "s"), moved("b", to: "r")]) == [nil, nil])
        try store.read { state in
            let seats = try state.entries(of: "seats", model: "seat", id: "r").map(\.target)
            #expect(seats == ["b"])
        }
        #expect(try update([moved("a", to: "nowhere")]) == [.targetMissing])
        let paired = RowValues(seat("a"), [nil, nil, nil, .reference("b"), nil])
        #expect(try update([paired]) == [nil])
        let partner = try store.read { try $0.record(model: "seat", id: "b")?["of"] }
        #expect(partner == .reference("a"))
        #expect(try store.verify().isSound)
    }

    @Test(arguments: [0, 1 << 20]) func `rows of a bulk load swap`(memory: Int) throws {
        try store.bulkLoad(CommitContext(intent: "load"), memoryByteCount: memory) { loader in
            try loader.batch { transaction in
                for number in 0..<100 {
                    let values: [Value?] = [.string("\(number)"), nil, nil, nil, nil]
                    try transaction.put(seat("s\(number)"), inOrder: values)
                }
            }
            try loader.batch { transaction in
                let rows = (0..<100).map { row("s\($0)", code: .string("\(99 - $0)")) }
                #expect(try transaction.update(together: rows).allSatisfy { $0 == nil })
                let next = try transaction.refusal(
                    of: seat("t"),
                    inOrder: row("t", code: .string("7")).values
                )
                #expect(next?.code == .uniqueViolation)
            }
        }
        #expect(try codes()["s1"] == .string("98"))
        #expect(try store.verify().isSound)
    }
}
