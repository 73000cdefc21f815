import FaultSupport
import Testing

@testable import Reprise

/// Bodies that wait for the thread of another write in their group (STO-76). Meant to be run under the thread sanitizer
/// as well.
@Suite(.serialized, .timeLimit(.minutes(5))) struct StalledFollowerTests {
    private static func makeStore(_ scratch: Scratch) throws -> Store {
        let store = try Store.open(at: scratch("store"), schema: FaultModels.schema)
        try store.write { try $0.insert(Item(id: "first", name: "N")) }
        return store
    }

    private static func ids(_ store: Store) throws -> Set<String> {
        Set(try store.fetch(FetchDescriptor<Item>()).map(\.id.rawValue))
    }

    /// Waits for a flag, as a body does that waits for another thread, but not for ever. Returns whether it was raised.
    private static func wait(for flag: Flag, seconds: Int = 300) -> Bool {
        let deadline = ContinuousClock.now + .seconds(seconds)
        while !flag.isRaised, ContinuousClock.now < deadline {
            DetachedThread.pause(microseconds: 1000)
        }
        return flag.isRaised
    }

    /// Where in its body a follower waits.
    enum WaitingPlace: CaseIterable {
        case betweenOperations, behindAQuery, inAnUpdate, inAWalk
    }

    private static func stall(
        _ place: WaitingPlace,
        _ transaction: inout Reprise.WriteTransaction,
        until flag: Flag
    ) throws {
        try transaction.insert(Item(id: "stalled", name: "N"))
        switch place {
        case .betweenOperations: #expect(wait(for: flag))
        case .behindAQuery:
            // It has the changes written to the tables.
            #expect(try transaction.count(FetchDescriptor<Item>().where { $0.name == "N" }) >= 2)
            #expect(wait(for: flag))
        case .inAnUpdate:
            try transaction.update(Item.self, id: "first") {
                #expect(wait(for: flag))
                $0.name = "Changed"
            }
        case .inAWalk:
            try transaction.forEach(FetchDescriptor<Item>().where { $0.name == "N" }) { _ in
                #expect(wait(for: flag))
                return true
            }
        }
        // It is told at once, and whatever it makes of that, nothing of it stays.
        let late = #expect(throws: StoreError.self) {
            try transaction.insert(Item(id: "late", name: "N"))
        }
        #expect(late?.code == .writeStalled)
        _ = (transaction.digest, transaction.counts, transaction.position)
    }

    @Test(arguments: [true, false], WaitingPlace.allCases)
    func `a follower that waits for the leader's thread is left out`(
        isOnThread: Bool,
        place: WaitingPlace
    ) async throws {
        let scratch = try Scratch(inMemory: true)
        let store = try Self.makeStore(scratch)
        defer { store.close() }
        let leader = HeldTurn(store) { try $0.insert(Item(id: "leader", name: "N")) }
        // The first in line, which always joins: a group is closed after ten milliseconds.
        let stalled = Task {
            if isOnThread {
                try await onThread {
                    try store.write { try Self.stall(place, &$0, until: leader.hasEnded) }
                }
            } else {
                try await store.write { try Self.stall(place, &$0, until: leader.hasEnded) }
            }
        }
        try await leader.wait(for: 1)
        async let behind: Void = onThread {
            try store.write { try $0.insert(Item(id: "behind", name: "N")) }
        }
        try await leader.wait(for: 2)
        leader.letGo()
        let error = await #expect(throws: StoreError.self) { try await stalled.value }
        #expect(error?.code == .writeStalled)
        try await behind
        #expect(try await leader.end() == nil)
        #expect(try Self.ids(store) == ["first", "leader", "behind"])
        #expect(try store.fetch(Item.self, id: "first")?.name == "N")
        #expect(try store.verify().faults == [])
    }

    @Test func `a body that keeps working is not left out, however long it takes`() async throws {
        let scratch = try Scratch(inMemory: true)
        let store = try Self.makeStore(scratch)
        defer { store.close() }
        let leader = HeldTurn(store)
        async let follower: Void = onThread {
            try store.write { transaction in
                for number in 0..<30 {
                    try transaction.insert(Item(id: Item.ID("\(number)"), name: "N"))
                    DetachedThread.pause(microseconds: 250_000)
                }
            }
        }
        try await leader.wait(for: 1)
        leader.letGo()
        try await follower
        #expect(try await leader.end() == nil)
        #expect(try store.count(FetchDescriptor<Item>()) == 31)
    }

    @Test func `a job does not keep a thread waiting that waits for its group`() async throws {
        let scratch = try Scratch(inMemory: true)
        let store = try Self.makeStore(scratch)
        defer { store.close() }
        let (hasBegun, mayEnd, hasReturned) = (Flag(), Flag(), Flag())
        // This one is led by the store's own thread.
        let leader = Task {
            try await store.write { _ in
                hasBegun.raise()
                #expect(Self.wait(for: mayEnd))
            }
        }
        while !hasBegun.isRaised { try await Task.sleep(for: .milliseconds(1)) }
        let thread = StartedWork {
            try store.write { try $0.insert(Item(id: "thread", name: "N")) }
            hasReturned.raise()
        }
        while store.writer.waitingCount < 1 { await Task.yield() }
        let job = Task {
            try await store.write { transaction in
                #expect(Self.wait(for: hasReturned))
                try transaction.insert(Item(id: "job", name: "N"))
            }
        }
        while store.writer.waitingCount < 2 { await Task.yield() }
        mayEnd.raise()
        try await leader.value
        try await thread.value
        try await job.value
        #expect(try Self.ids(store) == ["first", "thread", "job"])
    }

    @Test func `a body that has not begun is left for the next group`() async throws {
        let scratch = try Scratch(inMemory: true)
        let store = try Self.makeStore(scratch)
        defer { store.close() }
        let mayGoOn = Flag()
        // Keeps the store's own thread busy after its group has gone on without it.
        let leader = HeldTurn(store)
        let stalled = Task { try await store.write { _ in #expect(Self.wait(for: mayGoOn)) } }
        try await leader.wait(for: 1)
        leader.letGo()
        #expect(try await leader.end() == nil)
        let next = HeldTurn(store) { try $0.insert(Item(id: "next", name: "N")) }
        let job = Task { try await store.write { try $0.insert(Item(id: "job", name: "N")) } }
        try await next.wait(for: 1)
        next.letGo()
        #expect(try await next.end() == nil)
        #expect(try Self.ids(store) == ["first", "next"])
        mayGoOn.raise()
        let error = await #expect(throws: StoreError.self) { try await stalled.value }
        #expect(error?.code == .writeStalled)
        try await job.value
        #expect(try Self.ids(store) == ["first", "next", "job"])
    }
}
