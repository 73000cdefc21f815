import Reprise
import TestSupport
import Testing

struct RowReviewTests {
    private let directory: TemporaryDirectory
    private let store: Store

    init() throws {
        directory = try TemporaryDirectory()
        store = try Store.open(at: directory.path("store"), schema: ReviewStore.schema)
    }

    private func code(_ body: () throws -> Void) -> StoreError.Code? {
        do {
            try body()
            return nil
        } catch {
            return (error as? StoreError)?.code
        }
    }

    @Test func `the owner of a list that was changed in the commit still holds its unique values`()
        throws
    {
        try store.write { transaction in
            try transaction.insert(Rack(id: "s", name: "red"))
            try transaction.insert(Volume(id: "b", title: nil, box: nil))
        }
        #expect(
            code {
                try store.write { transaction in
                    try transaction.link(Rack.volumes, from: "s", to: "b")
                    try transaction.insert(Rack(id: "t", name: "red"))
                }
            } == .uniqueViolation
        )
        #expect(
            code {
                try store.bulkLoad { loader in
                    try loader.batch { _ = try $0.link(Rack.volumes, from: "s", to: "b") }
                    try loader.batch { try $0.insert(Rack(id: "t", name: "red")) }
                }
            } == .uniqueViolation
        )
        #expect(try store.count(FetchDescriptor<Rack>()) == 1)
    }

    @Test func `a unique value that was given up in the commit is free`() throws {
        try store.write { transaction in
            try transaction.insert(Rack(id: "s", name: "red"))
            try transaction.insert(Rack(id: "t", name: "blue"))
        }
        try store.write { transaction in
            try transaction.update(Rack.self, id: "s") { $0.name = "green" }
            try transaction.update(Rack.self, id: "t") { $0.name = "red" }
            try transaction.update(Rack.self, id: "s") { $0.name = "blue" }
            try transaction.delete(Rack.self, id: "t")
            try transaction.insert(Rack(id: "u", name: "red"))
        }
        #expect(try store.verify().faults == [])
    }

    @Test func `both sides of a one-to-one agree when an entity becomes its own partner`() throws {
        try store.write { transaction in
            for id in ["a", "b", "x"] as [Ring.ID] { try transaction.insert(Ring(id: id)) }
            try transaction.update(Ring.self, id: "b") { $0.next = "x" }
            try transaction.update(Ring.self, id: "a") {
                $0.next = "a"
                $0.previous = "b"
            }
        }
        let links = try store.fetch(FetchDescriptor<Ring>())
        for link in links {
            for other in links {
                #expect((link.next == other.id) == (other.previous == link.id), "\(link) \(other)")
            }
        }
        #expect(try store.verify().faults == [])
    }

    @Test func `what is there is not deleted by somebody who expects it to be absent`() throws {
        try store.write { try $0.insert(Box(id: "b")) }
        #expect(
            code { try store.write { _ = try $0.delete(Box.self, id: "b", expecting: .absent) } }
                == .entityExists
        )
        #expect(try store.count(FetchDescriptor<Box>()) == 1)
    }

    @Test(arguments: [241, 509, 600, 3000])
    func `an identifier that is too long names nothing`(count: Int)
        throws
    {
        let long = String(repeating: "x", count: count)
        try store.write { transaction in
            try transaction.insert(Box(id: "own"))
            try transaction.insert(Volume(id: "own", title: nil, box: nil))
            try transaction.insert(Rack(id: "own", name: nil))
        }
        #expect(
            code { try store.write { _ = try $0.delete(Box.self, id: .init(long)) } }
                == .entityMissing
        )
        #expect(code { _ = try store.read { try $0.plan(delete: Box.ID(long)) } } == .entityMissing)
        #expect(
            code { try store.write { _ = try $0.link(Rack.volumes, from: "own", to: .init(long)) } }
                == .targetMissing
        )
        #expect(
            code { try store.write { _ = try $0.link(Box.contents, from: "own", to: .init(long)) } }
                == .targetMissing
        )
        #expect(
            code { try store.write { _ = try $0.link(Rack.volumes, from: .init(long), to: "own") } }
                == .entityMissing
        )
        #expect(
            code {
                try store.write { try $0.insert(Volume(id: "b", title: nil, box: .init(long))) }
            } == .targetMissing
        )
        #expect(try store.read { try $0.entries(Rack.volumes, of: .init(long)) }.isEmpty)
        #expect(try store.read { try $0.fetch(Box.self, id: .init(long)) } == nil)
        let sought = Box.ID(long)
        #expect(try store.fetch(FetchDescriptor<Box>().where { $0.id == sought }).isEmpty)
        #expect(try store.verify().faults == [])
    }

    @Test func `identifiers of 240 escaped bytes with zeros fit in every key`() throws {
        let ids = [String(repeating: "\0", count: 120), String(repeating: "y", count: 240), "\0"]
        try store.write { transaction in
            for id in ids {
                try transaction.insert(
                    Rack(id: .init(id), name: String(repeating: "\0n", count: 300) + id)
                )
                try transaction.insert(Box(id: .init(id)))
                try transaction.insert(
                    Volume(
                        id: .init(id),
                        title: String(repeating: "\0t", count: 300),
                        box: .init(id)
                    )
                )
            }
            for shelf in ids {
                for book in ids + ids {
                    try transaction.link(
                        Rack.volumes,
                        from: .init(shelf),
                        to: .init(book),
                        at: .first
                    )
                }
            }
        }
        let digest = try store.statistics().digest
        let head = try store.statistics().head
        try store.write { transaction in
            try transaction.delete(Volume.self, id: .init(ids[0]))
            try transaction.delete(Rack.self, id: .init(ids[1]))
        }
        try store.rollback(to: .position(head))
        #expect(try store.statistics().digest == digest)
        #expect(try store.verify().faults == [])
    }
}
