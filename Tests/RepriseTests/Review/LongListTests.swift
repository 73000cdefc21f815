import Reprise
import TestSupport
import Testing

/// Lists of which only a part is held at a time (REL-15, REL-17).
struct LongListTests {
    private let stores: ListStores
    private var store: Store { stores.store }
    /// Gets the same lists, worked on as a whole.
    private var twin: Store { stores.twin }

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

    @Test(arguments: 1...16 as ClosedRange<UInt64>)
    func `entries that are gathered stand behind another one in their order, and all else stays`(
        seed: UInt64
    ) throws {
        var random = SeededGenerator(seed: seed)
        var refusalCount = 0
        for _ in 0..<20 {
            try store.write { try disturb(&$0, using: &random) }
            for (list, owner) in Self.lists {
                let entries = try store.read {
                    try $0.entries(of: list, model: owner.model, id: owner.id)
                }
                guard entries.count > 2 else { continue }
                var rest = entries.shuffled(using: &random)
                let group = Array(rest.suffix(1 + random.below(entries.count - 1)))
                rest = entries.filter { !group.contains($0) }
                let place = random.below(rest.count + 1)
                let anchor = place == 0 ? nil : rest[place - 1]
                let wanted = Array(rest[..<place] + group + rest[place...])
                let count = random.once(in: 3) ? 1 << 28 : 0
                let head = try store.read { $0.position }
                let hasRoom = try store.write {
                    try $0.move(
                        list,
                        groups: [EntryGroup(group, behind: anchor, share: count)],
                        of: owner
                    )
                }
                let after = try store.read {
                    try $0.entries(of: list, model: owner.model, id: owner.id)
                }
                #expect(after == (hasRoom ? wanted : entries))
                if hasRoom { continue }
                refusalCount += 1
                #expect(try store.read { $0.position } == head)
                let isMoved = try store.write { transaction in
                    try transaction.respace(list, of: owner)
                    return try transaction.move(
                        list,
                        groups: [EntryGroup(group, behind: anchor)],
                        of: owner
                    )
                }
                #expect(isMoved)
            }
        }
        #expect(refusalCount > 0)
        #expect(try store.verify().isSound)
    }

    @Test func `an entry that is gathered twice, or behind itself, is refused`() throws {
        let entries = try store.write { transaction in
            try Self.ids.prefix(3).map { try transaction.link(Rack.volumes, from: "r", to: $0).id }
        }
        let digest = try store.read { $0.digest }
        for (group, anchor) in [
            ([entries[0], entries[0]], nil), ([entries[0], entries[1]], entries[1]),
        ] as [([EntryID], EntryID?)] {
            let error = #expect(throws: StoreError.self) {
                try store.write {
                    let group = EntryGroup(group, behind: anchor)
                    _ = try $0.move(Rack.volumes, groups: [group], of: "r")
                }
            }
            #expect(error?.code == .invalidValue)
        }
        let stranger = EntryID(serial: 1, target: "v1")
        let error = #expect(throws: StoreError.self) {
            try store.write {
                let group = EntryGroup([stranger], behind: nil)
                _ = try $0.move(Rack.volumes, groups: [group], of: "r")
            }
        }
        #expect(error?.code == .entryMissing)
        #expect(try store.read { $0.digest } == digest)
        let both = entries[1...].map { EntryGroup([$0], behind: entries[0]) }
        let other = #expect(throws: StoreError.self) {
            try store.write { _ = try $0.move(Rack.volumes, groups: both.reversed(), of: "r") }
        }
        #expect(other?.code == .invalidValue)
        #expect(try store.read { $0.digest } == digest)
        #expect(try store.write { try $0.move(Rack.volumes, groups: [], of: "r") })
    }

    @Test(arguments: 1...12 as ClosedRange<UInt64>)
    func `several groups find their places at once, wherever their entries stood`(seed: UInt64)
        throws
    {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<12 {
            try store.write { try disturb(&$0, using: &random) }
            for (list, owner) in Self.lists {
                let entries = try store.read {
                    try $0.entries(of: list, model: owner.model, id: owner.id)
                }
                let moving = entries.filter { _ in random.once(in: 2) }
                let staying = entries.filter { !moving.contains($0) }
                var parts = [[EntryID]](repeating: [], count: staying.count + 1)
                for entry in moving.shuffled(using: &random) {
                    parts[random.below(parts.count)].append(entry)
                }
                let groups = parts.enumerated().map { place, part in
                    EntryGroup(part, behind: place == 0 ? nil : staying[place - 1])
                }
                let wanted = parts[0] + zip(staying, parts.dropFirst()).flatMap { [$0] + $1 }
                // Half of the time over what is pending.
                try store.write { transaction in
                    if random.once(in: 2) { try transaction.respace(list, of: owner) }
                    let groups = groups.filter { !$0.entries.isEmpty }.shuffled(using: &random)
                    if try !transaction.move(list, groups: groups, of: owner) {
                        try transaction.respace(list, of: owner)
                        let hasRoom = try transaction.move(list, groups: groups, of: owner)
                        #expect(hasRoom)
                    }
                }
                let after = try store.read {
                    try $0.entries(of: list, model: owner.model, id: owner.id)
                }
                #expect(after == wanted)
            }
        }
        #expect(try store.verify().isSound)
    }

    @Test(arguments: 1...10 as ClosedRange<UInt64>)
    func `a list that is respaced a few entries at a time keeps its order and ends as a whole one`(
        seed: UInt64
    ) throws {
        for (store, isWhole) in [(twin, true), (store, false)] {
            var random = SeededGenerator(seed: seed)
            for _ in 0..<4 { try store.write { try disturb(&$0, using: &random) } }
            for (list, owner) in Self.lists {
                let limit = isWhole ? Int.max : 1 + random.below(5)
                let entries = try store.read {
                    try $0.entries(of: list, model: owner.model, id: owner.id)
                }
                while true {
                    let count = try store.write {
                        try $0.respace(list, of: owner, atMost: limit)
                    }
                    #expect(count <= limit)
                    let after = try store.read {
                        try $0.entries(of: list, model: owner.model, id: owner.id)
                    }
                    #expect(after == entries)
                    if count < limit { break }
                }
            }
        }
        #expect(try store.read { $0.digest } == twin.read { $0.digest })
        #expect(try store.verify().isSound)
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
