import FaultSupport
import Reprise
import TestSupport
import Testing

/// The largest and the longest.
@Suite struct LimitTests {
    private static func withStore(_ body: (Store) throws -> Void) throws {
        let scratch = try Scratch(inMemory: true)
        let store = try Store.open(at: scratch("store"), schema: FaultModels.schema)
        defer { store.close() }
        try body(store)
        #expect(try store.verify().faults == [])
    }

    @Test func `an identifier has 1 to 240 bytes, a NUL counting twice`() throws {
        let longest = [
            String(repeating: "x", count: 240), String(repeating: "é", count: 120),
            String(repeating: "\0", count: 120), "a\0b\0\0", "\0", "\u{FF}\0\u{FF}",
        ].sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
        let refused = [
            "", String(repeating: "x", count: 241), String(repeating: "é", count: 121),
            String(repeating: "\0", count: 121), String(repeating: "x", count: 239) + "\0",
            String(repeating: "x", count: 5000), String(repeating: "x", count: 1 << 20),
        ]
        try Self.withStore { store in
            try store.write { transaction in
                for id in longest {
                    try transaction.insert(Shelf(id: Shelf.ID(id), title: id))
                    try transaction.insert(
                        Item(id: Item.ID(id), name: id, shelf: Shelf.ID(id))
                    )
                }
                for owner in longest {
                    for target in longest {
                        try transaction.link(
                            Shelf.picks,
                            from: Shelf.ID(owner),
                            to: Item.ID(target)
                        )
                    }
                }
                for id in refused {
                    #expect(
                        code { try transaction.insert(Item(id: Item.ID(id), name: "")) }
                            == .invalidIdentifier
                    )
                    // Nothing has such an identifier: not even what has an empty one.
                    let item = Item(id: "other", name: "", shelf: Shelf.ID(id))
                    #expect(code { try transaction.insert(item) } == .targetMissing)
                    #expect(
                        code { try transaction.link(Shelf.picks, from: "\0", to: Item.ID(id)) }
                            == .targetMissing
                    )
                    #expect(
                        code { try transaction.link(Shelf.items, from: "\0", to: Item.ID(id)) }
                            == .targetMissing
                    )
                    #expect(
                        code { try transaction.link(Shelf.picks, from: Shelf.ID(id), to: "\0") }
                            == .entityMissing
                    )
                    #expect(
                        code { try transaction.delete(Item.self, id: Item.ID(id)) }
                            == .entityMissing
                    )
                    #expect(try transaction.fetch(Item.self, id: Item.ID(id)) == nil)
                    #expect(try transaction.entries(Shelf.picks, of: Shelf.ID(id)) == [])
                    #expect(try transaction.entries(Item.pickedBy, of: Item.ID(id)) == [])
                }
            }
            let items = try store.fetch(FetchDescriptor<Item>())
            #expect(items.map(\.id.rawValue) == longest)
            try store.read { try Self.expect($0, has: longest) }
            #expect(try store.replay().eventCount > 0)
        }
    }

    private static func expect(
        _ transaction: borrowing Reprise.ReadTransaction,
        has ids: [String]
    ) throws {
        for id in ids {
            #expect(try transaction.fetch(Item.self, id: Item.ID(id))?.name == id)
            let shelf = Shelf.ID(id)
            let items = try transaction.entries(Shelf.items, of: shelf).map(\.target.rawValue)
            #expect(items == [id])
            let picks = try transaction.entries(Shelf.picks, of: shelf).map(\.target.rawValue)
            #expect(picks == ids)
            let pickers = try transaction.entries(Item.pickedBy, of: Item.ID(id))
            #expect(pickers.map(\.target.rawValue) == ids)
            let named = FetchDescriptor<Item>().where { $0.name == id }
            #expect(try transaction.fetch(named).map(\.id.rawValue) == [id])
        }
    }

    @Test func `a value of 60 MB is kept, changed around, deleted and brought back`() throws {
        let note = longText("0123456789", count: 6_000_000)
        try Self.withStore { store in
            try store.write { try $0.insert(Item(id: "large", name: "A", note: note)) }
            let before = try store.createSnapshot(named: "before")
            try store.write { transaction in
                try transaction.update(Item.self, id: "large") { $0.name = "B" }
                // An event tells what was there before: twice this is more than an event may be.
                #expect(
                    code { try transaction.update(Item.self, id: "large") { $0.note = note + "x" } }
                        == .valueTooLarge
                )
            }
            #expect(try store.fetch(Item.self, id: "large")?.note?.utf8.count == 60_000_000)
            _ = try store.write { try $0.delete(Item.self, id: "large") }
            #expect(try store.rollback(to: .snapshot("before")).digest == before.digest)
            let item = try store.fetch(Item.self, id: "large")
            #expect(item?.name == "A")
            #expect(item?.note == note)
            let larger = longText("x", count: rowByteCountMax)
            let refusal = code {
                try store.write { try $0.insert(Item(id: "larger", name: "", note: larger)) }
            }
            #expect(refusal == .valueTooLarge)
        }
    }

    @Test func `the largest row there can be can be deleted`() throws {
        // Offsets, the other slots and the identifier take a few bytes of a row.
        let note = longText("x", count: rowByteCountMax - 64)
        let id = Item.ID(String(repeating: "i", count: 240))
        try Self.withStore { store in
            try store.write { try $0.insert(Item(id: id, name: "", note: note)) }
            _ = try store.write { try $0.delete(Item.self, id: id) }
            #expect(try store.count(FetchDescriptor<Item>()) == 0)
        }
    }

    /// Debug builds take a long time for ten thousand.
    private static var crowdCount: Int {
        #if DEBUG
            2_500
        #else
            10_000
        #endif
    }

    @Test(arguments: [true, false])
    func `thousands of entries are put in the same place of a list`(
        afterAnchor: Bool
    ) throws {
        try Self.withStore { store in
            var expected: [String] = []
            try store.write { transaction in
                try transaction.insert(Shelf(id: "s", title: "S"))
                try transaction.insert(Item(id: "x", name: "X"))
                for number in 0..<40 {
                    try transaction.insert(Item(id: Item.ID("i\(number)"), name: ""))
                    try transaction.link(Shelf.picks, from: "s", to: Item.ID("i\(number)"))
                    expected.append("i\(number)")
                }
            }
            let anchor = try store.read { try $0.entries(Shelf.picks, of: "s")[20].id }
            var middle: [String] = []
            for batch in 0..<50 {
                try store.write { transaction in
                    for number in 0..<Self.crowdCount / 50 {
                        let id = Item.ID(number % 7 == 0 ? "x" : "i\((batch + number) % 40)")
                        try transaction.link(
                            Shelf.picks,
                            from: "s",
                            to: id,
                            at: afterAnchor ? .after(anchor) : .before(anchor)
                        )
                        middle.append(id.rawValue)
                    }
                }
            }
            if afterAnchor {
                expected.insert(contentsOf: middle.reversed(), at: 21)
            } else {
                expected.insert(contentsOf: middle, at: 20)
            }
            let found = try store.read {
                try $0.entries(Shelf.picks, of: "s").map(\.target.rawValue)
            }
            #expect(found == expected)
        }
    }

    @Test func `thousands of members are moved to the same place of a list`() throws {
        try Self.withStore { store in
            try store.write { transaction in
                try transaction.insert(Shelf(id: "s", title: "S"))
                for number in 0..<100 {
                    try transaction.insert(Item(id: Item.ID("i\(number)"), name: "", shelf: "s"))
                }
            }
            var expected = (0..<100).map { "i\($0)" }
            try store.write { transaction in
                for step in 0..<1500 {
                    let moved = "i\(step % 49)"
                    try transaction.move(
                        Shelf.items,
                        entry: EntryID(serial: 0, target: moved),
                        of: "s",
                        to: .before(EntryID(serial: 0, target: "i50"))
                    )
                    expected.removeAll { $0 == moved }
                    expected.insert(moved, at: expected.firstIndex(of: "i50") ?? 0)
                }
            }
            let found = try store.read {
                try $0.entries(Shelf.items, of: "s").map(\.target.rawValue)
            }
            #expect(found == expected)
        }
    }

    @Test func `a commit of 100,000 events is one commit`() throws {
        try Self.withStore { store in
            let before = try store.statistics()
            try store.write { transaction in
                for number in 0..<100_000 {
                    try transaction.insert(
                        Item(id: Item.ID("\(number)"), name: "Name \(number % 30)")
                    )
                }
            }
            let after = try store.statistics()
            #expect(after.head.rawValue == before.head.rawValue + 100_000)
            #expect(after.commitCount == before.commitCount + 1)
            #expect(try store.count(FetchDescriptor<Item>().where { $0.name == "Name 7" }) == 3334)
            #expect(
                try store.read(asOf: .position(Position(rawValue: 50_000))) { $0.digest }
                    == before.digest
            )
            #expect(try store.rollback(to: .position(before.head)).digest == before.digest)
            #expect(try store.count(FetchDescriptor<Item>()) == 0)
        }
    }
}
