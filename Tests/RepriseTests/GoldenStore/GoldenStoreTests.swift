import RepriseLog
import Testing

@testable import Reprise

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// `Golden/store-v1` was made by the first version of the format. Every later version opens it, reads the same from
/// it and finds it sound. It is never made anew: a new format gets a new folder beside it.
struct GoldenStoreTests {
    private static let folder = "Tests/RepriseTests/Golden/store-v1"
    private static let environment = ProcessInfo.processInfo.environment

    /// A copy, because opening a store makes a lock file.
    private func copy(in place: ScratchPlace) throws -> String {
        let path = place("golden")
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        let source = Repository.root.appending(path: "\(Self.folder)/data.mdb").path
        try FileManager.default.copyItem(atPath: source, toPath: "\(path)/data.mdb")
        return path
    }

    private func expected() throws -> [Substring] {
        try Repository.text("\(Self.folder)/export.txt").split(separator: "\n")
    }

    private func compare(_ store: Store, at comment: Comment) throws {
        let found = try StoreExport(store).lines
        let expected = try expected()
        #expect(found.count == expected.count, comment)
        for (number, (found, expected)) in zip(found, expected).enumerated() where found != expected
        {
            Issue.record("\(comment), line \(number + 1):\n  \(found)\nand not\n  \(expected)")
            break
        }
    }

    @Test func `the golden store opens with the schema in its log and holds what it held`() throws {
        let place = try ScratchPlace()
        let store = try Store.open(existing: copy(in: place))
        defer { store.close() }
        try compare(store, at: "as it is")
        #expect(try store.verify().faults == [])
    }

    @Test func `the golden store opens with the declaration it was made with`() throws {
        let place = try ScratchPlace()
        let store = try Store.open(at: copy(in: place), schema: GoldenModels.schema)
        defer { store.close() }
        let item = try #require(try store.fetch(GoldenModels.Item.self, id: "all"))
        #expect(item.title == "Grüße, 世界 \u{1F3B5}")
        #expect(item.colours == ["red", "blue", ""])
        #expect(item.size == GoldenModels.Size(width: 2.5, note: "n"))
    }

    @Test func `the golden log folds to the views of the golden store`() throws {
        let place = try ScratchPlace()
        let store = try Store.open(existing: copy(in: place))
        defer { store.close() }
        try store.replay()
        try compare(store, at: "replayed")
        let other = place("other")
        try store.replay(into: other)
        let again = try Store.open(existing: other)
        defer { again.close() }
        try compare(again, at: "replayed into another store")
    }

    @Test func `the golden store can be written and rolled back to its snapshot`() throws {
        let place = try ScratchPlace()
        let store = try Store.open(at: copy(in: place), schema: GoldenModels.schema)
        defer { store.close() }
        let snapshot = try #require(try store.snapshots().first)
        try store.write { try $0.insert(GoldenModels.Item(id: "later", title: "later")) }
        #expect(try store.rollback(to: .snapshot(snapshot.name)).digest == snapshot.digest)
        #expect(try store.verify().faults == [])
    }

    /// VAL-03
    @Test func `a row with an empty identifier of before can be read, changed and deleted`() throws {
        let place = try ScratchPlace()
        let store = try Store.open(at: copy(in: place), schema: GoldenModels.schema)
        defer { store.close() }
        #expect(try store.fetch(GoldenModels.Item.self, id: "")?.weight == .infinity)
        try store.write { _ = try $0.update(GoldenModels.Item.self, id: "") { $0.title = "found" } }
        #expect(try store.fetch(GoldenModels.Item.self, id: "")?.title == "found")
        let before = try store.read { $0.head }
        try store.write { _ = try $0.delete(GoldenModels.Item.self, id: "") }
        let error = #expect(throws: StoreError.self) {
            try store.write { try $0.insert(GoldenModels.Item(id: "", title: "")) }
        }
        #expect(error?.code == .invalidIdentifier)
        try store.rollback(to: .position(before))
        #expect(try store.fetch(GoldenModels.Item.self, id: "")?.title == "found")
        #expect(try store.verify().faults == [])
    }

    @Test(.enabled(if: environment["REPRISE_MAKE_GOLDEN"] != nil))
    func `make the golden store`() throws {
        let place = try ScratchPlace()
        let path = place("golden")
        try GoldenStore.make(at: path)
        let target = Repository.root.appending(path: Self.folder).path
        try FileManager.default.createDirectory(atPath: target, withIntermediateDirectories: true)
        // A copy made by replay has no free pages in it.
        let store = try Store.open(existing: path)
        defer { store.close() }
        try store.replay(into: place("compact"))
        let export = try StoreExport(store).lines.joined(separator: "\n") + "\n"
        try Data(export.utf8).write(to: URL(filePath: "\(target)/export.txt"))
        // Refuses to replace what is there.
        try FileManager.default.copyItem(
            atPath: place("compact/data.mdb"),
            toPath: "\(target)/data.mdb"
        )
    }
}
