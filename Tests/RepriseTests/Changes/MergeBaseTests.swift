import Reprise
import TestSupport
import Testing

/// The base of a merge is the newest state that both stores have had: what was decided since is not undone (HIS-91,
/// HIS-92, HIS-94).
@Suite struct MergeBaseTests {
    private let store: Store
    private let branch: Store

    init() throws {
        store = try Jukebox.filled()
        branch = try Store.temporary(branchOf: store)
    }

    private func insertX(_ store: Store) throws {
        try store.write { transaction in
            try transaction.insert(Track(id: "X", title: "X", album: "album"))
            try transaction.append(Playlist.entries, of: "list", "X")
        }
    }

    private func rate(_ store: Store, _ id: Track.ID, _ rating: Int) throws {
        try store.write { try $0.update(Track.self, id: id) { $0.rating = rating } }
    }

    private func deleteX() throws { try store.write { try $0.delete(Track.self, id: "X") } }

    /// What was deleted here after it had been merged stays away, without a conflict.
    private func expectNoX(afterMerging other: Store) throws {
        #expect(try store.merge(other).isDone)
        #expect(try store.fetch(Track.self, id: "X") == nil)
        #expect(try store.names() == "A B C A")
    }

    /// Merges both ways, after which both have the same.
    private func meet() throws {
        #expect(try store.merge(branch).isDone)
        #expect(try branch.merge(store).isDone)
        #expect(try store.difference(to: branch).isEmpty)
        #expect(try store.names() == branch.names())
    }

    @Test func `what was merged both ways and then taken away is gone in both`() throws {
        try meet()
        try insertX(store)
        #expect(try branch.merge(store).counts.inserted == 1)
        // The branch has the state of before, and has decided something.
        try branch.write { try $0.delete(Track.self, id: "X") }
        try rate(store, "A", 5)
        #expect(try branch.merge(store).isDone)
        #expect(try store.merge(branch).counts.deleted == 1)
        try meet()
        #expect(try branch.fetch(Track.self, id: "X") == nil)
        #expect(try branch.fetch(Track.self, id: "A")?.rating == 5)
    }

    @Test func `stores that meet again and again bring only what came since`() throws {
        // The list counts as well.
        for round in 0..<6 {
            try rate(store, "A", round)
            try branch.write { transaction in
                try transaction.update(Track.self, id: "B") { $0.rating = 10 + round }
                try transaction.append(Playlist.entries, of: "list", round % 2 == 0 ? "A" : "C")
            }
            if round % 3 == 1 { _ = try branch.createSnapshot(named: "round \(round)") }
            let difference = try store.difference(to: branch)
            #expect(difference.counts.updated == 3 && difference.counts.linked == 1, "\(difference.counts)")
            let report = try store.merge(branch)
            #expect(report.counts.updated == 2 && report.counts.linked == 1, "\(report.counts)")
            if round % 2 == 0 { try rate(store, "C", 20 + round) }
            try meet()
            #expect(try store.fetch(Track.self, id: "A")?.rating == round)
            #expect(try branch.fetch(Track.self, id: "B")?.rating == 10 + round)
        }
    }

    @Test func `a branch whose head is a rollback has been merged`() throws {
        try insertX(branch)
        let kept = try branch.resolve(.head)
        try rate(branch, "B", 1)
        try branch.rollback(to: .position(kept))
        try store.merge(branch)
        try deleteX()
        #expect(try store.merge(branch).commit == nil)
        try expectNoX(afterMerging: branch)
    }

    @Test func `a store whose head is a rollback has been merged into its branch`() throws {
        try insertX(store)
        let kept = try store.resolve(.head)
        try rate(store, "B", 1)
        try store.rollback(to: .position(kept))
        try branch.merge(store)
        try rate(branch, "X", 9)
        try rate(store, "A", 4)
        #expect(try store.merge(branch).isDone)
        #expect(try store.fetch(Track.self, id: "X")?.rating == 9)
    }

    @Test func `where the last merge is of a dead position, the one before it holds`() throws {
        try insertX(branch)
        let kept = try branch.resolve(.head)
        try store.merge(branch)
        try rate(branch, "A", 1)
        try store.merge(branch)
        try branch.rollback(to: .position(kept))
        try deleteX()
        try expectNoX(afterMerging: branch)
    }

