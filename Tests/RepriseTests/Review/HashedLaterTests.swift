import Reprise
import TestSupport
import Testing

/// The digests of new rows are summed up by another thread while a write goes on.
struct HashedLaterTests {
    private struct Refusal: Error {}

    private let directory: TemporaryDirectory
    private let store: Store

    init() throws {
        directory = try TemporaryDirectory()
        store = try Store.open(at: directory.path("store"), schema: ReviewStore.schema)
    }

    private func insert(_ numbers: Range<Int>, _ transaction: inout WriteTransaction) throws {
        for number in numbers {
            try transaction.insert(Volume(id: .init("\(number)"), title: "\(number)", box: nil))
        }
    }

    /// STO-13.
    @Test func `rows that change and go again in the write that made them leave the right digest`()
        throws
    {
        let digests = try [1, 900].map { chunk in
            let store = try Store.open(
                at: directory.path("chunk-\(chunk)"),
                schema: ReviewStore.schema
            )
            defer { store.close() }
            try store.write { transaction in
                for first in stride(from: 0, to: 1800, by: chunk) {
                    try insert(first..<first + chunk, &transaction)
                    for number in first..<first + chunk {
                        let id = Volume.ID("\(number)")
                        if number % 5 == 0 { try transaction.delete(Volume.self, id: id) }
                        if number % 5 == 1 {
                            try transaction.update(Volume.self, id: id) { $0.title = nil }
                        }
                    }
                    if first == 900 {
                        #expect(try transaction.count(FetchDescriptor<Volume>()) > 700)
                    }
                }
            }
            #expect(try store.verify().isSound)
            return try store.read { $0.digest }
        }
        #expect(digests[0] == digests[1])
    }

    /// STO-14.
    @Test func `a write that fails after many rows leaves the digest as it was`() throws {
        try store.write { try insert(0..<700, &$0) }
        let before = try store.read { $0.digest }
        #expect(throws: Refusal.self) {
            try store.write { transaction in
                try insert(1000..<2000, &transaction)
                throw Refusal()
            }
        }
        #expect(try store.read { $0.digest } == before)
        try store.write { try insert(3000..<3001, &$0) }
        #expect(try store.read { $0.digest } != before)
        #expect(try store.verify().isSound)
    }

    /// STO-41.
    @Test func `one of a group that fails after many rows takes along what was being hashed`()
        async throws
    {
        let store = store
        let leader = HeldTurn(store) { transaction in
            for number in 0..<600 { try transaction.insert(Box(id: .init("\(number)"))) }
        }
        let failing = StartedWork {
            try store.write { transaction in
                for number in 600..<1300 { try transaction.insert(Box(id: .init("\(number)"))) }
                throw Refusal()
            }
        }
        try await leader.wait(for: 1)
        let following = StartedWork {
            try store.write { transaction in
                for number in 1000..<1800 { try transaction.insert(Box(id: .init("\(number)"))) }
            }
        }
        try await leader.wait(for: 2)
        leader.letGo()
        await #expect(throws: Refusal.self) { try await failing.value }
        try await following.value
        #expect(try await leader.end() == nil)
        #expect(try store.count(FetchDescriptor<Box>()) == 1400)
        #expect(try store.verify().isSound)
    }
}
