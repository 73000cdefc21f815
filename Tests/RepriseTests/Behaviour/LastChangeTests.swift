import Reprise
import TestSupport
import Testing

/// What counts as a change of a row (STO-49).
@Suite struct LastChangeTests {
    private static let schema = SchemaDescription(
        models: [
            ModelDescription(
                1,
                "seat",
                [
                    ("code", .string, true), ("note", .string, true), ("row", .reference, true),
                    ("twin", .reference, true), ("of", .reference, true),
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
        try store.write { transaction in
            for id in ["r", "a", "b", "c"] {
                try transaction.put(seat(id), values: ["code": .string(id)])
            }
        }
    }

    private func seat(_ id: String) -> EntityReference { EntityReference(model: "seat", id: id) }

    /// Gives a seat a value in a commit of its own; returns the position of its event.
    @discardableResult
    private func set(_ attribute: String, _ value: Value, of id: String) throws -> Position {
        try store.write { transaction in
            try transaction.put(seat(id), values: [attribute: value])
            return try #require(try transaction.revision(of: seat(id))).revision.position
        }
    }

    private func last(
        _ id: String,
        to attribute: String? = nil,
        amongLast limit: Int = .max
    ) throws -> Position? {
        try store.read { try $0.lastChange(of: seat(id), to: attribute, amongLast: limit) }
    }

    @Test func `another place in a list is no change of a row`() throws {
        try store.write { transaction in
            for id in ["a", "b", "c"] {
                try transaction.link("seats", of: seat("r"), to: id)
            }
        }
        let linked = try #require(try last("c"))
        try store.write { transaction in
            let entries = try transaction.entries(of: "seats", model: "seat", id: "r")
            try transaction.move("seats", entry: entries[2], of: seat("r"), to: .first)
        }
        let moved = try #require(try store.read { try $0.revision(of: seat("c")) })
        #expect(moved.revision.position > linked)
        #expect(try last("c") == linked)
        #expect(try last("c", to: "row") == linked)
        let changed = try set("code", .string("4"), of: "c")
        #expect(try last("c") == changed)
        #expect(changed > linked)
        #expect(try last("x") == nil)
    }

    @Test func `what followed from a change of another row can be passed over`() throws {
        let own = try #require(try last("b"))
        let all: (Position, Bool) -> Bool = { $1 }
        // Each time somebody else gets or loses a twin the row changes, too.
        try store.write { transaction in
            for id in ["a", "c"] {
                _ = try transaction.put(seat(id), values: ["twin": .reference("b")])
                let last = try transaction.lastChange(of: seat("b"))
                #expect(last ?? .origin > transaction.position)
                #expect(try transaction.lastChange(of: seat("b"), passingOver: all) == own)
            }
        }
        try store.read { state in
            let last = try #require(try state.lastChange(of: seat("b")))
            #expect(last > own)
            let sinceOwn = try state.lastChange(of: seat("b")) { $1 && $0 >= own }
            #expect(sinceOwn == own)
            let beforeLast = try state.lastChange(of: seat("b")) { $1 && $0 >= last }
            #expect(try #require(beforeLast) < last)
            #expect(try #require(beforeLast) > own)
            // Nothing is passed over that is nobody's consequence.
            let changed = try #require(try state.lastChange(of: seat("c")))
            #expect(try state.lastChange(of: seat("c"), passingOver: all) == changed)
        }
    }

    @Test func `so can whatever else the one who asks names`() throws {
        let inserted = try #require(try last("a"))
        let first = try set("code", .string("1"), of: "a")
        let second = try set("note", .string("2"), of: "a")
        try store.write { transaction in
            _ = try transaction.put(seat("a"), values: ["note": .string("3")])
            _ = try transaction.put(seat("a"), values: ["code": .string("4")])
            let base = transaction.position
            let since: (Position, Bool) -> Bool = { position, _ in position > base }
            #expect(try transaction.lastChange(of: seat("a"), passingOver: since) == second)
            #expect(
                try transaction.lastChange(of: seat("a"), passingOver: { _, _ in true }) == inserted
            )
            #expect(
                try transaction.lastChange(of: seat("a"), to: "code", passingOver: since) == first
            )
        }
        let head = try store.read { $0.head }
        #expect(try last("a") == head)
        try store.read { state in
            let before = try state.lastChange(of: seat("a")) { position, _ in position > second }
            #expect(before == second)
        }
    }

    @Test func `each attribute has a last change of its own`() throws {
        let inserted = try #require(try last("a"))
        let code = try set("code", .string("1"), of: "a")
        let row = try set("row", .reference("r"), of: "a")
        let note = try set("note", .string("2"), of: "a")
        #expect(try last("a", to: "code") == code)
        #expect(try last("a", to: "row") == row)
        #expect(try last("a", to: "note") == note)
        #expect(try last("a", to: "twin") == inserted)
        // Others are looked at, too.
        #expect(try last("a", to: "note", amongLast: 1) == note)
        #expect(try last("a", to: "code", amongLast: 1) == nil)
        #expect(try last("a", to: "code", amongLast: 3) == code)
        #expect(throws: StoreError.self) { try last("a", to: "colour") }
    }

    @Test func `what was before a row came again is not its history`() throws {
        try set("note", .string("1"), of: "a")
        _ = try store.write { try $0.delete(seat("a")) }
        let again = try set("code", .string("a"), of: "a")
        let all: (Position, Bool) -> Bool = { _, _ in true }
        #expect(try store.read { try $0.lastChange(of: seat("a"), passingOver: all) } == again)
        #expect(try last("a", to: "note") == again)
        try store.write { transaction in
            try transaction.delete(seat("b"))
            _ = try transaction.put(seat("b"), values: ["code": .string("b")])
            let inserted = try #require(try transaction.revision(of: seat("b"))).created
            _ = try transaction.put(seat("b"), values: ["code": .string("c")])
            #expect(try transaction.lastChange(of: seat("b"), passingOver: all) == inserted)
        }
    }
}
