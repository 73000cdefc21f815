import Testing

@testable import Reprise

/// One-to-ones in large changes: HIS-113, HIS-114.
struct PartnersInStepsTests {
    private static let count = 300

    private static func store(isInSteps: Bool) throws -> Store {
        let store = try Store.temporary(Schema(Guest.self, RoomKey.self), configuration: .merging(inSteps: isInSteps))
        try store.write { transaction in
            for number in 0..<count {
                try transaction.insert(Guest(id: Guest.ID("\(number)"), key: nil))
                try transaction.insert(RoomKey(id: RoomKey.ID("\(number)"), guest: Guest.ID("\(number)")))
            }
        }
        return store
    }

    @Test(arguments: [false, true])
    func `partners that are exchanged and left come back`(isInSteps: Bool) throws {
        let store = try Self.store(isInSteps: isInSteps)
        let before = try store.digest()
        try store.write { transaction in
            for number in 0..<Self.count / 2 {
                try transaction.update(RoomKey.self, id: RoomKey.ID("\(number)")) {
                    $0.guest = number % 3 == 0 ? nil : Guest.ID("\(Self.count - 1 - number)")
                }
            }
        }
        let edited = try store.digest()
        let edit = try store.resolve(.head)
        let report = try store.revert(commits: [edit])
        #expect(report.isDone)
        #expect(store.stepwiseCommitCount == (isInSteps ? 1 : 0))
        #expect(try store.digest() == before)
        #expect(try store.verify().isSound)
        #expect(try store.revert(commits: [try #require(report.commit)]).isDone)
        #expect(store.stepwiseCommitCount == (isInSteps ? 2 : 0))
        #expect(try store.digest() == edited)
        #expect(try store.fetch(Guest.self, id: "0")?.key == nil)
        #expect(try store.fetch(Guest.self, id: "298")?.key == "1")
        #expect(try store.verify().isSound)
    }

    @Test(arguments: [false, true])
    func `a partner that a row got since leaves it where a resolution says so`(isInSteps: Bool) throws {
        let store = try Self.store(isInSteps: isInSteps)
        try store.write { transaction in
            for number in 0..<Self.count {
                try transaction.insert(RoomKey(id: RoomKey.ID("new \(number)"), guest: Guest.ID("\(number)")))
            }
        }
        let edit = try store.resolve(.head)
        try store.write { transaction in
            for number in 0..<10 {
                try transaction.insert(RoomKey(id: RoomKey.ID("later \(number)"), guest: Guest.ID("\(number)")))
            }
        }
        let later = try store.digest()
        let report = try store.revert(commits: [edit], resolving: .theirs)
        #expect(report.isDone && report.settled.count == 20)
        #expect(store.stepwiseCommitCount == (isInSteps ? 1 : 0))
        for number in 0..<10 {
            #expect(try store.fetch(Guest.self, id: Guest.ID("\(number)"))?.key == RoomKey.ID("\(number)"))
            #expect(try store.fetch(RoomKey.self, id: RoomKey.ID("later \(number)"))?.guest == nil)
        }
        #expect(try store.verify().isSound)
        #expect(try store.revert(commits: [try #require(report.commit)]).isDone)
        #expect(try store.digest() == later)
        #expect(try store.verify().isSound)
    }

    @Test func `a row that goes and has a partner goes in steps`() throws {
        let store = try Self.store(isInSteps: true)
        let before = try store.digest()
        try store.write { transaction in
            try transaction.insert(Guest(id: "new", key: nil))
            try transaction.insert(RoomKey(id: "new", guest: "new"))
        }
        #expect(try store.revert(commits: [try store.resolve(.head)]).isDone)
        #expect(store.stepwiseCommitCount == 1)
        #expect(try store.digest() == before)
        #expect(try store.verify().isSound)
        // The key comes back, and later the guest with it.
        #expect(try store.restore(RoomKey.self, id: "new", resolving: .ours).isDone)
        #expect(try store.restore(Guest.self, id: "new").isDone)
        #expect(try store.fetch(RoomKey.self, id: "new")?.guest == "new")
        #expect(try store.verify().isSound)
    }

    @Test func `a partner that a row took away comes back when that row goes in steps`() throws {
        let store = try Self.store(isInSteps: true)
        let before = try store.digest()
        try store.write { try $0.insert(RoomKey(id: "new", guest: "7")) }
        let edited = try store.digest()
        let report = try store.revert(commits: [try store.resolve(.head)])
        #expect(report.isDone)
        #expect(try store.digest() == before)
        #expect(try store.revert(commits: [try #require(report.commit)]).isDone)
        #expect(store.stepwiseCommitCount == 2)
        #expect(try store.digest() == edited)
        #expect(try store.verify().isSound)
    }

    @Test func `rows that come with their partners come in steps`() throws {
        let store = try Self.store(isInSteps: true)
        let before = try store.digest()
        try store.write { transaction in
            for number in 0..<Self.count {
                try transaction.delete(RoomKey.self, id: RoomKey.ID("\(number)"))
                try transaction.delete(Guest.self, id: Guest.ID("\(number)"))
            }
        }
        #expect(try store.revert(commits: [try store.resolve(.head)]).isDone)
        #expect(store.stepwiseCommitCount == 1)
        #expect(try store.digest() == before)
        #expect(try store.verify().isSound)
    }
}
