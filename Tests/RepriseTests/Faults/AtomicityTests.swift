import FaultSupport
import Reprise
import Testing

/// All or nothing.
@Suite struct AtomicityTests {
    private struct Refusal: Error {}

    private static func withStore(_ body: (Store) throws -> Void) throws {
        let scratch = try Scratch(inMemory: true)
        let store = try Store.open(at: scratch("store"), schema: FaultModels.schema)
        defer { store.close() }
        var workload = Workload(seed: 11)
        for _ in 0..<12 { try workload.next().run(on: store) }
        try body(store)
        #expect(try store.verify().faults == [])
    }

    /// What must not change: head, digest, commits, content.
    private struct Trace: Equatable {
        let head: Position
        let digest: StateDigest
        let commitCount: Int
        let content: Content

        init(_ store: Store) throws {
            let statistics = try store.statistics()
            head = statistics.head
            digest = statistics.digest
            commitCount = statistics.commitCount
            content = try store.read { try Content($0) }
        }
    }

    @Test func `a write that changes nothing makes no commit`() throws {
        try Self.withStore { store in
            let before = try Trace(store)
            try store.write { _ in }
            try store.write { transaction in
                _ = try transaction.fetch(FetchDescriptor<Item>())
                for item in try transaction.fetch(FetchDescriptor<Item>()) {
                    try transaction.update(Item.self, id: item.id) { $0 = item }
                }
            }
            try store.bulkLoad { loader in
                try loader.batch { _ in }
                try loader.publish()
            }
            #expect(try Trace(store) == before)
        }
    }

