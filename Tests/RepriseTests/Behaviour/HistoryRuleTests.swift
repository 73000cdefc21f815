import Testing

@testable import Reprise

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The rules of `Specs/behaviour/history.md`, one by one.
struct HistoryRuleTests {
    private let place: ScratchPlace
    private let store: Store

    init() throws {
        place = try ScratchPlace()
        let clock = TickingClock()
        store = try Store.open(
            at: place("store"),
            schema: Schema(ExampleFolder.self, ExampleNote.self),
            configuration: Store.Configuration(now: clock.now)
        )
    }

    private func insert(_ ids: String...) throws {
        try store.write { transaction in
            for id in ids { try transaction.insert(ExampleNote(id: ExampleNote.ID(id), title: id)) }
        }
    }

    private func titles(_ point: Point = .head) throws -> [String] {
        try store.read(asOf: point) { try $0.fetch(FetchDescriptor<ExampleNote>()).map(\.title) }
    }

    private func setTitle(_ title: String, of id: ExampleNote.ID = "a") throws {
        try store.write { _ = try $0.update(ExampleNote.self, id: id) { $0.title = title } }
    }

    private func revision(_ id: ExampleNote.ID) throws -> UInt64? {
        try store.read { try $0.revision(of: id)?.position.rawValue }
    }

