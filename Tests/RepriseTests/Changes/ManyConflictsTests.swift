import Reprise
import Synchronization
import Testing

/// Conflicts that are too many, or too long, for the memory (HIS-53, HIS-113).
struct ManyConflictsTests {
    private final class Asked: Sendable {
        let conflicts = Mutex<[ChangeSet.Conflict]>([])

        /// Leaves all of them as they are.
        var resolution: ChangeSet.Resolution {
            .each { conflict in
                self.conflicts.withLock { $0.append(conflict) }
                return .ours
            }
        }
    }

    /// What a revert of one commit leaves as it is, because of a later one: as the resolution was asked, and as the
    /// report tells it.
    private func settled(longTexts byteCount: Int) throws -> (asked: [ChangeSet.Conflict], told: ChangeSet.Conflicts) {
        let store = try Jukebox.store()
        let text = String(repeating: "é", count: byteCount / 2)
        var commits: [Position] = []
        for round in 0..<3 {
            try store.write { transaction in
                for index in 0..<300 {
                    let rating = (index + round) % 5 == 0 ? nil : index + round
                    let title = "\(index) \(round) \(text)"
                    try transaction.save(Track(id: Track.ID("t\(index)"), title: title, rating: rating))
                }
            }
            commits.append(try store.read { $0.head })
        }
        let asked = Asked()
        let report = try store.revert(commits: [commits[1]], resolving: asked.resolution)
        return (asked.conflicts.withLock { $0 }, report.settled)
    }

    @Test(arguments: [10, 30_000])
    func `the report tells of each conflict as the resolution was asked, also when the store is gone`(
        byteCount: Int
    ) async throws {
        let (asked, told) = try settled(longTexts: byteCount)
        #expect(asked.count == 600 && told.count == 600 && told.elementsEqual(asked))
        for index in [599, 0, 311, 32, 31] where told[index] != asked[index] { Issue.record("\(index) is another one") }
        #expect(told.first == asked.first && told.last == asked.last && told.suffix(3).elementsEqual(asked.suffix(3)))
        await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<4 { group.addTask { told.elementsEqual(asked) } }
            for await isSame in group where !isSame { Issue.record("Another task reads something else.") }
        }
    }
}
