import Reprise
import TestSupport
import Testing

/// A rebuild that takes more than one transaction (a step is 32 MiB).
struct StagedRebuildTests {
    private static func title(_ number: Int, _ round: Int) -> String {
        "\(round)" + String(repeating: "\(number) ", count: 70_000 / ("\(number)".count + 1))
    }

    @Test func `views that are written in several steps are those that one step would write`()
        throws
    {
        let directory = try TemporaryDirectory()
        let store = try Store.open(at: directory.path("store"), schema: ReviewStore.schema)
        defer { store.close() }
        for start in stride(from: 0, to: 980, by: 70) {
            try store.write { transaction in
                for number in start..<(start + 70) {
                    let id = Volume.ID("\(number * 7919 % 1009)")
                    try transaction.insert(
                        Volume(id: id, title: Self.title(number, 0), box: nil)
                    )
                    if number % 9 == 0 {
                        try transaction.update(Volume.self, id: id) { $0.title = "short" }
                    }
                    if number % 11 == 0 { try transaction.delete(Volume.self, id: id) }
                }
            }
        }
        let digest = try store.read { $0.digest }
        var readCount = 0
        let report = try store.replay(memoryByteCount: 1) { _ in
            // Reads of the views that serve, while the others are written.
            if readCount < 50, (try? store.count(FetchDescriptor<Volume>())) != nil {
                readCount += 1
            }
            return true
        }
        #expect(report.digest == digest)
        #expect(readCount > 0)
        #expect(try store.verify().faults == [])
    }

    @Test(arguments: [false, true])
    func `a store grows with the first replay only`(isCancelled: Bool) throws {
        let directory = try TemporaryDirectory()
        let store = try Store.open(at: directory.path("store"), schema: ReviewStore.schema)
        defer { store.close() }
        try store.write { transaction in
            for number in 0..<20_000 {
                try transaction.insert(
                    Volume(id: Volume.ID("\(number)"), title: "volume \(number)", box: nil)
                )
            }
        }
        func replay() throws -> Int {
            if isCancelled {
                // Far enough that views have been written.
                _ = try? store.replay { $0.eventCount * 10 < $0.totalCount * 9 }
            }
            try store.replay()
            return try store.statistics().fileByteCount
        }
        let first = try replay()
        for _ in 0..<4 { #expect(try replay() <= first * 21 / 20) }
    }
}
