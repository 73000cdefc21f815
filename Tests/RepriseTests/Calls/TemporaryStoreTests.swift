import Reprise
import Testing

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// STO-104.
struct TemporaryStoreTests {
    private func isThere(_ path: String) -> Bool {
        let place = URL(filePath: path).deletingLastPathComponent().path(percentEncoded: false)
        return FileManager.default.fileExists(atPath: place)
    }

    @Test func `a temporary store goes when it is closed`() throws {
        let store = try Store.temporary(CallStore.schema)
        try store.write { try $0.insert(Project(id: "p", title: "P")) }
        #expect(try store.fetch(Project.self).map(\.title) == ["P"])
        #expect(isThere(store.path))
        store.close()
        #expect(!isThere(store.path))
        store.close()
    }

    @Test func `a temporary store goes with the last reference to it`() throws {
        var store: Store? = try Store.temporary(CallStore.schema)
        let path = try #require(store?.path)
        #expect(isThere(path))
        store = nil
        #expect(!isThere(path))
    }

    @Test func `several are apart, and take a configuration`() throws {
        let time = Date(timeIntervalSince1970: 1_000_000)
        let store = try Store.temporary(CallStore.schema, configuration: .init(now: { time }))
        let other = try Store.temporary(CallStore.schema)
        try store.write { try $0.insert(Project(id: "p", title: "P")) }
        #expect(try other.count(Project.self) == 0)
        var times: Set<Date> = []
        try store.read { state in
            try state.forEachCommit { commit in
                times.insert(commit.at)
                return true
            }
        }
        #expect(times == [time])
        #expect(throws: StoreError.self) { try Store.temporary(CallStore.schema, configuration: .readOnly) }
    }
}
