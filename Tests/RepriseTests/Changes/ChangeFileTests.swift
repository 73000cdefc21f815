import Reprise
import TestSupport
import Testing

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Sets of changes as files: HIS-110 to HIS-112.
@Suite("Files of changes")
struct ChangeFileTests {
    private let directory: TemporaryDirectory
    private let store: Store
    /// The head of the store before the changes.
    private let base: Position

    init() throws {
        directory = try TemporaryDirectory()
        let store = try Store.open(at: directory.path("store"), schema: Jukebox.schema)
        let filled = try Jukebox.filled()
        try store.write { transaction in
            try filled.read { state in
                for album in try state.fetch(Album.self) { try transaction.insert(album) }
                for track in try state.fetch(Track.self) { try transaction.insert(track) }
                for list in try state.fetch(Playlist.self) { try transaction.insert(list) }
            }
            try transaction.append(Playlist.entries, of: "list", contentsOf: ["A", "B", "C", "A"])
        }
        self.store = store
        base = try store.resolve(.head)
    }

    /// Another store with the log of the first one as it is, which goes on by itself.
    private func copy(_ name: String = "copy") throws -> Store {
        let path = directory.path(name)
        try store.replay(into: path)
        return try Store.open(at: path, schema: Jukebox.schema)
    }

    /// All kinds of changes: a row that comes, one that goes, one that changes, entries that come, go and move.
    private func edit(_ store: Store) throws {
        try store.write(Jukebox.by("ada")) { transaction in
            try transaction.insert(Track(id: "D", title: "D", album: "album"))
            try transaction.update(Track.self, id: "A") { $0.rating = 5 }
            let entries = try transaction.entries(Playlist.entries, of: "list").map(\.id)
            try transaction.move(Playlist.entries, entry: entries[2], of: "list", to: .first)
            try transaction.append(Playlist.entries, of: "list", "D")
        }
        try store.write(Jukebox.by("ada")) { try $0.delete(Track.self, id: "B") }
    }

    private func file(of store: Store, named name: String = "a.changes") throws -> ChangeSet {
        let path = directory.path(name)
        try store.difference(from: .position(base)).write(to: path)
        return try ChangeSet(contentsOf: path)
    }

    private func all(_ changes: ChangeSet) throws -> [ChangeSet.EntityChange] {
        var all: [ChangeSet.EntityChange] = []
        try changes.forEach {
            all.append($0)
            return true
        }
        return all
    }

    @Test("A file has all that the set has, and so does its way back (HIS-110)")
    func fileHasAll() throws {
        try edit(store)
        let changes = try store.difference(from: .position(base))
        let read = try file(of: store)
        #expect(try all(read) == all(changes))
        #expect(read.counts == changes.counts)
        #expect((read.from, read.to) == (changes.from, changes.to))
        try read.inverted().write(to: directory.path("back.changes"))
        let back = try ChangeSet(contentsOf: directory.path("back.changes"))
        #expect(try all(back) == all(changes.inverted()))
        let error = #expect(throws: StoreError.self) { try read.changes(of: Track.self) }
        #expect(error?.code == .unknownPosition)
    }

    @Test("A file takes the store there and back (HIS-110, HIS-51)")
    func thereAndBack() throws {
        let before = try store.digest()
        try edit(store)
        let after = try store.digest()
        let changes = try file(of: store)
        #expect(try store.apply(changes.inverted()).isDone)
        #expect(try store.digest() == before)
        #expect(try store.apply(changes).isDone)
        #expect(try store.digest() == after)
        #expect(try store.verify().isSound)
    }

    @Test("A correction that was made in a copy comes into the store, which has gone on (HIS-111)")
    func correctionOfACopy() throws {
        let copy = try copy()
        try edit(copy)
        try store.write(Jukebox.by("bob")) { transaction in
            try transaction.append(Playlist.entries, of: "list", "C")
            try transaction.insert(Track(id: "E", title: "E"))
        }
        let changes = try file(of: copy)
        #expect(try store.apply(changes, isPlan: true).counts == changes.counts)
        #expect(try store.apply(changes).isDone)
        #expect(try store.names() == "C A A C D" || store.names() == "C A A D C")
        #expect(try store.read { try $0.fetch(Track.self, id: "A")?.rating } == 5)
        #expect(try store.read { try $0.fetch(Track.self, id: "B") } == nil)
        let head = try store.resolve(.head)
        #expect(try store.apply(changes).commit == nil)
        #expect(try store.resolve(.head) == head)
        #expect(try store.verify().isSound)
    }

    @Test("A second correction of the same copy brings only what is new (HIS-111)")
    func secondCorrection() throws {
        let copy = try copy()
        try edit(copy)
        #expect(try store.apply(try file(of: copy)).isDone)
        try copy.write(Jukebox.by("ada")) { try $0.append(Playlist.entries, of: "list", "A") }
        #expect(try store.apply(try file(of: copy, named: "b.changes")).isDone)
        #expect(try store.names() == copy.names())
        #expect(try store.digest() == copy.digest())
    }

