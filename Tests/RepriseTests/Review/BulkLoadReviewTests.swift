import Reprise
import TestSupport
import Testing

struct BulkLoadReviewTests {
    private struct Abandoned: Error {}

    private let directory: TemporaryDirectory
    private let store: Store

    init() throws {
        directory = try TemporaryDirectory()
        store = try Store.open(at: directory.path("store"), schema: ReviewStore.schema)
    }

    @Test func `a batch that fails and one that changes nothing lose no batch before them`() throws
    {
        try store.bulkLoad { loader in
            try loader.batch { try $0.insert(Box(id: "before")) }
            #expect(throws: Abandoned.self) {
                try loader.batch { transaction in
                    try transaction.insert(Box(id: "abandoned"))
                    throw Abandoned()
                }
            }
            try loader.batch { _ in }
            try loader.batch { try $0.insert(Box(id: "after")) }
        }
        let ids = try store.fetch(FetchDescriptor<Box>()).map(\.id)
        #expect(ids == ["after", "before"])
        #expect(try store.verify().faults == [])
    }

    @Test func `a batch may ask, fail, and be followed by others`() throws {
        try store.bulkLoad { loader in
            for round in 0..<20 {
                try loader.batch { try $0.insert(Box(id: .init("a\(round)"))) }
                #expect(throws: Abandoned.self) {
                    try loader.batch { transaction in
                        try transaction.insert(Box(id: "abandoned"))
                        let count = try transaction.count(FetchDescriptor<Box>())
                        #expect(count == 3 * round + 2)
                        throw Abandoned()
                    }
                }
                try loader.batch { transaction in
                    let count = try transaction.count(FetchDescriptor<Box>())
                    #expect(count == 3 * round + 1)
                }
                try loader.batch { transaction in
                    try transaction.insert(Box(id: .init("b\(round)")))
                    let count = try transaction.count(FetchDescriptor<Box>())
                    #expect(count == 3 * round + 2)
                    try transaction.insert(Box(id: .init("c\(round)")))
                }
                if round.isMultiple(of: 5) { try loader.publish() }
            }
        }
        #expect(try store.count(FetchDescriptor<Box>()) == 60)
        #expect(try store.verify().faults == [])
    }
}
