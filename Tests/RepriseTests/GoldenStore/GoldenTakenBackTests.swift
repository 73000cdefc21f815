import Testing

@testable import Reprise

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// `Golden/store-v1-taken-back` was made by the first version that notes what a commit has taken back
/// (Specs/format/taken-back.md). It is never made anew.
struct GoldenTakenBackTests {
    private static let folder = "Tests/RepriseTests/Golden/store-v1-taken-back"
    private static let schema = Schema(Jot.self)

    private struct Jot: Model {
        var id: ID
        var text: String
        static let schema = ModelSchema("jot", Self.init, .id("id", \.id), .attribute("text", \.text))
    }

    /// One commit takes back two that lie apart. The next one takes that one back, under an intent of its own. An undo
    /// takes back a group.
    private static func make(at path: String) throws {
        let configuration = Store.Configuration(actor: "golden", now: TickingClock().now)
        let store = try Store.open(at: path, schema: schema, configuration: configuration)
        defer { store.close() }
        var commits: [Position] = []
        for id in ["a", "b", "c"] {
            try store.write { try $0.insert(Jot(id: Jot.ID(id), text: id)) }
            commits.append(try store.head())
        }
        _ = try store.revert(commits: [commits[0], commits[2]])
        let several = try store.head()
        _ = try store.revert(commits: [several], context: CommitContext(intent: "oops"))
        for text in ["one", "two"] {
            try store.write(CommitContext(group: "g")) { tx in try tx.update(Jot.self, id: "a") { $0.text = text } }
        }
        try store.undo()
    }

    private static func stretches(_ store: Store) throws -> [[ClosedRange<UInt64>]] {
        var found: [[ClosedRange<UInt64>]] = []
        try store.read { state in
            try state.forEachCommit(where: { $0.annotation?.name == TakenBackMark.name }) { commit in
                let payload = try #require(commit.events.last?.annotation?.payload)
                found.append(try TakenBackMark(payload).stretches)
                return true
            }
        }
        return found
    }

    @Test func `the golden store says what was taken back, and today's says the same`() throws {
        let place = try ScratchPlace()
        let path = place("golden")
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        let source = Repository.root.appending(path: "\(Self.folder)/data.mdb").path
        try FileManager.default.copyItem(atPath: source, toPath: "\(path)/data.mdb")
        let store = try Store.open(at: path, schema: Self.schema)
        defer { store.close() }
        let expected = try Repository.text("\(Self.folder)/export.txt").split(separator: "\n").map(String.init)
        #expect(try StoreExport(store).lines == expected)
        #expect(try store.verify().faults == [])
        let stretches = try Self.stretches(store)
        #expect(stretches == [[4...4, 2...2], [5...7], [11...12]])
        #expect(try store.fetch(Jot.self).map(\.text) == ["a", "b", "c"])
        try Self.make(at: place("today"))
        let today = try Store.open(existing: place("today"))
        defer { today.close() }
        #expect(try Self.stretches(today) == stretches)
        #expect(try today.read { $0.digest } == store.read { $0.digest })
    }

    @Test(.enabled(if: ProcessInfo.processInfo.environment["REPRISE_MAKE_GOLDEN"] != nil))
    func `make the golden store of what was taken back`() throws {
        let place = try ScratchPlace()
        try Self.make(at: place("store"))
        let target = Repository.root.appending(path: Self.folder).path
        // Refuses to replace what is there.
        try FileManager.default.createDirectory(atPath: target, withIntermediateDirectories: false)
        let store = try Store.open(existing: place("store"))
        defer { store.close() }
        // A copy made by replay has no free pages in it.
        try store.replay(into: place("compact"))
        let export = try StoreExport(store).lines.joined(separator: "\n") + "\n"
        try Data(export.utf8).write(to: URL(filePath: "\(target)/export.txt"))
        try FileManager.default.copyItem(atPath: place("compact/data.mdb"), toPath: "\(target)/data.mdb")
    }
}