    @Test("A copy may have parted from the store later than where the changes begin (HIS-111)")
    func partedLater() throws {
        // As after a snapshot: what follows it is in both.
        try store.createSnapshot(named: "received")
        try store.write { try $0.append(Playlist.entries, of: "list", "A") }
        let copy = try copy()
        try edit(copy)
        try store.write(Jukebox.by("bob")) { try $0.append(Playlist.entries, of: "list", "C") }
        #expect(try store.apply(try file(of: copy)).isDone)
        #expect(try store.names().split(separator: " ").sorted() == ["A", "A", "A", "C", "C", "D"])
        let head = try store.resolve(.head)
        #expect(try store.apply(try file(of: copy, named: "again.changes")).commit == nil)
        #expect(try store.resolve(.head) == head)
    }

    @Test("Changes that begin with a state which the store has not had are refused (HIS-111)")
    func otherStores() throws {
        let early = try copy("early")
        try store.write { try $0.append(Playlist.entries, of: "list", "B") }
        let begin = try store.resolve(.head)
        try edit(store)
        let changes = try store.difference(from: .position(begin))
        for other in [early, try Jukebox.filled()] {
            let error = #expect(throws: StoreError.self) { try other.apply(changes) }
            #expect(error?.code == .notABranch)
        }
    }

    @Test("What comes back to the store that made it is there already (HIS-111)")
    func thereAndBackAgain() throws {
        let copy = try copy()
        try copy.write { try $0.append(Playlist.entries, of: "list", "B") }
        try store.write { try $0.append(Playlist.entries, of: "list", "C") }
        #expect(try store.apply(try file(of: copy)).isDone)
        #expect(try copy.apply(try file(of: store, named: "back.changes")).isDone)
        #expect(try store.names().split(separator: " ").sorted() == ["A", "A", "B", "B", "C", "C"])
        #expect(try copy.names().split(separator: " ").sorted() == ["A", "A", "B", "B", "C", "C"])
        #expect(try store.apply(try file(of: copy, named: "again.changes")).commit == nil)
    }

