@testable import Reprise

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// How the golden store was made: every kind of event, every type of value with its edges, rollbacks of rollbacks,
/// lists whose gaps are used up, a bulk load, a commit of several blocks, a rebuild in the other set of views.
enum GoldenStore {
    typealias Crate = GoldenModels.Crate
    typealias Item = GoldenModels.Item
    typealias Lid = GoldenModels.Lid

    static func make(at path: String) throws {
        let clock = TickingClock()
        let store = try Store.open(
            at: path,
            schema: GoldenModels.schema,
            configuration: Store.Configuration(actor: "golden", now: clock.now)
        )
        defer { store.close() }
        try fillValues(store)
        try fillLists(store)
        try travel(store)
        try load(store)
        try store.replay()
    }

    private static func fillValues(_ store: Store) throws {
        try store.write(CommitContext(intent: "values", correlation: "c-1")) { transaction in
            try transaction.insert(
                Item(
                    id: "all",
                    title: "Grüße, 世界 \u{1F3B5}",
                    count: .min,
                    weight: -0.0,
                    ratio: 1.5,
                    isNew: true,
                    made: Date(timeIntervalSinceReferenceDate: 123_456_789.25),
                    code: UUID(uuidString: "00112233-4455-6677-8899-AABBCCDDEEFF"),
                    price: Decimal(string: "-12.30"),
                    raw: Data([0, 255, 0]),
                    kind: .fancy,
                    tags: ["b", "a", "b"],
                    grades: [1, nil, -1],
                    colours: ["red", "blue", ""],
                    words: ["k": 0.5, "j": nil],
                    size: GoldenModels.Size(width: 2.5, note: nil)
                )
            )
            try transaction.insert(
                Item(
                    id: "edge\0\u{301}",
                    title: "a\0b",
                    count: .max,
                    weight: .nan,
                    ratio: -.infinity,
                    made: .distantPast,
                    price: .nan,
                    raw: Data()
                )
            )
            // The golden store has it with an empty identifier, which is refused since (VAL-03).
            try transaction.insert(
                Item(id: "plain", title: "", weight: .infinity, ratio: .nan, price: 0)
            )
            try transaction.insert(
                Item(id: "long 1", title: String(repeating: "x", count: 210) + "1")
            )
            try transaction.insert(
                Item(id: "long 2", title: String(repeating: "x", count: 210) + "2")
            )
            try transaction.insert(Item(id: "wide", title: String(repeating: "é", count: 20_000)))
            try transaction.insert(
                Item(id: Item.ID(String(repeating: "i", count: 240)), title: "longest")
            )
        }
        try store.write(
            CommitContext(intent: "edit", actor: "ben", causation: Position(rawValue: 2))
        ) {
            transaction in
            _ = try transaction.update(Item.self, id: "all") { item in
                item.weight = 0.0
                item.tags = []
                item.size?.note = "n"
                item.made = nil
            }
        }
    }

    private static func fillLists(_ store: Store) throws {
        try store.write(CommitContext(intent: "lists")) { transaction in
            for name in ["c1", "c2"] {
                try transaction.insert(Crate(id: Crate.ID(name), name: name))
            }
            for number in 0..<12 {
                try transaction.insert(
                    Item(
                        id: Item.ID("i\(number)"),
                        title: "Item \(number % 5)",
                        count: number,
                        crate: "c1"
                    )
                )
            }
            try transaction.insert(Lid(id: "l1", crate: "c1"))
            try transaction.insert(Lid(id: "l2", crate: "c1"))
            for target in ["i1", "i2", "i1", "i3", "all"] {
                try transaction.link(Crate.marked, from: "c1", to: Item.ID(target))
            }
            try transaction.link(Crate.marked, from: "c2", to: "i2", at: .first)
        }
        // Forty entries behind the first one use its gap up: the neighbours make room.
        try store.write(CommitContext(intent: "room")) { transaction in
            let first = try transaction.entries(Crate.marked, of: "c1")[0]
            for number in 0..<40 {
                try transaction.link(
                    Crate.marked,
                    from: "c1",
                    to: Item.ID("i\(number % 12)"),
                    at: .after(first.id)
                )
            }
            try transaction.link(Crate.items, from: "c2", to: "i5", at: .first)
            try transaction.link(Crate.items, from: "c2", to: "i6", at: .first)
            let entries = try transaction.entries(Crate.marked, of: "c1")
            try transaction.unlink(Crate.marked, entry: entries[7].id, of: "c1")
            try transaction.move(Crate.marked, entry: entries[9].id, of: "c1", to: .last)
        }
    }

    private static func travel(_ store: Store) throws {
        try store.createSnapshot(named: "before")
        try store.write(CommitContext(intent: "note")) { transaction in
            try transaction.annotate(name: "import", key: "one", payload: [1, 2, 3])
            try transaction.annotate(name: "import", key: "two\0", payload: [])
        }
        try store.write(CommitContext(intent: "cascade")) {
            _ = try $0.delete(Crate.self, id: "c1")
        }
        try store.rollback(to: .snapshot("before"))
        let report = try store.rollback(
            to: .position(Position(rawValue: store.head().rawValue - 1))
        )
        try store.write { transaction in
            try transaction.insert(Crate(id: "c1", name: "again"))
            try transaction.annotate(name: "import", key: "one", payload: [4])
        }
        try store.createSnapshot(named: "again")
        try store.rollback(to: .position(report.from))
        try store.createSnapshot(named: "gone")
        try store.deleteSnapshot(named: "gone")
    }

    private static func load(_ store: Store) throws {
        try store.bulkLoad(CommitContext(intent: "load")) { loader in
            for batch in 0..<4 {
                try loader.batch { transaction in
                    for number in 0..<30 {
                        try transaction.insert(
                            Item(
                                id: Item.ID("b\(batch)-\(number)"),
                                title: "Loaded \(number)",
                                count: batch,
                                crate: "c2"
                            )
                        )
                    }
                }
            }
        }
        // Two blocks: the first payload reaches 64 KiB.
        try store.write(CommitContext(intent: "large")) { transaction in
            for number in 0..<3 {
                try transaction.insert(
                    Item(
                        id: Item.ID("large \(number)"),
                        title: "Large",
                        raw: Data(repeating: UInt8(number), count: number == 2 ? 10 : 33_000)
                    )
                )
            }
        }
        try store.write { _ = try $0.delete(Item.self, id: "large 2") }
    }
}

extension Store {
    func head() throws -> Position { try read { $0.head } }
}
