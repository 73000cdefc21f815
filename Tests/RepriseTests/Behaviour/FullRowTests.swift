import Reprise
import TestSupport
import Testing

/// Rows so large that a reference back has no room in them: what another row wants of them is forbidden before anything
/// is written (STO-15).
@Suite struct FullRowTests {
    private let directory: TemporaryDirectory
    private let store: Store

    init() throws {
        directory = try TemporaryDirectory()
        store = try Store.open(at: directory.path("large"), schema: Schema(Self.schema))
    }

    private static let schema = SchemaDescription(
        models: [
            ModelDescription(
                1,
                "car",
                [
                    ("driver", .reference, true), ("guest", .reference, true),
                    ("note", .string, true),
                ]
            ),
            ModelDescription(
                2,
                "driver",
                [("car", .reference, true), ("ride", .reference, true), ("note", .string, true)]
            ),
            ModelDescription(3, "folder", [("name", .string, true)]),
            ModelDescription(
                4,
                "paper",
                [("folder", .reference, true), ("name", .string, true), ("note", .string, true)],
                unique: [[0, 1]]
            ),
            ModelDescription(
                5,
                "seat",
                [("twin", .reference, true), ("of", .reference, true), ("note", .string, true)]
            ),
        ],
        relations: [
            pair(1, source: (2, "car", 0), target: (1, "driver", 0)),
            pair(2, source: (2, "ride", 1), target: (1, "guest", 1)),
            RelationDescription(
                number: 3,
                kind: .reference(slot: 0),
                source: .init(model: 4, name: "folder", onDelete: .nullify),
                target: .init(model: 3, name: "papers", onDelete: .nullify)
            ),
            pair(4, source: (5, "twin", 0), target: (5, "of", 1)),
        ]
    )

    private static func pair(
        _ number: UInt16,
        source: (model: UInt16, name: String, slot: Int),
        target: (model: UInt16, name: String, slot: Int)
    ) -> RelationDescription {
        RelationDescription(
            number: number,
            kind: .pair(sourceSlot: source.slot, targetSlot: target.slot),
            source: .init(model: source.model, name: source.name, onDelete: .nullify),
            target: .init(model: target.model, name: target.name, onDelete: .nullify)
        )
    }

    /// What leaves so many bytes of a row of three slots; a reference takes eight and its identifier.
    private static func note(leaving byteCount: Int) -> Value {
        .string(String(decoding: [UInt8](repeating: 0x78, count: rowByteCountMax - 14 - byteCount), as: UTF8.self))
    }

    private func reference(_ model: String, _ id: String) -> EntityReference {
        EntityReference(model: model, id: id)
    }

    private func driver(
        _ id: String,
        car: String? = nil,
        ride: String? = nil
    ) -> (reference: EntityReference, values: [Value?]) {
        (reference("driver", id), [car.map { .reference($0) }, ride.map { .reference($0) }, nil])
    }

    /// Whom a car has, as it says itself; the other side has to agree.
    private func people(of car: String) throws -> [Value] {
        try store.read { state in
            let record = try #require(try state.record(model: "car", id: car))
            return try [("driver", "car"), ("guest", "ride")].map { name, inverse in
                let value = record[name]
                if case .reference(let id) = value {
                    let other = try state.record(model: "driver", id: id)
                    #expect(other?[inverse] == .reference(car))
                }
                return value
            }
        }
    }

