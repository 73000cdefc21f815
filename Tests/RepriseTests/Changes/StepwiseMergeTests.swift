import FaultSupport
import RepriseLMDB
import RepriseLog
import Testing

@testable import Reprise

/// Large changes, which are written in several transactions: HIS-113, HIS-114.
@Suite("Merges in steps")
struct StepwiseMergeTests {
    private static let trackCount = 1500

    /// - Parameters:
    ///   - isInSteps: whether every merge is made as if it were a large one.
    ///   - eventCount: how many events views that catch up take at once; nil for the standard.
    private static func store(isInSteps: Bool, foldingAtMost eventCount: Int? = nil) throws -> Store {
        var configuration = Store.Configuration.merging(inSteps: isInSteps)
        configuration.actor = "ada"
        if let eventCount { configuration.catchUpEventCountMax = eventCount }
        let store = try Store.temporary(Jukebox.schema, configuration: configuration)
        try store.write(CommitContext(intent: "fill", actor: "setup", correlation: "import")) { transaction in
            for album in 0..<20 { try transaction.insert(Album(id: "\(album)", title: "Album \(album)")) }
            for number in 0..<trackCount {
                let id = Track.ID("\(number)")
                let album = Album.ID("\(number * 7 % 20)")
                try transaction.insert(Track(id: id, title: "Title of track number \(number)", rating: 3, album: album))
            }
            try transaction.insert(Playlist(id: "list", name: "Mix"))
            let members = (0..<trackCount).map { Track.ID("\($0 % 500)") }
            try transaction.append(Playlist.entries, of: "list", contentsOf: members)
        }
        return store
    }

    /// What a user does then.
    private static func edit(_ store: Store) throws -> Position {
        try store.write(CommitContext(intent: "edit")) { transaction in
            for number in stride(from: 0, to: 1000, by: 2) {
                try transaction.update(Track.self, id: Track.ID("\(number)")) {
                    $0.rating = 5
                    $0.title += " (edited)"
                }
            }
            for number in 1200..<1300 { try transaction.delete(Track.self, id: Track.ID("\(number)")) }
            for number in 0..<300 {
                let id = Track.ID("new \(number)")
                try transaction.insert(Track(id: id, title: "New \(number)", album: "3"))
            }
            try transaction.append(Playlist.entries, of: "list", contentsOf: ["new 1", "new 2"])
            try transaction.insert(Playlist(id: "other", name: "Other"))
            try transaction.append(Playlist.entries, of: "other", contentsOf: ["1", "2", "1"])
        }
        return try store.resolve(.head)
    }

    private static func commitCount(of store: Store) throws -> Int {
        var count = 0
        try store.read { try $0.forEachCommit { _ in
            count += 1
            return true
        } }
        return count
    }

    @Test("A revert in steps is one commit, and comes to what one in one transaction comes to (HIS-113)")
    func revert() throws {
        var digests: [StateDigest] = []
        for isInSteps in [false, true] {
            let store = try Self.store(isInSteps: isInSteps)
            let before = try store.digest()
            let edit = try Self.edit(store)
            let edited = try store.digest()
            let count = try Self.commitCount(of: store)
            let report = try store.revert(commits: [edit])
            #expect(report.isDone)
            #expect(store.stepwiseCommitCount == (isInSteps ? 1 : 0))
            #expect(report.counts.updated == 501 && report.counts.inserted == 100 && report.counts.deleted == 301)
            #expect(try report.commit == store.resolve(.head))
            #expect(try Self.commitCount(of: store) == count + 1)
            #expect(try store.digest() == before)
            #expect(try store.verify().isSound)
            // And the way back, which is a revert of the revert.
            let commit = try #require(report.commit)
            #expect(try store.revert(commits: [commit]).isDone)
            #expect(try store.digest() == edited)
            #expect(try store.read(asOf: .position(commit)) { $0.digest } == before)
            #expect(try store.verify().isSound)
            digests.append(edited)
        }
        #expect(digests[0] == digests[1])
    }

    @Test("A migration that is reverted in steps leaves what the user has made (HIS-113)")
    func revertOfAll() throws {
        var digests: [StateDigest] = []
        for isInSteps in [false, true] {
            let store = try Self.store(isInSteps: isInSteps)
            _ = try Self.edit(store)
            let report = try store.revert(correlation: "import", resolving: .ours)
            #expect(report.isDone && !report.settled.isEmpty)
            #expect(store.stepwiseCommitCount == (isInSteps ? 1 : 0))
            #expect(try store.verify().isSound)
            digests.append(try store.digest())
        }
        #expect(digests[0] == digests[1])
    }

