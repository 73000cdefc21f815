import Reprise
import TestSupport
import Testing

/// The history of single entities, and lists as they were.
@Suite struct EntityHistoryTests {
    private static let schema = SchemaDescription(
        models: [
            ModelDescription(1, "song", [("title", .string, true), ("album", .reference, true)]),
            ModelDescription(2, "album", [("name", .string, true)]),
        ],
        relations: [
            RelationDescription(1, .reference(slot: 1), (1, "album"), (2, "songs")),
            RelationDescription(2, .list, (2, "extras"), (1, "extraOn")),
        ]
    )

    private let directory: TemporaryDirectory
    private let store: Store

    init() throws {
        directory = try TemporaryDirectory()
        store = try Store.open(at: directory.path("songs"), schema: Schema(Self.schema))
        try store.write { transaction in
            try transaction.put(album, values: ["name": .string("A")])
            for id in ["a", "b", "c"] {
                try transaction.put(song(id), values: ["title": .string(id)])
            }
        }
    }

    private let album = EntityReference(model: "album", id: "x")

    private func song(_ id: String) -> EntityReference { EntityReference(model: "song", id: id) }

    private func title(_ text: String, of id: String) throws {
        _ = try store.write { try $0.put(song(id), values: ["title": .string(text)]) }
    }

    private var head: Position { get throws { try store.read { $0.head } } }

    /// The types of an entity's events, the last one first, and the titles that they wrote.
    private func events(of row: EntityReference) throws -> [String] {
        var events: [String] = []
        try store.read { state in
            try state.forEachEvent(of: row) { event in
                let title = event.changes.first { $0.name == "title" }
                events.append(title.map { "\(event.type) \($0.to)" } ?? event.type)
                return true
            }
        }
        return events
    }

    // MARK: STO-52

