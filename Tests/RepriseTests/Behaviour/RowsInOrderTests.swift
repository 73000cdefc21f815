import Reprise
import TestSupport
import Testing

/// Rows as values in the order of the model's attributes, for tools without Swift types (STO-46).
@Suite struct RowsInOrderTests {
    private static let schema = SchemaDescription(
        models: [
            ModelDescription(
                number: 1,
                name: "note",
                version: 1,
                slotCount: 4,
                // The second slot was dropped, and the first two attributes stand the other way round.
                attributes: [
                    AttributeDescription(slot: 2, name: "count", type: .int, isOptional: true),
                    AttributeDescription(slot: 0, name: "title", type: .string, isOptional: false),
                    AttributeDescription(slot: 3, name: "next", type: .reference, isOptional: true),
                ],
                indexes: [IndexDescription(number: 1, slots: [0], isUnique: true)]
            )
        ],
        relations: [
            RelationDescription(
                number: 1,
                kind: .reference(slot: 3),
                source: .init(model: 1, name: "next", onDelete: .nullify),
                target: .init(model: 1, name: "before", onDelete: .nullify)
            )
        ]
    )

    private let directory: TemporaryDirectory
    private let store: Store

    init() throws {
        directory = try TemporaryDirectory()
        store = try Store.open(at: directory.path("notes"), schema: Schema(Self.schema))
    }

    private func note(_ id: String) -> EntityReference { EntityReference(model: "note", id: id) }

    @discardableResult
    private func put(_ id: String, _ values: [Value?]) throws -> WriteTransaction.PutOutcome {
        try store.write { try $0.put(note(id), inOrder: values) }
    }

    private func record(_ id: String) throws -> Record? {
        try store.read { try $0.record(model: "note", id: id) }
    }

    @Test func `values arrive in the attributes at their places`() throws {
        #expect(try put("a", [.int(1), .string("A"), nil]) == .inserted)
        #expect(try put("b", [nil, .string("B"), .reference("a")]) == .inserted)
        let a = try #require(try record("a"))
        #expect(a["count"] == .int(1))
        #expect(a["title"] == .string("A"))
        #expect(a["next"] == .null)
        #expect(a.lists.first?.targets == ["b"])
        #expect(try record("b")?["next"] == .reference("a"))
    }

    @Test func `what is left out stays, and null empties`() throws {
        try put("a", [.int(1), .string("A"), nil])
        #expect(try put("a", [nil, .string("B"), nil]) == .updated)
        #expect(try put("a", [nil, nil, nil]) == .unchanged)
        #expect(try record("a")?["count"] == .int(1))
        #expect(try put("a", [.null, nil, nil]) == .updated)
        #expect(try record("a")?["count"] == .null)
    }

    @Test func `values are compared with a row by their bytes, a to-one by its target`() throws {
        try put("a", [nil, .string("A"), nil])
        try put("b", [.int(2), .string("\u{E9}"), .reference("a")])
        try put("c", [nil, .string("C"), .reference("a")])
        try store.read { state in
            let b = note("b")
            let cases: [([Value?], Bool)] = [
                ([.int(2), .string("\u{E9}"), .reference("a")], true), ([nil, nil, nil], true),
                ([.int(3), nil, nil], false), ([.null, nil, nil], false),
                // The same text for people, other bytes.
                ([nil, .string("e\u{301}"), nil], false), ([nil, nil, .reference("c")], false),
                ([nil, nil, .null], false),
            ]
            for (values, isSame) in cases {
                #expect(try state.standing(of: b, inOrder: values)?.isSame == isSame, "\(values)")
            }
            #expect(try state.standing(of: note("x"), inOrder: [nil, nil, nil]) == nil)
            let standing = try #require(try state.standing(of: b, inOrder: [nil, nil, nil]))
            let revision = try #require(try state.revision(of: b))
            #expect(standing.created == revision.created)
            #expect(standing.revision == revision.revision)
        }
    }

    @Test func `what cannot be stored is refused and leaves no trace`() throws {
        try put("a", [nil, .string("A"), nil])
        let head = try store.read { $0.head }
        func code(_ id: String, _ values: [Value?]) -> StoreError.Code? {
            do {
                try put(id, values)
                return nil
            } catch {
                return (error as? StoreError)?.code
            }
        }
        #expect(code("b", [nil, nil, nil]) == .invalidValue)
        #expect(code("b", [nil, .string("B")]) == .invalidValue)
        #expect(code("b", [.string("one"), .string("B"), nil]) == .invalidValue)
        #expect(code("b", [nil, .string("B"), .reference("nowhere")]) == .targetMissing)
        #expect(code("b", [nil, .string("A"), nil]) == .uniqueViolation)
        #expect(code("a", [nil, .null, nil]) == .invalidValue)
        #expect(try store.read { $0.head } == head)
    }

    @Test func `a row that must not be there is refused as such, whatever its values`() throws {
        try put("a", [nil, .string("A"), nil])
        for values in [[nil, .string("B"), nil], [nil, nil, nil], [.string("one"), nil, nil]] as [[Value?]] {
            let error = try #require(throws: StoreError.self) {
                try store.write { try $0.put(note("a"), inOrder: values, expecting: .absent) }
            }
            #expect(error.code == .entityExists)
        }
    }

    @Test func `a description that does not hold together is refused`() {
        var schema = Self.schema
        schema.models[0].attributes[1].name = "not a name"
        #expect(throws: SchemaError.self) { try Schema(schema) }
    }

    @Test func `what forbids a row is told before it is written (STO-47)`() throws {
        try put("a", [.int(1), .string("A"), nil])
        let values: [Value?] = [nil, .string("B"), nil]
        func code(_ id: String, _ values: [Value?]) throws -> StoreError.Code? {
            let fromReading = try store.read { try $0.refusal(of: note(id), inOrder: values)?.code }
            // Writing says the same; it is undone.
            struct Undone: Error {}
            var fromWriting: StoreError.Code?
            do {
                try store.write { transaction in
                    try transaction.checkRulesAtOnce()
                    do {
                        try transaction.put(note(id), inOrder: values)
                    } catch let error as StoreError {
                        fromWriting = error.code
                    }
                    throw Undone()
                }
            } catch is Undone {}
            #expect(fromReading == fromWriting)
            return fromReading
        }
        #expect(try code("b", values) == nil)
        #expect(try code("a", values) == nil)
        #expect(try code("a", [.int(2), nil, nil]) == nil)
        #expect(try code("b", [nil, .string("A"), nil]) == .uniqueViolation)
        #expect(try code("b", [nil, nil, nil]) == .invalidValue)
        #expect(try code("b", [.string("many"), .string("B"), nil]) == .invalidValue)
        #expect(try code(String(repeating: "\0", count: 150), values) == .invalidIdentifier)
        _ = try code("", values)
    }
}