    @Test("Views are made anew behind a commit that is too large to be folded at once (HIS-113)",
        arguments: [(100, true), (nil, false)])
    func newViews(eventCount: Int?, areNew: Bool) throws {
        let store = try Self.store(isInSteps: true, foldingAtMost: eventCount)
        let before = try store.digest()
        let edit = try Self.edit(store)
        let viewSet = try store.readState().viewSet
        #expect(try store.revert(commits: [edit]).isDone)
        #expect(store.stepwiseCommitCount == 1)
        #expect(try (store.readState().viewSet != viewSet) == areNew)
        #expect(try store.digest() == before)
        #expect(try store.verify().isSound)
    }

    @Test("Changes from a file, and of a branch, come in steps (HIS-113)")
    func applyAndMerge() throws {
        let store = try Self.store(isInSteps: true)
        let branch = try Store.temporary(branchOf: store)
        let start = try branch.resolve(.head)
        _ = try Self.edit(branch)
        let changes = try branch.difference(from: .position(start))
        let twin = try Store.temporary(branchOf: store)
        #expect(try twin.apply(changes).isDone)
        #expect(try twin.digest() == branch.digest())
        #expect(try store.merge(branch).isDone)
        #expect(try store.digest() == branch.digest())
        // What was merged is noted in the commit.
        #expect(try store.merge(branch).commit == nil)
        #expect(store.stepwiseCommitCount == 1)
        for sound in [store, twin] { #expect(try sound.verify().isSound) }
    }

    @Test("Unique values that are exchanged, or taken, are decided as in one transaction (HIS-54)")
    func uniqueValues() throws {
        let store = try Self.store(isInSteps: true)
        try store.write { transaction in
            for number in 0..<200 {
                try transaction.update(Track.self, id: Track.ID("\(number)")) { $0.title = "Title \(199 - number)" }
            }
        }
        let edit = try store.resolve(.head)
        try store.write { try $0.insert(Track(id: "taker", title: "Title of track number 7")) }
        let open = try store.revert(commits: [edit])
        #expect(open.conflicts.count == 1 && !open.isDone)
        #expect(try store.revert(commits: [edit], resolving: .ours).isDone)
        #expect(store.stepwiseCommitCount == 1)
        let titles = try store.fetch(Track.self).map(\.title)
        #expect(Set(titles).count == titles.count)
        #expect(try store.fetch(Track.self, id: "7")?.title == "Title 192")
        #expect(try store.fetch(Track.self, id: "8")?.title == "Title of track number 8")
        #expect(try store.verify().isSound)
    }

    @Test("A member comes to the place of one that goes in steps (HIS-113)")
    func places() throws {
        let store = try Self.store(isInSteps: true)
        try store.write { transaction in
            try transaction.insert(Album(id: "single", title: "Single"))
            try transaction.insert(Track(id: "old", title: "Old", album: "single"))
        }
        let before = try store.digest()
        try store.write { transaction in
            try transaction.delete(Track.self, id: "old")
            // It gets the place that the other one had.
            try transaction.insert(Track(id: "other", title: "Other", album: "single"))
        }
        #expect(try store.undo()?.isDone == true)
        #expect(store.stepwiseCommitCount == 1)
        #expect(try store.digest() == before)
        #expect(try store.verify().isSound)
    }

    @Test("A member whose place another one keeps, or comes to as well, gets the next one (HIS-55, HIS-113)")
    func keptPlaces() throws {
        var digests: [StateDigest] = []
        for isInSteps in [false, true] {
            let store = try Self.store(isInSteps: isInSteps)
            func members() throws -> [Track.ID] { try store.fetch(Album.tracks, of: "single").map(\.id) }
            func insert(_ id: Track.ID) throws {
                try store.write { try $0.insert(Track(id: id, title: id.rawValue, album: "single")) }
            }
            var deletions: [Position] = []
            func delete(_ id: Track.ID) throws {
                try store.write { try $0.delete(Track.self, id: id) }
                deletions.append(try store.resolve(.head))
            }
            try store.write { try $0.insert(Album(id: "single", title: "Single")) }
            try insert("first")
            try insert("last")
            try delete("first")
            try delete("last")
            try insert("new")
            try insert("second")
            try delete("second")
            try insert("third")
            try delete("third")
            // The new one has the place of the first one, and three want that of the last one.
            #expect(try store.revert(commits: deletions).isDone)
            #expect(store.stepwiseCommitCount == (isInSteps ? 1 : 0))
            #expect(try members() == ["new", "first", "last", "third", "second"])
            #expect(try store.verify().isSound)
            try store.replay()
            #expect(try members() == ["new", "first", "last", "third", "second"])
            digests.append(try store.digest())
        }
        #expect(digests[0] == digests[1])
    }

    @Test("An undo that changes nothing is noted, and the next one takes the step before (HIS-56)")
    func undoOfNothing() throws {
        let store = try Self.store(isInSteps: true)
        try store.write { transaction in
            try transaction.update(Track.self, id: "1") { $0.rating = 1 }
        }
        try store.write { transaction in
            for track in try transaction.fetch(Album.tracks, of: "4") {
                try transaction.update(Track.self, id: track.id) { $0.album = "5" }
            }
        }
        try store.write(CommitContext(actor: "bob")) { try $0.delete(Album.self, id: "4") }
        let head = try store.resolve(.head)
        let report = try #require(try store.undo(resolving: .ours))
        #expect(report.isDone && report.commit != nil && report.commit != head)
        #expect(try store.fetch(Album.tracks, of: "4").isEmpty)
        #expect(try store.undo()?.isDone == true)
        #expect(try store.fetch(Track.self, id: "1")?.rating == 3)
        #expect(try store.verify().isSound)
    }

    @Test("What a commit that was not finished has left goes with whatever is written next (LOG-09)",
        arguments: ["write", "load", "rollback", "steps"])
    func leftovers(next: String) throws {
        let store = try Self.store(isInSteps: true)
        let filled = try store.resolve(.head)
        let edit = try Self.edit(store)
        let digest = try store.digest()
        let count = try Self.leaveBlocks(in: store)
        #expect(count > 2)
        let report = try store.verify()
        #expect(report.isSound && report.eventCount == Int(edit.rawValue))
        #expect(try store.digest() == digest)
        switch next {
        case "write":
            try store.write { try $0.insert(Playlist(id: "a", name: "A")) }
            try store.write { try $0.insert(Playlist(id: "b", name: "B")) }
        case "load":
            try store.bulkLoad { load in
                for id in ["a", "b"] as [Playlist.ID] {
                    try load.batch { try $0.insert(Playlist(id: id, name: "A list")) }
                }
            }
        case "rollback": try store.rollback(to: .position(filled))
        default:
            #expect(try store.revert(commits: [edit]).isDone)
            #expect(store.stepwiseCommitCount == 1)
        }
        let transaction = try store.environment.beginRead()
        let state = try StoreState.read(transaction.reader, store.tables)
        #expect(try LogReader(transaction.reader, table: store.tables.log, head: .max).head() == state.log.head)
        #expect(state.log.head > edit.rawValue)
        #expect(try store.verify().isSound)
    }

    /// Begins a commit behind the head of the log. Returns of how many blocks.
    private static func leaveBlocks(in store: Store) throws -> Int {
        let transaction = try store.environment.beginWrite()
        let state = try StoreState.read(transaction.reader, store.tables)
        var builder = CommitBuilder(after: state.log, metadata: CommitMetadata(timeMicroseconds: 1))
        let body = [UInt8](repeating: 7, count: 1000)
        for _ in 0..<300 {
            try unsafe builder.append(
                type: .inserted,
                version: 1,
                model: 1,
                id: UnsafeRawBufferPointer(start: nil, count: 0),
                previous: 0,
                cause: 0
            ) { writer in unsafe body.withUnsafeBytes { unsafe writer.bytes($0) } }
        }
        var count = 0
        try unsafe builder.stage { position, bytes in
            try unsafe withUnsafeBytes(of: position.bigEndian) { key in
                try unsafe transaction.append(store.tables.log, key: key, value: bytes)
            }
            count += 1
        }
        try transaction.commit()
        return count
    }

    private static func fillWithLong(_ store: Store) throws -> Position {
        let text = String(repeating: "long ", count: 200)
        try store.write { transaction in
            for number in 0..<300 { try transaction.insert(Item(id: Item.ID("own-\(number)"), name: text)) }
        }
        return try store.resolve(.head)
    }

    @Test("Commits of another process between the steps are kept, and the merge is decided anew (HIS-113)")
    func neighbour() async throws {
        let scratch = try Scratch()
        var configuration = Store.Configuration()
        configuration.stepwiseChangeCountMin = 1
        configuration.viewStepByteCount = 4096
        let store = try Store.open(at: scratch("store"), schema: FaultModels.schema, configuration: configuration)
        defer { store.close() }
        var commit = try Self.fillWithLong(store)
        let file = AcknowledgementFile(path: scratch("acknowledgements"))
        let neighbour = ChildProcess(
            ChildProcess.builtExecutable("FaultWorker"),
            ["do=insert", "path=" + store.path, "acknowledgements=" + file.path, "count=60"],
            output: scratch("output")
        )
        var doneCount = 0
        repeat {
            // There and back: all rows go, and all come again.
            let report = try store.revert(commits: [commit])
            #expect(report.isDone)
            commit = try #require(report.commit)
            doneCount += 1
        } while file.lines.count < 60 && doneCount < 500
        #expect(await neighbour.end() == .exit(0))
        // Also where the neighbour was in time again and again.
        #expect(store.stepwiseCommitCount == doneCount)
        #expect(try store.count(Item.self) == 60 + (doneCount.isMultiple(of: 2) ? 300 : 0))
        #expect(try store.verify().isSound)
    }
}
