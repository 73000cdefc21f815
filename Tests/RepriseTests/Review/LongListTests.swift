import Reprise
import TestSupport
import Testing

/// Lists of which only a part is held at a time.
struct LongListTests {
    private let stores: ListStores
    private var store: Store { stores.store }

    private static let ids: [Volume.ID] = (0..<12).map { Volume.ID("v\($0)") }
    private static let lists = [
        ("volumes", EntityReference(model: "rack", id: "r")),
        ("contents", EntityReference(model: "box", id: "b")),
    ]

    init() throws { stores = try ListStores(Self.ids) }

    /// Changes anything of the lists.
    private func disturb(
        _ transaction: inout WriteTransaction,
        using random: inout SeededGenerator
    ) throws {
        for (list, owner) in Self.lists {
            for _ in 0..<8 {
                let entries = try transaction.entries(of: list, model: owner.model, id: owner.id)
                let placement: Placement =
                    entries.isEmpty || random.once(in: 3) ? .first : .after(random.pick(entries))
                switch random.below(4) {
                case 0 where entries.count > 3:
                    let entry = random.pick(entries)
                    if case .after(entry) = placement { continue }
                    try transaction.move(list, entry: entry, of: owner, to: placement)
                case 1 where entries.count > 3:
                    try transaction.unlink(list, entry: random.pick(entries), of: owner)
                default:
                    let id = random.pick(Self.ids).rawValue
                    let isThere = entries.contains { $0.target == id }
                    if list == "contents", isThere { continue }
                    try transaction.link(list, of: owner, to: id, at: placement)
                }
            }
        }
    }

    private func expectWalks(
        _ state: borrowing some StateReading & ~Copyable,
        using random: inout SeededGenerator
    ) throws {
        for (list, owner) in Self.lists {
            let entries = try state.entries(of: list, model: owner.model, id: owner.id)
            let start = entries.isEmpty ? 0 : random.below(entries.count + 1)
            let before = start == 0 ? nil : entries[start - 1]
            var walked: [EntryID] = []
            let limit = random.below(2 * entries.count + 1)
            if limit > 0 {
                try state.forEachEntry(
                    of: list,
                    model: owner.model,
                    id: owner.id,
                    after: before
                ) { entry in
                    walked.append(entry)
                    return walked.count < limit
                }
            }
            #expect(walked == Array(entries[start...].prefix(limit)))
            for id in Self.ids {
                let found = try state.entries(
                    of: list,
                    model: owner.model,
                    id: owner.id,
                    to: id.rawValue,
                    after: before,
                    limit: limit
                )
                let wanted = entries[start...].filter { $0.target == id.rawValue }
                #expect(found == Array(wanted.prefix(limit)))
            }
        }
    }

    @Test(arguments: 1...10 as ClosedRange<UInt64>)
    func `a walk from any entry on hands over what the list has, pending changes included`(
        seed: UInt64
    ) throws {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<6 {
            try store.write { transaction in
                for _ in 0..<3 {
                    try disturb(&transaction, using: &random)
                    try expectWalks(transaction, using: &random)
                }
            }
            try store.read { try expectWalks($0, using: &random) }
        }
    }

    @Test func `the derived side is walked through as well, and an entry that is gone is refused`()
        throws
    {
        let shelves = try Store.open(
            at: stores.path("shelves"),
            schema: Schema(Shelf.self, Book.self)
        )
        try shelves.write { transaction in
            try transaction.insert(Book(id: "b"))
            for id in ["r", "q"] as [Shelf.ID] { try transaction.insert(Shelf(id: id)) }
            for id in ["r", "q", "r"] as [Shelf.ID] {
                try transaction.link(Shelf.books, from: id, to: "b")
            }
        }
        try shelves.read { state in
            var owners: [String] = []
            try state.forEachEntry(of: "shelves", model: "book", id: "b") {
                owners.append($0.target)
                return true
            }
            #expect(owners == ["q", "r", "r"])
            let ofOne = try state.entries(of: "shelves", model: "book", id: "b", to: "r", limit: 1)
            #expect(ofOne.map(\.target) == ["r"])
        }
        let entry = try store.write { try $0.link(Rack.volumes, from: "r", to: "v2").id }
        try store.write { try $0.unlink(Rack.volumes, entry: entry, of: "r") }
        let error = #expect(throws: StoreError.self) {
            try store.read { state in
                try state.forEachEntry(of: "volumes", model: "rack", id: "r", after: entry) { _ in
                    true
                }
            }
        }
        #expect(error?.code == .entryMissing)
        let nothing = try store.read {
            try $0.entries(of: "volumes", model: "rack", id: "nobody", to: "v1")
        }
        #expect(nothing.isEmpty)
        let none = try store.read { state in
            try [0, -1].flatMap { limit in
                try state.entries(of: "volumes", model: "rack", id: "r", to: "v1", limit: limit)
            }
        }
        #expect(none.isEmpty)
    }
}

private struct Shelf: Model {
    var id: ID

    static let schema = ModelSchema("shelf", Self.init, .id("id", \.id))
        .toMany("books", of: Book.self)

    static let books = Relationship<Shelf, Book>("books")
}

private struct Book: Model {
    var id: ID

    static let schema = ModelSchema("book", Self.init, .id("id", \.id))
        .inverse("shelves", of: Shelf.self, "books")
}
