import Reprise
import TestSupport
import Testing

/// Branches, and bringing them together: HIS-90 to HIS-97.
@Suite("Branches")
struct BranchTests {
    @Test("A branch has the past of its parent, and goes on by itself (HIS-90)")
    func branchGoesOnByItself() throws {
        let store = try Jukebox.filled()
        let head = try store.resolve(.head)
        let branch = try Store.temporary(branchOf: store)
        #expect(try branch.digest() == store.digest())
        #expect(try branch.digest() == branch.read(asOf: .position(head)) { $0.digest })
        try branch.write(Jukebox.by("ada")) { try $0.update(Track.self, id: "A") { $0.rating = 5 } }
        #expect(try store.read { try $0.fetch(Track.self, id: "A")?.rating } == 3)
        try store.write(Jukebox.by("bob")) { try $0.update(Track.self, id: "B") { $0.rating = 1 } }
        #expect(try branch.read { try $0.fetch(Track.self, id: "B")?.rating } == 3)
    }

    @Test("A branch can begin in the past, also at a point that a rollback has left (HIS-90)")
    func branchBeginsInThePast() throws {
        let store = try Jukebox.filled()
        try store.write { try $0.update(Track.self, id: "A") { $0.rating = 5 } }
        let left = try store.resolve(.head)
        let digest = try store.digest()
        try store.rollback(to: .position(Position(left.rawValue - 1)))
        let branch = try Store.temporary(branchOf: store, at: .position(left))
        #expect(try branch.digest() == digest)
        #expect(try branch.read { try $0.fetch(Track.self, id: "A")?.rating } == 5)
        try store.merge(branch)
        #expect(try store.read { try $0.fetch(Track.self, id: "A")?.rating } == 3)
    }

    @Test("A merge brings what is new in one commit, and a second one brings nothing (HIS-91, HIS-92)")
    func mergeBringsWhatIsNew() throws {
        let store = try Jukebox.filled()
        let branch = try Store.temporary(branchOf: store)
        try branch.write(Jukebox.by("ada")) { transaction in
            try transaction.update(Track.self, id: "A") { $0.rating = 5 }
            try transaction.insert(Track(id: "D", title: "D", album: "album"))
            try transaction.append(Playlist.entries, of: "list", contentsOf: ["D", "A"])
        }
        try branch.write(Jukebox.by("ada")) { try $0.delete(Track.self, id: "C") }
        let plan = try store.merge(branch, isPlan: true)
        #expect(plan.commit == nil)
        #expect(plan.counts.inserted == 1)
        let before = try store.resolve(.head)
        let report = try store.merge(branch)
        #expect(report.isDone)
        #expect(try store.digest() == branch.digest())
        #expect(try store.names(of: "list") == "A B A D A")
        var commits: [CommitRecord] = []
        try store.read {
            try $0.forEachCommit(from: Position(before.rawValue + 1)) {
                commits.append($0)
                return true
            }
        }
        #expect(commits.map(\.intent) == ["merge"])
        #expect(try store.merge(branch).commit == nil)
        #expect(try branch.merge(store).commit == nil)
    }

    @Test("Merging back and forth multiplies no entries, and both sides end alike (HIS-92, HIS-93)")
    func backAndForth() throws {
        let store = try Jukebox.filled()
        let branch = try Store.temporary(branchOf: store)
        for round in 0..<4 {
            try branch.write { try $0.append(Playlist.entries, of: "list", "B") }
            try store.write { try $0.append(Playlist.entries, of: "list", "C") }
            if round.isMultiple(of: 2) {
                #expect(try store.merge(branch).isDone)
                #expect(try branch.merge(store).isDone)
            } else {
                #expect(try branch.merge(store).isDone)
                #expect(try store.merge(branch).isDone)
            }
            #expect(try store.names(of: "list") == branch.names(of: "list"))
            #expect(try store.digest() == branch.digest())
            #expect(try store.entries().count == 4 + 2 * (round + 1))
        }
        #expect(try store.names() == "A B C A C B C B C B C B")
    }

