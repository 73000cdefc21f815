import Reprise
import TestSupport
import Testing

/// Work on lists in one write takes as long as the entries are many, wherever they stand and wherever they lead:
/// processor time against the same number of entries that nothing is special about, in turns.
@Suite(.serialized) struct ListSpeedTests {
    private static let count = 6000

    private func tag(_ number: Int) -> Tag.ID { Tag.ID("tag \(number)") }
    private func task(_ number: Int) -> Task.ID { Task.ID("task \(number)") }

    private func makeStore() throws -> Store {
        let store = try Store.temporary(Schema(Task.self, Tag.self))
        try store.write { transaction in
            for number in 0..<Self.count {
                try transaction.insert(Task(id: task(number)))
                try transaction.insert(Tag(id: tag(number)))
            }
        }
        return store
    }

    /// REL-19
    @Test func `putting entries at the front of a list is not slower than at its end`() throws {
        let store = try makeStore()
        let ratio = try ThreadClock.ratio(
            of: {
                try store.write { transaction in
                    for number in 0..<Self.count {
                        try transaction.insert(Task.tags, of: task(0), tag(number), at: 0)
                    }
                    try transaction.removeAll(Task.tags, of: task(0))
                }
            },
            to: {
                try store.write { transaction in
                    for number in 0..<Self.count { try transaction.append(Task.tags, of: task(0), tag(number)) }
                    try transaction.removeAll(Task.tags, of: task(0))
                }
            },
            samples: 3
        )
        #expect(ratio < 4, "\(ratio)")
    }

    /// REL-19
    @Test func `taking entries off the front of a list is not slower than taking them out by name`() throws {
        let store = try makeStore()
        func time(_ remove: (inout WriteTransaction, Int) throws -> Void) throws -> Double {
            try store.write { try $0.set(Task.tags, of: task(0), to: (0..<Self.count).map { tag($0) }) }
            let time = try ThreadClock.measure {
                try store.write { transaction in
                    for number in 0..<Self.count { try remove(&transaction, number) }
                }
            }
            #expect(try store.entries(Task.tags, of: task(0)).isEmpty)
            return time
        }
        var best = (first: Double.infinity, named: Double.infinity)
        for _ in 0..<3 {
            best.named = min(best.named, try time { _ = try $0.remove(Task.tags, of: task(0), tag($1)) })
            best.first = min(best.first, try time { transaction, _ in
                try transaction.remove(Task.tags, of: task(0), at: 0)
            })
        }
        #expect(best.first < best.named * 4, "\(best.first / best.named)")
    }

    @Test func `one tag of all tasks is taken off as fast as a tag of each`() throws {
        let store = try makeStore()
        func time(_ target: (Int) -> Tag.ID) throws -> Double {
            try store.write { transaction in
                for number in 0..<Self.count {
                    try transaction.set(Task.tags, of: task(number), to: [target(number)])
                }
            }
            return try ThreadClock.measure {
                try store.write { transaction in
                    for number in 0..<Self.count {
                        let count = try transaction.remove(Task.tags, of: task(number), target(number))
                        #expect(count == 1)
                    }
                }
            }
        }
        var best = (one: Double.infinity, each: Double.infinity)
        for _ in 0..<3 {
            best.each = min(best.each, try time(tag))
            best.one = min(best.one, try time { _ in tag(0) })
        }
        #expect(best.one < best.each * 2, "\(best.one / best.each)")
    }
}

private struct Task: Model {
    var id: ID

    static let tags = Relationship<Task, Tag>("tags")
    static let schema = ModelSchema("task", Self.init, .id("id", \.id)).toMany(tags)
}

private struct Tag: Model {
    var id: ID

    static let schema = ModelSchema("tag", Self.init, .id("id", \.id))
}