    @Test func `a body that throws leaves no trace`() throws {
        try Self.withStore { store in
            let before = try Trace(store)
            for asksFirst in [false, true] {
                #expect(throws: Refusal.self) {
                    try store.write { transaction in
                        try transaction.insert(Shelf(id: "new", title: "New"))
                        try transaction.insert(Item(id: "new", name: "New", shelf: "new"))
                        let first = try transaction.fetch(FetchDescriptor<Shelf>()).first
                        try transaction.delete(Shelf.self, id: #require(first).id)
                        // A query writes the changes to the tables, from where they must go as well.
                        if asksFirst {
                            _ = try transaction.count(
                                FetchDescriptor<Item>().where { $0.amount > 5 }
                            )
                        }
                        try transaction.annotate(name: "note", key: "k", payload: [1])
                        throw Refusal()
                    }
                }
                #expect(try Trace(store) == before)
            }
            #expect(throws: Refusal.self) {
                try store.bulkLoad { loader in
                    try loader.batch { transaction in
                        try transaction.insert(Shelf(id: "new", title: "New"))
                        throw Refusal()
                    }
                }
            }
            #expect(try Trace(store) == before)
        }
    }

    @Test func `a bulk load that throws keeps the batches before`() throws {
        try Self.withStore { store in
            #expect(throws: Refusal.self) {
                try store.bulkLoad { loader in
                    try loader.batch { try $0.insert(Shelf(id: "kept", title: "Kept")) }
                    // A caught error of one batch does not harm the next.
                    do {
                        try loader.batch { transaction in
                            try transaction.insert(Shelf(id: "lost", title: "Lost"))
                            throw Refusal()
                        }
                    } catch is Refusal {}
                    try loader.batch { try $0.insert(Shelf(id: "too", title: "Kept too")) }
                    throw Refusal()
                }
            }
            let shelves = try store.fetch(FetchDescriptor<Shelf>()).map(\.id.rawValue)
            #expect(
                shelves.contains("kept") && shelves.contains("too") && !shelves.contains("lost")
            )
        }
    }

    @Test func `an error that the body catches leaves a whole state behind`() throws {
        try Self.withStore { store in
            let first = try #require(try store.fetch(FetchDescriptor<Item>()).first)
            let shelf = try #require(try store.fetch(FetchDescriptor<Shelf>()).first)
            let missing = EntryID(serial: 99, target: "none")
            try store.write { transaction in
                try transaction.checkRulesAtOnce()
                try transaction.insert(Item(id: "unique", name: "U", code: -1))
                let digest = transaction.digest
                #expect(code { try transaction.insert(first) } == .entityExists)
                #expect(
                    code { try transaction.insert(Item(id: "n", name: "", code: -1)) }
                        == .uniqueViolation
                )
                #expect(
                    code { try transaction.insert(Item(id: "n", name: "", shelf: "none")) }
                        == .targetMissing
                )
                #expect(
                    code { try transaction.update(Item.self, id: "none") { _ in } }
                        == .entityMissing
                )
                #expect(
                    code { try transaction.update(Item.self, id: first.id) { $0.code = -1 } }
                        == .uniqueViolation
                )
                #expect(
                    code { try transaction.update(Item.self, id: first.id) { $0.shelf = "none" } }
                        == .targetMissing
                )
                #expect(
                    code {
                        try transaction.update(Item.self, id: first.id) {
                            $0 = Item(id: "o", name: "")
                        }
                    } == .invalidIdentifier
                )
                #expect(throws: Refusal.self) {
                    try transaction.update(Item.self, id: first.id) {
                        $0.amount = -5
                        throw Refusal()
                    }
                }
                #expect(code { try transaction.delete(Item.self, id: "none") } == .entityMissing)
                #expect(
                    code { try transaction.link(Shelf.picks, from: shelf.id, to: "none") }
                        == .targetMissing
                )
                #expect(
                    code { try transaction.link(Shelf.picks, from: "none", to: first.id) }
                        == .entityMissing
                )
                #expect(
                    code {
                        try transaction.link(
                            Shelf.picks,
                            from: shelf.id,
                            to: first.id,
                            at: .before(missing)
                        )
                    } == .entryMissing
                )
                #expect(
                    code { try transaction.unlink(Shelf.picks, entry: missing, of: shelf.id) }
                        == .entryMissing
                )
                #expect(
                    code {
                        try transaction.move(Shelf.picks, entry: missing, of: shelf.id, to: .first)
                    } == .entryMissing
                )
                #expect(
                    code { try transaction.fetch(FetchDescriptor<Item>().limit(-1)) }
                        == .invalidQuery
                )
                #expect(transaction.digest == digest)
                try transaction.insert(Item(id: "after", name: "After", code: -2))
            }
            #expect(try store.fetch(Item.self, id: first.id) == first)
            #expect(try store.fetch(Item.self, id: "after") != nil)
            #expect(try store.fetch(Item.self, id: "n") == nil)
            // The claims of refused operations are free.
            try store.write { try $0.insert(Item(id: "n", name: "", code: -3)) }
        }
    }

    @Test func `an operation that damage stops half-way is not committed`() throws {
        let scratch = try Scratch(inMemory: true)
        let path = scratch("store")
        do {
            let store = try Store.open(at: path, schema: FaultModels.schema)
            defer { store.close() }
            try store.write { transaction in
                try transaction.insert(Item(id: "i", name: "I"))
                try transaction.insert(Shelf(id: "s", title: "S"))
                try transaction.link(Shelf.picks, from: "s", to: "i")
            }
        }
        // The row of the shelf is the last.
        try StoreSurgery.edit("rows.a", at: path) { $0[20] ^= 1 }
        let store = try Store.open(existing: path)
        defer { store.close() }
        let head = try store.statistics().head
        let failure = code {
            try store.write { transaction in
                // The item goes first; then its entry cannot be taken out of the shelf's list.
                #expect(code { try transaction.delete(Item.self, id: "i") } == .corrupted)
                #expect(code { try transaction.insert(Item(id: "j", name: "J")) } == .corrupted)
            }
        }
        #expect(failure == .corrupted)
        #expect(try store.statistics().head == head)
        #expect(try store.fetch(Item.self, id: "i") != nil)
        #expect(try store.verify().faults.map(\.kind) == [.row])
        try store.replay()
        #expect(try store.verify().faults == [])
        try store.write { _ = try $0.delete(Item.self, id: "i") }
    }

    @Test func `a write says what it expects, and is refused when it is not so`() throws {
        try Self.withStore { store in
            try store.write { try $0.insert(Item(id: "a", name: "A")) }
            let id = Item.ID("a")
            let old = try #require(try store.read { try $0.revision(of: id) })
            _ = try store.write {
                try $0.update(Item.self, id: id, expecting: .exactly(old)) { $0.amount = 1 }
            }
            let new = try #require(try store.read { try $0.revision(of: id) })
            #expect(old != new)
            let before = try Trace(store)
            var failure: StoreError?
            do {
                _ = try store.write {
                    try $0.update(Item.self, id: id, expecting: .exactly(old)) { $0.amount = 2 }
                }
            } catch let error as StoreError { failure = error }
            #expect(failure?.code == .revisionConflict)
            #expect(failure?.cause == .revisionConflict(expected: .exactly(old), actual: new))
            #expect(
                code {
                    try store.write { try $0.delete(Item.self, id: id, expecting: .exactly(old)) }
                } == .revisionConflict
            )
            let reference = EntityReference(id)
            #expect(
                code {
                    try store.write {
                        try $0.put(reference, values: ["amount": .int(3)], expecting: .exactly(old))
                    }
                } == .revisionConflict
            )
            #expect(
                code {
                    try store.write {
                        try $0.put(reference, values: ["amount": .int(3)], expecting: .absent)
                    }
                } == .entityExists
            )
            #expect(try Trace(store) == before)
            // An update that changes nothing keeps the revision; a rollback brings the old one back.
            _ = try store.write {
                try $0.update(Item.self, id: id, expecting: .exactly(new)) { $0.amount = 1 }
            }
            #expect(try store.read { try $0.revision(of: id) } == new)
            try store.rollback(to: .position(old.position))
            #expect(try store.read { try $0.revision(of: id) } == old)
            _ = try store.write { try $0.delete(Item.self, id: id, expecting: .exactly(old)) }
            #expect(
                code {
                    try store.write { try $0.delete(Item.self, id: id, expecting: .exactly(old)) }
                } == .revisionConflict
            )
        }
    }
}