    @Test func `an entity has its own events and no others, the last one first`() throws {
        try title("1", of: "a")
        try title("1", of: "b")
        try title("2", of: "a")
        #expect(
            try events(of: song("a")) == [
                "updated \(Value.string("2"))", "updated \(Value.string("1"))",
                "inserted \(Value.string("a"))",
            ]
        )
        #expect(try events(of: song("nobody")) == [])
        #expect(try events(of: song(String(repeating: "x", count: 300))) == [])
    }

    @Test func `it has those of all its lives, also when it is gone`() throws {
        try store.write { _ = try $0.delete(song("a")) }
        #expect(try events(of: song("a")).map { $0.split(separator: " ")[0] } == ["deleted", "inserted"])
        try title("again", of: "a")
        #expect(
            try events(of: song("a")).map { $0.split(separator: " ")[0] }
                == ["inserted", "deleted", "inserted"]
        )
    }

    @Test func `what was rolled back never happened to it`() throws {
        let before = try head
        try title("1", of: "a")
        try store.rollback(to: .position(before))
        #expect(try events(of: song("a")) == ["inserted \(Value.string("a"))"])
        try title("2", of: "a")
        #expect(try events(of: song("a")).count == 2)
    }

    @Test func `what the commit in the making has done is passed over`() throws {
        try title("1", of: "a")
        try store.write { transaction in
            try transaction.put(song("a"), values: ["title": .string("2")])
            try transaction.put(song("n"), values: ["title": .string("n")])
            var types: [String] = []
            for id in ["a", "n"] {
                try transaction.forEachEvent(of: song(id)) { event in
                    types.append(event.type)
                    return true
                }
            }
            #expect(types == ["updated", "inserted"])
        }
    }

    @Test func `one event is found by its position, and tells what it followed from`() throws {
        try store.write { _ = try $0.link("extras", of: album, to: "a") }
        try store.write { _ = try $0.delete(song("a")) }
        try store.read { state in
            var last: EventRecord?
            try state.forEachEvent(of: album) { event in
                last = event
                return false
            }
            let unlinked = try #require(last)
            #expect(unlinked.type == "unlinked")
            let cause = try #require(unlinked.cause)
            let deleted = try #require(try state.event(at: cause))
            #expect(deleted.type == "deleted" && deleted.entity == song("a"))
            #expect(try state.event(at: .origin) == nil)
            #expect(try state.event(at: Position(rawValue: state.head.rawValue + 1)) == nil)
        }
    }

    // MARK: STO-53

    @Test(arguments: seeds(Array(0..<20)))
    func `a list is told as it was at each position`(number: UInt64) throws {
        try seeded(number) { seed in
            var history: [(position: Position, entries: [EntryID])] = []
            for _ in 0..<60 {
                try store.write { transaction in
                    let present = try transaction.entries(of: "extras", model: "album", id: "x")
                    let entry = seed.pickIfAny(present)
                    switch seed.below(5) {
                    case 0, 1:
                        _ = try transaction.link(
                            "extras",
                            of: album,
                            to: "abc".map(String.init)[seed.below(3)],
                            at: seed.once(in: 2) ? .first : .last
                        )
                    case 2:
                        if let entry { try transaction.unlink("extras", entry: entry, of: album) }
                    case 3:
                        if let entry {
                            try transaction.move("extras", entry: entry, of: album, to: .first)
                        }
                    default:
                        // A member that goes takes its entries along, and comes back without them; so does an owner.
                        if seed.once(in: 4) {
                            _ = try transaction.delete(album)
                            try transaction.put(album, values: ["name": .string("A")])
                            break
                        }
                        let id = "abc".map(String.init)[seed.below(3)]
                        _ = try transaction.delete(song(id))
                        try transaction.put(song(id), values: ["title": .string(id)])
                    }
                }
                let entries = try store.read {
                    try $0.entries(of: "extras", model: "album", id: "x")
                }
                history.append((try head, entries))
            }
            try store.read { state in
                for (position, entries) in history {
                    let told = try state.entries(
                        of: "extras",
                        model: "album",
                        id: "x",
                        asOf: position
                    )
                    #expect(told.map(\.serial) == entries.map(\.serial))
                    #expect(told.map(\.target) == entries.map(\.target))
                }
            }
        }
    }

    @Test func `a list is told of its owner's lives before, and one of another kind has no history`() throws {
        try store.write { _ = try $0.link("extras", of: album, to: "a") }
        let before = try head
        try store.write {
            _ = try $0.delete(album)
            try $0.put(album, values: ["name": .string("B")])
        }
        try store.read { state in
            let then = try state.entries(of: "extras", model: "album", id: "x", asOf: before)
            #expect(then.map(\.target) == ["a"])
            #expect(try state.entries(of: "extras", model: "album", id: "x").isEmpty)
            let error = #expect(throws: StoreError.self) {
                try state.entries(of: "songs", model: "album", id: "x", asOf: before)
            }
            #expect(error?.code == .unknownRelationship)
        }
    }

    // MARK: STO-54

    @Test func `an order is told as somebody has made it, whatever others did`() throws {
        var ours: Set<Position> = []
        func write(isOurs: Bool, _ body: (inout WriteTransaction) throws -> Void) throws {
            let before = try head.rawValue
            try store.write { try body(&$0) }
            if isOurs {
                for position in (before + 1)...(try head.rawValue) {
                    ours.insert(Position(rawValue: position))
                }
            }
        }
        func order(_ members: String...) throws -> [String]? {
            try store.read {
                try $0.order(of: "songs", model: "album", id: "x", members: members) {
                    ours.contains($0)
                }
            }
        }
        try write(isOurs: true) {
            for id in ["a", "b"] { _ = try $0.link("songs", of: album, to: id) }
        }
        try write(isOurs: false) {
            let entries = try $0.entries(of: "songs", model: "album", id: "x")
            try $0.move("songs", entry: entries[0], of: album, to: .last)
            _ = try $0.link("songs", of: album, to: "c", at: .first)
        }
        #expect(try order("b", "a") == ["a", "b"])
        // Nobody of us has put it there.
        #expect(try order("a", "b", "c") == nil)
        // Nor is it there when we have put it elsewhere.
        try write(isOurs: true) { try $0.put(song("b"), values: ["album": .null]) }
        try write(isOurs: false) { try $0.put(song("b"), values: ["album": .reference("x")]) }
        #expect(try order("a", "b") == nil)
        #expect(try order("a") == ["a"])
        let error = #expect(throws: StoreError.self) {
            try store.read {
                _ = try $0.order(of: "extras", model: "album", id: "x", members: []) { _ in true }
            }
        }
        #expect(error?.code == .unknownRelationship)
    }
}