    /// HIS-01, HIS-02, HIS-04, HIS-10
    @Test func `positions are gapless, and commits are indivisible`() throws {
        try insert("a", "b")  // 2, 3
        try setTitle("a")  // no event
        try insert("c")  // 4
        #expect(try store.head().rawValue == 4)
        #expect(try titles(.position(Position(rawValue: 2))) == [])
        #expect(try titles(.position(Position(rawValue: 3))) == ["a", "b"])
        #expect(try store.resolve(.position(Position(rawValue: 2))).rawValue == 1)
        #expect(try titles(.position(.origin)) == [])
        let error = #expect(throws: StoreError.self) {
            try titles(.position(Position(rawValue: 5)))
        }
        #expect(error?.code == .unknownPosition)
    }

    /// HIS-03, HIS-11
    @Test func `dates name the last commit until then, whatever clocks said before`() throws {
        let path = place("clock")
        let times = [100.0, 200, 4_000_000, 150, 300]
        let clock = TickingClock()
        let store = try Store.open(
            at: path,
            schema: Schema(ExampleFolder.self, ExampleNote.self),
            configuration: Store.Configuration(now: {
                let tick = Int(clock.now().timeIntervalSince1970 - 1_700_000_000)
                return Date(timeIntervalSince1970: times[min(tick, 4)])
            })
        )
        defer { store.close() }
        for id in ["a", "b", "c", "d"] {
            try store.write { try $0.insert(ExampleNote(id: ExampleNote.ID(id), title: id)) }
        }
        #expect(try store.verify().faults == [])
        func position(_ seconds: Double) throws -> UInt64 {
            try store.resolve(.date(Date(timeIntervalSince1970: seconds))).rawValue
        }
        #expect(try position(99) == 0)
        #expect(try position(100) == 1)
        #expect(try position(149) == 1)
        // The last by position, and not the one made at 100.
        #expect(try position(199) == 4)
        // One commit was made with a clock that was far ahead; dates are of use again after it.
        #expect(try position(299) == 4)
        #expect(try position(1000) == 5)
        #expect(try position(5_000_000) == 5)
        var seen: [Double] = []
        try store.read { transaction in
            try transaction.forEachCommit {
                seen.append($0.at.timeIntervalSince1970)
                return true
            }
        }
        #expect(seen == times)
    }

    /// HIS-05, HIS-06, HIS-20
    @Test func `a revision is a position and comes back with its content`() throws {
        try insert("a")  // 2
        let old = try #require(try store.read { try $0.revision(of: "a" as ExampleNote.ID) })
        try setTitle("x")  // 3
        try store.rollback(to: .position(Position(rawValue: 2)))  // 4
        #expect(try revision("a") == 2)
        try setTitle("y")  // 5
        #expect(try revision("a") == 5)
        let error = #expect(throws: StoreError.self) {
            try store.write { transaction in
                try transaction.update(ExampleNote.self, id: "a", expecting: .exactly(old)) {
                    $0.title = "z"
                }
            }
        }
        #expect(error?.code == .revisionConflict)
    }

    /// HIS-07
    @Test func `a list event is the owner's, a derived list's is the member's`() throws {
        try insert("a")  // 2
        try store.write { try $0.insert(ExampleFolder(id: "f", name: "f")) }  // 3
        try store.write { _ = try $0.link(ExampleFolder.pinned, from: "f", to: "a") }  // 4
        #expect(
            try store.read { try $0.revision(of: "f" as ExampleFolder.ID)?.position.rawValue } == 4
        )
        #expect(try revision("a") == 2)
        let notes = Relationship<ExampleFolder, ExampleNote>("notes")
        try store.write { _ = try $0.link(notes, from: "f", to: "a") }  // 5
        #expect(try revision("a") == 5)
        #expect(
            try store.read { try $0.revision(of: "f" as ExampleFolder.ID)?.position.rawValue } == 4
        )
    }

    /// HIS-12, HIS-13, HIS-14, HIS-30, HIS-31
    @Test func `a snapshot is a name for a position with its digest`() throws {
        try insert("a")
        let snapshot = try store.createSnapshot(named: "s")
        try setTitle("x")
        #expect(try titles(.snapshot("s")) == ["a"])
        #expect(try store.read(asOf: .snapshot("s")) { $0.digest } == snapshot.digest)
        #expect(snapshot.position.rawValue == 2)
        for name in [
            "s", "", "head", "12", "2024-01-01", "a\0", String(repeating: "n", count: 201),
        ] {
            #expect(throws: StoreError.self) { try store.createSnapshot(named: name) }
        }
        let (digest, head) = try store.read { ($0.digest, $0.head.rawValue) }
        try store.deleteSnapshot(named: "s")
        #expect(try store.read { $0.digest } == digest)
        #expect(try store.read { $0.head.rawValue } == head + 1)
        #expect(try store.snapshots() == [])
        #expect(throws: StoreError.self) { try titles(.snapshot("s")) }
        #expect(try titles(.position(snapshot.position)) == ["a"])
        #expect(try store.createSnapshot(named: "s").position.rawValue == head + 1)
    }

    /// HIS-21, HIS-22, HIS-23, HIS-32
    @Test func `a rollback is rolled back, and labels survive`() throws {
        try insert("a")  // 2
        try store.write { transaction in
            try transaction.insert(ExampleNote(id: "b", title: "b"))  // 3
            try transaction.annotate(name: "n", key: "k", payload: [1])  // 4
        }
        try store.createSnapshot(named: "s")  // 5
        try store.rollback(to: .position(Position(rawValue: 2)))  // 6
        #expect(try titles() == ["a"])
        #expect(try store.snapshots().map(\.name) == ["s"])
        #expect(try store.read { try $0.annotation(name: "n", key: "k")?.payload } == [1])
        try insert("c")  // 7
        #expect(try titles(.position(Position(rawValue: 4))) == ["a", "b"])
        try store.rollback(to: .snapshot("s"))  // 8
        #expect(try titles() == ["a", "b"])
        try store.rollback(to: .position(Position(rawValue: 7)))  // 9
        #expect(try titles() == ["a", "c"])
        #expect(try store.verify().faults == [])
    }

    /// HIS-27
    @Test func `a rollback that expects another head changes nothing`() throws {
        try insert("a")
        let known = try store.read { $0.head }
        try insert("b")
        let now = try store.read { $0.head }
        let error = #expect(throws: StoreError.self) {
            try store.rollback(to: .position(known), expecting: known)
        }
        #expect(error?.code == .revisionConflict)
        #expect(error?.cause == .headMoved(expected: known, actual: now))
        #expect(try titles() == ["a", "b"])
        #expect(try store.read { $0.head } == now)
        try store.rollback(to: .position(known), expecting: now)
        #expect(try titles() == ["a"])
    }

    /// HIS-25, HIS-26
    @Test func `what only dead events knew has never been`() throws {
        try insert("a")  // 2
        try store.rollback(to: .position(Position(rawValue: 1)))  // 3
        try store.rollback(to: .head)  // 4
        try insert("a")  // 5
        try store.write { _ = try $0.delete(ExampleNote.self, id: "a") }  // 6
        try insert("a")  // 7
        var previous: [UInt64?] = []
        try store.read { transaction in
            try transaction.forEachCommit(where: { $0.entity != nil }) { commit in
                previous += commit.events.map { $0.previous?.rawValue }
                return true
            }
        }
        #expect(previous == [nil, nil, 5, 6])
        #expect(try store.verify().faults == [])
    }

    /// HIS-40, HIS-41, HIS-42, HIS-43, HIS-44
    @Test func `replay and verification arrive at what the log recorded`() throws {
        try insert("a", "b")
        try store.write { _ = try $0.delete(ExampleNote.self, id: "b") }
        try store.rollback(to: .position(Position(rawValue: 3)))
        try store.createSnapshot(named: "s")
        let digest = try store.read { "\($0.digest)" }
        #expect(throws: StoreError.self) { try store.replay { _ in false } }
        #expect(try store.read { "\($0.digest)" } == digest)
        #expect("\(try store.replay().digest)" == digest)
        #expect(try store.snapshots().count == 1)
        #expect(try store.verify().isSound)
        let other = place("other")
        try store.replay(upTo: .position(Position(rawValue: 3)), into: other)
        let copy = try Store.open(existing: other)
        defer { copy.close() }
        #expect(try copy.read { try $0.count(FetchDescriptor<ExampleNote>()) } == 2)
        #expect(throws: StoreError.self) { try store.replay(into: place("third")) { _ in false } }
        #expect(throws: StoreError.self) { try Store.open(existing: place("third")) }
    }
}
