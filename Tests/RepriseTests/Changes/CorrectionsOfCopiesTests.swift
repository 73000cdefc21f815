import Reprise
import TestSupport
import Testing

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// What a file of changes from a copy of a store brings to that store and to its branches: HIS-93 and HIS-111.
@Suite("Files of changes from copies, and branches")
struct CorrectionsOfCopiesTests {
    private let directory: TemporaryDirectory
    private let store: Store
    private let branch: Store
    private let copy: Store
    private let base: Position

    init() throws {
        directory = try TemporaryDirectory()
        store = try Store.open(at: directory.path("store"), schema: Jukebox.schema)
        try store.write { transaction in
            for title in ["A", "B", "C"] { try transaction.insert(Track(id: Track.ID(title), title: title)) }
            try transaction.insert(Playlist(id: "list", name: "List"))
            try transaction.insert(Playlist(id: "other", name: "Other"))
            try transaction.append(Playlist.entries, of: "list", contentsOf: ["A", "B", "C"])
        }
        base = try store.resolve(.head)
        branch = try store.branch(to: directory.path("branch"))
        try FileManager.default.copyItem(atPath: store.path, toPath: directory.path("copy"))
        copy = try Store.open(at: directory.path("copy"), schema: Jukebox.schema)
    }

    /// A file with what the copy has put at the end of the list.
    private func correction(appending id: Track.ID = "B", to list: Playlist.ID = "list") throws -> ChangeSet {
        try copy.write { try $0.append(Playlist.entries, of: list, id) }
        let path = directory.path("\(id)-\(list).changes")
        try copy.difference(from: .position(base)).write(to: path)
        return try ChangeSet(contentsOf: path)
    }

    private func names(_ store: Store, _ list: Playlist.ID = "list") throws -> String { try store.names(of: list) }

    private func sortedNames(_ store: Store) throws -> String {
        try store.entries().map(\.target).sorted().joined()
    }

