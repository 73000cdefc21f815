import FaultSupport
import Reprise
import TestSupport
import Testing

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Where views built by sorting could go wrong.
struct SortedRebuildReviewTests {
    /// A copy of a store whose load of 12,000 boxes was interrupted, and in which a commit from before is damaged.
    private static func interruptedLoad(_ directory: TemporaryDirectory) throws -> String {
        let path = directory.path("store")
        let copy = directory.path("copy")
        let store = try Store.open(at: path, schema: ReviewStore.schema)
        try store.write(CommitContext(intent: "an old commit")) { transaction in
            try transaction.insert(Box(id: .init("old")))
        }
        try store.bulkLoad { loader in
            for start in stride(from: 0, to: 12_000, by: 3000) {
                try loader.batch { transaction in
                    for number in start..<(start + 3000) {
                        try transaction.insert(Box(id: .init("\(number)")))
                    }
                }
            }
            try FileManager.default.createDirectory(
                atPath: copy,
                withIntermediateDirectories: false
            )
            for name in ["data.mdb", "lock.mdb"] {
                try FileManager.default.copyItem(
                    atPath: "\(path)/\(name)",
                    toPath: "\(copy)/\(name)"
                )
            }
        }
        store.close()
        return copy
    }

    private static func replace(_ old: String, by new: String, in path: String) -> Int {
        var bytes = contents(ofFile: path)
        let pattern = Array(old.utf8)
        var count = 0
        var place = 0
        while place + pattern.count <= bytes.count {
            if bytes[place] == pattern[0],
                bytes[place..<(place + pattern.count)].elementsEqual(pattern)
            {
                bytes.replaceSubrange(place..<(place + pattern.count), with: Array(new.utf8))
                count += 1
            }
            place += 1
        }
        replaceContents(ofFile: path, with: bytes)
        return count
    }

    /// In one transaction, or in several (STO-26).
    @Test(arguments: [65_536, 1000])
    func `a store catches up when only a part of the log that its views have is damaged`(
        stepEventCount: Int
    ) throws {
        let directory = try TemporaryDirectory()
        let path = try Self.interruptedLoad(directory)
        let count = Self.replace("an old commit", by: "an odd commit", in: path + "/data.mdb")
        #expect(count >= 1)
        var configuration = Store.Configuration()
        configuration.catchUpEventCountMax = stepEventCount
        let store = try Store.open(at: path, schema: ReviewStore.schema, configuration: configuration)
        defer { store.close() }
        #expect(try store.count(FetchDescriptor<Box>()) == 12_001)
        #expect(try store.fetch(Box.self, id: .init("11999")) != nil)
        #expect(try store.verify().faults != [])
    }

    @Test func `an interrupted load of many small events is built by sorting`() throws {
        let directory = try TemporaryDirectory()
        let path = try Self.interruptedLoad(directory)
        let store = try Store.open(at: path, schema: ReviewStore.schema)
        defer { store.close() }
        #expect(try store.count(FetchDescriptor<Box>()) == 12_001)
        #expect(try store.verify().faults == [])
    }

    @Test func `all the memory there is may be offered`() throws {
        let directory = try TemporaryDirectory()
        let store = try Store.open(at: directory.path("store"), schema: ReviewStore.schema)
        defer { store.close() }
        try store.bulkLoad(memoryByteCount: .max) { loader in
            try loader.batch { try $0.insert(Box(id: .init("1"))) }
        }
        let digest = try store.read { $0.digest }
        #expect(try store.replay(memoryByteCount: .max).digest == digest)
    }

    @Test func `a replay finds room in a small map, whatever is in use of it`() throws {
        let directory = try TemporaryDirectory()
        let title = String(repeating: "x", count: 15_000)
        for batchCount in 3...20 {
            let store = try Store.open(
                at: directory.path("store-\(batchCount)"),
                schema: ReviewStore.schema,
                configuration: .init(mapByteCount: 1 << 20)
            )
            defer { store.close() }
            for batch in 0..<batchCount {
                try store.write { transaction in
                    for number in 0..<4 {
                        try transaction.insert(
                            Volume(id: .init("\(batch)-\(number)"), title: title, box: nil)
                        )
                    }
                }
            }
            let refusal = code { try store.replay() }
            #expect(refusal == nil, "\(batchCount) batches")
        }
    }

    @Test func `an annotation of a load is there before and after the views are asked`() throws {
        let directory = try TemporaryDirectory()
        let store = try Store.open(at: directory.path("store"), schema: ReviewStore.schema)
        defer { store.close() }
        let title = String(repeating: "x", count: 8000)
        try store.bulkLoad(memoryByteCount: 5 << 20) { loader in
            for batch in 0..<4 {
                try loader.batch { transaction in
                    try transaction.annotate(name: "load", key: "\(batch)", payload: [UInt8(batch)])
                    for number in 0..<200 {
                        try transaction.insert(
                            Volume(id: .init("\(batch)-\(number)"), title: title, box: nil)
                        )
                    }
                }
            }
            try loader.batch { transaction in
                let payloads = try transaction.annotations(named: "load").map(\.payload)
                #expect(payloads == [[0], [1], [2], [3]])
            }
        }
        #expect(try store.read { try $0.annotations(named: "load") }.count == 4)
        #expect(try store.verify().faults == [])
    }
}
