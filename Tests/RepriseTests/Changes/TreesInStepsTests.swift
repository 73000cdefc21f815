import TestSupport
import Testing

@testable import Reprise

/// A folder in a folder.
private struct Folder: Model {
    var id: ID
    var name: String
    var parent: ID?
    var shortcut: ID?

    static let schema = ModelSchema(
        "folder",
        Self.init,
        .id("id", \.id),
        .attribute("name", \.name),
        .toOne("parent", \.parent),
        .toOne("shortcut", \.shortcut)
    )
    .toMany("children", of: Folder.self, inverse: "parent", onDelete: .cascade)
    .toMany("callers", of: Folder.self, inverse: "shortcut", onDelete: .deny)
}

/// Large changes of rows that refer to rows of their own model: HIS-113, HIS-114.
@Suite struct TreesInStepsTests {
    private let store: Store

    init() throws {
        var configuration = Store.Configuration()
        configuration.stepwiseChangeCountMin = 1
        configuration.viewStepByteCount = 4096
        configuration.planByteCount = 4096
        store = try Store.temporary(Schema(Folder.self), configuration: configuration)
        try store.write { try $0.insert(Folder(id: "root", name: "Root")) }
    }

    /// Makes folders, each in one of those before it or in the root. Their identifiers say nothing of that.
    private func makeTree(_ count: Int) throws -> Position {
        var random = SeededGenerator(seed: 5)
        var ids: [Folder.ID] = ["root"]
        try store.write { tx in
            for number in 0..<count {
                let id = Folder.ID("\(random.next() % 1_000_000)-\(number)")
                let parent = ids[Int(random.next() % UInt64(ids.count))]
                let shortcut = random.next() % 3 == 0 ? ids[Int(random.next() % UInt64(ids.count))] : nil
                try tx.insert(Folder(id: id, name: "Folder \(number)", parent: parent, shortcut: shortcut))
                ids.append(id)
            }
        }
        return try store.resolve(.head)
    }

    @Test func `a tree goes in steps, and comes back`() throws {
        let before = try store.read { $0.digest }
        let made = try makeTree(400)
        let full = try store.read { $0.digest }
        let leaving = try store.fetch(Folder.self).filter { folder in
            [folder.parent, folder.shortcut].contains { target in
                target.map { $0 != "root" && $0.rawValue < folder.id.rawValue } ?? false
            }
        }
        let report = try store.revert(commits: [made])
        #expect(report.isDone && report.counts.deleted == 400)
        #expect(store.stepwiseCommitCount == 1)
        #expect(try store.read { $0.digest } == before)
        // No deletion had consequences: each folder has one event, and one more where a folder to which it leads goes
        // before it.
        let commit = try #require(report.commit)
        #expect(UInt64(leaving.count) > 100)
        #expect(commit.rawValue - made.rawValue == 400 + UInt64(leaving.count))
        #expect(try store.revert(commits: [commit]).isDone)
        #expect(store.stepwiseCommitCount == 2)
        #expect(try store.read { $0.digest } == full)
        #expect(try store.verify().isSound)
    }

    @Test func `a tree of which a part stays goes as far as it may`() throws {
        let made = try makeTree(100)
        let all = try store.fetch(Folder.self).filter { $0.id != "root" }
        let kept = try #require(all.first { $0.parent != "root" })
        try store.write { tx in try tx.update(Folder.self, id: kept.id) { $0.name = "Mine" } }
        let plan = try store.revert(commits: [made])
        #expect(!plan.conflicts.isEmpty)
        #expect(try store.revert(commits: [made], resolving: .ours).isDone)
        #expect(try store.fetch(Folder.self, id: kept.id)?.parent == kept.parent)
        #expect(store.stepwiseCommitCount == 1)
        #expect(try store.verify().isSound)
    }

    @Test func `folders that call each other in a circle go in steps`() throws {
        let before = try store.read { $0.digest }
        try store.write { tx in
            try tx.insert(Folder(id: "a", name: "A", shortcut: "b"))
            try tx.insert(Folder(id: "b", name: "B", shortcut: "a"))
        }
        let made = try store.resolve(.head)
        #expect(try store.revert(commits: [made]).isDone)
        #expect(store.stepwiseCommitCount == 1)
        #expect(try store.read { $0.digest } == before)
        #expect(try store.verify().isSound)
    }
}