    /// Merges in turns until there is nothing new.
    private func exchange() throws {
        for _ in 0..<2 {
            #expect(try store.merge(branch).isDone)
            #expect(try branch.merge(store).isDone)
        }
        #expect(try names(store) == names(branch))
        #expect(try store.difference(to: branch).isEmpty)
        for store in [store, branch] { #expect(try store.verify().isSound) }
    }

    @Test("Where the store and its branch have applied one file, their merge is refused until the branch takes it back")
    func appliedToBoth() throws {
        let file = try correction()
        #expect(try store.apply(file).isDone)
        let applied = try #require(try branch.apply(file).commit)
        for (one, other) in [(store, branch), (branch, store)] {
            let merge = #expect(throws: StoreError.self) { try one.merge(other) }
            #expect(merge?.code == .notABranch)
            let difference = #expect(throws: StoreError.self) { try one.difference(to: other) }
            #expect(difference?.code == .notABranch)
            #expect(try names(one) == "A B C B")
        }
        #expect(try branch.revert(commits: [applied]).isDone)
        try exchange()
        #expect(try names(store) == "A B C B")
        #expect(try names(branch) == "A B C B")
    }

    @Test("What a file has brought to the branch alone comes to the store by a merge, and so do later changes of it")
    func appliedToTheBranch() throws {
        #expect(try branch.apply(try correction()).isDone)
        #expect(try store.merge(branch).isDone)
        #expect(try names(store) == "A B C B")
        try exchange()
        try store.write { try $0.append(Playlist.entries, of: "list", "C") }
        try exchange()
        #expect(try names(branch) == "A B C B C")
        try branch.write { try $0.remove(Playlist.entries, of: "list", at: 3) }
        try exchange()
        #expect(try names(store) == "A B C C")
    }

    @Test("What the store has put into the list at the same position of its log is another entry")
    func samePosition() throws {
        try store.write { try $0.append(Playlist.entries, of: "list", "C") }
        let applied = try #require(try branch.apply(try correction()).commit)
        try exchange()
        #expect(try sortedNames(store) == "ABBCC")
        // Each goes by itself, in either store, and comes back.
        for (one, other) in [(store, branch), (branch, store)] {
            for row in ["B", "C"] {
                let before = try names(one)
                let index = try #require(try one.entries().lastIndex { $0.target == row })
                try one.write { try $0.remove(Playlist.entries, of: "list", at: index) }
                try exchange()
                #expect(try sortedNames(other) == (row == "B" ? "ABCC" : "ABBC"))
                #expect(try one.undo()?.isDone == true)
                try exchange()
                #expect(try names(one).count == before.count && sortedNames(other) == "ABBCC")
            }
        }
        #expect(try branch.revert(commits: [applied]).isDone)
        try exchange()
        #expect(try sortedNames(store) == "ABCC")
    }

    /// Lets the branch have two entries of one serial at the end of the list: B of the copy, and C of the store.
    private func giveOneSerial() throws {
        try store.write { try $0.append(Playlist.entries, of: "list", "C") }
        #expect(try branch.apply(try correction()).isDone)
        #expect(try branch.merge(store).isDone)
        #expect(try Set(branch.entries().suffix(2).map(\.serial)).count == 1)
        #expect(try sortedNames(branch) == "ABBCC")
    }

    @Test("The history of a list tells entries of one serial apart")
    func history() throws {
        try giveOneSerial()
        let index = try #require(try branch.entries().lastIndex { $0.target == "C" })
        let there = try branch.entries().map(\.target)
        try branch.write { try $0.remove(Playlist.entries, of: "list", at: index) }
        let newest = try #require(try branch.history(of: Playlist.self, id: "list").first?.lists.first)
        #expect(newest.from == there)
        #expect(try newest.to == branch.entries().map(\.target))
    }

    @Test("A list that goes, and a row that goes, are in conflict with what the copy has put there")
    func goingRows() throws {
        try giveOneSerial()
        let begin = try store.resolve(.head)
        try store.write { try $0.delete(Playlist.self, id: "list") }
        let list = try branch.merge(store)
        #expect(list.conflicts.map(\.kind) == [.changedSince(["entries"])])
        try store.rollback(to: .position(begin))
        try store.write { transaction in
            try transaction.remove(Playlist.entries, of: "list", at: 3)
            try transaction.delete(Track.self, id: "B")
        }
        let row = try branch.merge(store)
        #expect(row.conflicts.map(\.entity.id) == ["B"])
        #expect(try sortedNames(branch) == "ABBCC")
    }

    @Test("A difference within the branch is taken back there, also where its entries have one serial")
    func ownDifference() throws {
        try giveOneSerial()
        let entries = try branch.entries()
        let begin = try branch.resolve(.head)
        let index = try #require(entries.lastIndex { $0.target == "B" })
        try branch.write { try $0.remove(Playlist.entries, of: "list", at: index) }
        #expect(try branch.apply(try branch.difference(from: .position(begin)).inverted()).isDone)
        #expect(try branch.entries() == entries)
    }

    @Test("A file has both of two entries with one serial, and what they do (HIS-110)")
    func fileOfOneSerial() throws {
        let begin = try branch.resolve(.head)
        try giveOneSerial()
        let path = directory.path("both.changes")
        try branch.difference(from: .position(begin)).write(to: path)
        let file = try ChangeSet(contentsOf: path)
        #expect(file.counts.linked == 2)
        let entries = try branch.entries()
        #expect(try branch.apply(file.inverted()).isDone)
        #expect(try names(branch) == "A B C")
        #expect(try branch.apply(file).isDone)
        #expect(try branch.entries() == entries)
    }

    @Test("A file that the branch has taken back leaves nothing behind, whatever else the branch has written")
    func takenBack() throws {
        let file = try correction()
        try store.write { try $0.append(Playlist.entries, of: "list", "C") }
        let applied = try #require(try branch.apply(file).commit)
        try branch.write { try $0.update(Track.self, id: "A") { $0.rating = 1 } }
        #expect(try branch.revert(commits: [applied]).isDone)
        try exchange()
        #expect(try names(branch) == "A B C C")
        #expect(try store.apply(file).isDone)
        try exchange()
        #expect(try sortedNames(branch) == "ABBCC")
    }

    @Test("The store goes on past the position of the copy, and both stores have all of it")
    func pastThePosition() throws {
        for rating in 1...3 { try copy.write { try $0.update(Track.self, id: "A") { $0.rating = rating } } }
        #expect(try branch.apply(try correction()).isDone)
        #expect(try store.merge(branch).isDone)
        for row in ["A", "C"] {
            try store.write { try $0.append(Playlist.entries, of: "list", contentsOf: [Track.ID(row), "C", "A"]) }
            try exchange()
        }
        #expect(try sortedNames(store) == "AAAABBCCCC")
        let index = try #require(try branch.entries().lastIndex { $0.target == "B" })
        try branch.write { try $0.remove(Playlist.entries, of: "list", at: index) }
        try exchange()
        #expect(try sortedNames(store) == "AAAABCCCC")
    }

    @Test("What the branch writes reaches a store that has applied a file from a copy of the branch")
    func copyOfTheBranch() throws {
        try FileManager.default.copyItem(atPath: branch.path, toPath: directory.path("copied branch"))
        let copy = try Store.open(at: directory.path("copied branch"), schema: Jukebox.schema)
        let begin = try copy.resolve(.head)
        for rating in 1...3 { try copy.write { try $0.update(Track.self, id: "A") { $0.rating = rating } } }
        try copy.write { try $0.append(Playlist.entries, of: "list", "B") }
        #expect(try store.apply(try copy.difference(from: .position(begin))).isDone)
        #expect(try branch.merge(store).isDone)
        try branch.write { try $0.append(Playlist.entries, of: "list", contentsOf: ["A", "C", "A", "C"]) }
        try exchange()
        #expect(try sortedNames(store) == "AAABBCCC")
    }

    @Test("An entry of a copy and one of the store at the same position are two, each in its own list")
    func otherLists() throws {
        try store.write { try $0.append(Playlist.entries, of: "other", "A") }
        #expect(try branch.apply(try correction()).isDone)
        try exchange()
        for store in [store, branch] {
            #expect(try names(store) == "A B C B")
            #expect(try names(store, "other") == "A")
        }
        try branch.write { try $0.remove(Playlist.entries, of: "list", at: 3) }
        try exchange()
        for store in [store, branch] {
            #expect(try names(store) == "A B C")
            #expect(try names(store, "other") == "A")
        }
    }

    @Test("A file from the copy that comes after the branch has brought its entries is refused, not taken twice")
    func appliedAfterTheMerge() throws {
        let file = try correction()
        let applied = try #require(try branch.apply(file).commit)
        #expect(try store.merge(branch).isDone)
        let error = #expect(throws: StoreError.self) { try store.apply(file) }
        #expect(error?.code == .notABranch)
        #expect(try names(store) == "A B C B")
        // As the advice says.
        #expect(try branch.revert(commits: [applied]).isDone)
        #expect(try store.merge(branch).isDone)
        #expect(try store.apply(file).isDone)
        try exchange()
        #expect(try names(branch) == "A B C B")
    }

    @Test("What the store itself has written comes to the branch as a file, and back by a merge, once")
    func ownFile() throws {
        try store.write { try $0.append(Playlist.entries, of: "list", "C") }
        let path = directory.path("own.changes")
        try store.difference(from: .position(base)).write(to: path)
        #expect(try branch.apply(try ChangeSet(contentsOf: path)).isDone)
        // A repeat of the same row that a copy has brought to the store makes no difference.
        #expect(try store.apply(try correction(appending: "C")).isDone)
        try exchange()
        #expect(try names(store) == "A B C C C")
    }
}
