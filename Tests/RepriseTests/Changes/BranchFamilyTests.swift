import Reprise
import TestSupport
import Testing

/// What tells stores of one family apart, and what keeps them together: HIS-90 to HIS-97.
@Suite("Families of branches")
struct BranchFamilyTests {
    @Test("Stores without a common past are not merged (HIS-94)")
    func strangers() throws {
        let (store, stranger) = (try Jukebox.filled(), try Jukebox.filled())
        for other in [stranger, try Store.temporary(branchOf: stranger), store] {
            let error = #expect(throws: StoreError.self) { try store.merge(other) }
            #expect(error?.code == .notABranch)
            let compared = #expect(throws: StoreError.self) { try store.difference(to: other) }
            #expect(compared?.code == .notABranch)
        }
    }

    @Test("A copy of a store is no branch of it (HIS-94)")
    func copies() throws {
        let store = try Jukebox.filled()
        let directory = try TemporaryDirectory()
        let path = directory.path("copy.reprise")
        try store.replay(into: path)
        let copy = try Store.open(at: path, schema: Jukebox.schema)
        let branch = try Store.temporary(branchOf: store)
        let error = #expect(throws: StoreError.self) { try store.merge(copy) }
        #expect(error?.code == .notABranch)
        // But the past that they share is that of the branch, too.
        try branch.write { try $0.append(Playlist.entries, of: "list", "B") }
        try copy.merge(branch)
        #expect(try copy.names() == "A B C A B")
    }

    @Test("A store that was restored from a copy is not taken for the one that was merged (HIS-94)")
    func restored() throws {
        let store = try Jukebox.filled()
        let directory = try TemporaryDirectory()
        let branch = try Store.temporary(branchOf: store)
        try branch.write { try $0.append(Playlist.entries, of: "list", "B") }
        let backup = directory.path("backup.reprise")
        try branch.replay(into: backup)
        try branch.write { try $0.append(Playlist.entries, of: "list", "C") }
        try store.merge(branch)
        let restored = try Store.open(at: backup, schema: Jukebox.schema)
        for _ in 0..<2 {
            let error = #expect(throws: StoreError.self) { try store.merge(restored) }
            #expect(error?.code == .notABranch)
            try restored.write { try $0.append(Playlist.entries, of: "list", "A") }
        }
    }

    @Test("A branch that begins before its store itself began is one of the store before, and meets it there (HIS-94)")
    func beforeTheBeginning() throws {
        let store = try Jukebox.filled()
        let begin = try store.resolve(.head)
        try store.write { try $0.append(Playlist.entries, of: "list", "A") }
        let branch = try Store.temporary(branchOf: store)
        try branch.write { try $0.append(Playlist.entries, of: "list", "B") }
        let early = try Store.temporary(branchOf: branch, at: .position(begin))
        try early.write { try $0.append(Playlist.entries, of: "list", "C") }
        let error = #expect(throws: StoreError.self) { try branch.merge(early) }
        #expect(error?.code == .notABranch)
        #expect(try early.apply(try branch.difference(from: .position(begin))).isDone)
        #expect(try store.merge(early).isDone)
        for other in [branch, early, branch, early] {
            #expect(try store.merge(other).isDone && other.merge(store).isDone)
        }
        for other in [branch, early] {
            #expect(try store.difference(to: other).isEmpty)
            #expect(try other.names().split(separator: " ").sorted() == ["A", "A", "A", "B", "B", "C", "C"])
        }
    }

    @Test("The library's own annotations cannot be written by a program (HIS-96)")
    func reservedNames() throws {
        let store = try Jukebox.filled()
        let error = #expect(throws: StoreError.self) {
            try store.write { _ = try $0.annotate(name: "reprise.branch", key: "", payload: []) }
        }
        #expect(error?.code == .invalidIdentifier)
    }

    @Test(
        "Stores that edit, merge and settle at random end alike, with each entry once (HIS-92, HIS-93)",
        arguments: 0..<40
    )
    func randomFamilies(seed: Int) throws {
        var family = try RandomFamily(seed: UInt64(seed))
        for _ in 0..<60 { try family.step() }
        try family.settle()
    }
}

/// Three stores of one family, and which entries there must be.
private struct RandomFamily {
    private var random: SeededGenerator
    /// A store, a branch of it, and a branch of the branch or of the store.
    private let stores: [Store]
    /// The place of the parent of the last one.
    private let parent: Int
    private var made = 0
    private var expected: Set<String> = []

    init(seed: UInt64) throws {
        random = SeededGenerator(seed: seed)
        let root = try Jukebox.filled()
        try root.write { try $0.removeAll(Playlist.entries, of: "list") }
        let branch = try Store.temporary(branchOf: root)
        parent = Int.random(in: 0...1, using: &random)
        stores = [root, branch, try Store.temporary(branchOf: [root, branch][parent])]
    }

    mutating func step() throws {
        let place = Int.random(in: 0..<3, using: &random)
        let store = stores[place]
        let entries = try store.entries()
        switch Int.random(in: 0..<10, using: &random) {
        case 0..<4:
            made += 1
            let name = "t\(made)"
            let index = Int.random(in: 0...entries.count, using: &random)
            try store.insertTrack(named: name, at: index)
            expected.insert(name)
        case 4 where !entries.isEmpty:
            let index = Int.random(in: 0..<entries.count, using: &random)
            expected.remove(entries[index].target)
            try store.write { try $0.remove(Playlist.entries, of: "list", at: index) }
        case 5 where entries.count > 1: try store.moveEntry(&random)
        case 6, 7:
            let rating = Int.random(in: 0...100, using: &random)
            try store.write { try $0.update(Track.self, id: "A") { $0.rating = rating } }
        default:
            let pairs = [(0, 1), (1, 0), (parent, 2), (2, parent)]
            let (ours, theirs) = pairs[Int.random(in: 0..<4, using: &random)]
            let side: ChangeSet.Resolution = Bool.random(using: &random) ? .ours : .theirs
            #expect(try stores[ours].merge(stores[theirs], resolving: side).isDone)
        }
    }

    /// Brings all together, and all out again.
    func settle() throws {
        let steps = parent == 0 ? [(0, 1), (0, 2), (1, 0), (2, 0)] : [(1, 2), (0, 1), (1, 0), (2, 1)]
        for (place, (ours, theirs)) in steps.enumerated() {
            let side: ChangeSet.Resolution = place < 2 ? .ours : .theirs
            #expect(try stores[ours].merge(stores[theirs], resolving: side).isDone)
        }
        let digest = try stores[0].digest()
        for store in stores {
            let targets = try store.entries().map(\.target)
            #expect(Set(targets) == expected)
            #expect(targets.count == expected.count)
            #expect(try store.digest() == digest)
            #expect(try store.verify().isSound)
        }
        // Nothing is new any more, in any direction.
        for (ours, theirs) in steps { #expect(try stores[ours].merge(stores[theirs]).commit == nil) }
    }
}
