import Reprise
import TestSupport
import Testing

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Two stores that each merge a copy of the other, which was made before that has merged (HIS-92).
@Suite struct CrossedMergeTests {
    private let pair: Pair

    init() throws { pair = try Pair() }

    private var older: Store { pair.stores[0] }
    private var younger: Store { pair.stores[1] }

    private func rate(_ store: Store, _ track: Track.ID, _ rating: Int) throws {
        try store.write { try $0.update(Track.self, id: track) { $0.rating = rating } }
    }

    private func append(_ store: Store, _ tracks: Track.ID...) throws {
        try store.write { try $0.append(Playlist.entries, of: "list", contentsOf: tracks) }
    }

    private func insert(_ store: Store, _ track: Track.ID, at index: Int) throws {
        try store.write { try $0.insert(Playlist.entries, of: "list", track, at: index) }
    }

    private func ratings(of track: Track.ID) throws -> [Int?] {
        try pair.stores.map { try $0.fetch(Track.self, id: track)?.rating }
    }

    private func expectLists(_ names: String, _ comment: Comment? = nil) throws {
        for store in pair.stores { #expect(try store.names() == names, comment) }
    }

    @Test func `what both append again and again has one order in both`() throws {
        var (names, round) = ("A B C A", 0)
        while round < 6 {
            try append(older, "A")
            try append(younger, "B", "C")
            try pair.cross()
            names += " A B C"
            try expectLists(names, "round \(round)")
            round += 1
        }
        #expect(try older.digest() == younger.digest())
    }

    @Test func `members that both put into a list have one order in both`() throws {
        for round in 0..<4 {
            for (store, side) in zip(pair.stores, ["x", "y"]) {
                let name = "\(side)\(round)"
                try store.write { try $0.insert(Track(id: Track.ID(name), title: name, album: "album")) }
            }
            try pair.cross()
        }
        let tracks = try pair.stores.map { try $0.tracks() }
        #expect(tracks == [String](repeating: "A B C x0 y0 x1 y1 x2 y2 x3 y3", count: 2))
        #expect(try older.digest() == younger.digest())
    }

    @Test func `a value that came by such a merge can be changed in either store`() throws {
        try rate(older, "A", 10)
        try rate(younger, "B", 20)
        try pair.cross()
        try rate(younger, "A", 11)
        try rate(older, "B", 21)
        try pair.cross()
        #expect(try ratings(of: "A") == [11, 11])
        #expect(try ratings(of: "B") == [21, 21])
    }

    @Test func `what was settled alike is no conflict again, and can be changed`() throws {
        try rate(older, "A", 10)
        try rate(younger, "A", 20)
        try pair.cross(.ours, .theirs)
        #expect(try ratings(of: "A") == [10, 10])
        try pair.cross()
        try rate(younger, "A", 21)
        try pair.cross()
        #expect(try ratings(of: "A") == [21, 21])
    }

    @Test func `what was taken away since stays away`() throws {
        try append(older, "A")
        try append(younger, "B")
        try younger.write { try $0.insert(Track(id: "X", title: "X", album: "album")) }
        try older.write { try $0.insert(Track(id: "Y", title: "Y", album: "album")) }
        try pair.cross()
        // Each takes away what the other has put there, and what it has put there itself.
        try older.write { try $0.remove(Playlist.entries, of: "list", at: 5) }
        try younger.write { try $0.remove(Playlist.entries, of: "list", at: 4) }
        try older.write { try $0.delete(Track.self, id: "X") }
        try younger.write { try $0.delete(Track.self, id: "Y") }
        try pair.cross()
        try expectLists("A B C A")
        for store in pair.stores { #expect(try store.tracks() == "A B C") }
    }

    @Test func `an entry that one has moved since stays where it was put`() throws {
        try append(older, "A")
        try append(younger, "B")
        try pair.cross()
        try expectLists("A B C A A B")
        try younger.write { try $0.move(Playlist.entries, of: "list", fromOffsets: [5], toOffset: 0) }
        try older.write { try $0.move(Playlist.entries, of: "list", fromOffsets: [2], toOffset: 1) }
        try pair.cross()
        try expectLists("B A C B A A")
    }

    @Test func `what was written between the copy and the merge is known to come later`() throws {
        try append(older, "A")
        try append(younger, "B")
        try rate(older, "A", 1)
        let copies = try pair.copies()
        try append(older, "A", "A")
        try append(younger, "C", "B")
        try rate(older, "B", 2)
        try insert(younger, "C", at: 0)
        try pair.merge(copies)
        try rate(younger, "A", 3)
        try append(older, "A")
        try append(younger, "C")
        try pair.cross()
        for _ in 0..<2 { try pair.cross() }
        try expectLists("C A B C A A A A B A C B C")
        #expect(try ratings(of: "A") == [3, 3])
        #expect(try ratings(of: "B") == [2, 2])
    }

    @Test func `a to-one that came back empty can be set again`() throws {
        try younger.write { try $0.insert(Album(id: "other", title: "Other")) }
        try pair.cross()
        try younger.write { try $0.update(Track.self, id: "A") { $0.album = nil } }
        try rate(older, "B", 1)
        try pair.cross()
        try rate(older, "B", 2)
        try younger.write { try $0.update(Track.self, id: "A") { $0.album = "other" } }
        for _ in 0..<2 { try pair.cross() }
        #expect(try pair.stores.map { try $0.fetch(Track.self, id: "A")?.album } == ["other", "other"])
    }

    @Test func `what was written before a merge in steps that moves it comes`() throws {
        let pair = try Pair(isInSteps: true)
        let (older, younger) = (pair.stores[0], pair.stores[1])
        try younger.write { try $0.insert(Album(id: "other", title: "Other")) }
        try pair.cross()
        try rate(younger, "B", 1)
        let copies = try pair.copies()
        copies[0].close()
        try append(older, "A", "A")
        try older.write { try $0.insert(Track(id: "X", title: "X", album: "other")) }
        // This stands at the same places, and leaves them when the merge brings what the older store has.
        try append(younger, "B")
        try younger.write { try $0.update(Track.self, id: "A") { $0.album = "other" } }
        let copy = try pair.copy(0)
        #expect(try younger.merge(copy).isDone)
        copy.close()
        #expect(try older.merge(copies[1]).isDone)
        for _ in 0..<2 { try pair.cross() }
        for store in pair.stores {
            #expect(try store.names() == "A B C A A A B")
            #expect(try store.tracks(of: "other") == "X A")
        }
    }

    @Test func `a copy that is older than the last one is refused`() throws {
        let older = try pair.copies()
        try append(self.older, "A")
        try append(younger, "B")
        try pair.cross()
        for (store, copy) in zip(pair.stores, older.reversed()) {
            let error = #expect(throws: StoreError.self) { try store.merge(copy) }
            #expect(error?.code == .notABranch)
        }
        try expectLists("A B C A A B")
    }

    @Test func `such merges can go on with merges in turns`() throws {
        try append(older, "A")
        try append(younger, "B")
        try pair.cross()
        try append(younger, "C")
        try append(older, "B")
        #expect(try older.merge(younger).isDone)
        #expect(try younger.merge(older).isDone)
        try expectLists("A B C A A B B C")
        #expect(try older.digest() == younger.digest())
        #expect(try older.merge(younger).commit == nil)
    }

    @Test(arguments: 0..<60)
    func `at random, with copies of any age and any answers, both end alike`(_ seed: Int) throws {
        var stores = try RandomPair(seed: UInt64(seed))
        for _ in 0..<60 { try stores.step() }
        try stores.settle()
    }
}

/// A store and a branch of it, which never see each other, but only copies.
private final class Pair {
    let stores: [Store]
    private let directory: TemporaryDirectory
    private var copyCount = 0
    private var configuration = Store.Configuration()

    init(isInSteps: Bool = false) throws {
        directory = try TemporaryDirectory()
        if isInSteps {
            configuration.stepwiseChangeCountMin = 1
            configuration.planByteCount = 1024
        }
        let paths = ["older.reprise", "younger.reprise"].map { [directory] in directory.path($0) }
        try Jukebox.filled().replay(into: paths[0])
        let older = try Store.open(at: paths[0], schema: Jukebox.schema, configuration: configuration)
        try older.branch(to: paths[1]).close()
        stores = [older, try Store.open(at: paths[1], schema: Jukebox.schema, configuration: configuration)]
    }

    func copy(_ side: Int) throws -> Store {
        copyCount += 1
        let path = directory.path("copy \(copyCount).reprise")
        try FileManager.default.copyItem(atPath: stores[side].path, toPath: path)
        return try Store.open(at: path, schema: Jukebox.schema, configuration: .readOnly)
    }

    func copies() throws -> [Store] { try [copy(0), copy(1)] }

    /// Merges a copy of each into the other one.
    func merge(
        _ copies: [Store],
        _ older: ChangeSet.Resolution = .none,
        _ younger: ChangeSet.Resolution = .none
    ) throws {
        for (side, resolution) in [older, younger].enumerated() {
            let report = try stores[side].merge(copies[1 - side], resolving: resolution)
            #expect(report.isDone, "\(report.conflicts)")
        }
        for copy in copies { copy.close() }
    }

    func cross(_ older: ChangeSet.Resolution = .none, _ younger: ChangeSet.Resolution = .none) throws {
        try merge(copies(), older, younger)
    }
}

/// Random edits of a pair, and copies that are under way.
private struct RandomPair {
    private var random: SeededGenerator
    private let pair: Pair
    /// The newest copy of each that has been made and not been merged.
    private var copies: [Store?] = [nil, nil]
    private var made = 0
    private var expected: Set<String> = []
    private var deleted: Set<String> = []

    init(seed: UInt64) throws {
        random = SeededGenerator(seed: seed)
        pair = try Pair(isInSteps: seed % 2 == 1)
        for store in pair.stores { try store.write { try $0.removeAll(Playlist.entries, of: "list") } }
        for side in 0..<2 { _ = try merge(pair.copy(side), into: 1 - side) }
    }

    private mutating func merge(_ copy: Store, into side: Int) throws -> Position? {
        let takesTheirs = Bool.random(using: &random)
        let resolution = ChangeSet.Resolution.each { takesTheirs && $0.canBeTheirs ? .theirs : .ours }
        let report = try pair.stores[side].merge(copy, resolving: resolution)
        #expect(report.isDone, "\(report.conflicts)")
        copy.close()
        return report.commit
    }

    mutating func step() throws {
        let side = Int.random(in: 0..<2, using: &random)
        let store = pair.stores[side]
        let entries = try store.entries()
        switch Int.random(in: 0..<14, using: &random) {
        case 0..<4:
            made += 1
            let name = "t\(made)"
            let index = Bool.random(using: &random) ? entries.count : Int.random(in: 0...entries.count, using: &random)
            try store.insertTrack(named: name, at: index)
            expected.insert(name)
        case 4 where !entries.isEmpty:
            let index = Int.random(in: 0..<entries.count, using: &random)
            expected.remove(entries[index].target)
            try store.write { try $0.remove(Playlist.entries, of: "list", at: index) }
        case 5 where entries.count > 1: try store.moveEntry(&random)
        case 6:
            let track = entries.randomElement(using: &random)?.target ?? "A"
            let rating = Int.random(in: 0...3, using: &random)
            try store.write { try $0.update(Track.self, id: Track.ID(track)) { $0.rating = rating } }
        case 7:
            let tracks = try store.fetch(Album.tracks, of: "album")
            let (from, to) = (
                Int.random(in: 0..<tracks.count, using: &random), Int.random(in: 0..<tracks.count, using: &random)
            )
            try store.write { try $0.move(Album.tracks, of: "album", fromOffsets: [from], toOffset: to) }
        case 8 where !entries.isEmpty:
            // The other one may have changed it and keep it.
            let index = Int.random(in: 0..<entries.count, using: &random)
            expected.remove(entries[index].target)
            deleted.insert(entries[index].target)
            try store.write { try $0.delete(Track.self, id: Track.ID(entries[index].target)) }
        case 9, 10:
            copies[side]?.close()
            copies[side] = try pair.copy(side)
        default:
            guard let copy = copies[1 - side] else { return }
            copies[1 - side] = nil
            _ = try merge(copy, into: side)
        }
    }

    /// Lets both merge until neither has anything new.
    mutating func settle() throws {
        for copy in copies { copy?.close() }
        var roundCount = 0
        var isDone = false
        while !isDone, roundCount < 8 {
            roundCount += 1
            let copies = try pair.copies()
            let commits = try (0..<2).map { try merge(copies[1 - $0], into: $0) }
            isDone = commits.allSatisfy { $0 == nil }
        }
        #expect(isDone)
        let names = try pair.stores.map { try $0.names() }
        #expect(names[0] == names[1])
        let tracks = try pair.stores.map { try $0.tracks() }
        #expect(tracks[0] == tracks[1])
        let rows = try pair.stores.map { try $0.fetch(Track.self).map { "\($0)" } }
        #expect(rows[0] == rows[1])
        let targets = try pair.stores[0].entries().map(\.target)
        #expect(targets.count == Set(targets).count)
        #expect(expected.subtracting(targets).isEmpty)
        #expect(Set(targets).subtracting(expected).isSubset(of: deleted))
        for store in pair.stores { #expect(try store.verify().isSound) }
    }
}