    @Test func `a row that has no room for a partner forbids it, and all goes on`() throws {
        let full = reference("car", "full")
        try store.write { transaction in
            try transaction.put(full, values: ["note": Self.note(leaving: 9)])
            let long = driver("dd", car: "full")
            let refusal = try transaction.refusal(of: long.reference, inOrder: long.values)
            #expect(refusal?.code == .valueTooLarge)
            let error = #expect(throws: StoreError.self) {
                try transaction.put(long.reference, inOrder: long.values)
            }
            #expect(error?.message == refusal?.message)
            try transaction.put(long.reference, values: [:])
            let again = code { try transaction.put(long.reference, inOrder: long.values) }
            #expect(again == .valueTooLarge)
            let short = driver("d", car: "full")
            #expect(try transaction.refusal(of: short.reference, inOrder: short.values) == nil)
            try transaction.put(short.reference, inOrder: short.values)
            // Its place is taken over.
            let late = code { try transaction.put(long.reference, inOrder: long.values) }
            #expect(late == .valueTooLarge)
            let other = driver("e", car: "full")
            try transaction.put(other.reference, inOrder: other.values)
        }
        #expect(try people(of: "full") == [.reference("e"), .null])
        #expect(try store.verify().isSound)
    }

    @Test func `two references back have to have room together`() throws {
        try store.write { transaction in
            try transaction.put(
                reference("car", "full"),
                values: ["note": Self.note(leaving: 17)]
            )
            let both = driver("d", car: "full", ride: "full")
            let refusal = code { try transaction.put(both.reference, inOrder: both.values) }
            #expect(refusal == .valueTooLarge)
            let one = driver("d", car: "full")
            try transaction.put(one.reference, inOrder: one.values)
            let other = driver("e", ride: "full")
            #expect(code { try transaction.put(other.reference, inOrder: other.values) } == .valueTooLarge)
        }
        #expect(try people(of: "full") == [.reference("d"), .null])
    }

    @Test func `a row that is its own partner has to have room for both sides`() throws {
        try store.write { transaction in
            let values = ["twin": Value.reference("s"), "note": Self.note(leaving: 17)]
            let seat = reference("seat", "s")
            #expect(code { try transaction.put(seat, values: values) } == .valueTooLarge)
            try transaction.put(seat, values: ["note": Self.note(leaving: 18)])
            try transaction.put(seat, values: ["twin": .reference("s")])
        }
        #expect(try store.verify().isSound)
    }

    @Test func `a change that no event has room for is foreseen`() throws {
        let text = longText("x", count: 40 << 20)
        try store.write { transaction in
            try transaction.put(reference("car", "large"), values: ["note": .string(text)])
        }
        let (large, values) = (reference("car", "large"), [nil, nil, .string(text + "y")] as [Value?])
        let foreseen = try store.read { try $0.refusal(of: large, inOrder: values) }
        #expect(foreseen?.code == .valueTooLarge)
        try store.write { transaction in
            let error = #expect(throws: StoreError.self) { try transaction.put(large, inOrder: values) }
            #expect(error?.message == foreseen?.message)
        }
    }

    @Test func `what forbids a link is found before others make room for it`() throws {
        let folder = reference("folder", "ff")
        var ids: [String] = []
        try store.write { transaction in
            try transaction.checkRulesAtOnce()
            try transaction.put(folder, values: [:])
            try transaction.put(reference("paper", "full"), values: ["note": Self.note(leaving: 9)])
            let refusal = code { try transaction.link("papers", of: folder, to: "full") }
            #expect(refusal == .valueTooLarge)
            for id in ["first", "last"] {
                try transaction.put(reference("paper", id), values: ["name": .string(id)])
            }
            try transaction.put(reference("paper", "twin"), values: ["name": .string("first")])
            let first = try transaction.link("papers", of: folder, to: "first")
            try transaction.link("papers", of: folder, to: "last")
            // Each halves the gap; beyond the thirty-second others have to move.
            for number in 0..<40 {
                let refusal = code {
                    try transaction.link("papers", of: folder, to: "twin", at: .after(first))
                }
                #expect(refusal == .uniqueViolation)
                let values = ["name": Value.string("\(number)")]
                try transaction.put(reference("paper", "p\(number)"), values: values)
                try transaction.link("papers", of: folder, to: "p\(number)", at: .after(first))
                ids.insert("p\(number)", at: 0)
            }
        }
        let targets = try store.read { try $0.record(model: "folder", id: "ff")?.lists[0].targets }
        #expect(targets == ["first"] + ids + ["last"])
        #expect(try store.verify().isSound)
    }
}
