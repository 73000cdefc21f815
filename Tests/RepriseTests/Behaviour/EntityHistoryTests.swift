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
}