    @Test("Entries of two copies that cannot be told apart are refused (HIS-111)")
    func twoCopies() throws {
        let first = try copy("first")
        try first.write { try $0.append(Playlist.entries, of: "list", "A") }
        let path = directory.path("second")
        try first.replay(into: path)
        let second = try Store.open(at: path, schema: Jukebox.schema)
        // Both go on from a commit that the store does not have.
        try first.write { try $0.append(Playlist.entries, of: "list", "B") }
        try second.write { try $0.append(Playlist.entries, of: "list", "C") }
        #expect(try store.apply(try file(of: first)).isDone)
        let error = #expect(throws: StoreError.self) {
            try store.apply(try file(of: second, named: "second.changes"))
        }
        #expect(error?.code == .notABranch)
        #expect(try store.names() == "A B C A A B")
    }

    @Test("An entry comes back beside one to which a copy has given the same identity (HIS-111)")
    func returningEntries() throws {
        let first = try copy("first")
        try first.write { try $0.append(Playlist.entries, of: "list", "A") }
        try first.replay(into: directory.path("second"))
        let second = try Store.open(at: directory.path("second"), schema: Jukebox.schema)
        try first.write { try $0.append(Playlist.entries, of: "list", "B") }
        try second.write { try $0.append(Playlist.entries, of: "list", "C") }
        #expect(try store.apply(file(of: first)).isDone)
        try store.write { try $0.remove(Playlist.entries, of: "list", at: 5) }
        let removal = try store.resolve(.head)
        #expect(try store.apply(file(of: second, named: "second.changes")).isDone)
        #expect(try store.names() == "A B C A A C")
        #expect(try store.revert(commits: [removal]).isDone)
        #expect(try store.names().split(separator: " ").sorted() == ["A", "A", "A", "B", "B", "C", "C"])
        // Each goes, and comes back, by itself.
        let entries = try store.entries()
        let both = entries.filter { $0.serial == entries[5].serial }
        #expect(both.count == 2)
        for entry in both {
            try store.write { try $0.unlink(Playlist.entries, entry: entry, of: "list") }
            #expect(try store.entries() == entries.filter { $0 != entry })
            #expect(try store.undo()?.isDone == true)
            #expect(try Set(store.entries()) == Set(entries))
        }
        #expect(try store.verify().isSound)
        try store.replay(into: directory.path("replayed"))
    }

    @Test("A copy of the directory is not taken for the parent of a branch that was made later (HIS-111)")
    func copiedDirectory() throws {
        store.close()
        try FileManager.default.copyItem(atPath: directory.path("store"), toPath: directory.path("copy"))
        let copy = try Store.open(at: directory.path("copy"), schema: Jukebox.schema)
        let store = try Store.open(at: directory.path("store"), schema: Jukebox.schema)
        try store.write { try $0.append(Playlist.entries, of: "list", "B") }
        let branch = try store.branch(to: directory.path("branch"))
        try copy.write { try $0.append(Playlist.entries, of: "list", "C") }
        let error = #expect(throws: StoreError.self) {
            try branch.apply(try copy.difference(from: .position(base)))
        }
        #expect(error?.code == .notABranch)
        #expect(try branch.names() == "A B C A B")
    }

    @Test("Changes go through a family of branches, and an entry stays one entry (HIS-111, HIS-93)")
    func family() throws {
        let branch = try store.branch(to: directory.path("branch"))
        let child = try branch.branch(to: directory.path("child"))
        let sibling = try store.branch(to: directory.path("sibling"))
        let begin = try child.resolve(.head)
        try edit(child)
        let path = directory.path("child.changes")
        try child.difference(from: .position(begin)).write(to: path)
        let changes = try ChangeSet(contentsOf: path)
        for other in [store, branch, sibling] {
            #expect(try other.apply(changes).isDone)
            #expect(try other.names() == child.names())
            #expect(try other.apply(changes).commit == nil)
            #expect(try other.verify().isSound)
        }
        // What came as a file and what comes by a merge are the same.
        let head = try branch.resolve(.head)
        #expect(try branch.merge(child).isDone)
        #expect(try branch.names() == child.names())
        let merged = try branch.difference(from: .position(head)).counts
        #expect(merged.entities == 0)
    }

    @Test("Changes to a branch keep the places of its entries when they come from a file (HIS-110)")
    func changesToABranch() throws {
        let branch = try store.branch(to: directory.path("branch"))
        try edit(branch)
        try store.difference(to: branch).write(to: directory.path("to.changes"))
        #expect(try store.apply(try ChangeSet(contentsOf: directory.path("to.changes"))).isDone)
        #expect(try store.names() == branch.names())
        #expect(try store.difference(to: branch).isEmpty)
    }

    @Test("A file is not written over anything, and nothing is left of one that failed (HIS-112)")
    func nothingIsOverwritten() throws {
        try edit(store)
        let changes = try store.difference(from: .position(base))
        let path = directory.path("a.changes")
        try Data("mine".utf8).write(to: URL(filePath: path))
        let error = #expect(throws: StoreError.self) { try changes.write(to: path) }
        #expect(error?.code == .storeExists)
        #expect(try Data(contentsOf: URL(filePath: path)) == Data("mine".utf8))
        let read = #expect(throws: StoreError.self) { try ChangeSet(contentsOf: path) }
        #expect(read?.code == .notAChangeSet)
        let folder = #expect(throws: StoreError.self) { try ChangeSet(contentsOf: directory.path) }
        #expect(folder?.code == .notAChangeSet)
        #expect(throws: StoreError.self) { try ChangeSet(contentsOf: directory.path("missing")) }
        #expect(throws: StoreError.self) { try changes.write(to: directory.path("missing/a.changes")) }
        let names = try FileManager.default.contentsOfDirectory(atPath: directory.path)
        #expect(names.sorted() == ["a.changes", "store"])
    }

    @Test("A file with any byte changed, or cut off anywhere, is refused (HIS-112)")
    func damage() throws {
        try edit(store)
        _ = try file(of: store)
        let sound = try [UInt8](Data(contentsOf: URL(filePath: directory.path("a.changes"))))
        let path = directory.path("b.changes")
        let codes: Set<StoreError.Code> = [.corrupted, .notAChangeSet, .newerFormat]
        func check(_ bytes: [UInt8], _ place: Int) throws {
            try Data(bytes).write(to: URL(filePath: path))
            let error = #expect(throws: StoreError.self, "byte \(place)") { try ChangeSet(contentsOf: path) }
            #expect(error.map { codes.contains($0.code) } == true)
        }
        for place in sound.indices {
            var bytes = sound
            bytes[place] ^= 1 << UInt8(place % 8)
            try check(bytes, place)
            if place % 7 == 0 { try check(Array(sound.prefix(place)), place) }
        }
    }

    @Test("A large set is written and read in pieces, and applied", .timeLimit(.minutes(2)))
    func large() throws {
        for start in stride(from: 0, to: 30_000, by: 10_000) {
            try store.write { transaction in
                for number in start..<(start + 10_000) {
                    let id = Track.ID("t\(number)")
                    try transaction.insert(Track(id: id, title: "Title number \(number)", rating: 1))
                }
            }
        }
        let changes = try file(of: store)
        #expect(changes.counts.inserted == 30_000)
        #expect(try store.apply(changes.inverted()).counts.deleted == 30_000)
        let branch = try store.branch(to: directory.path("branch"), at: .position(base))
        #expect(try branch.apply(changes).counts.inserted == 30_000)
        #expect(try branch.verify().isSound)
    }
}