    @Test func `so it does where the store has gone back behind what the branch has merged`() throws {
        try insertX(store)
        let kept = try store.resolve(.head)
        try branch.merge(store)
        try rate(store, "A", 1)
        try branch.merge(store)
        try store.rollback(to: .position(kept))
        try deleteX()
        try expectNoX(afterMerging: branch)
    }

    @Test func `what both have done alike is known from then on`() throws {
        try rate(store, "A", 5)
        try rate(branch, "A", 5)
        #expect(try store.merge(branch).counts.entities == 0)
        try rate(store, "A", 3)
        try store.merge(branch)
        #expect(try store.fetch(Track.self, id: "A")?.rating == 3)
        for store in [store, branch] { try store.write(Jukebox.by("ada")) { try $0.delete(Track.self, id: "C") } }
        try store.merge(branch)
        try store.undo(by: "ada")
        try store.merge(branch)
        #expect(try store.names() == "A B C A")
    }

    @Test func `a grandchild brings its parent's past along, and the parent is known then`() throws {
        try insertX(branch)
        let grandchild = try Store.temporary(branchOf: branch)
        try store.merge(grandchild)
        try deleteX()
        try expectNoX(afterMerging: branch)
    }

    @Test func `a grandchild of a dead point brings what the parent has abandoned`() throws {
        let start = try branch.resolve(.head)
        try insertX(branch)
        let dead = try branch.resolve(.head)
        try branch.rollback(to: .position(start))
        try rate(branch, "A", 1)
        let grandchild = try Store.temporary(branchOf: branch, at: .position(dead))
        try store.merge(branch)
        try store.merge(grandchild)
        #expect(try store.fetch(Track.self, id: "X") != nil)
    }

    @Test func `two stores that merge each other at the same time bring nothing back that was deleted`() async throws {
        let (store, branch) = (store, branch)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (ours, theirs, name) in [(store, branch, "s"), (branch, store, "b")] {
                group.addTask { try Self.exchange(ours, theirs, name) }
            }
            try await group.waitForAll()
        }
        try Self.expectNothingCameBack(store, branch)
    }

    private static let either: ChangeSet.Resolution = .each { $0.canBeTheirs ? .theirs : .ours }

    /// Makes a row a round, and deletes those of the other store once they are here.
    private static func exchange(_ ours: Store, _ theirs: Store, _ name: String) throws {
        for round in 0..<20 {
            let id = "\(name)\(round)"
            try ours.write { try $0.insert(Track(id: Track.ID(id), title: id)) }
            try ours.merge(theirs, resolving: either)
            let foreign = try ours.fetch(Track.self).map(\.id.rawValue).filter { $0.count > 1 && !$0.hasPrefix(name) }
            if foreign.isEmpty { continue }
            try ours.write { transaction in
                for id in foreign {
                    // Once only: a second time would find this one.
                    try transaction.insert(Album(id: Album.ID("gone \(id)"), title: ""))
                    try transaction.delete(Track.self, id: Track.ID(id))
                }
            }
        }
    }

    private static func expectNothingCameBack(_ store: Store, _ branch: Store) throws {
        try store.merge(branch, resolving: either)
        try branch.merge(store, resolving: either)
        for store in [store, branch] {
            for album in try store.fetch(Album.self) where album.id.rawValue.hasPrefix("gone ") {
                #expect(try store.fetch(Track.self, id: Track.ID(String(album.id.rawValue.dropFirst(5)))) == nil)
            }
        }
    }

    @Test func `what goes with a row stays where the row stays (HIS-99)`() throws {
        try branch.write { try $0.delete(Track.self, id: "A") }
        try rate(store, "A", 5)
        #expect(try store.merge(branch, resolving: .ours).isDone)
        #expect(try store.names() == "A B C A")
        try branch.write { try $0.delete(Album.self, id: "album") }
        try store.write { try $0.update(Album.self, id: "album") { $0.title = "Red" } }
        #expect(try store.merge(branch, resolving: .ours).isDone)
        #expect(try store.tracks() == "A B C")
        #expect(try store.names() == "A B C A")
        #expect(try store.verify().isSound)
    }

    @Test func `a branch cannot begin before the first commit`() throws {
        let error = #expect(throws: StoreError.self) {
            try Store.temporary(branchOf: store, at: .position(Position(rawValue: 0)))
        }
        #expect(error?.code == .unknownPosition)
    }
}
