import Reprise
import TestSupport
import Testing

/// What happens when the room between the entries of a list is used up.
struct ListRoomTests {
    private let directory: TemporaryDirectory
    private let store: Store

    init() throws {
        directory = try TemporaryDirectory()
        store = try Store.open(at: directory.path("store"), schema: ReviewStore.schema)
    }

    @Test func `an entry that is moved while room is made keeps its neighbours`() throws {
        let ids: [Volume.ID] = ["a", "x", "y", "b", "c"]
        try store.write { transaction in
            try transaction.insert(Rack(id: "s", name: nil))
            for id in ids { try transaction.insert(Volume(id: id, title: nil, box: nil)) }
            var entries: [Volume.ID: EntryID] = [:]
            for id in ids.dropLast() {
                entries[id] = try transaction.link(Rack.volumes, from: "s", to: id).id
            }
            let first = try #require(entries["a"])
            // Moving two entries in turns behind the first uses up the gap there, until room is made for a new entry:
            // then all of them stand at even distances.
            let mover = { (transaction: inout WriteTransaction, id: Volume.ID) in
                try transaction.move(Rack.volumes, entry: entries[id]!, of: "s", to: .after(first))
            }
            for _ in 0..<16 {
                try mover(&transaction, "x")
                try mover(&transaction, "y")
            }
            entries["c"] = try transaction.link(Rack.volumes, from: "s", to: "c", at: .after(first))
                .id
            // Whatever is moved when the gap is used up the next time must not be overwritten.
            for count in 20..<80 {
                for step in 0..<count {
                    try mover(&transaction, step.isMultiple(of: 2) ? "x" : "y")
                }
                for id in ["b", "c"] as [Volume.ID] { try mover(&transaction, id) }
                let there = try transaction.entries(Rack.volumes, of: "s").map(\.target.rawValue)
                #expect(there.sorted() == ["a", "b", "c", "x", "y"])
                #expect(there.first == "a")
            }
        }
        #expect(try store.verify().isSound)
    }

    @Test func `a list whose last entry stays last can still be appended to`() throws {
        try store.write { transaction in
            try transaction.insert(Rack(id: "s", name: nil))
            try transaction.insert(Volume(id: "a", title: nil, box: nil))
            let last = try transaction.link(Rack.volumes, from: "s", to: "a").id
            for _ in 0..<700 {
                try transaction.link(Rack.volumes, from: "s", to: "a", at: .before(last))
            }
            let present = try transaction.entries(Rack.volumes, of: "s").last
            #expect(present?.id == last)
            for _ in 0..<100 { try transaction.link(Rack.volumes, from: "s", to: "a") }
        }
        #expect(try store.verify().isSound)
    }

    @Test func `a list whose first entry stays first can still be prepended to`() throws {
        try store.write { transaction in
            try transaction.insert(Box(id: "s"))
            try transaction.insert(Volume(id: "a", title: nil, box: "s"))
            let first = try transaction.entries(Box.contents, of: "s")[0].id
            for number in 0..<600 {
                try transaction.insert(Volume(id: .init("b\(number)"), title: nil, box: nil))
                try transaction.link(
                    Box.contents,
                    from: "s",
                    to: .init("b\(number)"),
                    at: .after(first)
                )
            }
            let present = try transaction.entries(Box.contents, of: "s").first
            #expect(present?.id == first)
            try transaction.insert(Volume(id: "z", title: nil, box: "s"))
            try transaction.link(Box.contents, from: "s", to: "z", at: .first)
            let there = try transaction.entries(Box.contents, of: "s").map(\.target.rawValue)
            #expect(there.count == 602 && there.prefix(3) == ["z", "a", "b599"])
        }
        #expect(try store.verify().isSound)
    }
}
