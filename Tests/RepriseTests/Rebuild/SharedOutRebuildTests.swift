import RepriseLog
import TestSupport
import Testing

@testable import Reprise

/// Rows that several threads build side by side (STO-26).
struct SharedOutRebuildTests {
    /// How many threads build, and how many events each before it is another one's turn.
    static let threads = [(1, 1000), (2, 3), (3, 1), (4, 64), (2, 1_000_000)]

    private func open(_ path: String) throws -> Store {
        try Store.open(at: path, schema: ReviewStore.schema)
    }

    private func rebuild(
        _ store: Store,
        _ threads: (count: Int, stretchCount: Int),
        progress: (ReplayProgress) -> Bool = { _ in true }
    ) throws -> Digest256 {
        try store.writer.perform {
            let rebuild = ViewRebuild(
                store.environment,
                store.tables,
                threads: BuildingThreads(count: threads.count, stretchCount: threads.stretchCount),
                schema: store.compiledSchema
            )
            return try rebuild.run(progress: progress)
        }
    }

    /// Rows of several models, one with many events, some deleted, with references and lists.
    private func fill(_ store: Store) throws {
        var generator = SeededGenerator(seed: 30)
        try store.write { transaction in
            for number in 0..<7 {
                try transaction.insert(Box(id: .init("\(number)")))
                try transaction.insert(Rack(id: .init("\(number)"), name: "rack \(number)"))
            }
            for number in 0..<600 {
                let id = Volume.ID("\(Int.random(in: 0..<1_000_000, using: &generator))-\(number)")
                let box = Box.ID("\(number % 7)")
                let title = String(repeating: "t", count: number % 90)
                try transaction.insert(Volume(id: id, title: title, box: box))
                let rack = Rack.ID("\(number % 7)")
                try transaction.link(Rack.volumes, from: rack, to: id)
                if number % 5 == 0 { try transaction.delete(Volume.self, id: id) }
            }
        }
        for number in 0..<40 {
            _ = try store.write { transaction in
                try transaction.update(Rack.self, id: .init("3")) { $0.name = "shelf \(number)" }
            }
        }
    }

    @Test(arguments: threads)
    func `the views do not depend on how many threads build them`(count: Int, stretchCount: Int)
        throws
    {
        let directory = try TemporaryDirectory()
        let store = try open(directory.path("store"))
        try fill(store)
        let digest = try store.read { $0.digest }
        let volumes = try store.fetch(FetchDescriptor<Volume>())
        for _ in 0..<2 {
            #expect(StateDigest(try rebuild(store, (count, stretchCount))) == digest)
            // Folds the log in its own order and compares every entry of every view.
            #expect(try store.verify().faults == [])
        }
        #expect(try store.fetch(FetchDescriptor<Volume>()) == volumes)
    }

    @Test func `a rebuild that is given up in the middle ends its threads and changes nothing`()
        throws
    {
        let directory = try TemporaryDirectory()
        let store = try open(directory.path("store"))
        try fill(store)
        let digest = try store.read { $0.digest }
        for limit in [0, 0.3, 0.55, 0.7, 0.9] {
            let error = #expect(throws: StoreError.self) {
                try rebuild(store, (3, 2)) {
                    Double($0.eventCount) < limit * Double($0.totalCount)
                }
            }
            #expect(error?.code == .cancelled)
            #expect(try store.verify().faults == [])
        }
        #expect(StateDigest(try rebuild(store, (3, 2))) == digest)
    }

    /// Each row is larger than what may wait to be passed on.
    @Test func `rows that are larger than what may wait come through`() throws {
        let directory = try TemporaryDirectory()
        let store = try open(directory.path("store"))
        try store.write { transaction in
            for number in 0..<9 {
                let title = String(repeating: "\(number)", count: 3 << 20)
                let volume = Volume(id: .init("\(number)"), title: title, box: nil)
                try transaction.insert(volume)
            }
        }
        let digest = try store.read { $0.digest }
        #expect(StateDigest(try rebuild(store, (3, 1))) == digest)
        #expect(try store.verify().faults == [])
    }
}
