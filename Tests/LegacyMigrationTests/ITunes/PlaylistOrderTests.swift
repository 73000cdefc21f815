import LegacyMigration
import TestSupport
import Testing

@testable import ITunesSources

/// The order in which folders and what is in them are handed on, whatever memory there is.
struct PlaylistOrderTests {
    private func playlist(_ key: String, in parent: String?, _ count: Int = 0) -> LibraryPlaylist {
        LibraryPlaylist(
            key: key,
            parent: parent,
            name: key,
            isFolder: false,
            entries: LegacyReferences((0..<count).map(InventedLibrary.key))
        )
    }

    /// What is handed on, and what loses its parent, of playlists by their parents.
    private func order(_ playlists: [LibraryPlaylist], byteCount: Int) throws -> [String] {
        var found: [String] = []
        var order = PlaylistOrder(in: RecordMemory(byteCountMax: byteCount))
        func emit(_ playlist: LibraryPlaylist) {
            found.append("\(playlist.key) in \(playlist.parent ?? "nothing")")
        }
        for playlist in playlists { try order.add(playlist, emit) }
        try order.finish(
            orphan: {
                found.append("\($0.key) \($1 ? "is inside itself" : "has lost its parent")")
            },
            emit: emit
        )
        return found
    }

    @Test(arguments: RecordMemoryTests.byteCounts, [1, 2, 3] as [UInt64])
    func `each playlist comes once, after its parent, or without one`(
        byteCount: Int,
        seed: UInt64
    ) throws {
        try seeded(seed) { random in
            // Some in no folder, some in one that never comes, some in each other.
            let playlists = (0..<400).map { number in
                let parent = random.once(in: 6) ? nil : "k\(random.below(440))"
                return playlist("k\(number)", in: parent)
            }.shuffled(using: &random)
            let found = try order(playlists, byteCount: byteCount)
            #expect(try found == order(playlists, byteCount: 1 << 30))
            var seen: Set<Substring> = ["nothing"]
            var orphanCount = 0
            for line in found {
                let words = line.split(separator: " ")
                if words[1] == "in" {
                    #expect(seen.contains(words[2]), "\(line)")
                    #expect(seen.insert(words[0]).inserted, "\(line)")
                } else {
                    orphanCount += 1
                }
            }
            #expect(seen.count == playlists.count + 1)
            #expect(orphanCount > 0)
        }
    }

    @Test func `playlists inside each other are opened at the first of the file`() throws {
        let playlists = [
            playlist("tail", in: "b"), playlist("a", in: "b"), playlist("b", in: "a"),
            playlist("lost", in: "nowhere"), playlist("self", in: "self"),
        ]
        #expect(
            try order(playlists, byteCount: 0) == [
                "lost has lost its parent", "lost in nothing", "a is inside itself", "a in nothing",
                "b in a", "tail in b", "self is inside itself", "self in nothing",
            ]
        )
    }

    @Test func `more than may wait is refused, and what waits no more makes room`() throws {
        var order = PlaylistOrder(in: RecordMemory(), byteCountMax: 150_000)
        var handedOn = 0
        // As much as may wait, again and again.
        for round in 0..<5 {
            for number in 0..<100 {
                try order.add(playlist("\(round)-\(number)", in: "f\(round)", 20)) { _ in }
            }
            try order.add(playlist("f\(round)", in: nil)) { _ in handedOn += 1 }
        }
        #expect(handedOn == 505)
        let refused = try code {
            for number in 0..<200 {
                try order.add(playlist("\(number)", in: "nowhere")) { _ in }
            }
        }
        #expect(refused == .limitExceeded)
        // Long lists take more than short ones.
        #expect(
            try code { try order.add(playlist("long", in: "nowhere", 20_000)) { _ in } }
                == .limitExceeded
        )
    }

    /// Keys are the same when their bytes are, as in a store.
    @Test func `a parent whose name is written in another normal form is another one`() throws {
        let composed = "caf\u{E9}"
        let decomposed = "cafe\u{301}"
        let found = try order(
            [playlist(composed, in: nil), playlist("x", in: decomposed)],
            byteCount: 0
        )
        #expect(found.map { $0.hasPrefix("x has lost") } == [false, true, false])
    }
}