    @Test("An entry that was brought is the same entry later: taken out there, it goes here (HIS-93)")
    func broughtEntryGoes() throws {
        let store = try Jukebox.filled()
        let branch = try Store.temporary(branchOf: store)
        try branch.write { try $0.append(Playlist.entries, of: "list", "B") }
        try store.merge(branch)
        try store.write { try $0.remove(Playlist.entries, of: "list", at: 4) }
        try branch.merge(store)
        #expect(try branch.names() == "A B C A")
        try branch.write { try $0.remove(Playlist.entries, of: "list", at: 0) }
        try store.merge(branch)
        #expect(try store.names() == "B C A")
    }

    @Test("What both put into one list stays together, in the same order on both sides (HIS-95)")
    func runsStayTogether() throws {
        let store = try Jukebox.filled()
        let branch = try Store.temporary(branchOf: store)
        try store.write { transaction in
            for id in ["s1", "s2", "s3"] {
                try transaction.insert(Track(id: Track.ID(id), title: id, album: "album"))
            }
            try transaction.append(Playlist.entries, of: "list", contentsOf: ["s1", "s2", "s3"])
        }
        try branch.write { transaction in
            for id in ["b1", "b2", "b3"] {
                try transaction.insert(Track(id: Track.ID(id), title: id, album: "album"))
            }
            try transaction.append(Playlist.entries, of: "list", contentsOf: ["b1", "b2", "b3"])
        }
        // The same merge from both sides, each without what the other has made of it.
        let directory = try TemporaryDirectory()
        try store.replay(into: directory.path("parent.reprise"))
        let parent = try Store.open(at: directory.path("parent.reprise"), schema: Jukebox.schema)
        try store.merge(branch)
        let other = branch
        try other.merge(parent)
        #expect(try store.names() == "A B C A s1 s2 s3 b1 b2 b3")
        #expect(try other.names() == store.names())
        #expect(try store.tracks(of: "album") == "A B C s1 s2 s3 b1 b2 b3")
        #expect(try other.tracks(of: "album") == store.tracks(of: "album"))
    }

    @Test("What both put between the same two entries stays together (HIS-95)")
    func runsBetween() throws {
        let store = try Jukebox.filled()
        let branch = try Store.temporary(branchOf: store)
        for store in [store, branch] {
            let target: Track.ID = store === branch ? "B" : "C"
            try store.write { transaction in
                for _ in 0..<3 { try transaction.insert(Playlist.entries, of: "list", target, at: 1) }
            }
        }
        try store.merge(branch)
        #expect(try store.names() == "A C C C B B B B C A")
        try branch.merge(store)
        #expect(try branch.names() == store.names())
        #expect(try branch.digest() == store.digest())
    }

    @Test("Conflicts are values; the side that was chosen can be taken back (HIS-91)")
    func conflictsAreValues() throws {
        let store = try Jukebox.filled()
        let branch = try Store.temporary(branchOf: store)
        try store.write { try $0.update(Track.self, id: "A") { $0.rating = 1 } }
        try branch.write { try $0.update(Track.self, id: "A") { $0.rating = 5 } }
        let head = try store.resolve(.head)
        let report = try store.merge(branch)
        #expect(!report.isDone)
        #expect(
            report.conflicts.map(\.kind) == [
                .changed(attribute: "rating", base: .int(3), ours: .int(1), theirs: .int(5))
            ]
        )
        #expect(try store.resolve(.head) == head)
        let merged = try store.merge(branch, resolving: .theirs)
        #expect(try store.read { try $0.fetch(Track.self, id: "A")?.rating } == 5)
        _ = try store.revert(commits: [try #require(merged.commit)])
        #expect(try store.read { try $0.fetch(Track.self, id: "A")?.rating } == 1)
    }

    @Test("A merge is on no stack of undo, whatever it is called (HIS-91)")
    func mergeIsNoStep() throws {
        let store = try Jukebox.filled()
        let branch = try Store.temporary(branchOf: store)
        try branch.write(Jukebox.by("ada")) { try $0.append(Playlist.entries, of: "list", "B") }
        try store.merge(branch, context: CommitContext(intent: "sync", actor: "ada"))
        #expect(try !store.canUndo(by: "ada"))
        #expect(try branch.canUndo(by: "ada"))
    }

    @Test("A conflict that ours has settled does not come again (HIS-92)")
    func settledConflictStays() throws {
        let store = try Jukebox.filled()
        let branch = try Store.temporary(branchOf: store)
        try store.write { try $0.update(Track.self, id: "A") { $0.rating = 1 } }
        try branch.write { try $0.update(Track.self, id: "A") { $0.rating = 5 } }
        #expect(try store.merge(branch, resolving: .ours).isDone)
        let again = try store.merge(branch)
        #expect(again.isDone && again.settled.isEmpty)
        try branch.merge(store)
        #expect(try branch.read { try $0.fetch(Track.self, id: "A")?.rating } == 1)
    }

    @Test("A merge that a rollback has taken back is merged again (HIS-92)")
    func rolledBackMerge() throws {
        let store = try Jukebox.filled()
        let branch = try Store.temporary(branchOf: store)
        try branch.write { try $0.append(Playlist.entries, of: "list", "B") }
        try store.merge(branch)
        let merged = try store.resolve(.head)
        try branch.write { try $0.append(Playlist.entries, of: "list", "C") }
        try store.merge(branch)
        try store.rollback(to: .position(merged))
        #expect(try store.names() == "A B C A B")
        try store.merge(branch)
        #expect(try store.names() == "A B C A B C")
        #expect(try store.digest() == branch.digest())
    }

    @Test("A branch of a branch merges into the root when its parent is gone (HIS-90, HIS-93)")
    func branchOfABranch() throws {
        let store = try Jukebox.filled()
        var branch: Store? = try Store.temporary(branchOf: store)
        try branch?.write { try $0.append(Playlist.entries, of: "list", "B") }
        let child = try Store.temporary(branchOf: try #require(branch))
        try child.write { try $0.append(Playlist.entries, of: "list", "C") }
        try store.merge(try #require(branch))
        branch?.close()
        branch = nil
        try store.write { try $0.append(Playlist.entries, of: "list", "A") }
        try store.merge(child)
        try child.merge(store)
        #expect(try store.names() == "A B C A B A C")
        #expect(try child.names() == store.names())
        #expect(try child.entries().count == 7)
    }

    @Test("Two branches of one store meet in that store (HIS-94)")
    func siblings() throws {
        let store = try Jukebox.filled()
        let (left, right) = (try Store.temporary(branchOf: store), try Store.temporary(branchOf: store))
        try left.write { try $0.append(Playlist.entries, of: "list", "B") }
        try right.write { try $0.append(Playlist.entries, of: "list", "C") }
        let error = #expect(throws: StoreError.self) { try left.merge(right) }
        #expect(error?.code == .notABranch)
        for branch in [left, right] { try store.merge(branch) }
        for branch in [left, right] { try branch.merge(store) }
        #expect(try left.digest() == right.digest())
        #expect(try store.digest() == left.digest())
        #expect(try store.names() == "A B C A B C")
    }

    @Test("A difference to a branch, applied, makes the store the same (HIS-97)")
    func differenceToABranch() throws {
        let store = try Jukebox.filled()
        let branch = try Store.temporary(branchOf: store)
        try branch.write { transaction in
            try transaction.append(Playlist.entries, of: "list", "B")
            try transaction.delete(Track.self, id: "A")
            try transaction.update(Album.self, id: "album") { $0.title = "Green" }
        }
        try store.write { try $0.update(Track.self, id: "A") { $0.rating = 1 } }
        let changes = try store.difference(to: branch)
        #expect(changes.counts.deleted == 1)
        #expect(try store.apply(changes, resolving: .theirs).isDone)
        #expect(try store.digest() == branch.digest())
        #expect(try store.difference(to: branch).isEmpty)
    }
}
